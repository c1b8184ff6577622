/// The checks in the words of a table.
extension Health {
  private static let findings = [
    "persons with impressions and no later identity": "users who never signed in or bought",
    "purchases without an impression": "purchases without a paywall before",
    "trials without an impression": "trials without a paywall before",
    "impressions without an entry point": "paywalls without an entry point",
    "variants without impressions": "variants without a paywall view",
    "user ids that stand for none": "placeholder user ids",
    "conflicting lines whose event id stands for none": "conflicts of placeholder event ids",
    "subscriptions that began before the data": "subscriptions older than the data",
    "persons in two variants of an experiment": "users in two variants of a test",
  ]
  private static let days = (check: "days without an event of ", finding: (start: "days without ", end: " events"))

  /// Families of files whose events have another name in a sentence.
  private static let families = [
    "conversions": "conversion", "paywall-impressions": "paywall", "trial-starts": "trial-start",
  ]

  /// Returns the words for a check that CSV names, such as `days without churn events`.
  public static func finding(ofCheck check: String) -> String {
    if let finding = findings[check] { return finding }
    if check.hasPrefix(days.check) {
      let family = String(check.dropFirst(days.check.count))
      return days.finding.start + (families[family] ?? family) + days.finding.end
    }
    return check.replacing("persons", with: "users")
  }

  /// Returns the check that CSV names for the words of a table; other words as they are.
  static func check(ofFinding finding: String) -> String {
    if let known = findings.first(where: { $0.value == finding }) { return known.key }
    if finding.hasPrefix(days.finding.start), finding.hasSuffix(days.finding.end) {
      let word = String(finding.dropFirst(days.finding.start.count).dropLast(days.finding.end.count))
      return days.check + (families.first { $0.value == word }?.key ?? word)
    }
    let check = finding.replacing("users", with: "persons")
    return PersonCheck(rawValue: check) == nil ? finding : check
  }
}

extension Explanation {
  /// The explanation with the words that the report's table has for a check that CSV names.
  public var inWordsOfTable: Explanation {
    guard report == "health", let place = cell.firstIndex(where: { $0.name == "check" }) else { return self }
    let check = cell[place].value
    let finding = Health.finding(ofCheck: check)
    var readable = self
    readable.cell[place].value = finding
    if rule.hasPrefix("\(check):") { readable.rule = finding + rule.dropFirst(check.count) }
    for place in counts.indices where counts[place].reason == check { readable.counts[place].reason = finding }
    for place in persons.indices {
      readable.persons[place].reasons = persons[place].reasons.map { $0 == check ? finding : $0 }
    }
    return readable
  }
}
