import EventModel
import Testing

@testable import Ingest

/// Files that are read in one call. Each expected kind and count is read off the lines.
@Suite struct SeveralFilesTests: ProposalOfLines {
  /// Returns the lines of a file of charges, one for each user.
  private static func charges(_ users: [String]) -> [String] {
    ["transaction_id,customer_id,created,type,product,amount_cents,currency"]
      + users.map { "tx-\($0),\($0),2026-01-20T10:00:00Z,charge,pro_monthly,999,usd" }
  }

  /// The trials of u1 to u9 are in the other file. Of n1 and n2, nothing says a trial.
  @Test(arguments: [([], nil), (["n1", "n2"], "the purchases of 2 users without a trial")] as [([String], String?)])
  func trialsOfOtherFilesAreKnown(others: [String], text: String?) throws {
    let users = (1...9).map { "u\($0)" }
    let events = users.flatMap {
      ["\($0),2026-01-05T10:00:00Z,Paywall Viewed,home,,", "\($0),2026-01-05T10:01:00Z,Trial Started,,pro_monthly,7"]
    }
    let found = try ProposalTests.proposals([
      ("events.csv", ["visitor_id,time,event,screen,product,trial_days"] + events),
      ("charges.csv", Self.charges(users + others)),
    ])
    let charges = try #require(found["charges"])
    #expect(Self.kind("charge", charges) == .payment, "\(charges.names)")
    let said = charges.warnings.filter { $0.contains("may not count") }
    #expect(said.count == (text == nil ? 0 : 1) && said.allSatisfy { $0.contains(text ?? "") }, "\(said)")
  }
}
