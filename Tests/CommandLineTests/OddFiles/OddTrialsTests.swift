import Testing

/// Exports that mark trials by a column of their purchases. u1 and u3 start a trial, u2 pays 9.99 directly; u1 pays after
/// the trial where the test says so.
@Suite struct OddTrialsTests {
  private static func lines(_ column: String, trial: String, paid: String, price: String = "0.00") -> [String] {
    [
      "id,timestamp,user_id,event,product_id,\(column),price,currency", OddFile.view("u1", day: 5, ",,,"),
      OddFile.event("subscription_started", "u1", day: 5, "pro_monthly,\(trial),\(price),USD"),
      OddFile.view("u2", day: 6, ",,,"),
      OddFile.event("subscription_started", "u2", day: 6, "pro_monthly,\(paid),9.99,USD"),
      OddFile.view("u3", day: 7, ",,,"),
      OddFile.event("subscription_started", "u3", day: 7, "pro_monthly,\(trial),\(price),USD"),
      OddFile.last(",,,"),
    ]
  }

  /// 3 users, 2 trials, 1 direct purchase of 9.99, once the length of the trials is said.
  @Test(arguments: [
    ("is_trial", "true", "false"), ("is_trial", "1", "0"), ("free_trial", "Yes", "No"),
    ("period_type", "TRIAL", "NORMAL"),
    ("offer_type", "free_trial", ""), ("trial", "Y", "N"),
  ])
  func aColumnMarksTrials(column: String, trial: String, paid: String) throws {
    for price in ["0.00", ""] {
      let lines = Self.lines(column, trial: trial, paid: paid, price: price)
      let unsaid = try OddFile(lines).read()
      // Their length is not known, so they are left out: neither trials nor payments.
      #expect(unsaid.funnel == [3, 0, 0, 1, 1] && unsaid.gross == "9.99", "\(unsaid)")
      #expect(
        unsaid.said.contains("! 2 records with \(column) = \(trial) are trials and are left out"), "\(unsaid.said)")
      #expect(unsaid.said.contains("--set trial_days=7"))
      let said = try OddFile(lines, "--set", "trial_days=7").read()
      #expect(said.funnel == [3, 2, 0, 1, 1] && said.gross == "9.99", "\(said)")
    }
  }

  /// A purchase for nothing is a trial where others cost something and nothing else tells of trials.
  @Test func aPriceOfZeroIsATrial() throws {
    let lines = Self.lines("campaign", trial: "", paid: "")
    let said = try OddFile(lines, "--set", "trial_days=7").read()
    #expect(said.funnel == [3, 2, 0, 1, 1] && said.gross == "9.99", "\(said)")
    // Where trials have a name of their own, it may be a gift: it stays a purchase, with a word.
    let gift = try OddFile(
      lines + [OddFile.event("trial_started", "u4", day: 8, "pro_monthly,,,")], "--set", "trial_days=7"
    ).read()
    #expect(gift.funnel == [3, 0, 0, 3, 3], "\(gift)")
    #expect(gift.said.contains("! 2 records of purchases have the price 0 and count as purchases"), "\(gift.said)")
  }

  /// Beside trials with a name of their own, a flag may say that a purchase followed one: u1's payment of 9.99 counts, and
  /// the column is named.
  @Test func aFlagBesideTrialsIsNoTrial() throws {
    let lines = [
      "id,timestamp,user_id,event,product_id,is_trial,price,currency,trial_days", OddFile.view("u1", day: 5, ",,,,"),
      OddFile.event("trial_started", "u1", day: 5, "pro_monthly,true,,,7"),
      OddFile.event("subscription_started", "u1", day: 12, "pro_monthly,true,9.99,USD,"),
      OddFile.view("u2", day: 6, ",,,,"),
      OddFile.event("subscription_started", "u2", day: 6, "pro_monthly,false,9.99,USD,"), OddFile.last(",,,,"),
    ]
    let found = try OddFile(lines).read()
    #expect(found.funnel == [2, 1, 1, 1, 2] && found.gross == "19.98", "\(found)")
    #expect(found.said.contains("! is_trial is not used"), "\(found.said)")
  }

  /// RevenueCat's flat rows: the renewal that ends a trial is its conversion, 7 days after u1's trial.
  @Test func aRenewalMayEndATrial() throws {
    let lines = [
      "id,timestamp,user_id,event,product_id,period_type,is_trial_conversion,price,currency",
      OddFile.view("u1", day: 5, ",,,,"),
      OddFile.event("INITIAL_PURCHASE", "u1", day: 5, "pro_monthly,TRIAL,,0.00,USD"),
      OddFile.event("RENEWAL", "u1", day: 12, "pro_monthly,NORMAL,true,9.99,USD"), OddFile.view("u2", day: 6, ",,,,"),
      OddFile.event("INITIAL_PURCHASE", "u2", day: 6, "pro_monthly,NORMAL,,9.99,USD"),
      "r2,2026-02-06T08:05:00Z,u2,RENEWAL,pro_monthly,NORMAL,false,9.99,USD", OddFile.last(",,,,"),
    ]
    let said = try OddFile(lines, "--set", "trial_days=7").read()
    #expect(said.funnel == [2, 1, 1, 1, 2] && said.gross == "29.97", "\(said)")
  }

  /// The length of trials is measured where five users pay as many days after theirs.
  @Test func theLengthOfMarkedTrialsIsMeasured() throws {
    let head = "id,timestamp,user_id,event,product_id,is_trial,price,currency"
    let users = (1...6).flatMap { user in
      [
        OddFile.view("u\(user)", day: user, ",,,"),
        OddFile.event("purchase_completed", "u\(user)", day: user, "pro_monthly,1,0.00,USD"),
        "c\(user),2026-01-\(user + 14)T08:05:00Z,u\(user),purchase_completed,pro_monthly,0,9.99,USD",
      ]
    }
    let renewal = "r1,2026-02-15T08:05:00Z,u1,subscription_renewed,pro_monthly,0,9.99,USD"
    let said = try OddFile([head] + users + [renewal, OddFile.last(",,,")]).read()
    // 6 trials of 14 days, all paid; 6 · 9.99 + 9.99
    #expect(said.funnel == [6, 6, 6, 0, 6] && said.gross == "69.93", "\(said)")
  }

  /// Trials without a plan have that of the purchases if these are of one plan; else the plan has to be said. u1 and u3
  /// start a trial, u1 pays after it, u2 pays directly.
  @Test func trialsWithoutAPlanTakeTheOnlyOne() throws {
    func lines(_ second: String) -> [String] {
      [
        "id,timestamp,user_id,event,plan,price,currency,trial_days", OddFile.view("u1", day: 5, ",,,"),
        OddFile.event("trial_started", "u1", day: 5, ",,,7"),
        OddFile.event("purchase_completed", "u1", day: 12, "yearly,59.99,USD,"), OddFile.view("u2", day: 6, ",,,"),
        OddFile.event("purchase_completed", "u2", day: 6, "\(second),9.99,USD,"), OddFile.view("u3", day: 7, ",,,"),
        OddFile.event("trial_started", "u3", day: 7, ",,,7"), OddFile.last(",,,"),
      ]
    }
    for history in [[], ["--history", "complete"]] {
      var file = OddFile(lines("yearly"))
      file.options = history
      let one = try file.read()
      // Without all payments, the direct one may be a renewal.
      #expect(one.funnel == (history.isEmpty ? [3, 2, 1, 0, 1] : [3, 2, 1, 1, 2]) && one.gross == "69.98", "\(one)")
      #expect(one.said.contains("assumed: trials without a plan are yearly"), "\(one.said)")
    }
    let unsaid = try OddFile(lines("monthly"), "--history", "complete").read()
    #expect(unsaid.said.contains("`--set plan=yearly` gives those without a plan this one"), "\(unsaid.said)")
    let unlinked = try OddFile(lines("monthly"), "--set", "plan=yearly").read()
    #expect(unlinked.said.contains("add `--history complete`, if the file has all payments"), "\(unlinked.said)")
    let said = try OddFile(lines("monthly"), "--history", "complete", "--set", "plan=yearly").read()
    #expect(said.funnel == [3, 2, 1, 1, 2] && said.gross == "69.98", "\(said)")
  }

  /// In a row for each user, trials that were paid keep the plan of the payment; the others have the one that is said.
  @Test func trialsOfARowForEachUserKeepTheirPlan() throws {
    let head = "user_id,first_seen,trial_started,subscribed_at,plan,price,currency"
    let rows = (1...6).map { user in
      "u\(user),2026-01-0\(user),2026-01-0\(user),2026-01-\(user + 14),\(user == 1 ? "monthly,9.99" : "yearly,59.99"),USD"
    }
    let open = ["u7,2026-01-07,2026-01-07,,,,", "u8,2026-01-08,,,,,", "u9,2026-03-31,,,,,"]
    let said = try OddFile([head] + rows + open, "--set", "plan=yearly").read()
    // 7 trials of 14 days, of which 6 are paid: 9.99 + 5 · 59.99
    #expect(said.funnel == [8, 7, 6, 0, 6] && said.gross == "309.94", "\(said)")
    #expect(said.said.contains("assumed: trials last 14 days"), "\(said.said)")
    // Without the views no user is a viewer; payments stay.
    let unseen = try OddFile([head] + rows + open, "--set", "plan=yearly", "--event", "first_seen=ignore").read()
    #expect(unseen.funnel == [0, 0, 0, 0, 0] && unseen.gross == "309.94", "\(unseen)")
    let kind = try OddFile([head] + rows + open, "--set", "plan=yearly", "--event", "first_seen=activity").read()
    #expect(kind.said.contains("first_seen (9): activity"), "\(kind.said)")
    #expect(said.said.contains("first_seen is taken as the user's first paywall view"), "\(said.said)")
  }
}
