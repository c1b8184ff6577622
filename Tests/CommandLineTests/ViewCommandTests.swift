import Foundation
import Testing

/// Reports with names.
@Suite struct ViewCommandTests {
  /// 40 viewers each day from 1 January to 11 March 2026, a Wednesday.
  private static func with(_ views: String, _ body: (Folder) throws -> Void) throws {
    try Folder.with { folder in
      try folder.write(NightlyNotifyTests.events(0..<70), to: "events.jsonl")
      #expect(try folder.run("ingest", "events.jsonl").status == 0)
      try folder.write(views, to: "views.yaml")
      try body(folder)
    }
  }

  /// The days of a calendar: 28 days to 11 March begin on 12 February, 4 weeks are as many, and the week before that of
  /// 9 March begins on 2 March.
  @Test(arguments: [
    ("last 28 days", ["--from=2026-02-12", "--to=2026-03-12"]),
    ("Last 4 Weeks", ["--from=2026-02-12", "--to=2026-03-12"]),
    ("last full week", ["--from=2026-03-02", "--to=2026-03-09"]),
    ("last full month", ["--from=2026-02-01", "--to=2026-03-01"]), ("month to date", ["--from=2026-03-01"]),
    ("week to date", ["--from=2026-03-09"]), ("2026-03-10", ["--from=2026-03-10"]),
    ("yesterday", ["--from=2026-03-10"]),
  ]) func daysAreThoseOfTheData(from: String, words: [String]) throws {
    try Self.with("views: {days: {report: funnel, by: [day, entry_point], horizon: 1, from: \(from)}}\n") { folder in
      let view = try folder.run("view", "days", "--format", "csv")
      let plain = try Program.run(
        ["funnel", "--by", "day,entry_point", "--horizon", "1", "--format", "csv"] + words, in: folder.url)
      #expect(view.status == 0 && view.output == plain.output && plain.output.contains("2026-0"), "\(view.errors)")
    }
  }

  private static let views = """
    views:
      settings:
        report: funnel
        app: demo
        by: [week, entry_point]
        where: {entry_point: [settings, onboarding], country!: DE}
        from: last 28 days
        compare: previous
        columns: [column, now, change]
        note: Is the paywall in the settings seen?
      plain: {report: revenue, mode: gross, chart: true}
    """

  @Test func viewsAreListedAndPrinted() throws {
    try Self.with(Self.views.replacing("[week, entry_point]", with: "entry_point")) { folder in
      let list = try folder.run("view")
      #expect(
        list.output == """
          settings: tollgate funnel --columns=column,now,change --app=demo --last=28d --by=entry_point \
          --where=entry_point=settings,onboarding '--where=country!=DE' --compare=previous
            Is the paywall in the settings seen?
          plain: tollgate revenue --mode=gross

          """, "\(list.output)\(list.errors)")
      let csv = try folder.run("view", "settings", "--format", "csv").output
      let plain = try folder.run(
        "funnel", "--app", "demo", "--by", "entry_point", "--where", "entry_point=settings,onboarding", "--where",
        "country!=DE", "--last", "28d", "--compare", "previous", "--format", "csv", "--columns", "column,now,change")
      #expect(csv == plain.output && csv.split(whereSeparator: \.isNewline).count > 1, "\(csv)\(plain.errors)")
      // The command line has the last word, and a receipt is of the report itself.
      let own = try folder.run(
        "view", "settings", "--format", "csv", "--columns", "now", "--receipt", "receipt.json")
      #expect(own.output.hasPrefix("app,entry_point,column,now\n"), "\(own.output)\(own.errors)")
      #expect(try folder.text(of: "receipt.json").contains("\"funnel\""))
      #expect(try folder.run("verify", "receipt.json").status == 0)
      #expect(try folder.run("view", "plain", "--views", "views.yaml").status == 0)
    }
  }

  @Test func aFullPeriodIsListedAsOneOption() throws {
    try Self.with("views: {week: {report: funnel, from: last full week, by: [entry_point]}}\n") { folder in
      let listed = try folder.run("view").output
      #expect(listed == "week: tollgate funnel --last=week --by=entry_point\n")
    }
  }

  @Test func aNightTakesAViewWithoutDays() throws {
    let views = "views: {all: {report: funnel, horizon: 1}, days: {report: funnel, from: last full week}}\n"
    try Self.with(views) { folder in
      func check(_ report: String) throws -> Program.Result {
        try folder.write(
          """
          store: tollgate.db
          sources: [{files: "*.jsonl"}]
          notify: {digest: {numbers: [{report: \(report), column: users}]}, to: [{file: message.txt}]}
          """, to: "night.yaml")
        return try folder.run("nightly", "--config", "night.yaml", "--check")
      }
      let sound = try check("view all")
      #expect(sound.status == 0, "\(sound.errors)")
      for (report, message) in [
        ("view days", "is view days, which has days"), ("view al", "did you mean all?"),
        ("funnel --as-of 2026-03-01", "which has days"),
      ] {
        let run = try check(report)
        #expect(run.status == 2 && run.errors.contains(message), "\(run.errors)")
      }
    }
  }

  /// A night takes the views that are next to its own store, which is not in the folder of its configuration.
  @Test func aNightTakesTheViewsNextToItsStore() throws {
    try Self.with("views: {all: {report: revenue}}\n") { folder in
      try FileManager.default.createDirectory(at: folder.url.appending(path: "data"), withIntermediateDirectories: true)
      try folder.write("views: {own: {report: funnel, horizon: 1}}\n", to: "data/views.yaml")
      func check(_ view: String, _ words: String...) throws -> Program.Result {
        try folder.write(
          """
          store: data/night.db
          sources: [{files: "*.jsonl"}]
          notify: {digest: {numbers: [{report: view \(view), column: users}]}, to: [{file: message.txt}]}
          """, to: "night.yaml")
        return try Program.run(["nightly", "--config", "night.yaml"] + words, in: folder.url)
      }
      #expect(try check("own", "--check").status == 0)
      let night = try check("own", "--night", "2026-03-16")
      #expect(night.status == 0, "\(night.errors)")
      // The week before Monday, 9 March, has 40 viewers each day: 7 × 40.
      #expect(try folder.text(of: "message.txt").contains("view own users, demo, 2 Mar to 8 Mar: 280"))
      let other = try check("all", "--check")
      #expect(other.status == 2 && other.errors.contains("data/views.yaml: there is no view all, only own"), "\(other)")
      #expect(try check("own", "--check", "--store", "tollgate.db").status == 2)
    }
  }

  @Test(arguments: [
    (["setings"], views, "views.yaml: there is no view setings, only settings, plain; did you mean settings?"),
    (["settings"], views, "views.yaml: view settings: --by is week"),
    (["x", "--views", "none.yaml"], views, "none.yaml"),
    (["a"], "views: {a: {report: funel}}", "views.yaml:1: views.a.report is funel, but must be one of"),
    (["a"], "views: {a: {report: funel}}", "did you mean funnel?"),
    (["a"], "views: {a: {report: experiment}}", "report is experiment, but must be one of"),
    (["a"], "views: {a: {report: funnel, form: last 28 days}}", "form is not a key; expected one of report"),
    (["a"], "views: {a: {report: funnel, mode: net}}", "mode is not a key"),
    (["a"], "views: {a: {by: day}}", "has no report"),
    (["a"], "views: {a: funnel --by day}", "views.a must be options, such as {report: funnel, where: {country: DE}}"),
    (["a"], "views: {a: {report: funnel, from: last full week, to: 2026-03-01}}", "sets both ends: leave out to"),
    (["a"], "views: {a: {report: funnel, from: last full moon}}", "--from is last full moon"),
    (["a"], "views: {a: {report: funnel, by: colour}}", "colour is not a dimension"),
    (["a"], "views: {a: {report: funnel, columns: colour}}", "colour"),
    (["a"], "views: {a: {report: funnel, chart: maybe}}", "must be true or false"),
    (["a"], "- {name: a, address: /reports/funnel}", "must be a mapping"), ([], "viws: {}", "did you mean views?"),
  ]) func aWrongViewSaysWhy(words: [String], views: String, message: String) throws {
    try Self.with(views) { folder in
      let run = try Program.run(["view"] + words, in: folder.url)
      #expect(run.status == 2 && run.errors.contains(message), "\(run.errors)\(run.output)")
    }
  }
}
