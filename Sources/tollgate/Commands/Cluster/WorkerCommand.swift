import ArgumentParser
import Cluster
import Foundation
import Lifecycle
import Reports

/// The command that a cluster's executors run: it reads rows from standard input and writes rows to standard output.
struct WorkerCommand: ParsableCommand {
  enum Part: String, ExpressibleByArgument {
    /// Turns whole files, in base 64, into events.
    case decodeFiles = "decode-files"
    /// Turns lines of JSON into events.
    case decodeLines = "decode-lines"
    /// Turns events sorted by app, user, ts, kind and id into packs of facts.
    case fold
    /// Turns packs of events, sorted by buckets of users, into packs of facts.
    case foldBuckets = "fold-buckets"
    /// Finds event ids that occur more than once, in numbers sorted by slice.
    case repeats
    /// Writes events of packs as rows, chosen by the numbers of their ids.
    case pick
    /// Writes packs, sorted by table, app, month and part, as Parquet files.
    case table
    /// Merges sorted cells of several builds into one row each.
    case cells
  }

  static let configuration = CommandConfiguration(
    commandName: "worker",
    abstract: "Process one partition of a cluster's work from standard input to standard output.",
    discussion: """
      Started by the executors of Spark for `tollgate cluster`. Rows have tabs between columns, a line feed at the end, \
      \\N for NULL and \\\\, \\t, \\n, \\r in values. The last row says how many rows came in and went out. Exit status: 0 \
      done, 64 another version's arguments, 65 wrong input, 74 input or output failed; each after all input was read, with \
      one line on standard error.
      """,
    shouldDisplay: false)

  @Argument(help: "One of decode-files, decode-lines, fold, fold-buckets, repeats, pick, table and cells.")
  var part: Part

  @Option(name: .customLong("protocol"), help: "The version of the rows that the caller expects.")
  var version: Int

  @Option(
    help: ArgumentHelp("With decode-*: split packs of events into this many buckets of users.", valueName: "count"))
  var buckets: Int?

  @Flag(help: "With fold: read a first column that marks users folded before, and write what leaves cells.")
  var again = false

  @Flag(help: "With repeats: also write ids that occur once.")
  var all = false

  @Option(help: ArgumentHelp("With fold: leave out events from this instant on.", valueName: "ms"))
  var asOf: Int64 = .max

  @Option(help: ArgumentHelp("With fold: grace after a trial or a period.", valueName: "ms"))
  var grace = FoldOptions.stored.grace

  @Option(help: "With fold: paywall view that gets the credit: last, first or all.")
  var attribution = FoldOptions.stored.attribution

  mutating func validate() throws {
    if let buckets {
      try require("--buckets", buckets, in: 1...65_536)
    } else if part == .decodeFiles || part == .decodeLines {
      throw ValidationError("--buckets is missing")
    }
  }

  /// Runs the part. It must read all input, because Spark treats a worker that ends earlier as done.
  func run() throws {
    let input = RowInput(descriptor: 0)
    do {
      guard version == WorkerProtocol.version else {
        throw WorkerFault(
          .usage,
          "--protocol is \(version), but must be \(WorkerProtocol.version): the executors have another version")
      }
      try work(input, RowOutput(descriptor: 1))
    } catch let fault as WorkerFault {
      Self.end(fault, input)
    }
  }

  private func work(_ input: RowInput, _ output: RowOutput) throws {
    switch part {
    case .decodeFiles: try decoder(input, output).runFiles()
    case .decodeLines: try decoder(input, output).runLines()
    case .fold:
      let options = FoldOptions(asOf: asOf, grace: grace, attribution: attribution)
      try FoldWorker.run(input, output, options: options, again: again)
    case .foldBuckets:
      var worker = BucketFoldWorker(input: input, output: output, options: .stored)
      try worker.run()
    case .repeats:
      var worker = RepeatsWorker(input: input, output: output, isAll: all)
      try worker.run()
    case .pick: try PickWorker.run(input, output)
    case .table: try TableWorker.run(input, output)
    case .cells: try CellWorker.run(input, output)
    }
  }

  private func decoder(_ input: RowInput, _ output: RowOutput) -> DecodeWorker {
    DecodeWorker(
      input: input, output: output, folder: FileManager.default.temporaryDirectory.path, buckets: buckets ?? 1)
  }

  /// Reports an error in one line, and exits after all input is read.
  static func end(_ fault: WorkerFault, _ input: RowInput = RowInput(descriptor: 0)) -> Never {
    FileHandle.standardError.write(Data("tollgate worker: \(ReportMarkup.shown("\(fault)"))\n".utf8))
    close(1)
    input.drain()
    Foundation.exit(fault.status.rawValue)
  }
}
