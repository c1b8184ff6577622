public import Basics
internal import EventModel
internal import Lifecycle

extension PathPlan {
  /// Reads the paths of a file: `paths: NAME: {entry:, steps: [...]}`.
  ///
  /// - Throws: ``ConfigurationError`` with file, line and key.
  public static func all(yaml text: String, file: String) throws(ConfigurationError) -> [PathPlan] {
    try all(of: YAMLValue.named("paths", in: text, file: file))
  }

  /// Reads paths by name: `NAME: {entry:, steps: [...]}`.
  static func all(of paths: YAMLValue) throws(ConfigurationError) -> [PathPlan] {
    try paths.members().map { name, value throws(ConfigurationError) in
      if name == checkoutName { throw value.failure("is built in: choose another name") }
      return try PathPlan(name: name, yaml: value)
    }
  }

  private init(name: String, yaml value: YAMLValue) throws(ConfigurationError) {
    let members = try value.members(["entry", "steps"])
    guard let entry = members["entry"] else { throw value.failure("has no entry, such as `event: paywall_impression`") }
    guard let list = members["steps"] else { throw value.failure("has no steps") }
    self.name = name
    self.entry = try Condition(entry.members(["event", "fact", "where"]), of: entry)
    steps = []
    for element in try list.elements() {
      let step = try Step(yaml: element, after: steps.last { !$0.isOptional }?.condition ?? self.entry)
      if steps.contains(where: { $0.name == step.name }) {
        throw element.failure("has the name \(step.name), as an earlier step")
      }
      steps.append(step)
    }
    if let clash = Self.clash(in: steps.map(\.name)) { throw list.failure(clash) }
    if steps.isEmpty { throw list.failure("is empty, but must have a step") }
  }

  /// Returns why columns of steps would have one name.
  private static func clash(in names: [String]) -> String? {
    var columns: [String: String] = [:]
    for name in names {
      for column in PathSums.columns(of: name).map(\.name) {
        if let other = columns.updateValue(name, forKey: column) {
          return "has the steps \(other) and \(name), whose columns would both be \(column)"
        }
      }
    }
    return nil
  }
}

extension PathPlan.Step {
  private static let reservedNames = Set(Dimension.plainNames + ["app", "users", "immature"])

  /// - Parameter before: That of the last required step before, or of the entry.
  fileprivate init(yaml value: YAMLValue, after before: PathPlan.Condition) throws(ConfigurationError) {
    let members = try value.members(["name", "event", "fact", "where", "same", "within", "from", "optional"])
    guard let nameValue = members["name"] else { throw value.failure("has no name") }
    name = try nameValue.text()
    let isName = name.first?.isLowercase == true && name.utf8.allSatisfy(Self.isOfName)
    if !isName || Self.reservedNames.contains(name) {
      throw nameValue.failure("is \(name), but must be of a-z, 0-9 and _, and not the name of a dimension")
    }
    condition = try PathPlan.Condition(members, of: value)
    if let from = members["from"] {
      switch try from.text() {
      case "previous": break
      case "entry": isFromEntry = true
      case let other: throw from.failure("is \(other), but must be previous or entry")
      }
    }
    isOptional = try members["optional"]?.boolean() ?? false
    if let within = members["within"] {
      self.within = try Self.duration(within)
    } else if condition.fact == .trialPaid {
      guard before.fact == .trial || before.fact == .trialAny, !isFromEntry else {
        throw value.failure(
          "has no within, which trial_paid needs unless the step before, or the entry, is the fact trial or trial_any")
      }
    } else {
      throw value.failure("has no within, such as 90s, 2h or 7d")
    }
  }

  private static func isOfName(_ byte: UInt8) -> Bool {
    (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte) || byte == 0x5F
  }

  /// Returns a time such as `90s`, `15m`, `2h` or `7d` in milliseconds.
  private static func duration(_ value: YAMLValue) throws(ConfigurationError) -> Int64 {
    let text = try value.text()
    let units: [Character: Int64] = ["s": 1_000, "m": 60_000, "h": 3_600_000, "d": Lifecycle.day]
    guard let unit = text.last.flatMap({ units[$0] }), let count = Int64(text.dropLast()), count > 0,
      count <= 3_660 * Lifecycle.day / unit
    else {
      throw value.failure("is \(text), but must be a time above 0 such as 90s, 15m, 2h or 7d")
    }
    return count * unit
  }
}

extension PathPlan.Condition {
  init(_ members: [String: YAMLValue], of value: YAMLValue) throws(ConfigurationError) {
    if let event = members["event"] {
      if let fact = members["fact"] { throw fact.failure("cannot be combined with event: use one of them") }
      for element in try event.elements() {
        let text = try element.text()
        guard let kind = EventKind(name: text) else {
          let names = EventKind.inOrder.map(\.name)
          throw element.failure(
            "is \(text), but must be one of \(names.joined(separator: ", "))\(NearName.hint(text, in: names))")
        }
        if !events.contains(kind) { events.append(kind) }
      }
      if events.isEmpty { throw event.failure("is empty, but must name an event") }
    } else if let fact = members["fact"] {
      self.fact = try fact.choice() as PathPlan.Fact
    } else {
      throw value.failure("has neither event nor fact")
    }
    for (name, values) in try members["where"]?.members() ?? [] {
      filters.append(try ReportOptions.Filter(yaml: values, of: name))
    }
    for element in try members["same"]?.elements() ?? [] {
      let text = try element.text()
      guard let dimension = try? Dimension(name: text), !dimension.isPeriod, ![.stage, .renewing].contains(dimension)
      else {
        throw element.failure(
          "is \(text), but must be a dimension of events, such as variant\(NearName.hint(text, in: Dimension.plainNames))"
        )
      }
      same.append(dimension)
    }
  }
}
