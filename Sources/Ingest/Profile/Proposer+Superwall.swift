internal import EventModel

/// Recognizes events of Superwall's SDK in an app's analytics.
extension Proposer {
  /// Returns whether names and columns are those of Superwall's SDK.
  func isSuperwall(_ names: [String]) -> Bool {
    let parameters = ["is_superwall", "presented_by_event_name", "paywall_identifier"]
    return !Set(names).isDisjoint(with: SuperwallFragment.kinds(.server).keys)
      && columns.contains { column in parameters.contains { column.path.contains($0) } }
  }

  /// Returns whether the rules for Superwall's SDK tell an event well.
  func isIncluded(_ name: String, among names: [String]) -> Bool {
    // Purchases that lack the SDK's own columns are read as those of any app.
    if SuperwallFragment.payments.contains(name), answers.superwallMoney == .sdk,
      !columns.contains(where: { $0.path.contains("product_period") || $0.path.contains("product_raw_price") })
    {
      return false
    }
    if SuperwallFragment.kinds(answers.superwallMoney)[name] != nil { return true }
    // Without declines, the end of a paywall is all that is known of its dismissal; the use of the app is of any SDK.
    if name == "paywall_close", !names.contains("paywall_decline") { return false }
    return SuperwallFragment.ignores(name, answers.superwallMoney) && KindWords.meaning(of: name) != .kind(.activity)
  }

  mutating func noteSuperwall() {
    let payments = proposal.names.map(\.name).filter(SuperwallFragment.payments.contains)
    guard proposal.includesSuperwall, answers.superwallMoney == .server, !payments.isEmpty else { return }
    proposal.paymentsOfOthers = payments
    proposal.options.append("--superwall-money sdk")
    proposal.notes.append(
      "\(payments.joined(separator: ", ")): left out, because Superwall's webhooks have these payments, too; "
        + "`--superwall-money sdk` takes them")
  }
}
