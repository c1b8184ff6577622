import ArgumentParser
import Basics
import Reports

struct VerifyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify", abstract: "Run a report again from its receipt, and check that the numbers match.",
    discussion: """
      A receipt is the file that --receipt writes with a report, or the receipt in an answer of `tollgate mcp`:

        tollgate funnel --by variant --receipt funnel.json
        tollgate verify funnel.json

      Prints one of these:

        same      status 0: the numbers match
        differs   status 4: with the first row that differs
        cannot    status 5: with the reason

      It cannot verify a receipt of another store or of another version of tollgate. Nor can it verify one if, \
      since then, forget or prune has removed events, exchange rates have been imported, or a plan or cohorts.yaml has \
      been edited. Files ingested since do not matter: the report uses the data known when the receipt was written.
      """)

  @Argument(help: ArgumentHelp("Receipt, or - for standard input.", valueName: "receipt"), completion: .file())
  var file: String

  @OptionGroup var common: CommonOptions

  func run() throws {
    let text = try SmallFile.text(of: file)
    let receipt: Receipt
    do {
      receipt = try Receipt(try Array(text.utf8).withUnsafeBytes { try JSONNode(reading: $0) })
    } catch let error as JSONSyntaxError {
      throw UsageError("\(file): this is not a receipt, which is a file of JSON: \(error)")
    } catch let error as UsageError {
      throw UsageError("\(file): \(error)")
    }
    switch try receipt.verdict(on: common.storePath, logger: common.logger) {
    case .same: print("same: \(receipt.rows) \(receipt.rows == 1 ? "row" : "rows"), SHA-256 \(receipt.sha256)")
    case .differs(let place):
      print("differs: \(ReportMarkup.shown(place))")
      throw ExitCode(ExitStatus.threshold.rawValue)
    case .cannot(let reason):
      print("cannot: \(ReportMarkup.shown(reason))")
      throw ExitCode(ExitStatus.store.rawValue)
    }
  }
}
