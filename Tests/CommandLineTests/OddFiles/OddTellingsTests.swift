import Testing

/// Payments under a name that means another kind, and payments that are told twice.
@Suite struct OddTellingsTests {
  private static let head = "id,timestamp,user_id,event,product_id,price,currency,trial_days"

  /// 20 users see a paywall; 8 start a trial, and 6 of them pay after 7 days.
  private static func lines(_ first: String, twice: String? = nil) -> [String] {
    let views = (0..<20).map { OddFile.view("u\($0)", day: $0 + 1, ",,,") }
    let trials = (0..<8).map { OddFile.event("trial_started", "u\($0)", day: $0 + 1, "pro_monthly,,,7") }
    let paid = (0..<6).flatMap { user in
      [first, twice].compactMap(\.self).map { OddFile.event($0, "u\(user)", day: user + 8, "pro_monthly,9.99,USD,") }
    }
    return [head] + views + trials + paid + [OddFile.last(",,,")]
  }

  @Test func renewalsAfterTrialsAreTheirPurchases() throws {
    let found = try OddFile(Self.lines("subscription_renewed")).read()
    #expect(found.funnel == [20, 8, 6, 0, 6] && found.gross == "59.94", "\(found)")
    #expect(found.said.contains("! subscription_renewed: 6 trials have it as their first payment"), "\(found.said)")
    let kept = try OddFile(Self.lines("subscription_renewed"), "--event", "subscription_renewed=renewal").read()
    #expect(kept.funnel == [20, 8, 0, 0, 0], "\(kept)")
  }

  /// 12 users buy once and are renewed later, so the other name with amounts is that of first payments.
  @Test func whatComesOnceBeforeRenewalsIsAFirstPayment() throws {
    let paid = (0..<12).flatMap { user in
      [
        OddFile.event("buy_subscription", "u\(user)", day: user + 1, "pro_monthly,9.99,USD,"),
        OddFile.event("subscription_renewed", "u\(user)", day: user + 1, "pro_monthly,9.99,USD,").replacing(
          "-01-", with: "-02-"),
      ]
    }
    let views = (0..<20).map { OddFile.view("u\($0)", day: $0 + 1, ",,,") }
    let found = try OddFile([Self.head] + views + paid + [OddFile.last(",,,")]).read()
    #expect(found.funnel == [20, 0, 0, 12, 12] && found.gross == "239.76", "\(found)")
  }

  /// Where a cancellation is scheduled first, the other name is that of the end.
  @Test func aScheduledCancellationComesBeforeTheEnd() throws {
    let ends = (0..<6).flatMap { user in
      ["subscription_cancellation_scheduled", "subscription_cancelled"].map {
        OddFile.event($0, "u\(user)", day: user + 10, "pro_monthly,,,")
      }
    }
    let said = try OddFile(Self.lines("trial_converted") + ends).read().said
    #expect(said.contains("subscription_cancelled (6): expiration"), "\(said)")
    #expect(said.contains("subscription_cancellation_scheduled (6): cancellation"), "\(said)")
  }

  @Test func aPaymentToldTwiceCountsOnce() throws {
    let found = try OddFile(Self.lines("trial_converted", twice: "payment_succeeded")).read()
    #expect(found.funnel == [20, 8, 6, 0, 6] && found.gross == "59.94", "\(found)")
    #expect(
      found.said.contains("payment_succeeded (6 records): left out, because the same payments are in trial_converted"),
      "\(found.said)")
    let both = try OddFile(
      Self.lines("trial_converted", twice: "payment_succeeded"), "--event", "payment_succeeded=payment"
    ).read()
    #expect(both.gross == "119.88", "\(both)")
  }

  /// A client's purchase comes with each trial and each first payment, too.
  @Test func aPurchaseToldByTheClientAsWellIsIgnored() throws {
    let lines = Self.lines("subscription_started").flatMap { line in
      line.contains("trial_started") || line.contains("subscription_started")
        ? [
          line,
          line.replacing(/^\w+?(u\d+),(.*?),(u\d+),\w+,.*$/) { match in
            "c\(match.output.1)\(match.output.2),\(match.output.2),\(match.output.3),Purchase Completed,pro_monthly,9.99,USD,"
          },
        ] : [line]
    }
    let found = try OddFile(lines).read()
    #expect(found.funnel == [20, 8, 6, 0, 6] && found.gross == "59.94", "\(found)")
    #expect(found.said.contains("! Purchase Completed (14 records): left out"), "\(found.said)")
  }

  /// Other payments of the same user on other days are no second telling.
  @Test func paymentsAtOtherTimesAreKept() throws {
    let lines = Self.lines("trial_converted").flatMap { line in
      line.contains("trial_converted")
        ? [line, line.replacing("trial_converted", with: "payment").replacing("T08:05", with: "T18:05")] : [line]
    }
    #expect(try OddFile(lines).read().gross == "119.88")
  }
}
