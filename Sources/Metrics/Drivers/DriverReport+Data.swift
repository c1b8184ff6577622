internal import Lifecycle
internal import Store

/// Faults of the data on the days of either side (definitions 10.10): they come before any driver.
extension DriverReport {
  /// Returns the days without events that the report counts, and shares of late events that differ between two periods.
  func findings(_ app: String, _ sides: ComparedSides) throws -> [Row] {
    guard sides.before.first != sides.now.first, let first = sides.before.first, let end = sides.before.end,
      let from = sides.now.first, let to = sides.now.end
    else { return [] }
    var options = ReportOptions()
    (options.apps, options.asOf) = ([app], sides.now.asOf)
    let query = try ReportQuery(snapshot, options, defaultBy: [])
    guard let known = query.apps.first else { return [] }
    // A day of the last hours may still get its events.
    let newest = Int(floorDays(query.asOf(of: known) - 1))
    let days = [first..<end, from..<min(max(from, newest), to)]
    let checks = try Health.arrivals(query, known)
    var rows = missingDays(app, checks, days)
    let late = try days.map { try lateEvents(query, known, $0) }
    let number = ComparedNumber(before: late[0], now: late[1])
    if let p = number.p, p < 0.05 {
      var row = finding(app, "late", "events received over 1 d late", late[0], late[1])
      row.p = p
      rows.append(row)
    }
    return rows
  }

  /// Says that users were not split between the arms as planned.
  func findings(_ arms: ExperimentArms) -> [Row] {
    guard arms.isSampleRatioOff else { return [] }
    var row = finding(
      arms.app, "sample_ratio", "users not split as planned", (arms.before.units, 0), (arms.now.units, 0))
    row.part = "p < \(ExperimentHealth.alpha)"
    return [row]
  }

  private func missingDays(_ app: String, _ checks: [HealthCheck], _ days: [Range<Int>]) -> [Row] {
    var known: Set<Int> = []
    return checks.compactMap { check in
      guard check.severity == .warning, !check.expectsCases,
        !Set(check.affects).isDisjoint(with: HealthCheck.all + [kind.name])
      else {
        return nil
      }
      // Those of the whole app come first.
      var own = check
      own.days = check.days.filter { day in !known.contains(day) && days.contains { $0.contains(day) } }
      known.formUnion(own.days)
      if own.days.isEmpty { return nil }
      let (before, now) = (own.days.count { days[0].contains($0) }, own.days.count { days[1].contains($0) })
      var row = finding(app, "days", check.name, (before, days[0].count), (now, days[1].count))
      row.part = own.daysText
      return row
    }
  }

  /// Returns the events of some days received more than a day late, of those with `received_at`.
  private func lateEvents(
    _ query: ReportQuery, _ app: StoreSnapshot.App, _ days: Range<Int>
  ) throws -> (part: Int, whole: Int) {
    let asOf = min(query.asOf(of: app), Int64(days.upperBound) * day)
    return try query.snapshot.arrivals(of: app.id, from: Int64(days.lowerBound) * day, before: asOf)
      .filter { !Set(Health.affects($0.source)).isDisjoint(with: HealthCheck.all + [kind.name]) }
      .reduce((0, 0)) { ($0.0 + $1.late, $0.1 + $1.stamped) }
  }

  private func finding(
    _ app: String, _ cut: String, _ segment: String, _ before: (part: Int, whole: Int), _ now: (part: Int, whole: Int)
  ) -> Row {
    var row = Row(
      app: app, verdict: .data, before: DriverCells.Count(units: before.part),
      now: DriverCells.Count(units: now.part))
    (row.cut, row.segment) = (cut, segment)
    row.wholes = (before.whole, now.whole)
    return row
  }
}
