import Testing

/// Columns that say in their own way that a payment failed.
@Suite struct OddFailuresTests {
  /// u1 and u3 pay 9.99 each; u2's payment fails.
  @Test(arguments: [
    ["success", "true", "false"], ["is_successful", "1", "0"], ["paid", "1", "0"], ["captured", "true", "false"],
    ["failed", "false", "true"], ["payment_failed", "no", "yes"], ["failure_code", "", "card_declined"],
    ["error", "", "insufficient funds"], ["status", "1", "0"],
  ])
  func failedPaymentsAreLeftOut(column: [String]) throws {
    let users = [("u1", 5, column[1]), ("u2", 6, column[2]), ("u3", 7, column[1])].flatMap { user, day, state in
      [
        OddFile.view(user, day: day, ",,,"),
        OddFile.event("subscription_started", user, day: day, "pro_monthly,9.99,USD,\(state)"),
      ]
    }
    let lines = ["id,timestamp,user_id,event,product_id,price,currency,\(column[0])"] + users + [OddFile.last(",,,")]
    let found = try OddFile(lines).read()
    #expect(found.funnel == [3, 0, 0, 2, 2] && found.gross == "19.98", "\(found)")
  }
}
