import Metrics
import Statistics

/// One value with its method, counts and reason.
struct ExperimentRow {
  var section: String
  var measure = ""
  var metric = ""
  var variant = ""
  var slice = ""
  var value: ReportValue = .number(nil)
  var interval: Interval?
  var unit = ""
  var method = ""
  var level: Double?
  var persons: Int?
  var events: Int?
  var atRisk: Int?
  var informationFraction: Double?
  var isAlwaysValid: Bool?
  var margin: Double?
  var familySize: Int?
  var text = ""
  var reason = ""
  var golden = ""
  /// The metric's role, its good direction, and its users if the outcome selects them.
  var role = ""
  var direction = ""
  var conditionalOn = ""

  init(_ section: String, metric: String = "", variant: String = "", slice: String = "") {
    (self.section, self.metric, self.variant, self.slice) = (section, metric, variant, slice)
  }

  /// Returns the row with a value; what is not given stays.
  func with(
    _ measure: String, _ value: ReportValue = .number(nil), _ interval: Interval? = nil, unit: String? = nil,
    method: String? = nil, golden: String? = nil, _ change: (inout Self) -> Void = { _ in }
  ) -> Self {
    var row = self
    (row.measure, row.value, row.interval) = (measure, value, interval)
    (row.unit, row.method, row.golden) = (unit ?? self.unit, method ?? self.method, golden ?? self.golden)
    change(&row)
    return row
  }

  static let columns: [ReportColumn] = .keys("app", "experiment", "section", "metric", "variant", "slice", "measure")
    .figures("value", "low", "high").texts("unit", "text", "method").figures("level").counts("n", "events", "at_risk")
    .figures("information_fraction").texts("always_valid").figures("margin").counts("family_size")
    .texts("reason", "golden", "role", "direction", "conditional_on")

  func values(app: String, experiment: String) -> [ReportValue] {
    func count(_ value: Int?) -> ReportValue { value.map { .count($0) } ?? .percent(nil) }
    return [
      .text(app), .text(experiment), .text(section), .text(metric), .text(variant), .text(slice), .text(measure),
      value, .number(interval?.low), .number(interval?.high), .text(unit), .text(text), .text(method), .number(level),
      count(persons), count(events), count(atRisk), .number(informationFraction),
      .text(isAlwaysValid.map { $0 ? "yes" : "no" } ?? ""), .number(margin), count(familySize), .text(reason),
      .text(golden), .text(role), .text(direction), .text(conditionalOn),
    ]
  }
}
