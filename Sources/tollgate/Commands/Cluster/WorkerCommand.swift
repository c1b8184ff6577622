import ArgumentParser
import Cluster
import Foundation
import Lifecycle
import Reports

/// The command that a cluster's executors run: it reads rows from standard input and writes rows to standard output.
struct WorkerCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "worker",
    abstract: "Process one partition of a cluster's work from standard input to standard output.",
    discussion: """
      Started by the executors of Spark for `tollgate cluster`. Rows have tabs between columns, a line feed at the end, \
      \\N for NULL and \\\\, \\t, \\n, \\r in values. The last row says how many rows came in and went out. Exit status: 0 \
      done, 64 another version's arguments, 65 wrong input, 74 input or output failed; each after all input was read, with \
      one line on standard error.
      """,
    shouldDisplay: false,
    subcommands: [
      DecodeFiles.self, DecodeLines.self, Fold.self, FoldBuckets.self, Repeats.self, Pick.self, Table.self, Cells.self,
    ])

  /// Reports an error in one line, and exits after all input is read.
  static func end(_ fault: WorkerFault, _ input: RowInput = RowInput(descriptor: 0)) -> Never {
    FileHandle.standardError.write(Data("tollgate worker: \(ReportMarkup.shown("\(fault)"))\n".utf8))
    close(1)
    input.drain()
    Foundation.exit(fault.status.rawValue)
  }

  struct Options: ParsableArguments {
    @Option(name: .customLong("protocol"), help: "The version of the rows that the caller expects.")
    var version: Int

    /// Runs a worker. It must read all input, because Spark treats a worker that ends earlier as done.
    func run(_ work: (RowInput, RowOutput) throws -> Void) throws {
      let input = RowInput(descriptor: 0)
      do {
        guard version == WorkerProtocol.version else {
          throw WorkerFault(
            .usage,
            "--protocol is \(version), but must be \(WorkerProtocol.version): the executors have another version")
        }
        try work(input, RowOutput(descriptor: 1))
      } catch let fault as WorkerFault {
        WorkerCommand.end(fault, input)
      }
    }
  }

  /// The rules by which facts may be folded.
  struct Rules: ParsableArguments {
    @Option(help: ArgumentHelp("Leave out events from this instant on.", valueName: "ms"))
    var asOf: Int64 = .max

    @Option(help: ArgumentHelp("Days of grace after a trial or a period.", valueName: "ms"))
    var grace = FoldOptions.stored.grace

    @Option(help: "Paywall view that gets the credit: last, first or all.")
    var attribution = FoldOptions.stored.attribution

    var options: FoldOptions { FoldOptions(asOf: asOf, grace: grace, attribution: attribution) }
  }

  struct Fold: WorkerPart {
    static let configuration = CommandConfiguration(
      commandName: "fold", abstract: "Turn events sorted by app, user, ts, kind and id into packs of facts.")

    @OptionGroup var options: Options
    @OptionGroup var rules: Rules

    @Flag(help: "Read a first column that marks users folded before, and write what leaves cells.")
    var again = false

    func work(_ input: RowInput, _ output: RowOutput) throws {
      try FoldWorker.run(input, output, options: rules.options, again: again)
    }
  }

  struct FoldBuckets: WorkerPart {
    static let configuration = CommandConfiguration(
      commandName: "fold-buckets", abstract: "Turn packs of events, sorted by buckets of users, into packs of facts.")

    @OptionGroup var options: Options

    func work(_ input: RowInput, _ output: RowOutput) throws {
      var worker = BucketFoldWorker(input: input, output: output, options: .stored)
      try worker.run()
    }
  }

  struct Repeats: WorkerPart {
    static let configuration = CommandConfiguration(
      commandName: "repeats", abstract: "Find event ids that occur more than once, in numbers sorted by slice.")

    @OptionGroup var options: Options

    @Flag(help: "Also write ids that occur once.")
    var all = false

    func work(_ input: RowInput, _ output: RowOutput) throws {
      var worker = RepeatsWorker(input: input, output: output, isAll: all)
      try worker.run()
    }
  }

  struct Pick: WorkerPart {
    static let configuration = CommandConfiguration(
      commandName: "pick", abstract: "Write events of packs as rows, chosen by the numbers of their ids.")

    @OptionGroup var options: Options

    func work(_ input: RowInput, _ output: RowOutput) throws { try PickWorker.run(input, output) }
  }

  struct Cells: WorkerPart {
    static let configuration = CommandConfiguration(
      commandName: "cells", abstract: "Merge sorted cells of several builds into one row each.")

    @OptionGroup var options: Options

    func work(_ input: RowInput, _ output: RowOutput) throws { try CellWorker.run(input, output) }
  }

  struct Table: WorkerPart {
    static let configuration = CommandConfiguration(
      commandName: "table", abstract: "Write packs, sorted by table, app, month and part, as Parquet files.")

    @OptionGroup var options: Options

    func work(_ input: RowInput, _ output: RowOutput) throws { try TableWorker.run(input, output) }
  }

  struct Decoding: ParsableArguments {
    @Option(help: ArgumentHelp("Split packs of events into this many buckets of users.", valueName: "count"))
    var buckets: Int

    mutating func validate() throws {
      try require("--buckets", buckets, in: 1...65_536)
    }

    func worker(_ input: RowInput, _ output: RowOutput) -> DecodeWorker {
      DecodeWorker(
        input: input, output: output, folder: FileManager.default.temporaryDirectory.path, buckets: buckets)
    }
  }

  struct DecodeFiles: WorkerPart {
    static let configuration = CommandConfiguration(
      commandName: "decode-files", abstract: "Turn whole files, in base 64, into events.")

    @OptionGroup var options: Options
    @OptionGroup var decoding: Decoding

    func work(_ input: RowInput, _ output: RowOutput) throws { try decoding.worker(input, output).runFiles() }
  }

  struct DecodeLines: WorkerPart {
    static let configuration = CommandConfiguration(
      commandName: "decode-lines", abstract: "Turn lines of JSON into events.")

    @OptionGroup var options: Options
    @OptionGroup var decoding: Decoding

    func work(_ input: RowInput, _ output: RowOutput) throws { try decoding.worker(input, output).runLines() }
  }
}

/// A command that reads rows and writes rows.
protocol WorkerPart: ParsableCommand {
  var options: WorkerCommand.Options { get }

  func work(_ input: RowInput, _ output: RowOutput) throws
}

extension WorkerPart {
  func run() throws { try options.run(work) }
}
