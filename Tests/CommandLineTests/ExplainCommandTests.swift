import Foundation
import Testing

/// `explain`, `--known-at` and `diff` from the command line.
@Suite struct ExplainCommandTests {
  private static let first = [
    #"{"event_id":"1","event":"paywall_impression","ts":"2026-03-01T00:00:00Z","app":"x","user_id":"a","entry_point":"settings","variant":"a,b"}"#,
    #"{"event_id":"2","event":"conversion","ts":"2026-03-01T00:01:00Z","app":"x","user_id":"a","product_id":"m","plan":"monthly","price":"5","currency":"EUR"}"#,
    #"{"event_id":"3","event":"activity","ts":"2026-03-20T00:00:00Z","app":"x","user_id":"a"}"#,
  ]
  private static let second = [
    #"{"event_id":"4","event":"refund","ts":"2026-03-10T00:00:00Z","app":"x","user_id":"a"}"#,
    #"{"event_id":"5","event":"activity","ts":"2026-03-21T00:00:00Z","app":"x","user_id":"=b"}"#,
  ]

  private func withStore(_ body: (Folder) throws -> Void) throws {
    try Folder.with { folder in
      try folder.write(Self.first.joined(separator: "\n"), to: "first.jsonl")
      try folder.write(Self.second.joined(separator: "\n"), to: "second.jsonl")
      #expect(try folder.run("ingest", "first.jsonl").status == 0)
      #expect(try folder.run("ingest", "second.jsonl").status == 0)
      try body(folder)
    }
  }

  @Test func explainSaysWhatAddsUpInEveryFormat() throws {
    try withStore { folder in
      let words = ["explain", "revenue", "--cell", "variant=a,b,currency=EUR", "--column", "revenue"]
      let table = try Program.run(words, in: folder.url)
      #expect(table.status == 0 && table.errors == "")
      #expect(table.output.contains("revenue is 0.00 EUR for app x, variant a,b, currency EUR"))
      #expect(table.output.contains("refunds 5.00 of the payment of 2026-03-01T00:01:00.000Z (2.7)"))
      #expect(table.output.contains("users 1 to 1 of 1."))
      let csv = try Program.run(words + ["--format", "csv"], in: folder.url).output.split(separator: "\n")
      #expect(csv.first == "user_id,amount,why,ts,event,sent_as,event_id,role,file")
      let json = try Program.run(words + ["--format", "json"], in: folder.url).output
      let object = try #require(JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any])
      #expect(
        object["value"] as? Double == 0 && (object["persons"] as? [Any])?.count == object["persons_total"] as? Int)
      for format in ["markdown", "html"] {
        #expect(try Program.run(words + ["--format", format], in: folder.url).status == 0)
      }
    }
  }

  @Test func explainSaysWhatIsWrong() throws {
    try withStore { folder in
      for (words, message) in [
        (["explain", "--cell", "app=x", "--column", "users"], "'<report> ...'"),
        (
          ["explain", "values", "--cell", "app=x", "--column", "users"],
          "the report is values, but must be one of funnel"
        ),
        (["explain", "value", "--pairs", "--column", "users"], "--pairs compares rows with each other"),
        (["explain", "health", "--cell", "app=x,check=colour", "--column", "cases"], "no row has check=colour"),
        (
          ["explain", "health", "--cell", "app=x,check=days without an event", "--column", "cases"],
          "counts days without events"
        ),
        (["explain", "funnel", "--column", "user"], "--column is user, but must be one of users"),
        (["explain", "funnel", "--column", "users", "--offset=-1"], "--offset is -1"),
        (["explain", "funnel", "--column", "users", "--sort", "x"], "explain does not accept --sort and --plot"),
        (["explain", "funnel", "--column", "users", "--cell", "variant"], "--cell is variant, but must be"),
        (["explain", "funnel", "--column", "users", "--cell", ""], "--cell is empty, but must be"),
        (
          ["explain", "funnel", "--column", "users", "--cell", "varient=a"],
          "--cell has varient, which is not a key column; did you mean variant?"
        ),
        (["explain", "funnel", "--column", "users", "--cell", "app=x,app=x"], "--cell names app twice"),
        (["explain", "funnel", "--column", "users", "--mode", "net"], "--mode"),
        (["explain", "experiment", "--column", "paid"], "no event of the store names an experiment"),
        (["explain", "experiment", "e", "--column", "paid", "--by", "country"], "--by is country"),
        (["explain", "experiment", "e", "--column", "paid"], "no user saw the experiment e"),
        (["trials", "--known-at", "nowhere.jsonl"], "--known-at is nowhere.jsonl, but must name a file of the store"),
        (["funnel", "--known-at", "2020-01-01T00:00:00Z"], "but the store had no events then"),
        (["diff", "trials"], "give what to compare with"),
        (["diff", "trials", "--before-as-of", "2026-02-30"], "it must be a day of the calendar or an instant"),
        (["diff", "trials", "--before-as-of", "2099-01-01"], "--before-as-of is later than the newest event"),
        (["funnel", "--store", ""], "--store is empty, but must name a file"),
        (
          ["diff", "trials", "--before-as-of", "2026-03-05", "--column", "x"],
          "--column is x, but must be one of trials"
        ),
      ] {
        let run = try Program.run(words, in: folder.url)
        #expect(run.status == 2 && run.output == "", "\(words)")
        #expect(run.errors.contains(message), "\(words): \(run.errors)")
      }
    }
  }

  @Test func knownAtIsTheReportOfTheFilesUpToOne() throws {
    try withStore { folder in
      #expect(try folder.run("ingest", "--store", "one.db", "first.jsonl").status == 0)
      let expected = try folder.run("revenue", "--store", "one.db", "--format", "csv").output
      for point in ["first.jsonl", "2026-03-05"] {
        let known = try folder.run("revenue", "--known-at", point, "--format", "csv")
        #expect(known.status == 0 && known.output == expected, "\(point)")
      }
      #expect(try folder.run("revenue", "--format", "csv").output != expected)
      #expect(
        try folder.run("revenue", "--known-at", "first.jsonl", "--format", "json").output.contains(
          #""known_at": "first.jsonl""#))
    }
  }

  /// The page shows the data known at the time, and says so.
  @Test func aPageIsAsItWasKnown() throws {
    try withStore { folder in
      let page = try folder.run("report", "--known-at", "first.jsonl", "--by", "none", "--output", "known")
      #expect(page.status == 0, "\(page.errors)")
      let known = try folder.run("funnel", "--known-at", "first.jsonl", "--by", "none", "--format", "csv").output
      #expect(try folder.text(of: "known/tables/funnel.csv") == known)
      #expect(try folder.text(of: "known/manifest.json").contains(#""known_at": "first.jsonl""#))
      #expect(try folder.run("report", "--by", "none", "--output", "now").status == 0)
      #expect(try folder.text(of: "now/tables/revenue.csv") != folder.text(of: "known/tables/revenue.csv"))
    }
  }

  @Test func diffSplitsWhatMoved() throws {
    try withStore { folder in
      let words = ["diff", "revenue", "--by", "none", "--before-known-at", "first.jsonl", "--column", "revenue"]
      let diff = try Program.run(words + ["--format", "csv"], in: folder.url)
      #expect(diff.status == 0 && diff.errors == "")
      #expect(
        diff.output == """
          app,currency,column,before,after,change,maturity,new_events,refunds
          x,EUR,revenue,5.00,0.00,-5.00,0.00,0.00,-5.00

          """)
      #expect(try Program.run(words, in: folder.url).output.contains("What changed in revenue"))
    }
  }

  /// A value that contains text like another key is one value with `--key`; a property's name may contain an `=`.
  @Test func aKeyTakesItsValueWhole() throws {
    try Folder.with { folder in
      func trials(_ users: [String], _ variant: String, _ plan: String) -> String {
        users.map { user in
          let more =
            #","entry_point":"s","variant":"\#(variant)","plan":"\#(plan)","product_id":"\#(plan)","trial_days":7,"properties":{"k=l":"x=y"}"#
          return Folder.event("paywall_impression", "i\(user)", "2026-01-01T00:00:00Z", user: user, more)
            + Folder.event("trial_start", "t\(user)", "2026-01-01T01:00:00Z", user: user, more)
        }.joined()
      }
      try folder.write(
        trials(["a", "b", "c"], "v", "yearly") + trials(["d", "e"], "v,plan=yearly", "monthly"), to: "events.jsonl")
      #expect(try folder.run("ingest", "events.jsonl").errors == "")
      let two = try folder.run(
        "explain", "trials", "--by", "variant", "--key", "variant=v,plan=yearly", "--column", "trials")
      #expect(
        two.output.hasPrefix("trials is 2 for app demo, variant v,plan=yearly (trials)"), "\(two.output)\(two.errors)")
      let all = try folder.run(
        "explain", "trials", "--by", "property:k=l", "--key", "property:k=l=x=y", "--column", "trials")
      #expect(all.output.hasPrefix("trials is 5 for app demo, property:k=l x=y (trials)"), "\(all.output)\(all.errors)")
      let wrong = try folder.run("explain", "trials", "--key", "colour", "--column", "trials")
      #expect(wrong.status == 2 && wrong.errors.contains("--key is colour, but must be a key column with its value"))
    }
  }

  /// Events of other apps do not cause changes in a report of one app.
  @Test func diffOfAnAppIsOfItsEvents() throws {
    try Folder.with { folder in
      let one = Folder.event("paywall_impression", "1", "2026-01-01T00:00:00Z", user: "a", #","entry_point":"s""#)
      let other = Folder.event("paywall_impression", "2", "2026-01-02T00:00:00Z", user: "b", #","entry_point":"s""#)
        .replacing(
          "demo", with: "other")
      try folder.write(one, to: "first.jsonl")
      try folder.write(other, to: "second.jsonl")
      #expect(try folder.run("ingest", "first.jsonl").status == 0 && folder.run("ingest", "second.jsonl").status == 0)
      let words = ["diff", "funnel", "--by", "none", "--before-known-at", "first.jsonl"]
      #expect(try Program.run(words + ["--app", "demo"], in: folder.url).output.contains("events: none"))
      #expect(try Program.run(words, in: folder.url).output.contains("events: new_events 1"))
    }
  }
}
