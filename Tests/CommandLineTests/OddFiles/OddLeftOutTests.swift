import Testing

/// Trials and payments that are left out or rejected: the funnel is withheld, and later reports say why.
@Suite struct OddLeftOutTests {
  private static let head = "id,timestamp,user_id,event,product_id,price,currency,trial_days"

  /// 20 users see a paywall, 12 start a trial, 4 buy.
  private static func lines(trial: String) -> [String] {
    let views = (0..<20).map { OddFile.view("u\($0)", day: $0 + 5, ",,,") }
    let trials = (0..<12).map { OddFile.event("trial_started", "u\($0)", day: $0 + 5, trial) }
    let paid = (12..<16).map { OddFile.event("subscription_started", "u\($0)", day: $0 + 5, "pro_monthly,9.99,USD,") }
    return [head] + views + trials + paid + [OddFile.last(",,,")]
  }

  /// Without a product and a length, 12 trials are left out.
  @Test func laterReportsSayWhatInitLeftOut() throws {
    let found = try OddFile(Self.lines(trial: ",,,")).reading("funnel")
    #expect(found.said.contains("No funnel: its shares would be too low") && found.said.contains("trial_started"))
    #expect(
      found.table.contains("12 trial_start records of data.csv were left out by `tollgate init`"), "\(found.table)")
    #expect(!found.table.contains("no store trials"), "\(found.table)")
    let trials = try OddFile(Self.lines(trial: ",,,")).reading("trials")
    #expect(trials.table.contains("12 trial_start records of data.csv were left out"), "\(trials.table)")
    let whole = try OddFile(Self.lines(trial: "pro_monthly,,,7")).reading("funnel")
    #expect(!whole.table.contains("left out") && !whole.said.contains("No funnel"), "\(whole)")
  }

  /// 12 trials without a length and 4 payments of a name that is not known are left out, in one sentence.
  @Test func laterReportsSayOnceWhatInitLeftOut() throws {
    let lines = Self.lines(trial: ",,,").map { $0.replacing("subscription_started", with: "activated") }
    let found = try OddFile(lines).reading("funnel")
    #expect(
      found.table.contains("12 trial_start and 4 conversion records of data.csv were left out by `tollgate init`"),
      "\(found)")
    #expect(found.said.contains("--event 'activated=conversion' --set trial_days=7"), "\(found.said)")
  }

  /// The product of trials names no plan, so all of them are rejected.
  @Test func aFunnelWithoutRejectedTrialsIsWithheld() throws {
    let found = try OddFile(Self.lines(trial: "sku-17,,,7")).reading("funnel")
    #expect(found.said.contains("12 of 12 trial_start (rejected)"), "\(found.said)")
    #expect(found.said.contains("No funnel: its shares would be too low"), "\(found.said)")
    #expect(found.table.contains("All 12 trial_start lines of acme were rejected (missing:plan)"), "\(found.table)")
  }

  /// Of 12 trials 10 are rejected: the share is said.
  @Test func manyRejectedTrialsAreSaid() throws {
    let lines = Self.lines(trial: "sku-17,,,7").map { line in
      line.contains("trial_startedu10,") || line.contains("trial_startedu11,")
        ? line.replacing("sku-17", with: "pro_monthly") : line
    }
    let found = try OddFile(lines).reading("funnel")
    #expect(found.said.contains("10 of 12 trial_start (rejected)"), "\(found.said)")
    #expect(found.table.contains("10 of 12 trial_start lines of acme were rejected (missing:plan)"), "\(found.table)")
  }

  /// A share of 0 of what the data do not have is said to be unknown.
  @Test func sharesOfWhatTheDataLackAreNotKnown() throws {
    let trials = try OddFile(Self.lines(trial: "pro_monthly,,,7")).reading("trials")
    let note = "acme has no cancellations, so how many were cancelled is not known."
    #expect(trials.table.contains(note), "\(trials.table)")
    let unpaid = Self.lines(trial: "pro_monthly,,,7").filter { !$0.contains("subscription_started") }
    let funnel = try OddFile(unpaid).reading("funnel")
    #expect(funnel.table.contains("acme has no payments, so how many paid is not known."), "\(funnel.table)")
    #expect(!funnel.table.contains(" 0.0%"), "\(funnel.table)")
    let cancelled = Self.lines(trial: "pro_monthly,,,7") + [OddFile.event("cancellation", "u12", day: 20, ",,,")]
    #expect(try !OddFile(cancelled).reading("trials").table.contains("not known"))
  }
}
