import Metrics
import Testing

extension Report {
  /// Returns the values of some columns in the rows of a verdict.
  func values(ofVerdict verdict: String, _ names: [String]) throws -> [[ReportValue]] {
    let places = try names.map { name in try #require(columns.firstIndex { $0.name == name }) }
    let place = try #require(columns.firstIndex { $0.name == "verdict" })
    return rows.filter { $0[place] == .text(verdict) }.map { row in places.map { row[$0] } }
  }
}
