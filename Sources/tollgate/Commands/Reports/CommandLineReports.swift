import ArgumentParser
import Dashboard
import Metrics
import Reports
import Store

/// Makes reports for the dashboard by the commands that print them, so that both say the same.
struct CommandLineReports: ReportSource {
  let storePath: String
  private let watch: StoreWatch

  init(storePath: String) {
    self.storePath = storePath
    watch = StoreWatch(path: storePath)
  }

  func version() throws -> StoreVersion { try watch.version() }

  func answer(_ arguments: [String], deadline: ContinuousClock.Instant) throws(ReportFault) -> ReportAnswer {
    do {
      guard let command = try Tollgate.parseAsRoot(arguments) as? any ReportingCommand else {
        throw ReportFault(.wrongArguments, "\(arguments.first ?? "") makes no report")
      }
      if command.knownAt != nil {
        throw ReportFault(
          .wrongArguments, "what was known at a time takes longer than a page may: ask the command line")
      }
      let make = try command.reporting()
      let store = try Store.open(readOnly: storePath)
      let (report, apps) = try store.read(until: deadline) { (try make($0), try $0.apps().map(\.name)) }
      return ReportAnswer(
        report: report, format: command.output.format, options: command.output.renderOptions(isTerminal: false),
        apps: apps)
    } catch let fault as ReportFault {
      throw fault
    } catch {
      throw Self.fault(error)
    }
  }

  private static func fault(_ error: any Error) -> ReportFault {
    if case StoreError.tooSlow = error {
      return ReportFault(.tooSlow, "it takes longer than a request may: ask for fewer apps, days or dimensions")
    }
    switch Main.status(of: error) {
    case .usage: return ReportFault(.wrongArguments, Main.message(of: error))
    case .store: return ReportFault(.storeUnavailable, Main.message(of: error))
    case .done, .failure, .incomplete, .threshold: return ReportFault(.unexpected, Main.message(of: error))
    }
  }
}
