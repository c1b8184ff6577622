import Metrics
import Statistics

/// One value with its method, counts and reason.
struct ExperimentRow {
  var section: String
  var measure: String
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

  init(_ section: String, _ measure: String) {
    self.section = section
    self.measure = measure
  }

  static let columns: [ReportColumn] =
    ["app", "experiment", "section", "metric", "variant", "slice", "measure"].map { ReportColumn($0, .key) }
    + ["value", "low", "high"].map { ReportColumn($0, .number) }
    + [ReportColumn("unit", .text), ReportColumn("text", .text), ReportColumn("method", .text)]
    + [ReportColumn("level", .number), ReportColumn("n", .count), ReportColumn("events", .count)]
    + [ReportColumn("at_risk", .count), ReportColumn("information_fraction", .number)]
    + [ReportColumn("always_valid", .text), ReportColumn("margin", .number), ReportColumn("family_size", .count)]
    + ["reason", "golden", "role", "direction", "conditional_on"].map { ReportColumn($0, .text) }

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
