internal import Basics
internal import EventModel
internal import Foundation
internal import Metrics
internal import Statistics
internal import Store

/// Checks whether a column of a report moved by more than a limit beyond its noise.
///
/// A column with bounds is compared between two windows of cohort days, cell by cell. The difference d of two estimates
/// has the bounds of Newcombe's tenth method, computed from the bounds of each:
///
///     d − √((p₁ − l₁)² + (u₂ − p₂)²), d + √((u₁ − p₁)² + (p₂ − l₂)²)
///
/// Both roots are stretched from 95% to the requested confidence. The column moved if the bound nearest to 0 is beyond
/// the limit. Any other column is summed by day, and the last day is compared with the days before it. It moved if it
/// lies outside the prediction interval m ± t·s·√(1 + 1/n) by more than the limit × m.
///
/// Source: Newcombe (1998), doi:10.1002/(SICI)1097-0258(19980430)17:8<873::AID-SIM779>3.0.CO;2-I.
struct MetricCheck {
  let threshold: NightlyConfig.MetricThreshold
  let night: CivilDate

  private func day(_ before: Int) -> CivilDate { CivilDate(daysSince1970: night.daysSince1970 - before) }

  /// Checks that the report can be made and has the column.
  ///
  /// - Throws: An error if either fails.
  func requireColumn(_ snapshot: StoreSnapshot) throws {
    _ = try column(of: table(snapshot, from: day(threshold.lag + threshold.days), to: day(threshold.lag), byDay: false))
  }

  /// - Returns: A finding for each cell that moved; empty if a window has no data.
  func findings(_ snapshot: StoreSnapshot) throws -> [NightlyFinding] {
    let end = threshold.lag
    let now = try table(snapshot, from: day(end + threshold.days), to: day(end), byDay: false)
    let place = try column(of: now)
    if now.columns.indices.contains(place + 1), now.columns[place + 1].kind == .low {
      let before = try table(
        snapshot, from: day(end + threshold.days + threshold.baseline), to: day(end + threshold.days), byDay: false)
      return rates(now, before, place)
    }
    return totals(try table(snapshot, from: day(end + 1 + threshold.baseline), to: day(end), byDay: true))
  }

  private func table(_ snapshot: StoreSnapshot, from: CivilDate, to: CivilDate, byDay: Bool) throws -> Report {
    var request = threshold.report
    request.options.from = from
    request.options.to = to
    if byDay { request.options.by = [.day] }
    guard let table = try request.table(snapshot) else {
      throw UsageError("\(request.kind.name): is not a report with one table")
    }
    return table
  }

  private func column(of table: Report) throws -> Int {
    guard let place = table.columns.firstIndex(where: { $0.name == threshold.column }) else {
      let names = table.columns.filter { $0.kind != .key }.map(\.name)
      throw UsageError(
        "thresholds.metrics: \(threshold.column) is not a column of \(table.name); expected one of "
          + names.joined(separator: ", ") + NearName.hint(threshold.column, in: names))
    }
    return place
  }

  private static func key(_ row: [ReportValue], _ table: Report) -> String {
    zip(row, table.columns).compactMap { value, column in
      guard column.kind == .key, case .text(let text) = value else { return nil }
      return text
    }.joined(separator: " ")
  }

  private func rates(_ now: Report, _ before: Report, _ place: Int) -> [NightlyFinding] {
    let known = Dictionary(before.rows.map { (Self.key($0, before), $0) }) { first, _ in first }
    let stretch = NormalDistribution.criticalValue(confidence: threshold.confidence) / normalQuantile975
    return now.rows.compactMap { row in
      let key = Self.key(row, now)
      func values(_ row: [ReportValue]?) -> (estimate: Double, low: Double, high: Double)? {
        guard let row, let estimate = row[place].quantityInUnits, let low = row[place + 1].quantityInUnits,
          let high = row[place + 2].quantityInUnits
        else { return nil }
        return (estimate, low, high)
      }
      guard let new = values(row), let old = values(known[key]) else { return nil }
      let moved = new.estimate - old.estimate
      let noise =
        moved > 0
        ? hypot(new.estimate - new.low, old.high - old.estimate)
        : hypot(new.high - new.estimate, old.estimate - old.low)
      guard abs(moved) - noise * stretch > threshold.moved else { return nil }
      return finding(
        key, moved,
        "was \(Self.text(old.estimate)) in the \(threshold.baseline) days before and is \(Self.text(new.estimate)) in the "
          + "\(threshold.days) days before \(day(threshold.lag)): \(Self.text(abs(moved))) \(moved > 0 ? "more" : "less"), "
          + "of which \(Self.text(noise * stretch)) can be chance")
    }
  }

  private func totals(_ table: Report) -> [NightlyFinding] {
    guard let place = try? column(of: table), let dayPlace = table.columns.firstIndex(where: { $0.name == "day" })
    else {
      return []
    }
    // Without yesterday's events users mature later; the arrival checks report that.
    let yesterday = Instant(startOf: day(1)).millisecondsSince1970
    guard table.asOf.contains(where: { $0.asOf > yesterday }) else { return [] }
    let last = day(threshold.lag + 1)
    var days: [String: [String: Double]] = [:]
    for row in table.rows {
      guard case .text(let day) = row[dayPlace], let number = row[place].quantityInUnits else { continue }
      var others = row
      others.remove(at: dayPlace)
      var shown = table
      shown.columns.remove(at: dayPlace)
      days[Self.key(others, shown), default: [:]][day, default: 0] += number
    }
    return days.sorted { precedesInBytes($0.key, $1.key) }.compactMap { key, values in
      // No data is not zero; the arrival checks report a day without a row.
      let known = (2...threshold.baseline + 1).compactMap { values[day(threshold.lag + $0).description] }
      guard known.count >= 7, let value = values[last.description] else { return nil }
      let count = Double(known.count)
      let mean = known.reduce(0, +) / count
      let variance = known.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / (count - 1)
      let critical = StudentDistribution.criticalValue(confidence: threshold.confidence, degrees: count - 1)
      let noise = critical * (variance * (1 + 1 / count)).squareRoot()
      let moved = value - mean
      guard abs(moved) - noise > threshold.moved * abs(mean) else { return nil }
      return finding(
        key, moved,
        "is \(Self.text(value)) on \(last), \(Self.text(abs(moved))) \(moved > 0 ? "more" : "less") than the mean of "
          + "the \(known.count) days before, of which \(Self.text(noise)) can be chance")
    }
  }

  private func finding(_ key: String, _ moved: Double, _ message: String) -> NightlyFinding {
    NightlyFinding(
      check: .metric, subject: "\(threshold.name) \(key)",
      message: "\(threshold.name) (\(threshold.column), \(key)): \(message)", value: moved, limit: threshold.moved)
  }

  private static func text(_ number: Double) -> String { String(format: abs(number) < 10 ? "%.4f" : "%.2f", number) }
}
