import ArgumentParser
import EventModel
import Foundation
import Ingest
import Metrics
import Store

struct RatesCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rates", abstract: "Exchange rates, for reports in one currency: import, list.",
    subcommands: [Import.self, List.self], defaultSubcommand: List.self)

  struct Import: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "import", abstract: "Reads exchange rates of a file.",
      discussion: """
        The file is known by its content: a CSV date,currency,usd_per_unit; the history of the European Central Bank, \
        eurofxref-hist.csv or its zip from www.ecb.europa.eu (euro foreign exchange reference rates); or historical and \
        time-series JSON of openexchangerates.org. The program never fetches it.

        All of the file or, where a line is wrong, nothing of it. A rate of the same day and currency replaces the one \
        before; the same file again changes nothing.
        """)

    @OptionGroup var common: CommonOptions

    @Argument(help: ArgumentHelp("The file, or - for standard input.", valueName: "file"), completion: .file())
    var file: String

    @Option(help: ArgumentHelp("Leave out days before this one.", valueName: "day"))
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
      let store = try Store.open(path: common.storePath, lockTimeout: lock.lockTimeout)
      let changed = try store.importRates(rates, lockTimeout: lock.lockTimeout)
      if common.quiet { return }
      let currencies = Set(rates.map(\.currency)).count
      print(
        "\(grouped(rates.count)) rates of \(grouped(currencies)) \(currencies == 1 ? "currency" : "currencies"), "
          + "\(grouped(changed)) new or changed")
    }
  }

  struct List: ReportingCommand {
    static let configuration = CommandConfiguration(
      commandName: "list", abstract: "Lists the currencies and the days they have rates of.")

    @OptionGroup var common: CommonOptions

    @OptionGroup(title: "Output")
    var output: OutputArguments

    func reporting() throws -> ReportMaker { { .tables([try Rates.report($0)]) } }
  }
}
