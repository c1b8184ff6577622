internal import Foundation
internal import Metrics
internal import Reports
internal import Store
internal import Synchronization

/// Values that many pages need, for one version of the store.
final class KnownFacts: Sendable {
  typealias Checks = Task<Result<Report, ReportFault>, Never>

  struct Content {
    var version: StoreVersion?
    var facts: StoreFacts?
    var checks: Checks?
    /// By the apps asked for.
    var facets: [[String]: ([Facet], [TimeMark])] = [:]
  }

  private let content = Mutex(Content())

  func of<Value>(_ version: StoreVersion, _ read: (inout Content) -> Value) -> Value {
    content.withLock { content in
      if content.version != version { content = Content(version: version) }
      return read(&content)
    }
  }

  /// The data-quality checks, made once in a thread of their own: over a large store they take seconds, and the threads
  /// of requests are few.
  func checks(of version: StoreVersion, from source: StoreReports) -> Checks {
    of(version) { content in
      if let checks = content.checks { return checks }
      let checks = Checks {
        await withCheckedContinuation { continuation in
          Thread.detachNewThread {
            continuation.resume(returning: Result { () throws(ReportFault) in try source.checks() })
          }
        }
      }
      content.checks = checks
      return checks
    }
  }
}
