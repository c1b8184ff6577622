import Testing

@testable import Dashboard

@Suite struct RequestStatisticsTests {
  /// Prometheus, "Text-based format": buckets are cumulative, and the last one contains all requests.
  @Test func theTextIsThatOfPrometheus() {
    let statistics = RequestStatistics()
    for seconds in [0.001, 0.005, 0.02, 3, 100] {
      statistics.begin()
      statistics.end(path: "/reports/{name}", status: seconds > 50 ? 503 : 200, seconds: seconds)
    }
    statistics.begin()
    let lines = Set(statistics.text.split(separator: "\n").map(String.init))
    for line in [
      #"tollgate_http_requests_total{path="/reports/{name}",status="200"} 4"#,
      #"tollgate_http_requests_total{path="/reports/{name}",status="503"} 1"#,
      #"tollgate_http_request_duration_seconds_bucket{le="0.005"} 2"#,
      #"tollgate_http_request_duration_seconds_bucket{le="0.025"} 3"#,
      #"tollgate_http_request_duration_seconds_bucket{le="5.0"} 4"#,
      #"tollgate_http_request_duration_seconds_bucket{le="+Inf"} 5"#, "tollgate_http_request_duration_seconds_count 5",
      "tollgate_http_requests_in_flight 1",
    ] { #expect(lines.contains(line), "\(line)") }
  }
}
