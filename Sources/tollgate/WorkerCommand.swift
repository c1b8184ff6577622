import ArgumentParser
import Cluster
import Foundation
import Lifecycle

/// What executors of a cluster run: rows come in on standard input, rows go out on standard output.
struct WorkerCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "worker", abstract: "One partition of a cluster's work, on standard input and output.",
    discussion: """
      Started by the executors of Spark for `tollgate cluster`. Rows have tabs between columns, a line feed at the end, \
      \\N for NULL and \\\\, \\t, \\n, \\r in values. The last row says how many rows came in and went out. Exit status: 0 \
      done, 64 another version's arguments, 65 wrong input, 74 input or output failed; each after all input was read, with \
      one line on standard error.
      """,
    subcommands: [Fold.self, DecodeFiles.self, DecodeLines.self])

  /// Says what is wrong in one line, and ends once all input is read.
  static func end(_ fault: WorkerFault, _ input: RowInput = RowInput(descriptor: 0)) -> Never {
    FileHandle.standardError.write(Data("tollgate worker: \(fault)\n".utf8))
    close(1)
    input.drain()
    Foundation.exit(fault.status.rawValue)
  }

  struct Options: ParsableArguments {
    @Option(name: .customLong("protocol"), help: "The version of the rows that the caller expects.")
    var version: Int

    /// Runs a worker; Spark takes one that ends before its input does for one that is done.
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

  struct Fold: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "fold", abstract: "Events sorted by app, person, ts, kind and id to facts.")

    @OptionGroup var options: Options

    @Option(help: ArgumentHelp("Events from this instant on do not exist.", valueName: "ms"))
    var asOf: Int64 = .max

    @Option(help: ArgumentHelp("Grace after a trial or a period.", valueName: "ms"))
    var grace = FoldOptions.stored.grace

    @Option(help: "Which impression gets the credit: last, first or all.")
    var attribution = FoldOptions.stored.attribution

    func run() throws {
      try options.run { input, output in
        var worker = FoldWorker(
          input: input, output: output, options: FoldOptions(asOf: asOf, grace: grace, attribution: attribution))
        try worker.run()
      }
    }
  }

  struct DecodeFiles: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "decode-files", abstract: "Whole files, in base 64, to events.")

    @OptionGroup var options: Options

    func run() throws {
      try options.run { input, output in
        try DecodeWorker(input: input, output: output, folder: FileManager.default.temporaryDirectory.path).runFiles()
      }
    }
  }

  struct DecodeLines: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "decode-lines", abstract: "Lines of JSON to events.")

    @OptionGroup var options: Options

    func run() throws {
      try options.run { input, output in
        try DecodeWorker(input: input, output: output, folder: FileManager.default.temporaryDirectory.path).runLines()
      }
    }
  }
}
