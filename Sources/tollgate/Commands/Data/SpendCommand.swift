import ArgumentParser
import Basics
import EventModel
import Ingest
import Metrics
import Store

struct SpendCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "spend", abstract: "Import advertising spend, for payback.", subcommands: [Import.self])

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
      let apps = byApp.isEmpty ? "" : " of \(byApp.map { $0.key }.joined(separator: ", "))"
      let replaced = removed.isEmpty ? "" : ", \(grouped(removed.count)) replaced"
      let skipped = totals > 0 ? ", \(counted(totals, "row")) of totals skipped" : ""
      print("\(counted(rows.count, "row")) of spend\(apps), \(grouped(changed)) new or changed\(replaced)\(skipped)")
    }
  }
}
