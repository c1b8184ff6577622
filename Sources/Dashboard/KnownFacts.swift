internal import Foundation
internal import Metrics
internal import Reports
internal import Store
internal import Synchronization

/// Values that many pages need, for one version of the store.
final class KnownFacts: Sendable {
  /// A result that many requests wait for.
  typealias Shared<Made: Sendable> = Task<Result<Made, ReportFault>, Never>

  /// The most apps and time zones whose ``Content/standing`` is kept.
  private static let mostStanding = 64

  struct Content {
    var version: StoreVersion?
    var facts: StoreFacts?
    var checks: Shared<Report>?
    /// By the time zone and the apps asked for.
    var standing: [[String]: Shared<HomeReports.Standing>] = [:]
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
  func checks(of version: StoreVersion, from source: StoreReports) -> Shared<Report> {
    of(version) { content in
      if let checks = content.checks { return checks }
      let checks = Shared<Report> {
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

  /// The reports of the overview that are the same for all days, made once for the same apps and time zone.
  func standing(
    _ apps: [String], timeZone: String, of version: StoreVersion,
    _ make: @escaping @Sendable () async -> Result<HomeReports.Standing, ReportFault>
  ) -> Shared<HomeReports.Standing> {
    let key = [timeZone] + apps
    return of(version) { content in
      if let standing = content.standing[key] { return standing }
      if content.standing.count >= Self.mostStanding { content.standing = [:] }
      let standing = Shared<HomeReports.Standing> {
        let made = await make()
        // The next request tries again.
        if case .failure = made {
          self.content.withLock { if $0.version == version { $0.standing[key] = nil } }
        }
        return made
      }
      content.standing[key] = standing
      return standing
    }
  }
}
