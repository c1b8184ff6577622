import ArgumentParser
import Basics
import EventModel
import Foundation
import Metrics
import Reports
import Store

struct RatesCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rates", abstract: "Import or list exchange rates, for reports in one currency.",
    subcommands: [Import.self, List.self], defaultSubcommand: List.self)

  struct Import: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "import", abstract: "Import exchange rates from a file.",
      discussion: """
        Reads one of these files, which you download:

          CSV                     with the columns date,currency,usd_per_unit
          European Central Bank   eurofxref-hist.csv or its zip, from
                                  www.ecb.europa.eu (euro foreign exchange
                                  reference rates)
          openexchangerates.org   historical or time-series JSON

        If a line is wrong, nothing is imported. A line of a CSV is also wrong if its rate looks like units per US dollar, \
        compared with other days. A rate replaces an earlier one of the same day and currency. Importing \
        the same file again changes nothing.
        """)

    @OptionGroup var common: CommonOptions

    @Argument(
      help: ArgumentHelp("CSV, zip or JSON file, or - for standard input.", valueName: "file"), completion: .file())
    var file: String

    @Option(help: ArgumentHelp("Skip rates of earlier days.", valueName: "day"))
    var from: String?

    @OptionGroup var lock: LockArguments

    func run() throws {
      let first = try from.map { text throws(UsageError) in
        guard let day = CivilDate(text) else {
          throw UsageError("--from is \(text), but must be a day such as 2026-03-01")
        }
        return day
      }
      let text = try SmallFile.text(of: file)
      let rates = try RateFile.rates(text, name: file).filter { first == nil || $0.date >= first! }
      // A refused file creates no store.
      let isThere = FileManager.default.fileExists(atPath: common.storePath)
      let known = isThere ? try Store.open(path: common.storePath, lockTimeout: lock.lockTimeout) : nil
      try RateFile.requireDollarsPerUnit(text, name: file, from: first, known: known?.read { try $0.rates() } ?? [])
      let store = try known ?? Store.open(path: common.storePath, lockTimeout: lock.lockTimeout)
      let changed = try store.importRates(rates, lockTimeout: lock.lockTimeout)
      if common.quiet { return }
      let currencies = Set(rates.map(\.currency)).count
      print(
        "\(grouped(rates.count)) rates of \(grouped(currencies)) \(currencies == 1 ? "currency" : "currencies"), "
          + "\(grouped(changed)) new or changed")
      let missing = try store.read { try Rates.missing($0) }
      if missing.payments > 0 {
        print(
          "Still without a rate: \(grouped(missing.payments)) of \(grouped(missing.all)) payments, in "
            + "\(missing.currencies.map { ReportMarkup.shown($0) }.joined(separator: ", ")). A rate holds for its day and the next 7."
        )
      }
    }
  }

  struct List: RequestCommand {
    static let configuration = CommandConfiguration(
      commandName: "list", abstract: "List the currencies and the days that have rates.")

    @OptionGroup var common: CommonOptions

    @OptionGroup(title: "Output")
    var output: OutputArguments

    func request() throws -> ReportRequest { ReportRequest(.rates) }
  }
}
