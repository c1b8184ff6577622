import EventModel
import Foundation
import Testing

@testable import Metrics

/// A forecast knows nothing from its origin on, whatever happens then.
struct BacktestLeakTests {
  private static let cut = Instant(startOf: CivilDate("2025-11-01")!).millisecondsSince1970
  private static let asOf = ["--as-of", "2026-02-01T00:00:00Z"]
  /// The columns known at the origin; the others are about what came.
  private static let known =
    "trials purchases predicted predicted_with_trials predicted_without_trials predicted_low predicted_high "
    + "fit_low fit_high predicted_fit baseline_km baseline_ratio scores method"

  private struct Event {
    var ts: Int64
    var line: String
  }

  private static func event(_ id: String, _ kind: String, _ ts: Int64, _ user: String, _ more: String) -> Event {
    let instant = Instant(millisecondsSince1970: ts).description
    return Event(
      ts: ts,
      line: #"{"event_id":"\#(id)","event":"\#(kind)","ts":"\#(instant)","app":"steps","user_id":"\#(user)"\#(more)}"#)
  }

  private static func terms(_ plan: String, _ price: String) -> String {
    #","product_id":"\#(plan)","plan":"\#(plan)","price":"\#(price)","currency":"USD","subscription_id":"s""#
  }

  /// 240 users who buy one after the other, most of them monthly, and renew with a chance that differs between them; and one
  /// trial a day, of which each third is cancelled on its second day, and two of five of the others pay once, at the end.
  private static func lives() -> [Event] {
    var random = CounterRandom(state: 5)
    var events: [Event] = []
    for user in 0..<240 {
      let plan = user % 4 == 0 ? "yearly" : "monthly"
      let price = plan == "yearly" ? "60" : "10"
      let start = Instant(startOf: CivilDate("2024-01-02")!).millisecondsSince1970 + Int64(user) * 2 * 86_400_000
      let stays = 0.6 + 0.4 * random.next()
      for payment in 0..<30 {
        let ts = Instant(millisecondsSince1970: start).addingMonths(payment * (plan == "yearly" ? 12 : 1))
          .millisecondsSince1970
        if ts >= Instant(startOf: CivilDate("2026-01-31")!).millisecondsSince1970 { break }
        if payment > 0, random.next() > stays { break }
        events.append(
          event(
            "\(user)-\(payment)", payment == 0 ? "conversion" : "renewal", ts, "u\(user)",
            terms(plan, price).replacing(#""s""#, with: #""s\#(user)""#)))
      }
    }
    let first = Instant(rfc3339: "2024-01-02T06:00:00Z")!.millisecondsSince1970
    for user in 0..<700 {
      let start = first + Int64(user) * 86_400_000
      func add(_ kind: String, days: Int64, _ more: String) {
        let own = terms("monthly", "10").replacing(#""s""#, with: #""t\#(user)""#)
        events.append(event("t\(kind)\(user)", kind, start + days * 86_400_000, "t\(user)", own + more))
      }
      add("trial_start", days: 0, #","trial_days":7"#)
      if user % 3 == 0 {
        add("cancellation", days: 1, "")
      } else if random.next() < 0.4 {
        add("conversion", days: 7, "")
      }
    }
    return events
  }

  /// Drops renewals, doubles prices, gives money back that was paid before, joins users, and sells more.
  private static func changed(_ events: [Event]) -> [Event] {
    var changed = events.filter { $0.ts < cut }
    for (place, event) in events.enumerated() where event.ts >= cut && place % 3 > 0 {
      changed.append(
        Event(ts: event.ts, line: event.line.replacing(#""price":"10""#, with: #""price":"20""#)))
    }
    for user in 0..<20 {
      changed.append(
        event(
          "back\(user)", "refund", cut + Int64(user), "u\(user)",
          #","subscription_id":"s\#(user)","price":"3","currency":"USD""#))
      changed.append(
        event("join\(user)", "identify", cut + 1, "u\(user)", #","previous_user_id":"u\#(user + 50)""#))
      changed.append(
        event("new\(user)", "conversion", cut + Int64(user) * 1000, "n\(user)", terms("monthly", "90")))
    }
    return changed
  }

  private static func rows(_ lines: [String], upTo last: String = "2025-11-01") throws -> [String] {
    let store = try TestStore(lines: lines)
    let table = try Table(csv: store.csv("ltv", ["--by", "plan", "--backtest", "month"] + asOf))
    return table.rows.filter { $0[3] <= last }.map { row in
      "\(row[..<6].joined(separator: " ")): " + table.cells(known, of: row[0], row[1], row[2], row[3], row[4], row[5])
    }
  }

  @Test func laterEventsChangeNoForecast() throws {
    let lives = Self.lives()
    let rows = try Self.rows(lives.map(\.line))
    #expect(try Self.rows(Self.changed(lives).map(\.line)) == rows)
    // The test has something to tell: ranges of earlier errors, and both plans.
    #expect(rows.contains { $0.hasSuffix("own") })
    #expect(rows.contains { $0.contains(" yearly ") })
    #expect(rows.contains { $0.contains(" 2025-11-01 ") })
    // The forecasts of that day have open trials.
    #expect(rows.contains { $0.contains(" monthly USD 2025-11-01 active 30: ") && !$0.contains(" 30: 0 ") })
  }

  /// Forecasts that know the changed events, those of December 1, are not the same: a leak into those of November 1 would show.
  @Test func aLeakIsCaught() throws {
    let lives = Self.lives()
    let rows = try Self.rows(lives.map(\.line), upTo: "2025-12-01")
    let others = try Self.rows(Self.changed(lives).map(\.line), upTo: "2025-12-01")
    let leaked = zip(rows, others).filter { $0 != $1 }.map(\.0)
    #expect(!leaked.isEmpty && leaked.allSatisfy { $0.contains(" 2025-12-01 ") })
    #expect(leaked.contains { $0.contains(" monthly USD 2025-12-01 active 30:") })
  }

  /// Events of October that are received in November are not known on November 1.
  @Test func lateEventsChangeNoForecast() throws {
    func received(_ event: Event, after delay: Int64) -> String {
      let instant = Instant(millisecondsSince1970: event.ts + delay).description
      return event.line.replacing("}", with: #","received_at":"\#(instant)"}"#)
    }
    let lives = Self.lives()
    let late = Self.cut - 11 * 86_400_000
    func lines(_ isKept: (Int) -> Bool) -> [String] {
      lives.enumerated().compactMap { place, event in
        let isLate = event.ts >= late && event.ts < Self.cut && place % 2 == 0
        if isLate { return isKept(place) ? received(event, after: 20 * 86_400_000) : nil }
        return received(event, after: 1000)
      }
    }
    let rows = try Self.rows(lines { _ in true })
    #expect(try Self.rows(lines { $0 % 4 > 0 }) == rows)
    #expect(try Self.rows(lives.map(\.line)) != rows)
  }

  /// The ranges follow from the printed forecasts and what came, by the rules of LTV.md written again: |ln| of earlier
  /// ones whose 30 + 3 days had passed, the ⌈(k + 1)(1 − α)⌉-th smallest, α from 0.1 by 0.02 · (0.1 − miss).
  @Test func rangesAreMadeOfErrorsKnownAtTheOrigin() throws {
    let store = try TestStore(lines: Self.lives().map(\.line))
    let table = try Table(csv: store.csv("ltv", ["--by", "plan", "--backtest", "month"] + Self.asOf))
    let rows = table.rows.filter { $0[1] == "monthly" && $0[3] != "all" && $0[4...5] == ["active", "30"] }
    var alpha = 0.1
    var taken = 0
    var scores: [Double] = []
    var compared = 0
    for row in rows {
      let day = try #require(CivilDate(row[3])).daysSince1970
      while taken < rows.count, try #require(CivilDate(rows[taken][3])).daysSince1970 + 33 <= day {
        defer { taken += 1 }
        guard let predicted = table.number("predicted", in: rows[taken]),
          let actual = table.number("actual", in: rows[taken])
        else { continue }
        scores.append(abs(log(actual / predicted)))
        if let inside = table.columns.firstIndex(of: "inside"), !rows[taken][inside].isEmpty {
          alpha = min(0.3, max(0.02, alpha + 0.02 * (0.1 - (rows[taken][inside] == "no" ? 1 : 0))))
        }
      }
      guard let predicted = table.number("predicted", in: row), scores.count >= Int((1 / alpha - 1e-9).rounded(.up)) - 1
      else { continue }
      let rank = Int(((Double(scores.count) + 1) * (1 - alpha) - 1e-9).rounded(.up))
      let width = exp(scores.sorted()[rank - 1])
      let (low, high) = (table.number("predicted_low", in: row), table.number("predicted_high", in: row))
      #expect(abs(try #require(high) - predicted * width) < 0.03, "\(row)")
      #expect(abs(try #require(low) - predicted / width) < 0.03, "\(row)")
      compared += 1
    }
    #expect(compared >= 5)
  }
}

/// The generator of Knuth's MMIX.
private struct CounterRandom {
  var state: UInt64

  /// From 0 to 1.
  mutating func next() -> Double {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return Double(state >> 11) / 9_007_199_254_740_992
  }
}
