import Testing

/// Numbers derived by hand; random stores are compared with `Tests/Acceptance/Oracle/recovery.py`.
struct RecoveryTests {
  private static func line(_ event: String, _ ts: String, _ user: String, _ rest: String = "") -> String {
    let subscription = event == "activity" ? "" : #","subscription_id":"\#(user)","product_id":"m""#
    return Behaviour.line(event, "2026-\(ts)", user, subscription + rest)
  }

  private static func paid(_ price: Int) -> String { #","plan":"monthly","price":\#(price),"currency":"USD""# }

  /// Charges of 1 February: a pays 12 instead of 10 two days later, b cancels after a second issue, nothing follows of c,
  /// and d's trial converts after 60 hours. That of e, on 20 April, is open.
  private static let lines = [
    line("conversion", "01-01T10:00:00", "a", paid(10)), line("billing_issue", "02-01T10:00:00", "a"),
    line("renewal", "02-03T10:00:00", "a", paid(12)),
    line("conversion", "01-01T10:00:00", "b", paid(10)), line("billing_issue", "02-01T10:00:00", "b"),
    line("billing_issue", "02-05T10:00:00", "b"), line("cancellation", "02-06T10:00:00", "b"),
    line("conversion", "01-01T10:00:00", "c", paid(10)), line("billing_issue", "02-01T10:00:00", "c"),
    line("trial_start", "01-25T10:00:00", "d", #","plan":"monthly","trial_days":7"#),
    line("billing_issue", "02-01T10:00:00", "d"),
    line("conversion", "02-03T22:00:00", "d", paid(10)),
    line("conversion", "03-20T10:00:00", "e", paid(10)), line("billing_issue", "04-20T10:00:00", "e"),
    line("activity", "05-01T10:00:00", "z"),
  ]

  @Test func chargesComeBackOrNot() throws {
    let table = try TestStore(lines: Self.lines).table("recovery", "--by", "none")
    #expect(
      table.cells("charges open matured recovered cancelled lost recovered_rate after_access", of: "steps")
        == "5 1 4 2 1 1 0.500000 0.000000")
    // Two of the five within three days, and none is lost to observation before them.
    #expect(
      table.cells("recovered_1_rate recovered_3_rate recovered_7_rate hours_p50", of: "steps")
        == "0.000000 0.400000 0.400000 48.000000")
  }

  /// 50 at risk and 2 of a higher price are 22 that came back, 20 lost and 10 open.
  @Test func amountsAddUp() throws {
    let table = try TestStore(lines: Self.lines).table("recovery", "--by", "none")
    #expect(
      table.cells("at_risk repriced recovered_amount lost_amount open_amount", of: "steps")
        == "50.00 2.00 22.00 20.00 10.00")
  }

  /// Three pay 10 USD in the US and two 9 EUR in Germany. The charge of t, in Germany, is lost: 9 EUR. That of v, in no known
  /// country, comes back as 8 EUR and has the price most often paid in EUR: 9. Nobody pays in the country of w, whose charge
  /// is lost: 10 USD, which most pay.
  @Test func aTrialsChargeIsInTheCurrencyOfItsPaymentOrCountry() throws {
    func paid(_ price: Int, _ currency: String, _ country: String) -> String {
      #","plan":"monthly","price":\#(price),"currency":"\#(currency)"\#(country)"#
    }
    let (us, de, fr) = (#","country":"US""#, #","country":"DE""#, #","country":"FR""#)
    let trial = #","plan":"monthly","trial_days":7"#
    let lines =
      ["a", "b", "c"].map { Self.line("conversion", "01-01T10:00:00", $0, paid(10, "USD", us)) }
      + ["d", "e"].map { Self.line("conversion", "01-01T10:00:00", $0, paid(9, "EUR", de)) }
      + [("t", de), ("v", ""), ("w", fr)].flatMap { user, country in
        [
          Self.line("trial_start", "01-25T10:00:00", user, trial + country),
          Self.line("billing_issue", "02-01T10:00:00", user, country),
        ]
      } + [
        Self.line("conversion", "02-03T10:00:00", "v", paid(8, "EUR", "")),
        Self.line("activity", "05-01T10:00:00", "z"),
      ]
    let table = try TestStore(lines: lines).table("recovery", "--by", "none", "--currency", "native")
    let columns = "charges at_risk repriced recovered_amount lost_amount open_amount"
    #expect(table.cells(columns, of: "steps", "EUR") == "2 18.00 -1.00 8.00 9.00 0.00")
    #expect(table.cells(columns, of: "steps", "USD") == "1 10.00 0.00 0.00 10.00 0.00")
  }

  /// Without grace, a's access ended when the charge failed, and d's trial was over before it.
  @Test func graceDecidesWhatIsAfterAccess() throws {
    let table = try TestStore(lines: Self.lines).table("recovery", "--by", "none", "--grace", "0")
    #expect(table.cells("recovered after_access", of: "steps") == "1 1.000000")
  }

  /// Cover and trial end when the charges of a, c and d fail. a pays 48 and d 60 hours later; c had access for as long as the
  /// grace.
  @Test(arguments: [("0", "0 0"), ("2", "0 1"), ("3", "2 1"), ("16", "2 1")])
  func anotherGraceWouldHaveCovered(days: String, expected: String) throws {
    let table = try TestStore(lines: Self.lines).table("recovery", "--by", "none", "--grace-whatif", days)
    #expect(table.cells("recovered_inside lost_with_access", of: "steps") == expected)
  }

  /// A lifetime plan is paid for to its end, which never comes: no grace gives its user free days.
  @Test func aLifetimePlanNeedsNoGrace() throws {
    let lifetime = #","plan":"lifetime","price":90,"currency":"USD""#
    let lines = [
      Self.line("conversion", "01-01T10:00:00", "a", lifetime), Self.line("billing_issue", "02-01T10:00:00", "a"),
      Self.line("activity", "05-01T10:00:00", "z"),
    ]
    let table = try TestStore(lines: lines).table("recovery", "--by", "none", "--grace-whatif", "16")
    #expect(table.cells("lost recovered_inside lost_with_access", of: "steps") == "1 0 0")
  }

  /// Charges of a fail after its first payment and after its second, that of d in the trial. The subscription of f began before
  /// the data, so the number of its payment is not known; nothing follows in 60 days.
  @Test func stagesAreThoseOfTheLastPayment() throws {
    let lines = [
      Self.line("conversion", "01-01T10:00:00", "a", Self.paid(10)),
      Self.line("billing_issue", "02-01T10:00:00", "a"), Self.line("renewal", "02-03T10:00:00", "a", Self.paid(10)),
      Self.line("billing_issue", "03-03T10:00:00", "a"),
      Self.line("trial_start", "01-25T10:00:00", "d", #","plan":"monthly","trial_days":7"#),
      Self.line("billing_issue", "02-01T10:00:00", "d"),
      Self.line("conversion", "02-03T22:00:00", "d", Self.paid(10)),
      Self.line("renewal", "01-01T10:00:00", "f", Self.paid(10)), Self.line("billing_issue", "02-01T10:00:00", "f"),
      Self.line("activity", "05-01T10:00:00", "z"),
    ]
    let store = try TestStore(lines: lines)
    let table = try store.table("recovery", "--by", "stage")
    let stages = ["1", "2", "?", "trial"]
    #expect(table.column("stage") == stages)
    #expect(
      stages.map { table.cells("charges recovered lost open", of: "steps", $0) }
        == ["1 1 0 0", "1 0 0 1", "1 0 1 0", "1 1 0 0"])
    let chosen = try store.table("recovery", "--by", "none", "--where", "stage=1,trial")
    #expect(chosen.cells("charges", of: "steps") == "2")
  }

  /// Two weeks after the charges, none is 60 days old.
  @Test func youngChargesAreOpen() throws {
    let table = try TestStore(lines: Self.lines).table("recovery", "--by", "none", "--as-of", "2026-02-15T10:00:00Z")
    #expect(
      table.cells("charges open matured cancelled recovered_rate recovered_7_rate recovered_16_rate", of: "steps")
        == "4 1 0 1 - 0.500000 -")
  }
}
