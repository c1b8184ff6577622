import ArgumentParser
import Basics
import Cluster
import Collector
import Foundation
import Ingest
import Metrics
import Nightly
import Reports
import Serving
import Simulation
import Store

@main
enum Main {
  static func main() {
    // A reader that has seen enough, such as `head`, is no failure of ours.
    signal(SIGPIPE, SIG_DFL)
    // A limit of the size of files is an error of the write, which says where.
    signal(SIGXFSZ, SIG_IGN)
    do {
      var command = try parsed()
      try command.run()
    } catch {
      exit(report(error).rawValue)
    }
  }

  private static func parsed() throws -> any ParsableCommand {
    do {
      try CommandWords.check(Array(CommandLine.arguments.dropFirst()))
      return try Tollgate.parseAsRoot(CommandWords.withNegatives(CommandLine.arguments.dropFirst()))
    } catch  where CommandLine.arguments.dropFirst().first == "worker" && status(of: error) != .done {
      WorkerCommand.end(WorkerFault(.usage, Tollgate.message(for: error)))
    }
  }

  /// Says what went wrong, where, and what to do about it; returns what to end with.
  private static func report(_ error: any Error) -> ExitStatus {
    let status = status(of: error)
    if error is ExitCode { return status }
    if status == .done {
      print(Tollgate.fullMessage(for: error))
    } else if LogFormat.ofArguments == .json {
      LogFormat.write(.error, message(of: error))
    } else {
      let answer =
        error is any ReadableError
        ? "\(error)" : outputFailure(error) ?? WordsOfOtherTools.answer(to: Tollgate.message(for: error))
      let full =
        answer
        ?? WordsOfOtherTools.withoutFarNames(Tollgate.fullMessage(for: error).replacing(#/^Error: /#, with: ""))
      let message = ReportMarkup.shown(linesOf: "tollgate: \(full.isEmpty ? "\(error)" : full)")
      FileHandle.standardError.write(Data("\(message)\n".utf8))
    }
    return status
  }

  /// Returns the system's reason why standard output cannot be written: no other such error lacks the name of its file.
  private static func outputFailure(_ error: any Error) -> String? {
    guard let error = error as? CocoaError, error.filePath == nil,
      let cause = error.userInfo[NSUnderlyingErrorKey] as? NSError, cause.domain == NSPOSIXErrorDomain
    else { return nil }
    return "standard output: \(String(cString: strerror(Int32(cause.code))))"
  }

  static func status(of error: any Error) -> ExitStatus {
    switch error {
    case let error as StoreError:
      switch error {
      case .notFound, .isFolder, .wrongTarget: .usage
      case .notAStore, .newerThanProgram, .locked, .damaged, .beyondRepair, .sealBroken, .sealDamaged, .logBesideSeal:
        .store
      case .cannotOpen, .full, .writeFailed, .queryFailed, .tooSlow, .hasNoEvents: .failure
      }
    case ExplanationError.disagrees, is NightlyIsRunning: .store
    case is ClusterError, is WorkerFault: .failure
    case let code as ExitCode: ExitStatus(rawValue: code.rawValue) ?? .failure
    case is any ReadableError: .usage
    default:
      switch Tollgate.exitCode(for: error) {
      case .success: .done
      case .validationFailure: .usage
      default: .failure
      }
    }
  }

  /// Returns the error without the usage of the command line.
  static func message(of error: any Error) -> String {
    if error is any ReadableError { return "\(error)" }
    if let failure = outputFailure(error) { return failure }
    let message = Tollgate.message(for: error)
    return WordsOfOtherTools.answer(to: message) ?? WordsOfOtherTools.withoutFarNames(message)
  }
}
