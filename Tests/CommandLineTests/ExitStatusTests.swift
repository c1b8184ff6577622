import Foundation
import Testing

/// The exit status, by the table of the guide "Run it every night". Results go to standard output, everything else to
/// standard error.
@Suite struct ExitStatusTests {
  @Test func whatIsDoneEndsWithZero() throws {
    try Folder.with { folder in
      try folder.makeStore()
      for arguments in [
        ["funnel"], ["trials"], ["savings"], ["cancellations"], ["health"], ["quarantine"], ["quarantine", "list"],
        ["quarantine", "show"], ["quarantine", "retry"], ["doctor", "--rebuild-check"], ["ingest", "events.jsonl"],
        ["value"], ["value", "--pairs"], ["paths"], ["recovery"], ["saves"], ["winback"], ["cadence"], ["gates"],
        ["nudges"], ["activity"],
        ["rates"],
        ["rates", "list"], ["experiments"], ["experiment", "test"], ["experiment", "test", "--plot"],
        ["aa-replay", "--repetitions", "5"], ["experiment", "test", "--over-time", "--by", "country"],
        ["sample", "--persons", "40", "--days", "9", "--output", "sample"], ["--help"], ["funnel", "--help"],
        ["--version"],
      ] {
        let result = try Program.run(arguments, in: folder.url)
        #expect(result.status == 0, "\(arguments): \(result.errors)")
        #expect(result.errors == "", "\(arguments)")
        let isSilent = arguments == ["quarantine", "show"]
        #expect(result.output.isEmpty == isSilent, "\(arguments)")
      }
    }
  }

  /// Each error names the option or the path and the expected value.
  @Test(arguments: [
    (["funnel", "--colour"], ["--colour"]),
    (["funnell"], ["funnell"]),
    (["funnel", "--from", "2026-02-30"], ["2026-02-30", "--from"]),
    (["trials", "--to", "someday"], ["someday", "--to"]),
    (["trials", "--as-of", "2026-02-30T00:00:00Z"], ["2026-02-30T00:00:00Z", "--as-of"]),
    (["funnel", "--by", "variant,colour"], ["colour", "expected", "entry_point"]),
    (["funnel", "--by", "variant,variant"], ["variant", "twice"]),
    (["funnel", "--where", "colour=red"], ["colour", "expected", "entry_point"]),
    (["funnel", "--where", "variant"], ["variant", "DIMENSION=VALUE"]),
    (["reconcile", "--where", "country=DE"], ["--where", "--vendor", "--metric"]),
    (["savings", "--from", "2026-02-02", "--to", "2026-02-01"], ["--to", "2026-02-01", "--from", "2026-02-02"]),
    (["savings", "--from", "2026-02-02", "--to", "2026-02-02"], ["--to", "--from"]),
    (["ingest", "no-such-file"], ["no-such-file"]),
    (["ingest", "--source", "mixpanel", "events.jsonl"], ["mixpanel", "--source", "revenuecat"]),
    (["ingest", "--plan", "pro", "events.jsonl"], ["--plan", "pro", "PRODUCT=PLAN", "two_month"]),
    (["ingest", "--plan", "pro=daily", "events.jsonl"], ["--plan", "pro=daily", "weekly"]),
    (["ingest", "--app", "", "events.jsonl"], ["--app", "empty"]),
    (["ingest", "--root-certificate", "events.jsonl", "events.jsonl"], ["--root-certificate", "--verify"]),
    (["ingest", "--verify", "--root-certificate", "no-such.der", "events.jsonl"], ["no-such.der"]),
    (["ingest", "--verify", "--root-certificate", "events.jsonl", "events.jsonl"], ["events.jsonl", "X.509"]),
    (["ingest", "--mapping", "no-such.yaml", "events.jsonl"], ["no-such.yaml"]),
    (["ingest", "--mapping", "events.jsonl", "events.jsonl"], ["events.jsonl", "is not YAML"]),
    (["ingest", "--mapping", "m.yaml", "--source", "native", "events.jsonl"], ["--mapping", "--source"]),
    (["ingest"], ["path"]),
    (["ingest", "--lock-timeout", "-1", "events.jsonl"], ["--lock-timeout"]),
    (["cancellations", "--sort", "colour"], ["colour", "churned"]),
    (["funnel", "--store", "nowhere.db"], ["nowhere.db", "tollgate init", "--store"]),
    (["quarantine", "--store", "nowhere.db"], ["nowhere.db"]),
    (["quarantine", "retry", "--store", "nowhere.db"], ["nowhere.db"]),
    (["quarantine", "show", "4711"], ["4711", "quarantine list"]),
    (["funnel", "--app", "unknown"], ["no app unknown", "apps: demo"]),
    (["funnel", "--timezone", "Mars/Olympus"], ["Mars/Olympus", "--timezone"]),
    (["funnel", "--attribution", "middle"], ["middle", "last", "first", "all"]),
    (["funnel", "--unit", "click"], ["click", "user", "view"]),
    (["funnel", "--format", "xml"], ["xml", "csv"]),
    (["funnel", "--limit", "-1"], ["--limit"]),
    (["funnel", "--grace", "-3"], ["--grace"]),
    (["funnel", "--horizon", "soon"], ["soon", "--horizon"]),
    (["funnel", "--spreadsheet"], ["--spreadsheet", "csv"]),
    (["revenue", "--currency", "dollars"], ["--currency", "dollars"]),
    (["revenue", "--currency", "USD"], ["--currency", "USD", "EUR on 2026-01-08", "rates import"]),
    (["savings", "--currency", "USD"], ["--currency", "USD", "native"]),
    (["experiments", "--currency", "USD"], ["--currency", "experiments"]),
    (["experiments", "--attribution", "first"], ["--attribution", "exposure"]),
    (["quarantine", "retry", "--lock-timeout=-1"], ["--lock-timeout is -1"]),
    (["rates", "import", "no-such-file"], ["no-such-file"]),
    (
      ["rates", "import", "events.jsonl"],
      ["events.jsonl: is JSON without `base`", "date,currency,usd_per_unit", "nothing was imported"]
    ),
    (["note", "add", "2026-02-30", "Outage"], ["the day is 2026-02-30", "a day such as 2026-02-16"]),
    (["note", "add", "2026-03-04..2026-03-01", "Outage"], ["2026-03-04..2026-03-01", "without the last"]),
    (["note", "add", "2026-03-04", " "], ["the note is empty"]), (["note", "add", "2026-03-04"], ["text"]),
    (["note", "add", "2026-03-04", "x", "--app", "deno"], ["no app deno", "demo"]),
    (["note", "add", "2026-03-04", "x", "--annotations", "events.jsonl"], ["events.jsonl:2: is not YAML"]),
    (["why", "funnel", "--column", "paid_rate", "--annotations", "none.yaml"], ["none.yaml"]),
    (["why", "mrr", "--compare", "country=US"], ["--compare", "recurring revenue", "previous"]),
    (["why", "value"], ["the report is value", "funnel, paths", "experiment NAME"]),
    (["why", "mrr", "--compare", "soon"], ["--compare is soon", "previous"]),
    (["why", "mrr", "--level", "0.01"], ["--level", "mrr"]), (["why", "mrr", "--ages", "known"], ["--ages"]),
    (["why", "mrr", "--movement"], ["--movement"]), (["why", "mrr", "--cut", "week"], ["--cut is week", "periods"]),
    (["why", "mrr", "--column", "arr"], ["--column is arr", "mrr"]), (["why", "mrr", "--by", "plan"], ["--by"]),
    (["why", "mrr", "--attribution", "all"], ["--attribution is all", "last, first"]),
    (["why", "experiment"], ["name one of the store's experiments: test"]),
    (["why", "experiment", "tset"], ["tset", "did you mean test?"]),
    (["why", "experiment", "test", "--column", "revenue"], ["--column is revenue", "share of users", "paid"]),
    (["why", "experiment", "test", "--cut", "entry_point"], ["--cut is entry_point", "country, app_version"]),
    (["why", "experiment", "test", "--cut", "week"], ["--cut is week", "arms"]),
    (["why", "experiment", "test", "--by", "country"], ["--by", "--where"]),
    (["why", "experiment", "test", "--compare", "previous"], ["--compare"]),
    (["why", "experiment", "test", "--memo", "html"], ["--memo", "readout"]),
    (["why", "experiment", "test", "--annotations", "n.yaml"], ["--annotations", "arms"]),
    (["why", "experiment", "test", "--config", "none.yaml"], ["none.yaml"]),
    (
      ["why", "funnel", "--column", "paid_rate", "--annotations", "n.yaml", "--receipt", "r.json"],
      ["--receipt", "--annotations"]
    ),
    (["value", "--renewal", "yearly=2"], ["--renewal", "yearly=2"]),
    (["value", "--renewal", "yearly=0.5", "--renewal", "yearly=0.6"], ["--renewal", "yearly", "twice"]),
    (["value", "--pairs", "--by", "none"], ["--by", "none", "variant"]),
    (["value", "--attribution", "all"], ["--attribution"]),
    (["payback", "--predict", "yes"], ["yes"]), (["payback", "--predict", "--grace", "5"], ["--grace"]),
    (["payback", "--predict", "--where", "country=US"], ["--where", "--by"]), (["ltv", "--predict"], ["--predict"]),
    (["payback", "--predict", "--currency", "native", "--at", "0"], ["--at is 0"]),
    (["explain", "payback", "--predict", "--column", "predicted_break_even_day"], ["payback", "must be one of"]),
    (["cadence", "--attribution", "first"], ["--attribution"]),
    (["activity", "--by", "country"], ["--by", "country", "week"]),
    (["activity", "--by", "week,plan"], ["plan", "activity"]),
    (["funnel", "--output", "no/such/folder.csv"], ["no/such/folder.csv", "--output"]),
    (["experiment"], ["name"]),
    (["experiment", "tset"], ["tset", "did you mean test?"]),
    (["experiment", "test", "--config", "none.yaml"], ["--config", "none.yaml"]),
    (["experiment", "test", "--config", "events.jsonl"], ["events.jsonl:2: is not YAML"]),
    (["experiment", "test", "--by", "entry_point"], ["--by", "entry_point", "platform"]),
    (["experiment", "test", "--where", "plan=yearly"], ["--where", "plan", "country"]),
    (["experiment", "test", "--sort", "value"], ["--sort", "csv"]),
    (["experiment", "test", "--format", "csv", "--sort", "colour"], ["colour", "measure"]),
    (["experiment", "test", "--attribution", "all"], ["--attribution"]),
    (["experiments", "--by", "variant"], ["--by"]),
    (["aa-replay", "--repetitions", "0"], ["--repetitions", "0", "100000"]),
    (["aa-replay", "--metric", "clicks"], ["clicks", "paid", "retained"]),
    (["aa-replay", "--seed", "-1"], ["--seed"]),
    (["aa-replay", "--from", "2026-02-02", "--to", "2026-02-01"], ["--to", "--from"]),
    (["aa-replay", "--app", "unknown"], ["no app unknown", "apps: demo"]),
    (["aa-replay", "--as-of", "2026-01-20"], ["no past users", "demo", "30 days"]),
    (["aa-replay", "--by", "variant"], ["--by"]),
    (["sample", "--output", "sample", "--days", "0"], ["days", "0", "1830"]),
    (["serve", "--listen", "8000"], ["--listen", "8000", "HOST:PORT"]),
    (["serve", "--listen", "0.0.0.0:0"], ["--listen", "0.0.0.0:0", "--token-file"]),
    (["serve", "--token-file", "none"], ["none"]), (["serve", "--time-limit", "0"], ["--time-limit", "0"]),
    (["serve", "--row-limit", "0"], ["--row-limit", "0"]), (["serve", "--store", "nowhere.db"], ["nowhere.db"]),
    (["receive", "--output", "inbox"], ["--revenuecat-token-file", "TOLLGATE_REVENUECAT_TOKEN", "--app-store"]),
    (["receive", "--output", "inbox", "--revenuecat-token-file", "none"], ["none"]),
    (["receive", "--output", "inbox", "--app-store", "--listen", "8080"], ["--listen", "8080", "HOST:PORT"]),
    (["receive", "--output", "inbox", "--app-store", "--rate", "0"], ["--rate", "0"]),
    (["receive", "--output", "inbox", "--app-store", "--max-body", "2000000"], ["--max-body", "2000000"]),
    (["receive", "--output", "inbox", "--bundle-id", "com.example"], ["--bundle-id", "--app-store"]),
    (["receive", "--output", "no/such/folder", "--app-store"], ["no/such/folder"]),
    (["receive", "--output", "events.jsonl", "--app-store"], ["events.jsonl", "folder"]),
  ])
  func wrongArgumentsEndWithTwo(arguments: [String], words: [String]) throws {
    try Folder.with { folder in
      try folder.makeStore()
      let before = try folder.names
      let result = try Program.run(arguments, in: folder.url)
      #expect(result.status == 2, "\(result.errors)")
      #expect(result.output == "")
      for word in words { #expect(result.errors.contains(word), "\(word) in: \(result.errors)") }
      #expect(try folder.names == before)
    }
  }

  /// The table is empty and the reader learns why: the value is impossible, or the data do not have it.
  @Test(arguments: [
    ("plan=anual", "weekly, monthly"), ("tier=familly", "individual, family"),
    ("trial_kind=intro", "introductory, app"),
    ("day=2026-02-30", "a day, such as"), ("month=2026-02-01", "a month, such as 2026-03"), ("plan=(none),yearly", nil),
    ("tier=(none)", nil), ("country=de", nil), ("variant=nobody", nil), ("week=2026-01-05", nil),
    ("week=2026-01-06", "its Monday, such as"), ("week=2025-12-29", nil),
  ]) func valuesThatNoRowCanHaveAreNamed(filter: String, expected: String?) throws {
    try Folder.with { folder in
      try folder.makeStore()
      let result = try folder.run("trials", "--where", filter, "--format", "csv")
      #expect(result.status == 0 && result.output.hasPrefix("app,variant,"))
      if let expected {
        #expect(result.errors.contains("--where has \(filter), which no row can have"), "\(result.errors)")
        #expect(result.errors.contains(expected) && result.output.split(separator: "\n").count == 1)
      } else {
        let value = filter.replacing("=de", with: "=DE")
        let isThere = result.output.split(separator: "\n").count > 1
        #expect(
          isThere ? result.errors == "" : result.errors.hasPrefix("tollgate: Nothing matches \(value). Without it"))
      }
    }
  }

  /// A report without amounts does not depend on the currency and says so.
  @Test func aCurrencyOfWhatHasNoAmountsHasNoEffect() throws {
    try Folder.with { folder in
      try folder.makeStore()
      for name in ["funnel", "trials", "cancellations", "subscriptions", "retention", "cadence", "gates", "activity"] {
        let usual = try folder.run(name, "--format", "csv")
        let asked = try folder.run(name, "--currency", "USD", "--format", "csv")
        #expect(asked.status == 0 && asked.output == usual.output, "\(name)")
        #expect(asked.errors.contains("USD, but has no effect: \(name) has no amounts"), "\(asked.errors)")
      }
    }
  }

  @Test func failedFilesEndWithThreeAndTheRestIsDone() throws {
    try Folder.with { folder in
      try folder.write(Folder.events, to: "good.jsonl")
      // A truncated gzip file.
      try Data([0x1F, 0x8B, 0x08, 0, 0, 0, 0, 0, 0, 3, 0x4B]).write(to: folder.url.appendingPathComponent("bad.gz"))
      let result = try folder.run("ingest", "bad.gz", "good.jsonl")
      #expect(result.status == 3)
      #expect(result.output.contains("1 failed") && result.output.contains("5 events"))
      #expect(result.errors.contains("bad.gz: nothing ingested: "))
    }
  }

  @Test func quarantinedLinesEndWithThreeOnlyWhenStrict() throws {
    try Folder.with { folder in
      try folder.write(Folder.events + "not JSON\n", to: "events.jsonl")
      let lenient = try folder.run("ingest", "--store", "1.db", "events.jsonl")
      #expect(lenient.status == 0 && lenient.output.contains("1 rejected"))
      #expect(lenient.errors.contains("not_json_object 1") && lenient.errors.contains("quarantine list --store 1.db`"))
      let other = try folder.run("quarantine", "list", "--store", "1.db", "--reason", "not_json_objct")
      #expect(
        other.errors.contains(
          "No line was rejected for not_json_objct, only for not_json_object; did you mean not_json_object?"))
      let strict = try folder.run("ingest", "--store", "2.db", "--strict", "events.jsonl")
      #expect(strict.status == 3 && strict.output.contains("5 events"))
      try folder.write(Folder.events, to: "fine.jsonl")
      #expect(try folder.run("ingest", "--store", "3.db", "--strict", "fine.jsonl").status == 0)
    }
  }

  @Test func aFileThatIsNoStoreEndsWithFive() throws {
    try Folder.with { folder in
      try folder.write(String(repeating: "words\n", count: 200), to: "notes.txt")
      try folder.write(Folder.events, to: "events.jsonl")
      for arguments in [["funnel"], ["ingest", "events.jsonl"], ["health"], ["quarantine", "retry"], ["doctor"]] {
        let result = try Program.run(arguments + ["--store", "notes.txt"], in: folder.url)
        #expect(result.status == 5, "\(arguments)")
        #expect(result.output == "")
        #expect(result.errors == "tollgate: notes.txt is not a tollgate store; name another file with --store\n")
      }
      #expect(try folder.text(of: "notes.txt").hasPrefix("words\nwords\n"))
    }
  }

  @Test func aNewerStoreEndsWithFive() throws {
    try Folder.with { folder in
      try folder.makeStore()
      try folder.withSQL("PRAGMA user_version = 1000", on: "tollgate.db") {}
      for arguments in [["funnel"], ["ingest", "events.jsonl"]] {
        let result = try Program.run(arguments, in: folder.url)
        #expect(result.status == 5 && result.output == "")
        #expect(result.errors.contains("tollgate.db is a store of version 1000"))
        #expect(result.errors.contains("update tollgate"))
      }
    }
  }

  @Test func aLockedStoreEndsWithFiveAndReportsAreNotBlocked() throws {
    try Folder.with { folder in
      try folder.makeStore()
      try folder.write(Folder.event("activity", "6", "2026-03-02T00:00:00Z", user: "c"), to: "more.jsonl")
      try folder.withSQL("BEGIN IMMEDIATE", on: "tollgate.db") {
        for arguments in [["ingest", "more.jsonl"], ["quarantine", "retry"]] {
          let result = try Program.run(arguments + ["--lock-timeout", "0.1"], in: folder.url)
          #expect(result.status == 5 && result.output == "", "\(arguments)")
          #expect(result.errors.contains("tollgate.db: another process has been using it"))
          #expect(result.errors.contains("--lock-timeout"))
        }
        #expect(try folder.run("funnel").status == 0)
      }
      #expect(try folder.run("ingest", "more.jsonl").status == 0)
    }
  }

  @Test func aDamagedStoreEndsWithFive() throws {
    try Folder.with { folder in
      try folder.makeStore()
      try folder.withSQL("UPDATE entry_row SET ts = ts + 1", on: "tollgate.db") {}
      let result = try folder.run("doctor", "--rebuild-check")
      #expect(result.status == 5)
      #expect(result.errors.contains("tollgate.db is damaged: ") && result.errors.contains("entry: 4 rows"))
    }
  }
}
