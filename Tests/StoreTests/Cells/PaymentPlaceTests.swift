import Testing

@testable import Store

/// Tests that payments read the same whatever order their files come in (definitions 2.12).
@Suite struct PaymentPlaceTests {
  private static func payment(_ kind: String, _ id: String, _ ts: Int64, _ user: String) -> String {
    eventLine(
      kind, id, ts, user: user, ["product_id": "pro", "plan": "monthly", "price": "6.99", "currency": "EUR"])
  }

  /// Without the earlier payment, the one at day 40 may have others before it; with it, they would be in the data.
  @Test func anEarlierPaymentOfAnotherUserDecides() throws {
    try withTestStore { store in
      try store.ingest([Self.payment("payment", "1", at(40), "a")])
      func purchases() throws -> [[String?]] {
        try store.sqlite().rows("SELECT user_id, is_purchase FROM subscriptions ORDER BY 1")
      }
      #expect(try purchases() == [["a", "0"]])
      try store.ingest([Self.payment("renewal", "2", at(0), "b")])
      #expect(try purchases() == [["a", "1"], ["b", "0"]])
      #expect(try store.differencesFromRebuild() == [])
      _ = try Store.open(path: store.path).forget(user: "b")
      #expect(try purchases() == [["a", "0"]])
      #expect(try store.differencesFromRebuild() == [])
    }
  }
}
