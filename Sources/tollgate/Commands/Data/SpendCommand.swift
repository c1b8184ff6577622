import ArgumentParser
import Basics
import EventModel
import Ingest
import Metrics
import Reports
import Store

struct SpendCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "spend", abstract: "Import, list or remove advertising spend, for payback.",
    subcommands: [Import.self, List.self, Remove.self], defaultSubcommand: List.self)

  struct Import: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "import", abstract: "Import advertising spend from CSV files.",
      discussion: """
        Reads a row for each day, with the columns date, spend, currency and any of app, source, campaign, ad_group, \
        country, platform, installs, impressions and clicks. Headings such as "Amount spent (USD)", "Cost", "Day" and "Campaign \
        name" are recognized; --map names others. Rows of totals are skipped. If a row is wrong, nothing is imported.

        A row replaces an earlier one of the same day, source, campaign, ad group, country and platform. Importing the \
        same file again changes nothing. If the store has spend of the same days and source by country, spend by campaign \
        is refused, because it would count twice: add --replace or --both.

          tollgate spend import ads.csv
          tollgate payback --by campaign
        """)

    @OptionGroup var common: CommonOptions

    @Argument(
      help: ArgumentHelp("CSV files, or - for standard input.", valueName: "file"), completion: .file())
    var files: [String]

    @Option(
      help: ArgumentHelp("App of all rows (default: the column app, or the store's only app).", valueName: "name"))
    var app: String?

    @Option(
      help: ArgumentHelp("Column that holds a field, such as spend=Kosten (repeatable).", valueName: "field=column"))
    var map: [String] = []

    @Option(help: ArgumentHelp("Currency of files that name none, such as EUR.", valueName: "code"))
    var currency: String?

    @Option(help: ArgumentHelp("Order of dates such as 01/02/2026: day-first or month-first.", valueName: "order"))
    var dates: String?

    @Flag(help: "Replace stored spend of the same days and source that is split in another way.")
    var replace = false

    @Flag(help: "Add to stored spend that is split in another way. Make sure that no amount is in both.")
    var both = false

    @OptionGroup var lock: LockArguments

    private func settings() throws -> SpendFile.Settings {
      var settings = SpendFile.Settings()
      for entry in map {
        let parts = entry.split(separator: "=", maxSplits: 1).map(String.init)
        guard parts.count == 2, let field = SpendField(rawValue: parts[0]) else {
          let names = SpendField.allCases.map(\.rawValue)
          throw UsageError(
            "--map is \(entry), but must be FIELD=COLUMN with one of \(names.joined(separator: ", "))"
              + (parts.first.map { NearName.hint($0, in: names) } ?? ""))
        }
        settings.columns[field] = parts[1]
      }
      if let dates, dates != "day-first", dates != "month-first" {
        throw UsageError("--dates is \(dates), but must be day-first or month-first")
      }
      (settings.app, settings.currency, settings.dates) = (app, currency?.uppercased(), dates)
      return settings
    }

    private static func refusal(of overlap: SpendOverlap, _ files: [String], app: String) -> String {
      func split(_ parts: [String]) -> String { parts.isEmpty ? "in total" : "by \(parts.joined(separator: ", "))" }
      return
        "\(files.joined(separator: ", ")): on \(counted(overlap.dayCount, "day")) the store already has spend of \(app) "
        + "\(split(overlap.storedParts)); this file has it \(split(overlap.newParts)), and both together would count it "
        + "twice. Nothing was imported. To replace the stored spend of these days, add `--replace`; if it is other spend, "
        + "add `--both`"
    }

    /// Returns the rows of a file, each with its app.
    ///
    /// - Throws: ``UsageError`` where the app is not named, or a name in the file is no app of the store.
    private func rows(of file: SpendFile, known: [String]) throws -> [(app: String, row: SpendRow)] {
      try zip(file.apps, file.rows).map { named, row in
        if !named.isEmpty {
          guard named == app || known.contains(named) else {
            throw UsageError(
              "the column app has \(named), but the store's apps are \(known.joined(separator: ", ")); "
                + "name the app of all rows with --app" + NearName.hint(named, in: known))
          }
          return (named, row)
        }
        guard known.count == 1 else {
          throw UsageError(
            known.isEmpty
              ? "the store has no events yet; load some with `tollgate ingest FILE...`, or name the app with --app"
              : "the store has \(known.count) apps; name the app of the spend with --app: \(known.joined(separator: ", "))"
          )
        }
        return (known[0], row)
      }
    }

    func run() throws {
      let settings = try settings()
      let contents = try files.map { try SpendFile(SmallFile.text(of: $0), name: $0, settings) }
      let store = try Store.open(path: common.storePath, lockTimeout: lock.lockTimeout)
      let known = try store.read { try $0.apps().map(\.name) }
      let rows = try contents.flatMap { try self.rows(of: $0, known: known) }
      let byApp = Dictionary(grouping: rows) { $0.app }.sorted { precedesInBytes($0.key, $1.key) }
      var removed: [(app: String, row: SpendRow)] = []
      for (app, rows) in byApp where !both {
        let stored = try store.read { try $0.spend(ofApp: app) }
        guard let overlap = SpendOverlap(stored: stored, new: rows.map { $0.row }) else { continue }
        if !replace { throw UsageError(Self.refusal(of: overlap, files, app: app)) }
        removed += overlap.stored.map { (app, $0) }
      }
      let changed = try store.importSpend(rows, removing: removed, lockTimeout: lock.lockTimeout)
      if common.quiet { return }
      for (app, rows) in byApp where !known.isEmpty && !known.contains(app) {
        let days = rows.map { $0.row.day }
        let undo = days.min().flatMap { first in
          days.max().map { (first, CivilDate(daysSince1970: $0.daysSince1970 + 1)) }
        }
        .map { ". To remove it, `tollgate spend remove --app \(app.shellWord) --from \($0) --to \($1)`" }
        LogFormat.warn(
          "the store has no events of \(app), so payback does not show this spend; apps with events: "
            + known.joined(separator: ", ") + NearName.hint(app, in: known) + (undo ?? ""))
      }
      let totals = contents.reduce(0) { $0 + $1.totals }
      let apps = byApp.isEmpty ? "" : " of \(ReportMarkup.shown(byApp.map { $0.key }.joined(separator: ", ")))"
      let replaced = removed.isEmpty ? "" : ", \(grouped(removed.count)) replaced"
      let skipped = totals > 0 ? ", \(counted(totals, "row")) of totals skipped" : ""
      print("\(counted(rows.count, "row")) of spend\(apps), \(grouped(changed)) new or changed\(replaced)\(skipped)")
    }
  }

  struct List: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "list", abstract: "List the stored spend by day.",
      discussion: "As CSV, it is a file for `tollgate spend import`.")

    @OptionGroup var common: CommonOptions

    @OptionGroup var rows: SpendRows

    @Option(help: "Output format.")
    var format: ReportFormat = .table

    func run() throws {
      let spend = try Store.open(readOnly: common.storePath).read { try rows.of($0) }
      if spend.isEmpty {
        LogFormat.warn("no spend is stored for these apps and days; add some with `tollgate spend import`")
        if format == .table { return }
      }
      var options = RenderOptions()
      options.width = Terminal.columns ?? Terminal.columnsAsked ?? 100
      let report = Self.report(spend)
      print(try FinishedReport.tables([report]).text(as: format, options: options), terminator: "")
    }

    /// Returns the rows without columns that are empty in all of them: an import takes an empty cell for 0.
    private static func report(_ spend: [(app: String, row: SpendRow)]) -> Report {
      func count(_ count: Int64?) -> ReportValue { count.map { .count(Int($0)) } ?? .text("") }
      let columns: [(ReportColumn, (String, SpendRow) -> ReportValue)] = [
        (ReportColumn("date", .key), { .text($1.day.description) }),
        (ReportColumn("app", .key), { app, _ in .text(app) }),
        (ReportColumn("source", .key), { .text($1.slice.source) }),
        (ReportColumn("campaign", .key), { .text($1.slice.campaign) }),
        (ReportColumn("ad_group", .key), { .text($1.slice.adGroup) }),
        (ReportColumn("country", .key), { .text($1.slice.country) }),
        (ReportColumn("platform", .key), { .text($1.slice.platform) }),
        (ReportColumn("currency", .key), { .text($1.currency) }),
        (ReportColumn("spend", .text), { .text(amount($1.spend)) }),
        (ReportColumn("installs", .count), { count($1.installs) }),
        (ReportColumn("impressions", .count), { count($1.impressions) }),
        (ReportColumn("clicks", .count), { count($1.clicks) }),
      ].filter { _, value in spend.contains { value($0.app, $0.row) != .text("") } }
      return Report(
        name: "spend", title: "Advertising spend", definition: [], parameters: [], asOf: [], columns: columns.map(\.0),
        rows: spend.map { entry in columns.map { $0.1(entry.app, entry.row) } })
    }

    /// Returns all decimals of an amount, and two at least.
    private static func amount(_ microUnits: Int64) -> String {
      var decimals = String(microUnits % 1_000_000 + 1_000_000).dropFirst()
      while decimals.count > 2, decimals.last == "0" { decimals.removeLast() }
      return "\(microUnits / 1_000_000).\(decimals)"
    }
  }

  struct Remove: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "remove", abstract: "Remove stored spend.",
      discussion: """
        Look at the rows first. To keep a copy, list them as CSV:

          tollgate spend list --format csv > spend.csv
          tollgate spend remove --from 2026-01-05 --to 2026-01-12
        """)

    @OptionGroup var common: CommonOptions

    @OptionGroup var rows: SpendRows

    @OptionGroup var lock: LockArguments

    mutating func validate() throws {
      if rows.from == nil || rows.to == nil {
        throw ValidationError("--from and --to are missing, but must give the days to remove, --to exclusive")
      }
    }

    func run() throws {
      let store = try lock.open(common.storePath)
      try store.read { try rows.check($0) }
      let removed = try store.removeSpend(of: rows.days, apps: rows.app, lockTimeout: lock.lockTimeout)
      if !common.quiet { print("\(counted(removed, "row")) of spend removed") }
    }
  }
}

/// The stored spend that a command is about.
struct SpendRows: ParsableArguments {
  @Option(help: ArgumentHelp("One app (repeatable; default: all).", valueName: "name"))
  var app: [String] = []

  @Option(help: ArgumentHelp("First day.", valueName: "day"), transform: { try calendarDay($0) })
  var from: CivilDate?

  @Option(help: ArgumentHelp("Day after the last.", valueName: "day"), transform: { try calendarDay($0) })
  var to: CivilDate?

  mutating func validate() throws {
    if let from, let to, from >= to { throw ValidationError("--to is \(to), but must be after --from, \(from)") }
  }

  var days: Range<CivilDate> {
    (from ?? CivilDate(daysSince1970: 0))..<(to ?? CivilDate(daysSince1970: 1 << 20))
  }

  /// Returns the rows by app, in byte order, then by day.
  func of(_ snapshot: StoreSnapshot) throws -> [(app: String, row: SpendRow)] {
    try check(snapshot)
    return try snapshot.appsWithSpend().filter { app.isEmpty || app.contains($0) }.flatMap { name in
      try snapshot.spend(ofApp: name).filter { days.contains($0.day) }.map { (name, $0) }
    }
  }

  /// - Throws: ``ReportError`` for an app that has no spend.
  func check(_ snapshot: StoreSnapshot) throws {
    let known = try snapshot.appsWithSpend()
    for name in app where !known.contains(name) { throw ReportError.unknownApp(name, known: known) }
  }
}
