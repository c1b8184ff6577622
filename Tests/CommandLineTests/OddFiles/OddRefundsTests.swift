import Testing

/// Refunds that stand in the records of their payments.
@Suite struct OddRefundsTests {
  /// u1 and u2 pay 9.99; u2 gets it back, or a part of it.
  private static func found(_ columns: String, _ none: String, _ refunded: String) throws -> (
    gross: String, refunded: String
  ) {
    let found = try OddFile(
      [
        "id,timestamp,user_id,event,product_id,price,currency,\(columns)",
        OddFile.view("u1", day: 5, ",,,"),
        OddFile.event("subscription_started", "u1", day: 5, "pro_monthly,9.99,USD,\(none)"),
        OddFile.view("u2", day: 6, ",,,"),
        OddFile.event("subscription_started", "u2", day: 6, "pro_monthly,9.99,USD,\(refunded)"), OddFile.last(",,,"),
      ].map { line in
        // Views have as many cells.
        let missing = 6 + columns.split(separator: ",").count - line.count { $0 == "," }
        return line + String(repeating: ",", count: max(0, missing))
      }
    ).read()
    return (found.gross, found.refunded)
  }

  @Test func aFlagSaysThatAPaymentWasRefunded() throws {
    #expect(try Self.found("refunded", "false", "true") == ("19.98", "9.99"))
  }

  @Test func aStateSaysThatAPaymentWasRefunded() throws {
    #expect(try Self.found("status", "paid", "refunded") == ("19.98", "9.99"))
  }

  @Test(arguments: ["refunded_amount", "Amount Refunded", "refund_amount"])
  func anAmountSaysHowMuchWasRefunded(column: String) throws {
    #expect(try Self.found("status,\(column)", "paid,0.00", "partially_refunded,4.00") == ("19.98", "4.00"))
  }

  /// A flag on records of refunds stays what it was.
  @Test func aRefundsOwnRecordIsARefund() throws {
    let lines = [
      "id,timestamp,user_id,event,product_id,price,currency,is_refund", OddFile.view("u1", day: 5, ",,,"),
      OddFile.event("payment", "u1", day: 5, "pro_monthly,9.99,USD,false"),
      "r,2026-01-08T08:05:00Z,u1,payment,pro_monthly,9.99,USD,true", OddFile.last(",,,"),
    ]
    let found = try OddFile(lines, "--history", "complete").read()
    #expect(found.gross == "9.99" && found.refunded == "9.99", "\(found)")
  }
}
