internal import Basics
internal import EventModel
internal import Lifecycle

extension OwnMetric {
  private static let selectionKeys = ["event", "filter", "value", "currency"]
  private static let kinds = ["proportion", "mean", "ratio", "time_to_event"]

  private static let stepKeys = ["path", "step", "measure"]
  private static let eventKeys = ["kind", "window", "cap", "denominator"] + selectionKeys

  /// How a step of a path is compared (definitions 11.9).
  private enum Measure: String, CaseIterable {
    /// The share of users who get there.
    case share
    /// The incidence of getting there, by the time since the exposure.
    case hours
  }

  /// - Parameters:
  ///   - known: Metrics declared before, whose names are taken.
  ///   - paths: The paths of the same file.
  init(yaml value: YAMLValue, known: [OwnMetric], paths: [PathPlan]) throws(ConfigurationError) {
    let members = try value.members(["name", "direction"] + Self.eventKeys + Self.stepKeys)
    guard let nameValue = members["name"] else { throw value.failure("has no name") }
    let name = try nameValue.text()
    self.name = name
    // Names of money metrics end with a colon and their currency.
    let base = String(name.prefix { $0 != ":" })
    if ExperimentMetric.reservedNames.contains(base) || known.contains(where: { $0.name == name }) {
      throw nameValue.failure("is \(name), but must be a name that no other metric has")
    }
    direction = try members["direction"]?.choice() ?? .up
    if let path = members["path"] {
      if let key = Self.eventKeys.first(where: { members[$0] != nil }), let extra = members[key] {
        throw extra.failure("cannot be combined with path")
      }
      let step = try PathStep(path: path, step: members["step"], among: paths)
      source = .step(step)
      window = 0..<step.horizon(trial: 0)
      kind = try members["measure"]?.choice() == Measure.hours ? .timeToEvent : .proportion
      return
    }
    if let key = Self.stepKeys.first(where: { members[$0] != nil }), let extra = members[key] {
      throw extra.failure("needs path, such as path: \(PathPlan.checkoutName)")
    }
    source = .events(try Selection(members, of: value))
    guard let kindValue = members["kind"] else {
      throw value.failure("has no kind; expected one of \(Self.kinds.joined(separator: ", "))")
    }
    switch try kindValue.text() {
    case "proportion": kind = .proportion
    case "mean": kind = .mean
    case "time_to_event": kind = .timeToEvent
    case "ratio":
      guard let denominator = members["denominator"] else {
        throw value.failure("has no denominator, which a ratio needs")
      }
      kind = .ratio(denominator: try Selection(denominator.members(Self.selectionKeys), of: denominator))
    case let other:
      throw kindValue.failure("is \(other), but must be one of \(Self.kinds.joined(separator: ", "))")
    }
    if let denominator = members["denominator"], try kindValue.text() != "ratio" {
      throw denominator.failure("needs kind: ratio")
    }
    guard let windowValue = members["window"] else {
      throw value.failure("has no window; expected days since the exposure, such as 14 or [7, 14]")
    }
    window = try Self.window(windowValue)
    cap = try members["cap"]?.number("above 0") { $0 > 0 }
    if let cap = members["cap"], kind == .proportion || kind == .timeToEvent {
      throw cap.failure("needs kind: mean or ratio")
    }
  }

  /// Returns the window since the exposure, from its last day, or from its first and last day.
  private static func window(_ value: YAMLValue) throws(ConfigurationError) -> Range<Int64> {
    var bounds: [Double] = []
    for element in try value.elements() {
      bounds.append(try element.number("between 0 and 3660 days") { $0 >= 0 && $0 <= 3_660 })
    }
    if bounds.count == 1 { bounds.insert(0, at: 0) }
    guard bounds.count == 2, bounds[0] < bounds[1] else {
      throw value.failure("must be a number of days, or two ascending ones, such as [7, 14]")
    }
    let instants = bounds.map { Int64(($0 * Double(day)).rounded()) }
    return instants[0]..<instants[1]
  }
}

extension OwnMetric.Selection {
  fileprivate init(_ members: [String: YAMLValue], of value: YAMLValue) throws(ConfigurationError) {
    guard let event = members["event"] else { throw value.failure("has no event") }
    guard let kind = EventKind(name: try event.text()) else {
      throw event.failure(
        "is \(try event.text()), but must be one of \(EventKind.allCases.map(\.name).joined(separator: ", "))")
    }
    self.kind = kind
    if let filter = members["filter"] {
      for (name, values) in try filter.members() {
        filters.append(try ReportOptions.Filter(yaml: values, of: name))
      }
    }
    switch try members["value"]?.text() ?? "count" {
    case "count": self.value = .count
    case "price":
      guard let currency = members["currency"] else {
        throw value.failure("has no currency, which value: price needs")
      }
      self.value = .price(currency: try currency.text())
    case let text where text.hasPrefix("property:") && text.utf8.count > 9:
      self.value = .property(String(text.dropFirst(9)))
    case let other:
      throw (members["value"] ?? value).failure("is \(other), but must be count, price or property:NAME")
    }
  }
}
