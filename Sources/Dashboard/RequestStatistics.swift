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
    var lines = [
      "# HELP tollgate_http_requests_total Requests answered, by route and status.",
      "# TYPE tollgate_http_requests_total counter",
    ]
    for (route, count) in counts.requests.sorted(by: { ($0.key.path, $0.key.status) < ($1.key.path, $1.key.status) }) {
      lines.append(#"tollgate_http_requests_total{path="\#(route.path)",status="\#(route.status)"} \#(count)"#)
    }
    lines += [
      "# HELP tollgate_http_request_duration_seconds Time from a request to its answer.",
      "# TYPE tollgate_http_request_duration_seconds histogram",
    ]
    var total = 0
    for (place, count) in counts.buckets.enumerated() {
      total += count
      let bound = place < Self.bounds.count ? "\(Self.bounds[place])" : "+Inf"
      lines.append(#"tollgate_http_request_duration_seconds_bucket{le="\#(bound)"} \#(total)"#)
    }
    lines += [
      "tollgate_http_request_duration_seconds_sum \(counts.seconds)",
      "tollgate_http_request_duration_seconds_count \(total)",
      "# HELP tollgate_http_requests_in_flight Requests not answered yet.",
      "# TYPE tollgate_http_requests_in_flight gauge", "tollgate_http_requests_in_flight \(counts.underWay)",
    ]
    return lines.joined(separator: "\n") + "\n"
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
