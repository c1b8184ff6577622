/// The checks in the words of a table.
extension Health {
  private static let findings = [
    "persons with impressions and no later identity": "users who never signed in or bought",
    "purchases without an impression": "purchases without a paywall before",
    "trials without an impression": "trials without a paywall before",
    "impressions without an entry point": "paywalls without an entry point",
    "subscriptions that began before the data": "subscriptions older than the data",
    "persons in two variants of an experiment": "users in two variants of a test",
  ]
  private static let days = (check: "days without an event of ", finding: (start: "days without ", end: " events"))

  /// Returns the words for a check that CSV names, such as `days without churn events`.
  public static func finding(ofCheck check: String) -> String {
    if let finding = findings[check] { return finding }
    if check.hasPrefix(days.check) { return days.finding.start + check.dropFirst(days.check.count) + days.finding.end }
    return check.replacing("persons", with: "users")
  }

  /// Returns the check that CSV names for the words of a table; other words as they are.
  static func check(ofFinding finding: String) -> String {
    if let known = findings.first(where: { $0.value == finding }) { return known.key }
    if finding.hasPrefix(days.finding.start), finding.hasSuffix(days.finding.end) {
      return days.check + finding.dropFirst(days.finding.start.count).dropLast(days.finding.end.count)
    }
    let check = finding.replacing("users", with: "persons")
    return PersonCheck(rawValue: check) == nil ? finding : check
  }
}
