import Foundation
import Testing

/// Exports of several tables, of one row per subscription, and payments without products.
@Suite struct OddTablesTests {
  /// A view on 28 February, 50 days after the others, so that these are mature.
  private static let views = [
    "user_id,viewed_at,screen,variant", "u1,2026-01-05 08:00:00,home,a", "u2,2026-01-06 08:00:00,home,b",
    "u3,2026-01-07 08:00:00,home,a", "u4,2026-01-08 08:00:00,home,b", "u99,2026-02-28 08:00:00,home,b",
  ]

  /// A table of each kind, whose columns of times have names of their own: u1 pays after a trial, u3 directly, and again a
  /// month later; u2's trial ends unpaid. 3 payments of 9.99.
  @Test(arguments: ["csv", "ndjson"])
  func tablesOfOneKindEach(form: String) throws {
    let tables = [
      ("paywall_views", Self.views),
      (
        "trials",
        [
          "user_id,started_at,product_id,trial_days", "u1,2026-01-05 08:05:00,pro_monthly,7",
          "u2,2026-01-06 08:05:00,pro_monthly,7",
        ]
      ),
      (
        "purchases",
        [
          "user_id,purchased_at,product_id,price,currency", "u1,2026-01-12 08:05:00,pro_monthly,9.99,USD",
          "u3,2026-01-07 08:05:00,pro_monthly,9.99,USD",
        ]
      ),
      (
        "renewals",
        ["user_id,renewed_at,product_id,price,currency", "u3,2026-02-07 08:05:00,pro_monthly,9.99,USD"]
      ),
    ]
    let files = tables.map { name, lines in ("\(name).\(form)", form == "csv" ? lines : Self.objects(lines)) }
    // Two payments of one user are too few to tell that the tables hold others.
    let found = try OddFile(files: files, "--both").read()
    #expect(found.funnel == [4, 2, 1, 1, 2] && found.gross == "29.97", "\(found)")
  }

  private static func objects(_ lines: [String]) -> [String] {
    let names = lines[0].split(separator: ",")
    return lines.dropFirst().map { line in
      let cells = line.split(separator: ",")
      return "{" + zip(names, cells).map { "\"\($0)\": \"\($1)\"" }.joined(separator: ", ") + "}"
    }
  }

  /// Users 1 to 20 pay in January in one file and in February in the other, which needs no `--both`; where both files tell
  /// the January payments, `init` stops.
  @Test func filesWithOtherPaymentsNeedNoOption() throws {
    func payments(_ month: String) -> [String] {
      ["user_id,paid_at,product_id,price,currency"]
        + (1...20).map { "u\($0),2026-\(month)-05 08:05:00,pro_monthly,9.99,USD" }
    }
    let views = ("paywall_views.csv", Self.views)
    let apart = try OddFile(
      files: [views, ("purchases.csv", payments("01")), ("renewals.csv", payments("02"))]
    ).read()
    #expect(apart.gross == "399.60", "\(apart)")
    let twice = try OddFile(
      files: [views, ("purchases.csv", payments("01")), ("renewals.csv", payments("01"))]
    ).read()
    #expect(twice.status == 2 && twice.said.contains("--both"), "\(twice)")
  }

  /// One row per subscription: u1 and u2 begin with a trial, u3 pays at once. What was paid after trials is not in the
  /// table, which is said; payments in another file are taken from there alone: 9.99 of u1 and u3.
  @Test func aRowPerSubscription() throws {
    let subscriptions = [
      "subscription_id,user_id,product_id,price,currency,started_at,trial_end,canceled_at,ended_at",
      "s1,u1,pro_monthly,9.99,USD,2026-01-05 08:05:00,2026-01-12 08:05:00,,",
      "s2,u2,pro_monthly,9.99,USD,2026-01-06 08:05:00,2026-01-13 08:05:00,2026-01-08 09:00:00,2026-01-13 08:05:00",
      "s3,u3,pro_monthly,9.99,USD,2026-01-07 08:05:00,,2026-01-09 09:00:00,2026-02-07 08:05:00",
    ]
    let views = ("paywall_views.csv", Self.views)
    let alone = try OddFile(files: [views, ("subscriptions.csv", subscriptions)]).read()
    #expect(alone.funnel == [4, 2, 0, 1, 1] && alone.gross == "9.99", "\(alone)")
    #expect(alone.said.contains("! 2 records begin with a trial"), "\(alone.said)")
    let payments = [
      "payment_id,user_id,paid_at,amount,currency,product_id", "p1,u1,2026-01-12 08:05:00,9.99,USD,pro_monthly",
      "p3,u3,2026-01-07 08:05:00,9.99,USD,pro_monthly",
    ]
    let both = try OddFile(
      files: [views, ("subscriptions.csv", subscriptions), ("payments.csv", payments)], "--history", "complete"
    ).read()
    #expect(both.funnel == [4, 2, 1, 1, 2] && both.gross == "19.98", "\(both)")
    #expect(both.said.contains("payments are taken from payments.csv alone"), "\(both.said)")
  }

  /// Stripe's table of payments has no product: 4 users pay 9.99 twice, a month apart, and u9 pays 99.00 once, of which
  /// 99.00 is given back. The plan of 99.00 is a guess, which is said.
  @Test func amountsAreProductsWhereThereAreNone() throws {
    let head =
      "id,Created date (UTC),Amount,Amount Refunded,Currency,Description,Status,Customer ID,Refunded date (UTC),"
      + "user_id (metadata)"
    func payment(_ id: String, _ user: String, _ day: String, _ amount: String, _ description: String) -> String {
      let isGivenBack = amount == "99.00"
      return "\(id),2026-\(day) 08:05,\(amount),\(isGivenBack ? amount : "0.00"),usd,\(description),"
        + "\(isGivenBack ? "Refunded" : "Paid"),cus_\(user),\(isGivenBack ? "2026-01-10 09:00" : ""),\(user)"
    }
    let users = ["u1", "u2", "u3", "u4"]
    let payments =
      [head]
      + users.enumerated().map { payment("ch_\($0)", $1, "01-0\($0 + 5)", "9.99", "Subscription creation") }
      + users.enumerated().map { payment("ch_1\($0)", $1, "02-0\($0 + 5)", "9.99", "Subscription update") }
      + [payment("ch_9", "u9", "01-08", "99.00", "Subscription creation")]
    let found = try OddFile(
      files: [("paywall_views.csv", Self.views), ("unified_payments.csv", payments)]
    ).read()
    #expect(found.funnel == [4, 0, 0, 4, 4] && found.gross == "178.92", "\(found)")
    #expect(found.said.contains("! 99.00 usd: no user paid this again, so its plan is a guess"), "\(found.said)")
    #expect(found.said.contains("\"event\":\"refund\""), "\(found.said)")
  }

  /// Titles above the header, a header that comes again, lines that end with a carriage return, a printed table, days of
  /// a spreadsheet and digits alone: u1 pays 9.99.
  @Test(arguments: ["titles", "padded", "repeated", "returns", "psql", "spreadsheet", "digits"])
  func aTableMayBeWrittenOddly(form: String) throws {
    let head = "id,timestamp,user_id,event,variant,product_id,price,currency"
    var lines = [
      head, "1,2026-01-05T08:00:00Z,u1,paywall_viewed,a,,,",
      "2,2026-01-05T08:05:00Z,u1,subscription_started,,pro_monthly,9.99,USD",
      "3,2026-02-28T08:00:00Z,u2,paywall_viewed,b,,,",
    ]
    switch form {
    case "titles": lines = ["Acme report", "Generated 2026-03-01", ""] + lines
    case "padded": lines = ["Events,,,,,,,", "From,2026-01-01,,,,,,", ",,,,,,,"] + lines
    case "repeated": lines.insert(head, at: 2)
    case "returns": lines = [lines.joined(separator: "\r") + "\r"]
    case "psql":
      lines = lines.map { " " + $0.replacing(",", with: " | ") }
      lines.insert("----+-----+----+----+---+----+---+---", at: 1)
    case "spreadsheet":
      // Days since 30 December 1899: 5 January 2026 is day 46,027.
      let days = [
        "2026-01-05T08:00:00Z": "46027.33333333", "2026-01-05T08:05:00Z": "46027.33680556",
        "2026-02-28T08:00:00Z": "46081.33333333",
      ]
      for (time, day) in days { lines = lines.map { $0.replacing(time, with: day) } }
    default:
      lines = lines.map {
        $0.replacing(/(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)Z/) { $0.1 + $0.2 + $0.3 + $0.4 + $0.5 + $0.6 }
      }
    }
    let found = try OddFile(lines).read()
    #expect(found.funnel == [1, 0, 0, 1, 1] && found.gross == "9.99", "\(found)")
    if form == "spreadsheet" { #expect(found.said.contains("\"ts\":\"2026-01-05T08:05:00.000Z\""), "\(found.said)") }
  }

  /// A repair that is said for JSON with lists works: the command is run as it is printed.
  @Test(arguments: ["users", "tables", "columns"])
  func listsOfRecordsAreExplained(form: String) throws {
    let event = "{\"event_name\": \"app_open\", \"at\": \"2026-01-05T08:00:00Z\"}"
    let text =
      switch form {
      case "users": "[{\"user_id\": \"u1\", \"events\": [\(event)]}, {\"user_id\": \"u2\", \"payments\": [\(event)]}]"
      case "tables": "{\"trials\": [\(event)], \"refunds\": [\(event)]}"
      default: "{\"user_id\": [\"u1\", \"u2\"], \"event\": [\"app_open\", \"app_open\"]}"
      }
    let found = try OddFile([text], name: "data.json").read()
    let hints = [
      "users": "holds the lists events, payments", "tables": "holds the lists refunds, trials",
      "columns": "< data.json > data.ndjson && tollgate init --yes --app acme --store t.db data.ndjson`",
    ]
    #expect(found.status == 2 && found.said.contains(hints[form] ?? "-"), "\(found.said)")
  }
}
