import Foundation
import Testing

/// Exports of common tools that were read wrongly without a word, or whose advice led nowhere.
@Suite struct OddAdviceTests {
  private static let views = [
    "event_id,user_id,viewed_at,variant", "v1,u1,2026-01-05T08:00:00Z,a", "v2,u2,2026-01-06T08:00:00Z,b",
    "v3,u3,2026-01-07T08:00:00Z,a", "v9,u99,2026-02-28T08:00:00Z,b",
  ]

  /// Stripe's invoices of 0 are trials where the reason says that a subscription begins: u1 pays after one, u2 at
  /// once, u3 not, and u5 has an older subscription: 5 payments of 9.99. Users are those of the views, and not Stripe's customers.
  @Test func firstInvoicesOfZeroAreTrials() throws {
    let invoices = [
      "id,Customer,user_id (metadata),created,billing_reason,amount_paid,amount_remaining,currency,plan_id",
      "i1,c1,u1,2026-01-05T08:05:00Z,subscription_create,0.00,0.00,USD,pro_monthly",
      "i2,c2,u2,2026-01-06T08:05:00Z,subscription_create,9.99,0.00,USD,pro_monthly",
      "i3,c3,u3,2026-01-07T08:05:00Z,subscription_create,0.00,0.00,USD,pro_monthly",
      "i4,c1,u1,2026-01-12T08:05:00Z,subscription_cycle,9.99,0.00,USD,pro_monthly",
      "i5,c2,u2,2026-02-06T08:05:00Z,subscription_cycle,9.99,0.00,USD,pro_monthly",
      "i6,c1,u1,2026-02-12T08:05:00Z,subscription_cycle,9.99,0.00,USD,pro_monthly",
      "i7,c5,u5,2026-02-13T08:05:00Z,subscription_cycle,9.99,0.00,USD,pro_monthly",
    ]
    let found = try OddFile(
      files: [("paywall_views.csv", Self.views), ("invoices.csv", invoices)], "--set", "trial_days=7"
    ).read()
    #expect(found.funnel == [3, 2, 1, 1, 2] && found.gross == "49.95", "\(found)")
    // A column of zeros is no other price.
    #expect(!found.said.contains("amount_remaining may be it"), "\(found.said)")
  }

  /// Stripe's list of subscriptions: the end of the last period, which may be the end itself, is of payments.
  @Test func theLatestPeriodIsOfPayments() throws {
    let subscriptions = [
      "id,user_id,plan,trial_start,trial_end,current_period_end,canceled_at,ended_at",
      "s1,u1,pro_monthly,2026-01-05T08:05:00Z,2026-01-12T08:05:00Z,2026-01-12T08:05:00Z,2026-01-08T08:05:00Z,"
        + "2026-01-12T08:05:00Z",
      "s3,u3,pro_monthly,2026-01-07T08:05:00Z,2026-01-14T08:05:00Z,2026-02-14T08:05:00Z,,",
    ]
    let files = [("paywall_views.csv", Self.views), ("subscriptions.csv", subscriptions)]
    let found = try OddFile(files: files).read()
    #expect(found.funnel == [3, 2, 0, 0, 0] && found.said.contains(" 0 rejected"), "\(found)")
    #expect(!found.said.contains("invalid:expires_at"), "\(found.said)")
  }

  /// Why users say that they leave is not what ended the subscription: u1's ends on 5 February, as u1 wanted.
  @Test func answersOfUsersAreNoReasonOfAnEnd() throws {
    let lines = [
      "id,timestamp,user_id,event,product_id,price,currency,cancel_reason", OddFile.view("u1", day: 5, ",,,"),
      OddFile.event("subscription_started", "u1", day: 5, "pro_monthly,9.99,USD,"),
      OddFile.event("subscription_cancelled", "u1", day: 10, "pro_monthly,,,too_expensive"),
      "e1,2026-02-05T08:05:00Z,u1,subscription_expired,pro_monthly,,,", OddFile.last(",,,"),
    ]
    let found = try OddFile(lines).reading("cancellations")
    #expect(found.table.contains("Why 1 left: voluntary 1."), "\(found)")
  }

  /// Countries are no users, though they come again as users do: 4 sales in each of 6.
  @Test func countriesAreNoUsers() throws {
    let lines =
      ["Description,Transaction Date,Transaction Type,Buyer Country,Sku Id,Amount,Buyer Currency"]
      + (0..<24).map { place -> String in
        let country = ["US", "DE", "FR", "GB", "JP", "CA"][place % 6]
        return "GPA.\(place),2026-01-\(10 + place % 20),Charge,\(country),pro_monthly,9.99,USD"
      }
    let found = try OddFile(lines).read()
    #expect(found.status == 2 && found.said.contains("no column is clearly the user"), "\(found)")
    #expect(found.said.contains("Without a column of users, no funnel can be counted"), "\(found)")
  }

  /// A kind of all records is that of the ledger; the views have their own. u1 pays, and u5, who saw no paywall.
  @Test func aKindOfAllRecordsSparesOtherFiles() throws {
    let ledger = [
      "entry_id,customer_id,booked_at,sku,amount,currency", "l1,u1,2026-01-05T08:05:00Z,pro_monthly,9.99,USD",
      "l2,u5,2026-01-06T08:05:00Z,pro_monthly,9.99,USD",
    ]
    let files = [("ledger.csv", ledger), ("paywall_views.csv", Self.views)]
    let refused = try OddFile(files: files).read()
    #expect(
      refused.status == 2
        && refused.said.contains(
          "`tollgate init --yes --event '*=payment' --app acme --store t.db ledger.csv paywall_views.csv`"),
      "\(refused)")
    let found = try OddFile(files: files, "--event", "*=payment", "--history", "complete").read()
    #expect(found.funnel == [3, 0, 0, 1, 1] && found.gross == "19.98", "\(found)")
    // Without all payments, a user's first one may be a renewal, which is said.
    let open = try OddFile(files: files, "--event", "*=payment").read()
    #expect(open.said.contains("! payments: each can be a first payment or a renewal"), "\(open.said)")
  }

  /// A state, without the one before it, may say how a subscription is now, and is the likeliest event all the same.
  @Test func theLikeliestColumnIsNamed() throws {
    let lines = [
      "id,user_id,new_status,changed_at,product_id", "e1,u1,trialing,2026-01-05T08:05:00Z,pro_monthly",
      "e2,u1,active,2026-01-12T08:05:00Z,pro_monthly", "e3,u2,trialing,2026-01-06T08:05:00Z,pro_monthly",
    ]
    let found = try OddFile(lines).read()
    let next =
      "the likeliest is new_status: `tollgate init --yes --set event=new_status --app acme --store t.db data.csv`"
    #expect(found.status == 2 && found.said.contains(next), "\(found)")
  }

  /// An object with a member for each event.
  @Test func eventsKeyedByIdsAreWrittenAsAList() throws {
    let members = (10..<60).map { day in
      "\"e\(day)\": {\"user_id\": \"u\(day % 7)\", \"event\": \"paywall_viewed\", \"ts\": \"2026-01-05T08:00:\(day)Z\"}"
    }
    let found = try OddFile(["{\"events\": {\(members.joined(separator: ", "))}}"], name: "data.json").read()
    let command =
      "jq -c '.[\"events\"] | to_entries[] | {event_id: .key} + .value' data.json > data-events.ndjson && tollgate init --yes "
      + "--app acme --store t.db data-events.ndjson`"
    #expect(found.status == 2 && found.said.contains(command), "\(found)")
  }

  /// Records of users with two lists and a trial: the advice is one command with the options of the call.
  @Test func listsOfUsersAreWrittenToFiles() throws {
    let lines = (5...9).map { day in
      "{\"_id\": \"u\(day)\", \"views\": [{\"at\": \"2026-01-0\(day)T08:00:00Z\"}], \"payments\": [{\"paidAt\": "
        + "\"2026-01-0\(day)T09:00:00Z\"}], \"trial\": {\"startedAt\": \"2026-01-0\(day)T08:30:00Z\"}}"
    }
    let found = try OddFile(lines, name: "data.json").read()
    let each = "if type == \"array\" then .[] else . end"
    let command =
      "`mkdir -p data; for list in payments views; do jq -c --arg list $list '\(each) | . as $all | (.[$list] // [])[] + ($all "
      + "| del(.[\"payments\"], .[\"views\"], .[\"trial\"]))' data.json > data/$list.ndjson; done; jq -c '\(each) | "
      + "del(.[\"payments\"], .[\"views\"])' data.json > data/data.ndjson && tollgate init --yes --app acme --store t.db data`"
    #expect(found.status == 2 && found.said.contains(command), "\(found)")
  }

  /// Rows of a report of the App Store are counts.
  @Test func reportsOfCountsHaveNoFunnel() throws {
    let head =
      "Event Date,Event,App Name,App Apple ID,Subscription Name,Subscription Apple ID,Subscription Group ID,"
      + "Standard Subscription Duration,Device,State,Country,Original Start Date,Quantity"
    let row = "2026-01-05,Subscribe,Acme,999,monthly,1234,77,1 Month,iPhone,,US,,1"
    let lines = [head, row].map { $0.replacing(",", with: "\t") }
    let said = try OddFile(lines, name: "data.txt").reading("funnel").said
    #expect(said.contains("1 count from App Store Connect reports, for tollgate reconcile --store t.db."), "\(said)")
    #expect(!said.contains("Nothing was loaded"), "\(said)")
  }

  /// Lists of texts are not read, and may have the variants.
  @Test func listsThatMayHaveVariantsAreSaid() throws {
    let lines = ["u1", "u2", "u3"].enumerated().map { place, user in
      "{\"id\": \"v\(place)\", \"timestamp\": \"2026-01-0\(place + 5)T08:00:00Z\", \"user_id\": \"\(user)\", "
        + "\"event\": \"paywall_viewed\", \"tags\": [\"arm:a\", \"from:home\"]}"
    }
    let said = try OddFile(lines, name: "data.ndjson").read().said
    #expect(said.contains("! tags has lists, such as"), "\(said)")
  }

  /// A price of one of two, and one before a discount, are read as all that was paid, which is said.
  @Test(arguments: [("unit_price,quantity", "2"), ("price,discount", "5.00")])
  func partsOfAPriceAreSaid(columns: String, value: String) throws {
    let lines = [
      "id,timestamp,user_id,event,product_id,\(columns),currency", OddFile.view("u1", day: 5, ",,,"),
      OddFile.event("subscription_started", "u1", day: 5, "pro_monthly,9.99,\(value),USD"), OddFile.last(",,,"),
    ]
    let found = try OddFile(lines).read()
    #expect(found.gross == "9.99" && found.said.contains("is not used, though it has"), "\(found)")
  }

  /// u2's purchase was deleted: it counts, which is said, and the option of that line leaves it out.
  @Test func deletedRecordsAreSaid() throws {
    let lines = [
      "id,timestamp,user_id,event,product_id,price,currency,is_deleted", OddFile.view("u1", day: 5, ",,,false"),
      OddFile.event("subscription_started", "u1", day: 5, "pro_monthly,9.99,USD,false"),
      OddFile.event("subscription_started", "u2", day: 6, "pro_monthly,9.99,USD,true"), OddFile.last(",,,false"),
    ]
    let found = try OddFile(lines).read()
    let option = "environment={path: is_deleted, values: {\"true\": sandbox, \"*\": production}}"
    #expect(found.gross == "19.98" && found.said.contains("! is_deleted: 1 record with true count"), "\(found)")
    #expect(found.said.contains("--set '\(option)'"), "\(found)")
    #expect(try OddFile(lines, "--set", option).read().gross == "9.99")
  }

  /// 20 users see one of two designs, of which `init` makes paywalls: the funnel compares them, and it says how to make them
  /// variants.
  @Test func aColumnThatMayBeTheVariantIsNamed() throws {
    let views = (0..<20).map { OddFile.view("u\($0)", day: $0 % 9 + 1, "\($0 % 2 == 0 ? "blue" : "long"),,,") }
    let paid = (0..<4).map { OddFile.event("subscription_started", "u\($0)", day: $0 % 9 + 1, ",monthly,9.99,USD") }
    let head = "id,timestamp,user_id,event,pw_design,product_id,price,currency"
    let file = OddFile([head] + views + paid + [OddFile.last("blue,,,")])
    let said = try file.reading("funnel").said
    #expect(said.contains("no column is the variant; if pw_design has variants: `--set variant=pw_design`"), "\(said)")
    #expect(said.contains("by paywall"), "\(said)")
  }

  /// Variants without the name of their test: the command that names it gives the experiment the users who have a variant,
  /// and u3, who has none, is in no experiment.
  @Test func variantsWithoutATestGetACommand() throws {
    let lines = [
      "id,timestamp,user_id,event,arm", OddFile.view("u1", day: 5, "a"), OddFile.view("u2", day: 6, "b"),
      OddFile.view("u3", day: 7, ""), OddFile.last("a"),
    ]
    let said = try OddFile(lines).read().said
    #expect(
      said.contains(
        "  tollgate init --yes --force --store new.db --set 'experiment={value: my_test}' --app acme data.csv\n"),
      "\(said)")
    let named = OddFile(lines, "--set", "experiment={value: my_test}")
    let found = try named.reading("funnel", "--by", "experiment,variant", "--format", "csv")
    #expect(found.table.contains("acme,my_test,a,1,") && found.table.contains("acme,my_test,b,1,"), "\(found)")
    #expect(!found.table.contains("acme,my_test,,") && !found.said.contains("belong to no experiment"), "\(found)")
  }

  /// One of 25 purchases has no price and is rejected, which has a line with `!`.
  @Test func rejectedRecordsAreSaid() throws {
    let lines = (1...25).flatMap { user in
      [
        OddFile.view("u\(user)", day: user, ",,"),
        OddFile.event("subscription_started", "u\(user)", day: user, "pro_monthly,\(user == 7 ? "" : "9.99"),USD"),
      ]
    }
    let found = try OddFile(["id,timestamp,user_id,event,product_id,price,currency"] + lines + [OddFile.last(",,")])
      .read()
    #expect(found.said.contains("1 rejected (missing:price)") && found.said.contains("! missing:price: "), "\(found)")
  }

  /// A trial lasts 1 to 366 days (the format's range of `trial_days`).
  @Test(arguments: ["-7", "0", "367"])
  func lengthsOfTrialsHaveARange(days: String) throws {
    let lines = ["id,timestamp,user_id,event,product_id", OddFile.event("trial_started", "u1", day: 5, "pro_monthly")]
    let found = try OddFile(lines, "--set", "trial_days=\(days)").read()
    #expect(found.status == 2 && found.said.contains("--set trial_days=\(days): must be 1 to 366 days"), "\(found)")
  }

  /// Records without amounts are no payments, so the proposed command makes them views, of which one user is the last.
  @Test func recordsWithoutAmountsAreNoPayments() throws {
    let lines =
      ["user_id,ts,screen"] + (1...9).map { "u\($0),2026-01-0\($0)T10:00:00Z,pricing" } + [
        "u10,2026-03-09T10:00:00Z,pricing"
      ]
    let refused = try OddFile(lines).read()
    let next = "If all records are paywall views: `tollgate init --yes --event '*=paywall_impression' --app acme "
    #expect(refused.status == 2 && refused.said.contains(next), "\(refused)")
    let found = try OddFile(lines, "--event", "*=paywall_impression").read()
    #expect(found.status == 0 && found.funnel == [9, 0, 0, 0, 0], "\(found)")
  }
}
