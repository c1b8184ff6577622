import EventModel
import Foundation
import Reports
import Testing

@testable import Metrics

/// The ranges of `ltv` and `value` from errors of earlier forecasts.
struct TestedRangesTests {
  private static func line(_ id: String, _ kind: String, _ ts: Int64, _ user: Int, _ more: String) -> String {
    let instant = Instant(millisecondsSince1970: ts).description
    return
      #"{"event_id":"\#(id)","event":"\#(kind)","ts":"\#(instant)","app":"steps","user_id":"u\#(user)"\#(more)}"#
  }

  /// 40 users see a paywall and buy a month for 10 on the fifth of each month from January 2024 to February 2026. Of those of a
  /// month, 40 ÷ (1 + a · n) pay n times more; a is 0.3 to 0.55, as the months take turns.
  private static let lines: [String] = {
    let first = Instant(startOf: CivilDate("2024-01-05")!)
    let end = Instant(startOf: CivilDate("2026-03-05")!).millisecondsSince1970
    let terms = #","product_id":"m","plan":"monthly","price":"10","currency":"USD","entry_point":"home""#
    var lines: [String] = []
    for month in 0..<26 {
      let leaving = 0.3 + 0.05 * Double((month * 5) % 6)
      for payment in 0..<26 {
        let ts = first.addingMonths(month + payment).millisecondsSince1970
        if ts >= end { break }
        for place in 0..<Int((40 / (1 + leaving * Double(payment))).rounded()) {
          let user = month * 40 + place
          if payment == 0 {
            lines.append(line("i\(user)", "paywall_impression", ts - 1000, user, #","entry_point":"home""#))
          }
          lines.append(line("\(user)-\(payment)", payment == 0 ? "conversion" : "renewal", ts, user, terms))
        }
      }
    }
    return lines
  }()
  private static let store = Result { try TestStore(lines: lines) }

  private static func table(_ report: String, _ more: String...) throws -> Table {
    try Table(csv: store.get().csv(report, more))
  }

  /// Nobody is joined and no event is late, so what is known now of earlier days is what was known then: the range is that of
  /// `--backtest`, which makes each forecast from the events before its origin.
  @Test func theRangeOfLtvIsThatOfTheBacktest() throws {
    for by in ["plan", "none"] {
      let plain = try #require(try Self.table("ltv", "--by", by).rows.first)
      let tested = try Self.table("ltv", "--by", by, "--backtest", "month")
      let own = try Self.table("ltv", "--by", by)
      let now = try #require(tested.rows.last { $0.contains("new") && $0.contains("2026-02-05") })
      for (name, other) in [("", "predicted"), ("_low", "predicted_low"), ("_high", "predicted_high")] {
        let range = try #require(own.number("tested_ltv_12m\(name)", in: plain))
        #expect(range == tested.number(other, in: now), "\(by) \(other)")
      }
      #expect(own.number("tested_errors", in: plain) == tested.number("scores", in: now))
      #expect(own.number("tested_ltv_12m", in: plain) == own.number("predicted_ltv_12m", in: plain))
    }
  }

  /// A fit needs the chances of two renewals, so the first forecast is of April 1, 2024, known 336 + 3 days later. The ninth
  /// is of December 1, known from November 5, 2025 on.
  @Test func thereIsNoRangeBeforeTheNinthError() throws {
    func cells(_ day: String) throws -> String {
      let table = try Self.table("ltv", "--by", "plan", "--as-of", "\(day)T00:00:00Z")
      let number = table.cells("tested_errors", of: "steps", "monthly", "USD")
      return table.cells("tested_ltv_12m tested_ltv_12m_low", of: "steps", "monthly", "USD") == "- -"
        ? number : "has \(number)"
    }
    #expect(try cells("2025-11-04") == "0")
    #expect(try cells("2025-11-05") == "has 9")
  }

  /// Viewers from November on have four months, so their 12 months are predicted. The range has the ratio of `ltv` to the
  /// forecast, in proceeds as in net where nothing is refunded or kept, unless the chance in their counts makes it wider.
  @Test func theRangeOfValueIsThatOfTheApp() throws {
    let ltv = try Self.table("ltv", "--by", "none")
    let value = try Self.table("value", "--by", "none", "--mode", "net", "--from", "2025-11-01")
    let (all, row) = (try #require(ltv.rows.first), try #require(value.rows.first))
    #expect(
      value.cells("basis_12 tested_errors", of: "steps") == "predicted \(ltv.cells("tested_errors", of: "steps"))")
    func number(_ table: Table, _ name: String, _ row: [String]) throws -> Double {
      try #require(table.number(name, in: row), "\(name)")
    }
    let forecast = try number(value, "tested_value_12", row)
    #expect(try forecast == number(value, "value_12", row))
    let ratio = try number(ltv, "tested_ltv_12m_high", all) / number(ltv, "tested_ltv_12m", all)
    let high = try max(forecast * ratio, number(value, "value_12_high", row))
    let low = try min(forecast / ratio, number(value, "value_12_low", row))
    #expect(abs(try number(value, "tested_value_12_high", row) - high) < 0.02)
    #expect(abs(try number(value, "tested_value_12_low", row) - low) < 0.02)
  }

  /// All 12 months of all viewers are seen, so nothing is forecast.
  @Test func seenValuesHaveNoRange() throws {
    let value = try Self.table("value", "--by", "none")
    #expect(value.cells("basis_12 tested_value_12 tested_errors", of: "steps") == "seen - 0")
  }

  /// People see the forecast with that range once there is one, and no forecast before.
  @Test func theTableShowsTheRangeOnceItExists() throws {
    func text(_ asOf: String) throws -> String {
      try render(Self.store.get().report("ltv", ["--by", "plan", "--as-of", asOf]), as: .table)
    }
    let row = try #require(try Self.table("ltv", "--by", "plan").rows.first)
    let table = try Self.table("ltv", "--by", "plan")
    let numbers = try ["", "_low", "_high"].map {
      String(format: "%.2f", try #require(table.number("tested_ltv_12m\($0)", in: row)))
    }
    let later = try text("2026-02-05T00:00:00.001Z")
    #expect(later.contains("\(numbers[0])  \(numbers[1]) to \(numbers[2])"), "\(later)")
    #expect(later.contains("comes from the errors of earlier forecasts"))
    #expect(!later.contains("cover only chance"))
    #expect(try !text("2025-10-01T00:00:00Z").contains("predicted"))
  }
}
