import Testing

/// Tables whose columns say how something is now, whose cells say that there is nothing, or whose names say what they hold.
@Suite struct OddStatesTests {
  /// The state of a subscription is no event, so `init` asks what the records are.
  @Test func aStateIsNoEvent() throws {
    let lines = [
      "id,user_id,product_id,status,started_at,price,currency",
      "s1,u1,pro_monthly,active,2026-01-05T08:05:00Z,9.99,USD",
      "s2,u2,pro_monthly,canceled,2026-01-05T08:05:00Z,9.99,USD",
      "s3,u3,pro_monthly,active,2026-01-05T08:05:00Z,9.99,USD",
    ]
    let found = try OddFile(lines, name: "accounts.csv").read()
    #expect(found.status == 2 && found.said.contains("no column is clearly the event name"), "\(found)")
    #expect(
      found.said.contains(
        "the likeliest is status: `tollgate init --yes --set event=status --app acme --store t.db accounts.csv`"),
      "\(found)")
  }

  /// Beside the date of each step, a flag says nothing more.
  @Test func flagsBesideDatesAreNoEvents() throws {
    let lines = [
      "uid,saw_paywall,paywall_time,started_trial,trial_time,converted,conversion_time,plan,revenue,currency",
      "u1,1,2026-01-05T08:00:00Z,0,,1,2026-01-05T08:05:00Z,monthly,9.99,USD", "u2,1,2026-01-05T08:00:00Z,0,,0,,,0,USD",
      "u3,1,2026-01-05T08:00:00Z,1,2026-01-05T08:05:00Z,1,2026-01-12T08:05:00Z,monthly,9.99,USD",
      "u99,1,2026-02-28T08:00:00Z,0,,0,,,0,USD",
    ]
    let found = try OddFile(lines, "--set", "trial_days=7").read()
    #expect(found.funnel == [3, 1, 1, 1, 2] && found.gross == "19.98", "\(found)")
  }

  @Test(arguments: ["-", "N/A", "n/a", "--"])
  func cellsThatSayThatThereIsNothingAreEmpty(text: String) throws {
    let lines = [
      "id,timestamp,user_id,event,product_id,price,currency", OddFile.view("u1", day: 5, "\(text),\(text),\(text)"),
      OddFile.event("subscription_started", "u1", day: 5, "pro_monthly,9.99,USD"),
      OddFile.last("\(text),\(text),\(text)"),
    ]
    let found = try OddFile(lines).read()
    #expect(found.funnel == [1, 0, 0, 1, 1] && found.gross == "9.99", "\(found)")
  }

  /// The refunds name the payments that they are of; trials say when they end.
  @Test func tablesHaveIDsOfTheirOwn() throws {
    let found = try OddFile(files: [
      ("paywall_views.csv", ["view_id,user_id,viewed_at", "v1,u1,2026-01-05T08:00:00Z", "v2,u9,2026-02-28T08:00:00Z"]),
      (
        "trials.csv",
        [
          "trial_id,user_id,started_at,ends_at,product_id",
          "t1,u1,2026-01-05T08:05:00Z,2026-01-12T08:05:00Z,pro_monthly",
        ]
      ),
      (
        "payments.csv",
        ["payment_id,user_id,paid_at,product_id,amount,currency", "p1,u1,2026-01-12T08:05:00Z,pro_monthly,9.99,USD"]
      ),
      (
        "refunds.csv",
        ["refund_id,payment_id,user_id,refunded_at,amount,currency", "r1,p1,u1,2026-01-13T08:05:00Z,9.99,USD"]
      ),
    ]).read()
    #expect(found.funnel == [1, 1, 1, 0, 1] && found.gross == "9.99" && found.refunded == "9.99", "\(found)")
  }

  /// A row is a period, of a trial or paid; another table says who is in which group.
  @Test func periodsAndAssignmentsAreKnownByTheirNames() throws {
    let period = "period_id,subscription_id,user_id,product_id,period_start,period_end,is_trial,amount,currency"
    let rows = (0..<6).flatMap { user in
      [
        "a\(user),s\(user),u\(user),pro_monthly,2026-01-05T08:05:00Z,2026-01-12T08:05:00Z,1,0.00,USD",
        "b\(user),s\(user),u\(user),pro_monthly,2026-01-12T08:05:00Z,2026-02-12T08:05:00Z,0,9.99,USD",
      ]
    }
    let found = try OddFile(files: [
      (
        "paywalls.csv",
        ["id,timestamp,user_id,event"] + (0..<6).map { "v\($0),2026-01-05T08:00:00Z,u\($0),paywall_viewed" }
          + ["x,2026-03-28T08:00:00Z,u99,paywall_viewed"]
      ), ("subscription_periods.csv", [period] + rows),
      (
        "assignments.csv",
        ["user_id,experiment,variant,assigned_at"] + (0..<6).map { "u\($0),prices,a,2026-01-05T07:00:00Z" }
      ),
    ]).read()
    #expect(found.funnel == [6, 6, 6, 0, 6] && found.gross == "59.94", "\(found)")
    #expect(found.said.contains("all records (6): exposure"), "\(found.said)")
  }

  /// One row per user with three times and a state: c1 and c2 pay 9.99, c2 gets it back; the install is no view.
  @Test func aStateMayBeTheOnlySignOfARefund() throws {
    let lines = [
      "user_id,installed_at,paywall_viewed_at,purchased_at,product_id,price,currency,status",
      "c1,2026-01-04,2026-01-05,2026-01-05,pro_monthly,9.99,USD,active",
      "c2,2026-01-04,2026-01-06,2026-01-06,pro_monthly,9.99,USD,refunded", "c3,2026-01-05,2026-01-07,,,,,free",
      "c9,2026-02-27,2026-02-28,,,,,free",
    ]
    let found = try OddFile(lines).read()
    #expect(found.funnel == [3, 0, 0, 2, 2] && found.gross == "19.98" && found.refunded == "9.99", "\(found)")
    #expect(found.said.contains("refunds count at the time of their payment"), "\(found)")
  }
}
