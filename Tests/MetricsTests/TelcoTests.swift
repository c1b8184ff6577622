import FolderSupport
import Foundation
import Testing

/// 7,032 real customers by contract (public data), with one monthly spell each, still active or ended by 2026-07-01.
struct TelcoTests {
  private static let file = "data/public/events/telco.jsonl.zst"
  private static let months = [1, 2, 3, 6, 12, 24]
  /// Days between the months' ends.
  private static let days = [35, 65, 95, 185, 370, 730]

  /// lifelines 0.30.3, `KaplanMeierFitter().fit(duration, churn).predict(month)` on the table. `duration` is the tenure
  /// in months for customers who left, and the completed months, one less, for customers still in their last month.
  private static let lifelines: [String: [Double]] = [
    "month_to_month": [
      0.8959189263215547, 0.8616348687361954, 0.8341234293132326, 0.7773124628308039, 0.6934307348701072,
      0.5750690405726904,
    ],
    "one_year": [
      1.0, 0.9986301369863014, 0.9986301369863014, 0.9972474690278794, 0.9907316914425158, 0.9780409139695996,
    ],
    "two_year": [1.0, 1.0, 1.0, 1.0, 1.0, 1.0],
  ]

  @Test(.enabled(if: SharedFolder.isTried(file), "\(SharedFolder.absence(of: file))"))
  func monthlySurvivalByContractIsThatOfLifelines() throws {
    let store = try TestStore(paths: [SharedFolder.url(of: Self.file).path])
    let common = ["--by", "entry_point", "--as-of", "2026-07-01T00:00:00Z", "--at"]
    let byDays = try store.report("retention", common + [Self.days.map(String.init).joined(separator: ",")])
    let byPeriod = try store.report(
      "retention", common + [Self.months.map { String($0 + 1) }.joined(separator: ","), "--by-period"])
    for (contract, expected) in Self.lifelines {
      for (place, month) in Self.months.enumerated() {
        #expect(
          isClose(byDays.rate("survival_\(Self.days[place])", of: contract), expected[place]), "\(contract) \(month)")
        #expect(isClose(byPeriod.rate("survival_\(month + 1)", of: contract), expected[place]), "\(contract) \(month)")
      }
    }
    // lifelines' `confidence_interval_`, exponential Greenwood, at 12 months.
    #expect(isClose(byDays.rate("survival_370_low", of: "month_to_month"), 0.6772495968704452))
    #expect(isClose(byDays.rate("survival_370_high", of: "month_to_month"), 0.7089835278902792))
  }

  private func isClose(_ value: Double?, _ expected: Double) -> Bool {
    value.map { abs($0 - expected) < 1e-9 } ?? false
  }
}
