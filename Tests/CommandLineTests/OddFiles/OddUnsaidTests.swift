import Testing

/// Exports that were read wrongly without a word: each is read well now, or what is not known is said.
@Suite struct OddUnsaidTests {
  /// Mixpanel and Google Analytics write words where there is no value.
  @Test(arguments: ["undefined", "(not set)", "(none)"])
  func wordsForNoValueAreNone(word: String) throws {
    let found = try OddFile([
      "id,timestamp,user_id,event,PaywallLocation,product_id,price,currency",
      OddFile.view("u1", day: 5, "home,\(word),\(word),\(word)"),
      OddFile.event("subscription_started", "u1", day: 5, "\(word),pro_monthly,9.99,USD"),
      OddFile.last("home,\(word),\(word),\(word)"),
    ]).read()
    #expect(found.funnel == [1, 0, 0, 1, 1] && found.gross == "9.99", "\(found)")
    #expect(found.said.contains("entry_point  PaywallLocation"), "\(found.said)")
  }

  /// Of 40 users with all times in one row, one has no plan: his trial and payment are rejected, and his view counts.
  @Test func aViewCountsBesideATrialWithoutAPlan() throws {
    let rows = (0..<40).map { user in
      let day = user % 20 + 1
      func time(_ day: Int, _ minute: Int) -> String { "2026-01-\(day < 10 ? "0" : "")\(day)T08:0\(minute):00Z" }
      return "u\(user),\(time(day, 0)),\(time(day, 5)),\(time(day + 7, 5)),\(user == 7 ? "" : "pro_monthly"),9.99,USD"
    }
    let found = try OddFile(
      ["user_id,saw_paywall_at,trial_started_at,paid_at,product_id,amount,currency"] + rows
        + ["u99,2026-02-28T08:00:00Z,,,,,"]
    ).read()
    #expect(found.funnel == [40, 39, 39, 0, 39], "\(found)")
  }

  private static let head = "id,timestamp,user_id,event,variant,product_id,price,currency"

  /// Without products each amount is one, and a refund of another amount than any price is of the last payment: 3 users
  /// pay 9.99 three times, which is 89.91, and 4.00 are given back.
  @Test func aRefundNeedsNoProduct() throws {
    let payments = ["u1", "u2", "u3"].flatMap { user in
      ["2026-01-05", "2026-02-05", "2026-03-05"].enumerated().map { place, day in
        "\(user)-\(place),\(day)T08:05:00Z,\(user),\(place == 0 ? "subscription_started" : "subscription_renewed"),9.99,USD"
      }
    }
    let refund = "r,2026-03-06T08:05:00Z,u1,refund_issued,4.00,USD"
    let found = try OddFile(["id,timestamp,user_id,event,price,currency"] + payments + [refund]).read()
    #expect(found.status == 0 && found.gross == "89.91" && found.refunded == "4.00", "\(found)")
  }

  /// u1 pays in a build for users, u2 in one of a developer, or of an account of the company.
  @Test(arguments: [
    ["build_type", "release", "debug"], ["account_type", "customer", "internal"], ["user_type", "external", "staff"],
  ])
  func purchasesOfDevelopersAreTests(column: [String]) throws {
    let lines = [
      Self.head + ",\(column[0])", OddFile.view("u1", day: 5, "a,,,,\(column[1])"),
      OddFile.event("subscription_started", "u1", day: 5, ",pro_monthly,9.99,USD,\(column[1])"),
      OddFile.event("subscription_started", "u2", day: 6, ",pro_yearly,99.99,USD,\(column[2])"),
      OddFile.last("b,,,,\(column[1])"),
    ]
    #expect(try OddFile(lines).read().gross == "9.99")
  }

  /// u1 sees the screen of the paywall and pays; u2 sees another screen alone.
  @Test func viewsOfAScreenArePaywallViews() throws {
    func view(_ user: String, _ day: Int, _ screen: String) -> String {
      "\(screen)\(user),2026-01-0\(day)T08:00:00Z,\(user),screen_view,\(screen),,,"
    }
    let lines = [
      "id,timestamp,user_id,event,screen_name,product_id,price,currency", view("u1", 4, "Home"),
      view("u1", 5, "Paywall"),
      OddFile.event("subscription_started", "u1", day: 5, ",pro_monthly,9.99,USD"), view("u2", 6, "Home"),
      "x,2026-02-28T08:00:00Z,u99,screen_view,Paywall,,,",
    ]
    let found = try OddFile(lines).read()
    #expect(found.funnel == [1, 0, 0, 1, 1], "\(found)")
    #expect(found.said.contains("2 records with screen_name Paywall are read as paywall views"), "\(found.said)")
  }

  /// PostHog writes the variants of a flag on each event, whatever they are called.
  @Test func flagsOfPostHogHaveVariantsOfAnyName() throws {
    let lines = [
      "id,timestamp,user_id,event,$feature/pw_copy", OddFile.view("u1", day: 5, "short"),
      OddFile.view("u2", day: 6, "long"), OddFile.last("short"),
    ]
    let found = try OddFile(lines).reading("funnel", "--by", "variant")
    #expect(found.table.contains("short") && found.table.contains("long"), "\(found)")
  }

  /// Variants of exposures alone are no variants of paywall views.
  @Test func exposuresAloneHaveTheVariants() throws {
    let head = "id,timestamp,user_id,event,experiment,variant,entry_point"
    let lines = [
      head, OddFile.event("experiment_assigned", "u1", day: 4, "cta,a,"), OddFile.view("u1", day: 5, ",,settings"),
      OddFile.event("experiment_assigned", "u2", day: 4, "cta,b,"), OddFile.view("u2", day: 6, ",,banner"),
      OddFile.last(",,settings"),
    ]
    let said = try OddFile(lines).read().said
    #expect(
      said.contains("! paywall views have no variant") && said.contains("`tollgate experiment cta --store t.db`"),
      "\(said)")
    #expect(said.contains("by entry point"), "\(said)")
  }

  /// Days without times give the events of a day no order.
  @Test func daysWithoutTimesAreSaid() throws {
    let lines = [
      Self.head, OddFile.view("u1", day: 5, "a,,,"),
      OddFile.event("subscription_started", "u1", day: 5, ",pro_monthly,9.99,USD"), OddFile.last("b,,,"),
    ]
    let days = lines.map { $0.replacing(#/T08:0\d:00Z/#, with: "") }
    #expect(try OddFile(days).read().said.contains("! timestamp has days without the time of day"))
    #expect(try !OddFile(lines).read().said.contains("days without the time of day"))
  }

  /// A refund without an amount gives back all, which is said.
  @Test func refundsWithoutAnAmountAreSaid() throws {
    func lines(_ amount: String) -> [String] {
      [
        Self.head, OddFile.view("u1", day: 5, "a,,,"),
        OddFile.event("subscription_started", "u1", day: 5, ",pro_monthly,9.99,USD"),
        OddFile.event("refund_issued", "u1", day: 8, ",pro_monthly,\(amount),USD"), OddFile.last("b,,,"),
      ]
    }
    let whole = try OddFile(lines("")).read()
    #expect(whole.refunded == "9.99" && whole.said.contains("! 1 refund has no amount"), "\(whole)")
    let part = try OddFile(lines("4.00")).read()
    #expect(part.refunded == "4.00" && !part.said.contains("no amount"), "\(part)")
  }

  /// Numbers as states of payments say nothing; three of them are no flag.
  @Test func statesThatAreNumbersAreSaid() throws {
    let lines =
      ["id,timestamp,user_id,event,product_id,price,currency,status"]
      + zip(["u1", "u2", "u3", "u4"], ["2", "2", "3", "4"]).enumerated().map { place, pair in
        OddFile.event("subscription_started", pair.0, day: place + 5, "pro_monthly,9.99,USD,\(pair.1)")
      }
    let said = try OddFile(lines).read().said
    #expect(said.contains("! status: 2, 3, 4 in records of payments, which all count as paid"), "\(said)")
    #expect(said.contains("`when: {status: 2}`"), "\(said)")
  }

  /// 10 trials and no payment at all.
  @Test func trialsWithoutAnyPaymentAreSaid() throws {
    let lines =
      ["id,timestamp,user_id,event,product_id,trial_days"]
      + (1...10).map { OddFile.event("trial_started", "u\($0)", day: $0 + 4, "pro_monthly,7") }
    #expect(try OddFile(lines).read().said.contains("! no event is a payment, so no trial counts as paid"))
  }

  /// The command to run again has no name of a column that is yet to be found.
  @Test func commandsHaveNoPlaceholders() throws {
    let lines =
      [Self.head]
      + (1...9).map { OddFile.event("subscription_renewed", "u\($0)", day: $0 + 4, ",pro_monthly,,") }
      + (1...9).map { OddFile.event("subscription_started", "u\($0)", day: $0 + 4, ",pro_monthly,9.99,USD") }
    let said = try OddFile(lines).read().said
    #expect(said.contains("`--set price=COLUMN` names the column"), "\(said)")
    let commands = said.split(separator: "\n").filter { $0.hasPrefix("  tollgate init") }
    #expect(!commands.isEmpty && commands.allSatisfy { !$0.contains("COLUMN") }, "\(commands)")
  }

  /// A column `ab` holds the variants, though its name may mean an experiment.
  @Test func aColumnOfVariantsMayBeNamedForTheTest() throws {
    let lines = [
      "id,timestamp,user_id,event,ab", OddFile.view("u1", day: 5, "A"), OddFile.view("u2", day: 6, "B"),
      OddFile.last("A"),
    ]
    let found = try OddFile(lines).reading("funnel", "--by", "variant", "--format", "csv")
    #expect(found.table.contains("acme,A,1,") && found.table.contains("acme,B,1,"), "\(found)")
  }

  /// 20 views a day, but none on 3 January: there are payments on each day, so `health` finds it by the views alone.
  @Test func aDayWithoutViewsIsFound() throws {
    let views = [1, 2, 4, 5].flatMap { day in (0..<20).map { OddFile.view("u\(day)-\($0)", day: day, "a,,,") } }
    let paid = (1...5).map { OddFile.event("subscription_started", "p\($0)", day: $0, ",pro_monthly,9.99,USD") }
    let table = try OddFile([Self.head] + views + paid).reading("health", "--format", "csv").table
    let row = table.split(separator: "\n").first { $0.contains("days without an event of paywall-impressions") }
    #expect(row?.contains("2026-01-03") ?? false, "\(table)")
  }

  /// The year of the last view is 2099.
  @Test func timesAfterTodayAreSaid() throws {
    let lines = [Self.head, OddFile.view("u1", day: 5, "a,,,"), "x,2099-02-28T08:00:00Z,u2,paywall_viewed,a,,,"]
    let found = try OddFile(lines).reading("health")
    #expect(found.said.contains("! 1 event of acme is dated after today, up to 2099-02-28"), "\(found.said)")
  }
}
