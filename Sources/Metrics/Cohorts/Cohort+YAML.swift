public import Basics
internal import EventModel
internal import Lifecycle
public import Store

extension Cohort {
  /// Reads the cohorts of a file: `cohorts: NAME: {app, all or any: [conditions], from, to}`.
  ///
  /// - Throws: ``ConfigurationError`` with file, line and key.
  public static func all(yaml text: String, file: String) throws(ConfigurationError) -> [Cohort] {
    try YAMLValue.named("cohorts", in: text, file: file).members().map { name, value throws(ConfigurationError) in
      try Cohort(name: name, yaml: value)
    }
  }

  /// Returns the cohorts of the file next to a store, and the file's path; no cohorts without such a file.
  ///
  /// - Throws: ``ReportError`` for an invalid file.
  public static func all(of snapshot: StoreSnapshot) throws -> (cohorts: [Cohort]?, path: String) {
    let (text, path) = try snapshot.text(beside: CohortFilter.fileName)
    guard let text else { return (nil, path) }
    do { return (try all(yaml: text, file: path), path) } catch { throw ReportError.badCohorts(error) }
  }

  private init(name: String, yaml value: YAMLValue) throws(ConfigurationError) {
    guard !name.isEmpty, name.allSatisfy({ $0.isLetter || $0.isNumber || "-_".contains($0) }) else {
      throw value.failure("is the name \(name), but must be of letters, digits, - and _")
    }
    guard value.hasMembers else { throw value.failure("must have all or any, such as {all: [{country: DE}]}") }
    for (key, member) in try value.members()
    where ["event", "fact"].contains(key) || (try? Dimension(name: key)) != nil {
      throw member.failure("is a condition: put it into a list, such as `all: [{\(key): …}]`")
    }
    let members = try value.members(["app", "all", "any", "from", "to"])
    self.name = name
    app = try members["app"]?.text()
    let list: YAMLValue
    switch (members["all"], members["any"]) {
    case (let all?, nil): (list, needsAll) = (all, true)
    case (nil, let any?): (list, needsAll) = (any, false)
    case (_?, let any?): throw any.failure("cannot be combined with all: use one of them")
    case (nil, nil): throw value.failure("has neither all nor any, a list of conditions")
    }
    conditions = []
    for element in try list.elements() { conditions.append(try Condition(yaml: element)) }
    if conditions.isEmpty || conditions.count > Int64.bitWidth - 1 {
      throw list.failure("has \(conditions.count) conditions, but must have 1 to \(Int64.bitWidth - 1)")
    }
    from = try Self.day(members["from"])
    to = try Self.day(members["to"])
    if let from, let to, to <= from, let value = members["to"] {
      throw value.failure("is \(to), but must be after from, \(from)")
    }
  }

  private static func day(_ value: YAMLValue?) throws(ConfigurationError) -> CivilDate? {
    guard let value else { return nil }
    let text = try value.text()
    guard let day = CivilDate(text) else {
      throw value.failure("is \(text), but must be a day, such as 2026-03-01")
    }
    return day
  }
}

extension Cohort.Condition {
  fileprivate init(yaml value: YAMLValue) throws(ConfigurationError) {
    let members = try value.members()
    if members.isEmpty { throw value.failure("is empty; expected an event, a fact or a dimension with its values") }
    for (name, member) in members where ["app", "from", "to"].contains(name) {
      throw member.failure("is not part of a condition: put it next to all or any, as it is of the whole cohort")
    }
    guard members.contains(where: { ["event", "fact"].contains($0.name) }) else {
      var filters: [ReportOptions.Filter] = []
      for (name, values) in members { filters.append(try ReportOptions.Filter(yaml: values, of: name)) }
      self = .first(filters)
      return
    }
    let known = try value.members(["event", "fact", "where", "within", "at_least"])
    var count = 1
    if let least = known["at_least"] {
      count = Int(try least.number("a whole number of at least 1") { $0 >= 1 && $0 == $0.rounded() && $0 < 1e9 })
    }
    self = .happened(
      try PathPlan.Condition(known, of: value), atLeast: count,
      within: try known["within"].map { value throws(ConfigurationError) in try Cohort.Window(yaml: value) })
  }
}

extension Cohort.Window {
  fileprivate init(yaml value: YAMLValue) throws(ConfigurationError) {
    let members = try value.members(["of", "days"])
    guard let days = members["days"] else { throw value.failure("has no days, as in {of: install, days: 7}") }
    anchor = try members["of"]?.choice() ?? .install
    length = Int64((try days.number("above 0 and at most 3660") { $0 > 0 && $0 <= 3_660 } * Double(day)).rounded())
  }
}
