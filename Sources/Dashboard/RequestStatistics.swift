internal import Basics
internal import Hummingbird
internal import Synchronization

/// How many requests there were and how long they took, for Prometheus.
final class RequestStatistics: Sendable {
  private struct Route: Hashable {
    var path: String
    var status: Int
  }

  private struct Counts {
    var requests: [Route: Int] = [:]
    var buckets = [Int](repeating: 0, count: RequestStatistics.bounds.count + 1)
    var seconds = 0.0
    var underWay = 0
  }

  /// Seconds.
  private static let bounds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

  private let counts = Mutex(Counts())

  func begin() { counts.withLock { $0.underWay += 1 } }

  /// - Parameter path: Of the route and not of the request, so that there are only so many.
  func end(path: String, status: Int, seconds: Double) {
    counts.withLock { counts in
      counts.underWay -= 1
      counts.requests[Route(path: path, status: status), default: 0] += 1
      counts.seconds += seconds
      counts.buckets[Self.bounds.firstIndex { seconds <= $0 } ?? Self.bounds.count] += 1
    }
  }

  /// The exposition format 0.0.4.
  var text: String {
    let counts = counts.withLock { $0 }
    var metrics = PrometheusText()
    metrics.begin("tollgate_http_requests_total", .counter, help: "Requests answered, by route and status.")
    for (route, count) in counts.requests.sorted(by: { ($0.key.path, $0.key.status) < ($1.key.path, $1.key.status) }) {
      metrics.add("tollgate_http_requests_total", count, ["path": route.path, "status": String(route.status)])
    }
    let duration = "tollgate_http_request_duration_seconds"
    metrics.begin(duration, .histogram, help: "Time from a request to its answer.")
    var total = 0
    for (place, count) in counts.buckets.enumerated() {
      total += count
      let bound = place < Self.bounds.count ? "\(Self.bounds[place])" : "+Inf"
      metrics.add("\(duration)_bucket", total, ["le": bound])
    }
    metrics.add("\(duration)_sum", counts.seconds)
    metrics.add("\(duration)_count", total)
    metrics.begin("tollgate_http_requests_in_flight", .gauge, help: "Requests not answered yet.")
    metrics.add("tollgate_http_requests_in_flight", counts.underWay)
    return metrics.text
  }
}

/// Counts requests.
struct StatisticsMiddleware: RouterMiddleware {
  typealias Context = BasicRequestContext

  let statistics: RequestStatistics

  func handle(
    _ request: Request, context: Context, next: (Request, Context) async throws -> Response
  ) async throws -> Response {
    let started = ContinuousClock.now
    statistics.begin()
    var status = 500
    defer {
      statistics.end(
        path: context.endpointPath ?? "other", status: status, seconds: (ContinuousClock.now - started) / .seconds(1))
    }
    let response = try await next(request, context)
    status = response.status.code
    return response
  }
}
