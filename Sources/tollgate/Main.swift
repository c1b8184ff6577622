import ArgumentParser
import Collector
import Foundation
import Ingest
import Metrics
import Reports
import Serving
import Simulation
import Store

/// What the process ends with (cli.md).
enum ExitStatus: Int32 {
  case done = 0
  case failure = 1
  case usage = 2
  case incomplete = 3
  case store = 5
}

@main
enum Main {
  static func main() {
    // A reader that has seen enough, such as `head`, is no failure of ours.
    signal(SIGPIPE, SIG_DFL)
    do {
      var command = try Tollgate.parseAsRoot()
      try command.run()
    } catch {
      exit(report(error).rawValue)
    }
  }

  /// Says what went wrong, where, and what to do about it; returns what to end with.
  private static func report(_ error: any Error) -> ExitStatus {
    switch error {
    case let error as StoreError:
      complain("\(error)")
      return status(of: error)
    case is ReportError, is ExperimentError, is ExperimentFileError, is UnknownColumn, is InputError, is SampleError,
      is UsageError, is ReportFolderError, is RateFile.Faults, is ReplayError, is SegmentFailure,
      is AccessTokens.FileError, is Server.AddressError:
      complain("\(error)")
      return .usage
    case let code as ExitCode:
      return ExitStatus(rawValue: code.rawValue) ?? .failure
    default:
      let code = Tollgate.exitCode(for: error)
      if code == .success {
        print(Tollgate.fullMessage(for: error))
        return .done
      }
      let message = Tollgate.fullMessage(for: error)
      FileHandle.standardError.write(Data((message.isEmpty ? "Error: \(error)" : message).utf8 + [0x0A]))
      return code == .validationFailure ? .usage : .failure
    }
  }

  private static func status(of error: StoreError) -> ExitStatus {
    switch error {
    case .notFound: .usage
    case .notAStore, .newerThanProgram, .locked, .damaged: .store
    case .cannotOpen, .full, .writeFailed: .failure
    }
  }

  private static func complain(_ message: String) {
    FileHandle.standardError.write(Data("tollgate: \(message)\n".utf8))
  }
}

/// An argument that is well-formed but cannot be.
struct UsageError: Error, CustomStringConvertible {
  var description: String

  init(_ description: String) { self.description = description }
}
