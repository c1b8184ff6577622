internal import Foundation
internal import Metrics
internal import Reports
internal import Synchronization

/// Threads that make reports: as many at once as there are cores, and only so many waiting, so that no crowd of requests
/// takes more memory or time than the machine has.
final class ReportWorkers: Sendable {
  private static let mostWaiting = 64

  private let source: StoreReports
  private let limit: Duration
  private let queue: OperationQueue
  private let waiting = Mutex(0)

  /// - Parameter limit: The longest time of a request, waiting included.
  init(_ source: StoreReports, limit: Duration) {
    self.source = source
    self.limit = limit
    queue = OperationQueue()
    queue.maxConcurrentOperationCount = max(2, ProcessInfo.processInfo.activeProcessorCount)
  }

  func answer(_ request: ReportRequest, as format: ReportFormat = .table) async throws(ReportFault) -> ReportAnswer {
    try await answers(request, as: format) { _ in [] }[0]
  }

  /// See ``StoreReports/answers(_:as:deadline:and:)``.
  func answers(
    _ request: ReportRequest, as format: ReportFormat = .table,
    and more: @escaping @Sendable (FinishedReport) -> [ReportRequest]
  ) async throws(ReportFault) -> [ReportAnswer] {
    try await made { source, deadline throws(ReportFault) in
      try source.answers(request, as: format, deadline: deadline, and: more)
    }
  }

  /// Returns the first table of an answer; `nil` if there is none.
  func table(_ request: ReportRequest) async -> Report? { try? await answer(request).report.firstTable }

  /// Runs the closure on one of the threads, within the deadline.
  func made<Made: Sendable>(
    _ make: @escaping @Sendable (StoreReports, ContinuousClock.Instant) throws(ReportFault) -> Made
  ) async throws(ReportFault) -> Made {
    let isTaken = waiting.withLock { waiting in
      if waiting >= Self.mostWaiting { return false }
      waiting += 1
      return true
    }
    guard isTaken else { throw ReportFault(.storeUnavailable, "too many requests are waiting; try again") }
    let deadline = ContinuousClock.now + limit
    let result: Result<Made, ReportFault> = await withCheckedContinuation { continuation in
      queue.addOperation { [source] in
        let result = Result { () throws(ReportFault) in
          if ContinuousClock.now > deadline {
            throw ReportFault(.tooSlow, "it waited longer than the time limit; try again")
          }
          return try make(source, deadline)
        }
        self.waiting.withLock { $0 -= 1 }
        continuation.resume(returning: result)
      }
    }
    return try result.get()
  }
}
