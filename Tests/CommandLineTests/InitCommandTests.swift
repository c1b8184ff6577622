import Foundation
import Testing

/// A stranger's files from `init` to the funnel.
@Suite struct InitCommandTests {
  /// 20 users see a paywall; the first four start a trial.
  private static let table: String = {
    var lines = ["customer_ref;happened_at;action;screen_source;sku;trial_len;row_id"]
    for user in 1...20 {
      lines.append("u\(user);0\(user % 9 + 1).03.2026 10:00;paywall shown;settings;;;r\(user)")
      if user <= 4 { lines.append("u\(user);0\(user % 9 + 1).03.2026 10:05;trial begun;;pro.yearly;7;t\(user)") }
      lines.append("u\(user);20.03.2026 10:00;song played;;;;s\(user)")
    }
    return lines.joined(separator: "\n") + "\n"
  }()

  @Test func aTableBecomesAFunnel() throws {
    try Folder.with { folder in
      try folder.write(Self.table, to: "data.csv")
      let failed = try folder.run("ingest", "data.csv")
      #expect(failed.status == 3 && failed.errors.contains("next: tollgate init data.csv"))
      #expect(failed.errors.contains("customer_ref (user_id?)") && failed.errors.contains("happened_at (ts?)"))
      let result = try folder.run("init", "--yes", "--app", "lumen", "--set", "trial_days=trial_len", "data.csv")
      #expect(result.status == 0, "\(result.errors)")
      #expect(result.output.contains("24 events, 0 duplicates, 0 rejected, 20 left out"))
      let funnel = try folder.run("funnel", "--by", "entry_point", "--as-of", "2026-06-01T00:00:00Z", "--format", "csv")
      #expect(funnel.output.contains("lumen,settings,20,4,"))
      // The mapping is valid, and the same input gives the same bytes.
      #expect(try folder.run("mapping", "check", "data.mapping.yaml", "--sample", "data.csv").status == 0)
      #expect(
        try folder.run("init", "--no-ingest", "--app", "lumen", "--set", "trial_days=trial_len", "data.csv").status == 0
      )
      let other = try folder.run("init", "--no-ingest", "--app", "other", "data.csv")
      #expect(other.status == 2 && other.errors.contains("--force"))
    }
  }

  /// 40 users see a paywall and 15 of them pay, but no column names a product: a funnel would say that nobody paid.
  @Test func withoutPaymentsThereIsNoFunnel() throws {
    try Folder.with { folder in
      let lines = (1...40).flatMap { user -> [String] in
        let view = "u\(user),2026-04-0\(user % 9 + 1)T10:00:00Z,paywall shown,home,,"
        return user > 15 ? [view] : [view, "u\(user),2026-04-0\(user % 9 + 1)T10:05:00Z,purchase,home,9.99,USD"]
      }
      let header = "customer,logged_at,action,placement,paid_amt,ccy"
      try folder.write(([header] + lines).joined(separator: "\n"), to: "e.csv")
      let first = try folder.run("init", "--yes", "--app", "notes", "e.csv")
      // The store lacks what a script may go on to count.
      #expect(first.status == 3 && first.output.contains("! purchase (15 records): left out"), "\(first.output)")
      #expect(first.output.contains("No funnel: its shares would be too low, because these are left out: purchase\n"))
      #expect(!first.output.contains("paid, in all"))
      // A mapping that means the same changes nothing; another one leaves stored events as they are.
      let same = try folder.run("init", "--yes", "--force", "--app", "notes", "--event", "purchase=ignore", "e.csv")
      #expect(
        same.status == 0 && same.output.contains("already in tollgate.db, read in the same way: nothing changed."),
        "\(same.output)")
      let again = try folder.run("init", "--yes", "--force", "--app", "notes", "--event", "purchase=activity", "e.csv")
      #expect(
        again.status == 0 && again.output.contains("Stored events stay as they are; 15 events were added"),
        "\(again.output)")
      let command = "tollgate init --yes --force --store new.db --app notes --event purchase=activity e.csv"
      #expect(again.output.contains("use a new store:\n  \(command)\n"), "\(again.output)")
      #expect(again.output.contains("The funnel of the stored events: tollgate funnel"))
      #expect(!again.output.contains("paid, in all"))
      // Where new.db is there, each command names another store.
      try folder.write("", to: "new.db")
      let options = ["--event", "purchase=activity", "--event", "paywall shown=activity"]
      let third = try Program.run(["init", "--yes", "--force", "--app", "notes"] + options + ["e.csv"], in: folder.url)
      #expect(third.output.contains("--store new2.db --app notes"), "\(third.output)")
      #expect(third.errors.contains("--store new2.db --mapping e.mapping.yaml e.csv`"), "\(third.errors)")
    }
  }

  @Test func jsonHasTheProposalAndTheRun() throws {
    try Folder.with { folder in
      try folder.write(Self.table, to: "data.csv")
      let result = try folder.run("init", "--yes", "--app", "lumen", "--format", "json", "data.csv")
      let object = try #require(
        try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [String: Any])
      let fields = try #require(object["fields"] as? [String: [String: Any]])
      #expect(
        fields["user_id"]?["path"] as? String == "customer_ref" && fields["ts"]?["path"] as? String == "happened_at")
      let events = try #require(object["events"] as? [String: [String: Any]])
      #expect(events["paywall shown"]?["kind"] as? String == "paywall_impression")
      #expect(events["song played"]?["kind"] as? String == "ignore")
      #expect((object["ingested"] as? [String: Any])?["ignored"] as? Int == 20)
    }
  }

  /// A table as a spreadsheet in the United States writes it, one with days and times of day, and one with German amounts
  /// give the same revenue: 12 × 1,234.50 and 8 × 4.99.
  @Test func amountsAndDaysOfSpreadsheetsAreRead() throws {
    func table(_ header: String, _ line: (Int) -> String) -> String {
      header + "\n" + (1...20).map { line($0) + "\n" }.joined()
    }
    let american = table("Customer,When,Action,Product,Amount") { user in
      "u\(user),\"Mar \(user), 2026 2:05:09 PM\",First Purchase,pro.yearly,\(user <= 12 ? "\"$1,234.50\"" : "$4.99")"
    }
    let parted = table("customer,date,time,action,product,amount,currency") { user in
      "u\(user),2026-03-\(user < 10 ? "0" : "")\(user),14:05:09,first purchase,pro.yearly,"
        + (user <= 12 ? "\"1,234.50\"" : "4.99") + ",USD"
    }
    let german = table("customer_id;time;action;product;amount") { user in
      "u\(user);\(user).03.2026 14:05:09;first purchase;pro.yearly;\(user <= 12 ? "1.234,50 $" : "4,99 $")"
    }
    for (name, text) in [("american", american), ("parted", parted), ("german", german)] {
      try Folder.with { folder in
        try folder.write(text, to: "data.csv")
        let result = try folder.run("init", "--yes", "--app", "a", "--dates", "day-first", "data.csv")
        #expect(result.status == 0, "\(name): \(result.errors)")
        let revenue = try folder.run("revenue", "--by", "day", "--currency", "USD", "--format", "csv")
        #expect(revenue.output.contains("a,2026-03-20,USD,1,0,4.99"), "\(name): \(revenue.output)")
        let all = try folder.run("revenue", "--by", "none", "--currency", "USD", "--format", "csv")
        #expect(all.output.contains("a,USD,20,0,14853.92"), "\(name): \(all.output)")
        let events = try folder.run("export", "events", "--format", "ndjson")
        #expect(events.output.contains("2026-03-20T14:05:09"), "\(name): \(events.output.prefix(300))")
      }
    }
  }

  /// The length of trials lies between them and the payments of their users; `order` is of the subscription; a name for
  /// later payments leaves the other for first ones.
  @Test func whatTheRecordsTellTogetherIsProposed() throws {
    var lines = ["who,when,what,screen,sku,amount,order"]
    for user in 1...20 {
      lines.append("u\(user),2026-03-01T10:00:0\(user % 10)Z,Paywall shown,settings,,,")
      if user > 12 { continue }
      lines.append("u\(user),2026-03-01T10:05:0\(user % 10)Z,Trial,,pro.monthly,,410\(user)")
      if user > 8 { continue }
      lines.append("u\(user),2026-03-08T10:05:0\(user % 10)Z,Purchase,,pro.monthly,4.99,410\(user)")
      lines.append("u\(user),2026-04-08T10:05:0\(user % 10)Z,Renewal,,pro.monthly,4.99,410\(user)")
    }
    try Folder.with { folder in
      try folder.write(lines.joined(separator: "\n") + "\n", to: "data.csv")
      let result = try folder.run("init", "--yes", "--app", "a", "--currency", "USD", "data.csv")
      #expect(result.status == 0, "\(result.errors)")
      #expect(result.output.contains("48 events, 0 duplicates, 0 rejected, 0 left out"))
      let mapping = try String(contentsOfFile: folder.path("data.mapping.yaml"), encoding: .utf8)
      for line in [
        "subscription_id: order", "Purchase: conversion", "Renewal: renewal",
        #"Trial: {kind: trial_start, fields: {trial_days: {value: "7"}}}"#,
      ] {
        #expect(mapping.contains(line), "\(line)\n\(mapping)")
      }
      let funnel = try folder.run("funnel", "--by", "none", "--as-of", "2026-06-01T00:00:00Z", "--format", "csv")
      #expect(funnel.output.contains("a,20,12,8,0,8,"), "\(funnel.output)")
    }
  }

  @Test func twoSourcesOfPaymentsAreRefused() throws {
    func payments(_ header: String, _ name: String) -> String {
      let rows = (1...30).map { day in
        let start = "u\(day % 5),2026-03-\(day < 10 ? "0" : "")\(day)T10:00:00Z,"
        return start + (day % 2 == 0 ? "app open,,," : "\(name),pro.monthly,4.99,USD")
      }
      return ([header] + rows).joined(separator: "\n") + "\n"
    }
    let payment = payments("who,when,what,sku,amount,currency", "purchase completed")
    let other = payments("user,time,event,product,price,ccy", "order completed")
    try Folder.with { folder in
      try folder.write(payment, to: "one.csv")
      try folder.write(other, to: "two.csv")
      let result = try folder.run("init", "--yes", "--app", "a", "one.csv", "two.csv")
      #expect(result.status == 2 && result.errors.contains("--both"), "\(result.errors)")
      #expect(!result.errors.contains("=ignore"), "\(result.errors)")
    }
  }

  /// The app's own file has the paywall views, so the other one's payments may be taken. The refused run writes no mapping,
  /// so the command works as it is.
  @Test func paymentsOfTheAppsOwnEventsMayBeLeftOut() throws {
    func payments(_ header: String, _ view: String, _ name: String) -> String {
      let rows = (1...30).map { day in
        let start = "u\(day % 5),2026-03-\(day < 10 ? "0" : "")\(day)T10:00:00Z,"
        return start + (day % 2 == 0 ? "\(view),,," : "\(name),pro.monthly,4.99,USD")
      }
      return ([header] + rows).joined(separator: "\n") + "\n"
    }
    try Folder.with { folder in
      let own = payments("who,when,what,sku,amount,currency", "paywall shown", "purchase completed")
      try folder.write(own, to: "one.csv")
      try folder.write(payments("user,time,event,product,price,ccy", "app open", "order completed"), to: "two.csv")
      let result = try folder.run("init", "--yes", "--app", "a", "one.csv", "two.csv")
      let command = "tollgate init --yes --event 'purchase completed=ignore' --app a one.csv two.csv"
      #expect(result.status == 2 && result.errors.contains("of one.csv: `\(command)`"), "\(result.errors)")
      let retry = try folder.run(
        "init", "--yes", "--event", "purchase completed=ignore", "--app", "a", "one.csv", "two.csv")
      #expect(retry.status == 0, "\(retry.errors)")
    }
  }

  /// The invoice names the app's own user in its metadata, under a key that only the app knows; Stripe's own id is joined
  /// with it.
  @Test func userKeysFindTheUserOfAPayment() throws {
    let invoice =
      #"{"id":"evt_1","object":"event","created":1772323200,"livemode":true,"type":"invoice.paid","data":{"object":{"id":"in_1","object":"invoice","customer":"cus_1","currency":"usd","amount_paid":499,"total":499,"billing_reason":"subscription_create","subscription":"sub_1","subscription_details":{"metadata":{"account":"ann"}},"lines":{"data":[{"amount":499,"period":{"start":1772323200,"end":1775001600},"price":{"id":"price_m","product":"prod_m","recurring":{"interval":"month","interval_count":1}}}]}}}}"#
    try Folder.with { folder in
      try folder.write(invoice + "\n", to: "stripe.json")
      let cases: [(store: String, options: [String], users: String)] = [
        ("1.db", [], "app,user_id,person\na,cus_1,1\n"),
        ("2.db", ["--user-key", "account"], "app,user_id,person\na,ann,1\na,cus_1,1\n"),
      ]
      for (store, options, users) in cases {
        let result = try Program.run(
          ["init", "--yes", "--app", "a", "--store", store] + options + ["stripe.json"], input: nil, environment: [:],
          in: folder.url)
        #expect(result.status == 0, "\(result)")
        #expect(try folder.run("export", "users", "--store", store).output == users)
      }
    }
  }

  @Test func withoutAnswersNothingIsWritten() throws {
    try Folder.with { folder in
      try folder.write("a,b\nx,y\nz,w\n", to: "data.csv")
      let result = try folder.run("init", "--yes", "data.csv")
      #expect(result.status == 2 && result.errors.contains("--set user_id=COLUMN"))
      #expect(!FileManager.default.fileExists(atPath: folder.path("tollgate.db")))
    }
  }

  @Test(
    arguments: [
      ("--set", "user_id=customer", "no record has a column customer", "did you mean customer_ref?"),
      ("--set", "ts=hapened_at", "no record has a column hapened_at", "did you mean happened_at?"),
      ("--set", "usr_id=customer_ref", "usr_id is not a field", "did you mean user_id?"),
      (
        "--event", "paywal shown=paywall_impression", "no record has an event paywal shown",
        "did you mean paywall shown?"
      ),
    ])
  func answersThatNameNothingAreRefused(option: String, value: String, fault: String, hint: String) throws {
    try Folder.with { folder in
      try folder.write(Self.table, to: "data.csv")
      let result = try folder.run("init", "--yes", "--app", "lumen", option, value, "data.csv")
      #expect(result.status == 2 && result.errors.contains(fault) && result.errors.contains(hint), "\(result)")
      #expect(!FileManager.default.fileExists(atPath: folder.path("data.mapping.yaml")))
    }
  }

  /// The input is read for its columns, and again to be stored.
  @Test func standardInputIsReadAgain() throws {
    try Folder.with { folder in
      let result = try Program.run(
        ["init", "--yes", "--app", "lumen", "--set", "trial_days=trial_len", "--store", "t.db", "-"],
        input: Self.table, in: folder.url)
      #expect(result.status == 0 && result.output.contains("24 events, 0 duplicates, 0 rejected"), "\(result)")
    }
  }

  /// 20 of the 44 records have a 20th day or later; read as a month, it is none.
  @Test func manyRejectedRecordsAreSaid() throws {
    try Folder.with { folder in
      try folder.write(Self.table, to: "data.csv")
      let result = try folder.run(
        "init", "--yes", "--app", "lumen", "--dates", "month-first", "--event", "song played=activity", "--set",
        "trial_days=trial_len", "data.csv")
      #expect(result.output.contains("! 20 of 44 records (45%) were rejected"), "\(result)")
      #expect(result.output.contains("Rejected records: tollgate quarantine list"))
    }
  }

  /// A length given for all trials holds beside a kind given for their name, and nothing loaded is said as such.
  @Test func lengthsAndKindsAreGivenTogether() throws {
    try Folder.with { folder in
      let rows = (1...9).map { "u\($0),2026-03-0\($0),Trial Begun,monthly" }.joined(separator: "\n")
      try folder.write("who,at,what,offer\n" + rows + "\n", to: "trials.csv")
      let words = ["init", "--yes", "--app", "a", "--set", "user_id=who", "--store", "t.db"]
      let ignored = try Program.run(words + ["--event", "Trial Begun=ignore", "trials.csv"], in: folder.url)
      #expect(ignored.status == 3 && ignored.output.contains("Nothing was loaded"), "\(ignored)")
      let json = try Program.run(
        words + ["--force", "--format", "json", "--event", "Trial Begun=ignore", "trials.csv"], in: folder.url)
      #expect(json.status == 3 && json.output.contains(#""ingested""#), "\(json)")
      #expect(ignored.output.contains("not used: "))
      let given = ["--force", "--event", "Trial Begun=trial_start", "--set", "trial_days=7", "--set", "plan=offer"]
      let loaded = try Program.run(words + given + ["trials.csv"], in: folder.url)
      #expect(loaded.status == 0 && loaded.output.contains("9 events, 0 duplicates, 0 rejected"), "\(loaded)")
    }
  }

  /// Columns of flags stand in for a column of names.
  @Test func flagsTellTheKindsOfRecords() throws {
    try Folder.with { folder in
      let rows = (1...9).map { "e\($0),u\($0 % 4),2026-03-0\($0)T00:00:00Z,\($0 % 2),\(1 - $0 % 2)" }
      try folder.write(
        "id,user,at,is_paywall_viewed,is_app_open\n" + rows.joined(separator: "\n") + "\n", to: "flags.csv")
      let result = try folder.run("init", "--yes", "--app", "a", "--store", "t.db", "flags.csv")
      #expect(result.status == 0 && result.output.contains("9 events, 0 duplicates, 0 rejected"), "\(result)")
      #expect(result.output.contains("is_paywall_viewed (5): paywall_impression"))
    }
  }

  /// A list of records may be the only content of an object in the document.
  @Test func listsOfRecordsMayBeNested() throws {
    try Folder.with { folder in
      let rows = (1...9).map { #"{"id":"e\#($0)","user":"u\#($0 % 4)","at":"2026-03-0\#($0)","event":"app_open"}"# }
      try folder.write(#"{"ok": true, "result": {"events": [\#(rows.joined(separator: ",\n"))]}}"#, to: "page.json")
      let result = try folder.run("init", "--yes", "--app", "a", "--store", "t.db", "page.json")
      #expect(result.status == 0 && result.output.contains("9 events, 0 duplicates"), "\(result)")
      let mapping = try String(contentsOfFile: folder.path("page.mapping.yaml"), encoding: .utf8)
      #expect(mapping.contains("records: result.events"))
    }
  }

  /// Names without a kind whose records have amounts are named.
  @Test func ignoredAmountsAreSaid() throws {
    try Folder.with { folder in
      let rows = (1...9).map { "e\($0),u\($0 % 4),2026-03-0\($0),\($0 % 2 == 0 ? "app open," : "level up,4.99")" }
      try folder.write("id,user,at,event,price\n" + rows.joined(separator: "\n") + "\n", to: "data.csv")
      let result = try folder.run("init", "--yes", "--app", "a", "--store", "t.db", "data.csv")
      #expect(result.output.contains("level up (5 records): left out, though its records have amounts"), "\(result)")
    }
  }

  /// A table of payments has no column that says so.
  @Test func recordsOfOneKindNeedNoEventName() throws {
    try Folder.with { folder in
      let rows = (1...4).map { "u\($0),2026-03-0\($0),9.99,USD,com.example.m,o\($0)" }
      try folder.write("uid,at,amount,currency,sku,order_id\n" + rows.joined(separator: "\n") + "\n", to: "sheet.csv")
      let words = ["init", "--yes", "--app", "a", "--store", "t.db", "--plan", "com.example.m=monthly", "sheet.csv"]
      let unnamed = try Program.run(words, input: nil, environment: [:], in: folder.url)
      #expect(unnamed.status == 2 && unnamed.errors.contains("init --yes --event '*=payment' --app a "), "\(unnamed)")
      let named = try Program.run(words + ["--event", "*=payment"], input: nil, environment: [:], in: folder.url)
      #expect(named.status == 0 && named.output.contains("all records (4): payment"), "\(named)")
      // 4 · 9.99
      let revenue = try folder.run("revenue", "--store", "t.db", "--by", "none", "--format", "csv")
      #expect(revenue.output.contains("39.96"), "\(revenue)")
    }
  }

  /// A failed try does not stand in the way, and events that were taken stay.
  @Test func aFileIsReadAgainWithAnotherMapping() throws {
    try Folder.with { folder in
      try folder.write("who,at,what\nann,2026-03-01,open\nbob,2026-03-02,seen\n", to: "data.csv")
      let head = "app: {value: a}\nname: what\ntime: at\n"
      try folder.write(head + "user: nobody\nevents: {open: activity, seen: activity}\n", to: "wrong.yaml")
      try folder.write(head + "user: who\nevents: {open: activity}\n", to: "half.yaml")
      try folder.write("# all\n" + head + "user: who\nevents: {seen: restore, open: activity}\n", to: "all.yaml")
      let wrong = try folder.run("ingest", "--mapping", "wrong.yaml", "data.csv")
      #expect(wrong.status == 3 && wrong.errors.contains("no events: 2 records are rejected"))
      let half = try folder.run("ingest", "--mapping", "half.yaml", "data.csv")
      #expect(half.status == 0 && half.errors.contains("(2 rejected lines removed)"))
      #expect(half.output.contains("1 event, 0 duplicates, 1 rejected"))
      // Nobody can read them without their mapping.
      let retry = try folder.run("quarantine", "retry")
      #expect(retry.output == "0 lines accepted, 1 still rejected\n")
      #expect(retry.errors.contains("1 line can only be read with the file's mapping"))
      let all = try folder.run("ingest", "--mapping", "all.yaml", "data.csv")
      #expect(all.errors.contains("1 are events now and 0 are still rejected"))
      let again = try folder.run("ingest", "--mapping", "all.yaml", "data.csv")
      #expect(again.status == 0 && again.output.hasPrefix("0 files (1 skipped") && again.errors.isEmpty)
      #expect(try folder.run("doctor", "--rebuild-check").status == 0)
    }
  }

  /// Records that the first mapping ignored are read with the second, and events that were taken stay: ann's is an
  /// activity although the second mapping says otherwise. The store then has one event of each record.
  @Test func ignoredRecordsAreReadAgain() throws {
    try Folder.with { folder in
      try folder.write("who,at,what\nann,2026-03-01,open\nbob,2026-03-02,seen\n,2026-03-03,seen\n", to: "data.csv")
      let head = "app: {value: a}\nname: what\ntime: at\nuser: who\n"
      try folder.write(head + "events: {open: activity}\nignore: [seen]\n", to: "half.yaml")
      try folder.write(head + "events: {open: restore, seen: activity}\n", to: "all.yaml")
      let half = try folder.run("ingest", "--mapping", "half.yaml", "data.csv")
      #expect(half.output.contains("1 event, 0 duplicates, 0 rejected"), "\(half)")
      let preview = try folder.run("ingest", "--dry-run", "--mapping", "all.yaml", "data.csv")
      #expect(preview.status == 0, "\(preview)")
      let all = try folder.run("ingest", "--mapping", "all.yaml", "data.csv")
      #expect(all.errors.contains("1 are events now and 1 are rejected"), "\(all)")
      let events = try folder.run("export", "events", "--format", "ndjson").output
      #expect(
        events.components(separatedBy: "\"event\":\"activity\"").count == 3 && !events.contains("restore"), "\(events)")
      let again = try folder.run("ingest", "--mapping", "all.yaml", "data.csv")
      #expect(again.status == 0 && again.output.hasPrefix("0 files (1 skipped") && again.errors.isEmpty)
      #expect(try folder.run("doctor", "--rebuild-check").status == 0)
      // Other ids would store the same records twice.
      try folder.write(head + "id: at\nevents: {open: activity, seen: activity}\nignore: [x]\n", to: "ids.yaml")
      let ids = try folder.run("ingest", "--mapping", "ids.yaml", "data.csv")
      #expect(ids.errors.contains("use a new store"), "\(ids)")
      #expect(try folder.run("export", "events", "--format", "ndjson").output == events)
    }
  }
}
