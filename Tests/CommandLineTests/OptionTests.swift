import Foundation
import Testing

/// The options of reports from end to end.
@Suite struct OptionTests {
  private static func store(_ body: (Folder) throws -> Void) throws {
    try Folder.with { folder in
      var events = ""
      // One user a week from Monday 2025-12-01 on, by turns of three countries; the newest event is of 2026-02-09.
      for week in 0..<11 {
        let day = Date(timeIntervalSince1970: 1_764_547_200 + Double(week) * 7 * 86_400).formatted(
          .iso8601.year().month().day())
        let country = week % 3 == 2 ? "" : #","country":"\#(week % 3 == 0 ? "DE" : "US")""#
        events += Folder.event(
          "paywall_impression", "i\(week)", "\(day)T12:00:00Z", user: "u\(week)",
          #","entry_point":"settings"\#(country)"#)
      }
      try folder.write(events, to: "e.jsonl")
      #expect(try folder.run("ingest", "e.jsonl").status == 0)
      try body(folder)
    }
  }

  /// Rows without their header, the first columns of each up to `users`.
  private static func rows(_ folder: Folder, _ arguments: String...) throws -> [String] {
    let result = try Program.run(["funnel", "--horizon", "0", "--format", "csv"] + arguments, in: folder.url)
    #expect(result.status == 0, "\(result.errors)")
    let lines = result.output.split(separator: "\n")
    let count = lines.first?.split(separator: ",").firstIndex(of: "users") ?? 0
    return lines.dropFirst().map { $0.split(separator: ",")[1...count].joined(separator: " ") }
  }

  @Test func rowsAreByQuarterAndYear() throws {
    try Self.store { folder in
      // Five Mondays of December, four of January, two of February.
      #expect(try Self.rows(folder, "--by", "quarter") == ["2025-Q4 5", "2026-Q1 6"])
      #expect(
        try Self.rows(folder, "--by", "year", "--by", "month") == [
          "2025 2025-12 5", "2026 2026-01 4", "2026 2026-02 2",
        ])
      #expect(try Self.rows(folder, "--by", "none", "--where", "quarter=2026-Q1") == ["6"])
      #expect(try Self.rows(folder, "--by", "quarter", "--timezone", "Europe/Berlin") == ["2025-Q4 5", "2026-Q1 6"])
      let states = try folder.run("subscriptions", "--by", "quarter", "--format", "csv")
      #expect(states.status == 0, "\(states.errors)")
      let activity = try folder.run("activity", "--by", "year", "--format", "csv")
      #expect(activity.status == 0, "\(activity.errors)")
    }
  }

  @Test func daysAreRelativeToTheNewestEvent() throws {
    try Self.store { folder in
      #expect(try Self.rows(folder, "--by", "none", "--last", "8d") == ["2"])
      #expect(try Self.rows(folder, "--by", "none", "--from", "last month", "--to", "last month") == ["4"])
      #expect(try Self.rows(folder, "--by", "none", "--from", "this quarter") == ["6"])
      #expect(try Self.rows(folder, "--by", "none", "--as-of", "monday", "--last", "7d") == ["1"])
      let json = try folder.run("funnel", "--last", "2w", "--format", "json").output
      #expect(json.contains(#""from":"2026-01-27""#) || json.contains(#""from": "2026-01-27""#), "\(json)")
    }
  }

  @Test func filtersLeaveOutAndFindWhatIsNotTold() throws {
    try Self.store { folder in
      let german = try Self.rows(folder, "--by", "none", "--where", "country=de")
      #expect(german == ["4"])
      #expect(try Self.rows(folder, "--by", "none", "--where", "country!=de,US") == ["3"])
      #expect(try Self.rows(folder, "--by", "none", "--where", "country=") == ["3"])
      #expect(try Self.rows(folder, "--by", "country", "--where", "country!=US") == ["(none) 3", "DE 4"])
      #expect(try Self.rows(folder, "--by", "none", "--where", "month!=2026-01") == ["7"])
      #expect(try Self.rows(folder, "--by", "none", "--where", "entry_point!=settings", "--where", "country=US") == [])
      #expect(try Self.rows(folder, "--by", "none", "--app", "demo,demo") == ["11"])
    }
  }

  @Test func emptyResultsNameTheFilter() throws {
    try Self.store { folder in
      let note = "Nothing matches country=USA. Without it: 11 viewers. country has DE (4 viewers), US (4), (none) (3)."
      let table = try folder.run("funnel", "--horizon", "0", "--where", "country=USA")
      #expect(table.status == 0 && table.output == "")
      #expect(table.errors.contains("\(note) Did you mean US?"), "\(table.errors)")
      let csv = try folder.run(
        "funnel", "--horizon", "0", "--where", "country=USA", "--where", "entry_point=settings", "--format", "csv",
        "--fail-if-empty")
      #expect(csv.status == 3 && csv.output.hasPrefix("app,") && csv.output.split(separator: "\n").count == 1)
      #expect(csv.errors.contains(note), "\(csv.errors)")
      let json = try folder.run("funnel", "--horizon", "0", "--where", "country=USA", "--format", "json")
      #expect(json.output.contains("\"note\": \"\(note) Did you mean US?\""), "\(json.output)")
      let days = try folder.run("funnel", "--from", "2030-01-01", "--horizon", "0")
      #expect(
        days.errors.contains("from 2030-01-01") && days.errors.contains("2025-12-01 to 2026-02-09"), "\(days.errors)")
      // The second day of --to is exclusive.
      let range = try folder.run("funnel", "--from", "2030-01-01", "--to", "2030-02-01", "--horizon", "0")
      #expect(range.errors.contains("Nothing matches from 2030-01-01 to before 2030-02-01."), "\(range.errors)")
      #expect(try folder.run("funnel", "--horizon", "0", "--fail-if-empty").status == 0)
    }
  }

  /// The store of ``store(_:)`` has 11 viewers, no price and no payment.
  @Test func emptyResultsWithoutConditionsSayWhatIsMissing() throws {
    try Self.store { folder in
      let days = "The data cover 2025-12-01 to 2026-02-09."
      for (report, note) in [
        ("savings", "11 saw a paywall, but no paywall view has a price."), ("revenue", "No payments yet. \(days)"),
        ("mrr", "No payments yet. \(days)"), ("cancellations", "No trials or payments yet. \(days)"),
      ] {
        let result = try folder.run(report)
        #expect(result.status == 0 && result.output == "" && result.errors == "tollgate: \(note)\n", "\(result)")
      }
      let early = try folder.run("funnel", "--as-of", "2020-01-01")
      #expect(early.errors == "tollgate: The data begin on 2025-12-01, after --as-of.\n", "\(early.errors)")
      #expect(try folder.run("trials").output.contains("No rows: the store has no trial_start events."))
    }
  }

  /// Paywall views have no plan, and no event of the store has a property.
  @Test func splitsOfNothingSayWhy() throws {
    try Self.store { folder in
      let property = "No event has the property colour."
      for (options, note) in [
        (["--by", "plan"], "plan is (none) in every row, because paywall views have none: `tollgate revenue --by"),
        (["--by", "property:colour"], property), (["--where", "property:colour=red"], property),
      ] {
        for format in ["table", "csv"] {
          let words = ["funnel", "--horizon", "0", "--format", format] + options
          let result = try Program.run(words, in: folder.url)
          let text = "\(result.output)\(result.errors)".replacing("\n", with: " ")
          #expect(result.status == 0 && text.contains(note), "\(text)")
        }
      }
    }
  }

  /// DE and US have four viewers each; nobody is of ZZ. A value that rows can lack, none told, is no mistake.
  @Test func valuesThatMatchNothingAreNamedBesideOthers() throws {
    try Self.store { folder in
      let note = "Nothing matches country=DEE. country has DE (4 viewers), US (4), (none) (3). Did you mean DE?"
      for filter in ["country=US,DEE", "country!=DEE"] {
        let table = try folder.run("funnel", "--horizon", "0", "--where", filter)
        #expect(table.output.replacing("\n", with: " ").contains(note) && table.errors == "", "\(table)")
        let csv = try folder.run("funnel", "--horizon", "0", "--where", filter, "--format", "csv")
        #expect(csv.output.hasPrefix("app,") && csv.errors.hasPrefix("tollgate: \(note)\n"), "\(csv)")
      }
      let known = try folder.run("funnel", "--horizon", "0", "--where", "country=US,DE", "--format", "csv")
      #expect(known.errors == "", "\(known.errors)")
    }
  }

  /// A payment without a paywall before it belongs to no variant: its row is (unattributed), as no other value finds it.
  @Test(arguments: ["variant=", "variant=no paywall known"])
  func theRowWithoutAPaywallIsFound(filter: String) throws {
    try Folder.with { folder in
      try folder.write(
        Folder.event("paywall_impression", "i", "2026-01-01T12:00:00Z", user: "u", #","entry_point":"e","variant":"a""#)
          + Folder.event(
            "conversion", "c", "2026-01-01T13:00:00Z", user: "v",
            #","plan":"monthly","product_id":"m","price":9.99,"currency":"EUR""#)
          + Folder.event("activity", "l", "2026-03-01T12:00:00Z", user: "v"), to: "e.jsonl")
      #expect(try folder.run("ingest", "e.jsonl").status == 0)
      let result = try folder.run("cancellations", "--where", filter)
      let hint = "Without a known paywall: --where 'variant=(unattributed)'."
      #expect(result.output == "" && result.errors.contains(hint), "\(result)")
      let found = try folder.run("cancellations", "--where", "variant=(unattributed)")
      #expect(found.output.contains("no paywall known"), "\(found)")
    }
  }

  /// `--where` and `--store` are three letters apart, `--steps` and `--store` too; `--stroe` and `--store` are two.
  @Test func optionsFarOffAreNotSuggested() throws {
    try Folder.with { folder in
      for arguments in [["health", "--where", "country=US"], ["paths", "--steps", "3"]] {
        let result = try Program.run(arguments, in: folder.url)
        #expect(result.status == 2 && result.errors.contains("Unknown option '\(arguments[1])'"), "\(result.errors)")
        #expect(!result.errors.contains("Did you mean"), "\(result.errors)")
      }
      let near = try folder.run("health", "--stroe", "x.db")
      #expect(near.errors.contains("Did you mean '--store'?"), "\(near.errors)")
    }
  }

  @Test func emptyResultsNeedNoRatesOfOtherRows() throws {
    try Folder.with { folder in
      try folder.write(
        Folder.event("paywall_impression", "i", "2026-01-01T12:00:00Z", user: "u", #","entry_point":"settings""#)
          + Folder.event(
            "conversion", "c", "2026-01-01T13:00:00Z", user: "u",
            #","entry_point":"settings","plan":"monthly","product_id":"m","price":9.99,"currency":"EUR""#)
          + Folder.event("paywall_impression", "l", "2026-03-01T12:00:00Z", user: "v"), to: "e.jsonl")
      #expect(try folder.run("ingest", "e.jsonl").status == 0)
      for report in ["revenue", "value", "ltv"] {
        let filtered = try folder.run(report, "--currency", "USD", "--where", "entry_point=home")
        #expect(filtered.status == 0 && filtered.errors.contains("Nothing matches entry_point=home"), "\(filtered)")
        #expect(try folder.run(report, "--currency", "USD").status == 2, "\(report)")
      }
    }
  }

  @Test(arguments: [
    (["funnl"], "funnl is not a command; did you mean funnel?"),
    (["compare", "revenue"], "compare is not a command; use a report with --compare previous"),
    (["funnel", "--compare", "previous", "--columns", "chnge"], "did you mean change?"),
    (["help", "funel"], "did you mean funnel?"),
    (["rates", "impot"], "rates impot is not a command; did you mean import?"),
    (["cluster", "bulid"], "cluster bulid is not a command; did you mean build?"),
    (["funnel", "--app", "dmeo"], "did you mean demo?"), (["funnel", "--by", "varient"], "did you mean variant?"),
    (["funnel", "--sort", "user"], "did you mean users?"), (["funnel", "--sort", "viewers"], "did you mean users?"),
    (["funnel", "--sort", "users:dsc"], "did you mean users:desc?"),
    (["funnel", "--columns", "viewers"], "did you mean users?"),
    (["view", "nope"], "there is no views.yaml next to the store; see `tollgate view --help`"),
    (["view", "nope", "--views", "no.yaml"], "no.yaml: cannot be opened: No such file"),
    (["experiment", "test", "--section", "metrics,sizse"], "metrics, adjustments, pairs"),
    (["experiment", "test", "--section", "sizse"], "did you mean sizes?"),
    (["funnel", "--json"], "--json is not an option; use --format json"),
    (["revenue", "--group-by", "plan"], "use --by"), (["funnel", "--days=7"], "use --last Nd"),
    (["explain", "funnel", "--cell", "app=demo", "--column", "users", "--since", "x"], "use --from"),
    (["funnel", "--plan", "yearly"], "--plan is not an option; use --where plan=yearly for some"),
    (["explain", "funnel", "--country=DE", "--column", "users"], "use --where country=DE for some, or --by country"),
    (["revenue", "--app-version", "7.2"], "use --where app_version=7.2 for some"),
    (["revenue", "--month", "2026-02"], "--month is not an option; use --from 2026-02 --to 2026-02"),
    (["revenue", "--week", "2026-02-02"], "use --from 2026-02-02 --to 2026-02-09"),
    (["revenue", "--week"], "use --by week for a row per week"),
    (["ingest", "--country", "DE"], "Unknown option '--country'"),
    (["retention", "--days", "30"], "use --last 30d; for an age in days, --at 30"),
    (["retention", "--ages", "95"], "one of equal, known; for ages in days, use --at 95"),
    (["revenue", "--compare", "28d"], "a period such as 2026-01"),
    (["delete", "--user", "a"], "delete is not a command; use forget"),
    (["forecast"], "forecast is not a command; use ltv or value"),
    (["funnel", "--format", "csv", "--format", "json"], "--format is given 2 times, but must be given once"),
    (["funnel", "--grace=-1"], "--grace is -1, but must be a number of days from 0 to 36525"),
    (["funnel", "--grace", "-1"], "--grace is -1, but must be a number of days from 0 to 36525"),
    (["explain", "funnel", "--row", "a", "--column", "users"], "see `tollgate funnel --help`"),
  ])
  func whatIsMeantIsNamed(arguments: [String], words: String) throws {
    try Self.store { folder in
      let result = try Program.run(arguments, in: folder.url)
      #expect(result.status == 2 && result.errors.contains(words), "\(arguments): \(result.errors)")
    }
  }
}
