import Dashboard
import Metrics
import Reports
import Store

/// Makes reports of one store for the dashboard.
struct StoreReports: ReportSource {
  /// With more variants, comparing each pair takes too long for a page.
  private static let mostVariants = 400

  let storePath: String
  /// The plans of experiments.
  let plans: [PlanFile]
  private let watch: StoreWatch

  init(storePath: String, plans: [PlanFile] = []) {
    (self.storePath, self.plans) = (storePath, plans)
    watch = StoreWatch(path: storePath)
  }

  func version() throws -> StoreVersion { try watch.version() }

  func answer(
    _ request: ReportRequest, as format: ReportFormat, deadline: ContinuousClock.Instant
  ) throws(ReportFault) -> ReportAnswer {
    do {
      try request.checkExplained()
      var request = request
      request.experiment.mostVariants = Self.mostVariants
      request.experiment.plans = plans
      request.isForPeople = format == .table
      if request.isForPeople, request.explained?.limit == nil { request.explained?.limit = ExplainCommand.page }
      let report = try Store.open(readOnly: storePath).read(until: deadline) { try request.run($0) }
      var options = RenderOptions()
      options.sort = request.sort
      options.limit = request.limit
      return ReportAnswer(report: report, format: format, options: options)
    } catch {
      throw Self.fault(error)
    }
  }

  static func fault(_ error: any Error) -> ReportFault {
    switch error {
    case StoreError.tooSlow:
      return ReportFault(.tooSlow, "it takes longer than a request may: ask for fewer apps, days or dimensions")
    case StoreError.notFound, StoreError.isFolder, StoreError.notAStore, StoreError.cannotOpen:
      return ReportFault(.storeUnavailable, Main.message(of: error))
    default: break
    }
    switch Main.status(of: error) {
    case .usage: return ReportFault(.wrongArguments, Main.message(of: error))
    case .store: return ReportFault(.storeUnavailable, Main.message(of: error))
    case .done, .failure, .incomplete, .threshold: return ReportFault(.unexpected, Main.message(of: error))
    }
  }
}
