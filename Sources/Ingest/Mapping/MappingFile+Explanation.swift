internal import Basics
internal import EventModel

extension MappingFile {
  /// A line for each part of the mapping: what it becomes and from where.
  public var explanation: [String] {
    var lines = ["user: \(user.explanation)", "time: \(time.explanation)"]
    if let name { lines.append("name: \(name.explanation)") }
    lines.append("id: \(id?.explanation ?? "the record's content")")
    lines.append("app: \(app?.explanation ?? "by --app")")
    for (field, value) in fields { lines.append("\(field.name): \(value.explanation)") }
    func add(_ name: String, _ rules: [Rule]) {
      for rule in rules {
        let fields = rule.fields.map { "\($0.field.name) from \($0.value.explanation)" }.joined(separator: ", ")
        let when = rule.condition == nil ? "" : " under a condition"
        let from = rule.isIncluded ? ": \(SuperwallFragment.name)" : fields.isEmpty ? "" : ": \(fields)"
        lines.append("\(name) → \(rule.kind.name)\(when)\(from)")
      }
    }
    for (name, rules) in events.sorted(by: { $0.key < $1.key }) { add(name, rules) }
    for (glob, rules) in patterns { add(glob.text, rules) }
    let names = ignored.sorted() + (includesSuperwall ? ["other events of \(SuperwallFragment.name)"] : [])
    if !names.isEmpty { lines.append("left out: \(names.joined(separator: ", "))") }
    return lines
  }

  private var ownRules: [Rule] {
    (events.sorted { $0.key < $1.key }.flatMap(\.value) + patterns.flatMap(\.rules)).filter { !$0.isIncluded }
  }

  /// All values of the file itself, in the order of its parts.
  var allValues: [MappingValue] {
    let rules = ownRules
    return [name, user, time, id, app].compactMap { $0 } + fields.map(\.value)
      + rules.flatMap { rule in rule.fields.map(\.value) + [rule.id, rule.user, rule.time].compactMap { $0 } }
  }

  /// The paths of the file's own values and conditions, once each, in the order of its parts.
  var paths: [MappingPath] {
    let conditions = ([skip] + ownRules.map(\.condition)).compactMap { $0 }
    let all = allValues.flatMap(\.paths) + conditions.flatMap(\.paths) + joins.flatMap { [$0.user, $0.previous] }
    var met: Set<MappingPath> = []
    return all.filter { met.insert($0).inserted }
  }

  /// Returns what a sample of records shows: paths that are in no record, names without a rule, rules that no record met.
  ///
  /// - Throws: ``Onboarding/Failure`` for a file that cannot be read.
  public func findings(in files: [InputFile]) throws(Onboarding.Failure) -> [String] {
    let profile = ProfileCollector(layout: RecordLayout(table: table, list: records, each: each))
    for file in files { try Onboarding.profile(file, into: profile) }
    let columns = profile.columns
    let paths = columns.map(\.path)
    var findings: [String] = []
    for path in self.paths {
      let isThere =
        paths.contains { $0 == path.text || $0.hasPrefix(path.text + ".") || $0.hasPrefix(path.text + "[") }
        || (path.text.contains("[") && paths.contains(path.root)) || path.text.hasPrefix("$")
      if isThere { continue }
      let near = NearName.of(path.text, in: paths).map { "; \($0) is" } ?? ""
      findings.append("\(path.text) is not in any record\(near)")
    }
    findings += missingFields(columns.map(\.path))
    guard let name, case .first(let namePaths) = name.source,
      let column = columns.first(where: { column in namePaths.contains { $0.text == column.path } })
    else { return findings }
    for value in column.values
    where rules(of: value.text) == nil && !ignores(value.text) {
      findings.append("\(value.text) (\(value.count) records) has no rule: add it to events or ignore")
    }
    let own = events.filter { $0.value.contains { !$0.isIncluded } }.keys.sorted()
    for rule in own where !column.values.contains(where: { $0.text == rule }) && namePaths.count == 1 {
      let near = NearName.of(rule, in: column.values.map(\.text)).map { "; \($0) is" } ?? ""
      findings.append("events.\(rule): no record has this name\(near)")
    }
    return findings
  }

  /// Returns a line for each field that a kind needs and nothing gives, with the columns that may have it.
  private func missingFields(_ columns: [String]) -> [String] {
    var lines: [String] = []
    for rule in ownRules {
      // A plan may follow from the product.
      let bits = LineDecoder.needs(of: rule.kind) & ~(1 << UInt64(EventField.plan.rawValue))
      var needed = EventField.allCases.filter { bits >> UInt64($0.rawValue) & 1 != 0 }
      let given = Set((fields + rule.fields).map(\.field))
      if rule.kind == .trialStart, given.isDisjoint(with: [.trialDays, .trialEndsAt]) { needed.append(.trialDays) }
      for field in needed where !given.contains(field) {
        let near = columns.filter { FieldSynonyms.score(of: $0, for: field) >= 0.5 }.prefix(5)
        let hint = near.isEmpty ? "" : "; it may be in \(near.map { "`\($0)`" }.joined(separator: ", "))"
        let line = "\(rule.kind.name) has no \(field.name): add `fields: {\(field.name): PATH}`\(hint)"
        if !lines.contains(line) { lines.append(line) }
      }
    }
    return lines
  }
}

extension MappingValue {
  /// The source in words, and what its amounts are multiplied by.
  fileprivate var explanation: String {
    switch scale {
    case nil: sourceInWords
    case .minor: "\(sourceInWords), in the smallest unit of its currency: 999 is 9.99 USD"
    case .factor(let factor): "\(sourceInWords) × \(factor.text)"
    }
  }

  private var sourceInWords: String {
    switch source {
    case .first(let paths) where paths.isEmpty: constant?.isEmpty == true ? "never" : "always \(constant ?? "")"
    case .first(let paths):
      paths.map(\.text).joined(separator: ", else ") + (constant.map { ", else always \($0)" } ?? "")
    case .all(let paths, let separator): paths.map(\.text).joined(separator: " \(separator) ")
    }
  }
}
