import ArgumentParser
import Basics
import EventModel
import Foundation
import Metrics
import Store

struct RatesCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rates", abstract: "Import or list exchange rates, for reports in one currency.",
    subcommands: [Import.self, List.self], defaultSubcommand: List.self)

  struct Import: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "import", abstract: "Import exchange rates from a CSV file.",
      discussion: """
        The file has the columns date,currency,usd_per_unit. If a line is wrong, nothing is imported. A rate replaces an \
        earlier one of the same day and currency; importing the same file again changes nothing.
        """)

    @OptionGroup var common: CommonOptions

    @Argument(help: ArgumentHelp("CSV file, or - for standard input.", valueName: "file"), completion: .file())
    var file: String

    @OptionGroup var lock: LockArguments

    func run() throws {
      let data: Data
      do {
        data = try FileArgument.contents(ofFileOrInput: file)
      } catch {
        throw UsageError("\(file): cannot be read: \(error.localizedDescription)")
      }
      guard let text = String(data: data, encoding: .utf8) else {
        throw UsageError("\(file): is not UTF-8 text; save it as UTF-8")
      }
      let rates = try RateFile.rates(text, name: file)
      let store = try Store.open(path: common.storePath, lockTimeout: lock.lockTimeout)
      let changed = try store.importRates(rates, lockTimeout: lock.lockTimeout)
      if common.quiet { return }
      let currencies = Set(rates.map(\.currency)).count
      print(
        "\(grouped(rates.count)) rates of \(grouped(currencies)) \(currencies == 1 ? "currency" : "currencies"), "
          + "\(grouped(changed)) new or changed")
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
