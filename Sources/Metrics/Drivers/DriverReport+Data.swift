internal import EventModel
internal import Lifecycle
internal import Store

/// Faults of the data on the days of either side (implements definitions 10.10): they come before any driver.
extension DriverReport {
  /// Returns the days without events that the report counts, and shares of late events and rejected lines that differ
  /// between two periods.
  mutating func findings(_ app: String, _ sides: ComparedSides, _ daily: Daily) throws -> [Row] {
    guard let days = sides.wholeDays else { return [] }
    var options = ReportOptions()
    (options.apps, options.asOf) = ([app], sides.now.asOf)
    let query = try ReportQuery(snapshot, options, defaultBy: [])
    guard let known = query.apps.first else { return [] }
    let checks = try Health.arrivals(query, known)
    var rows = missingDays(app, checks, days)
    if rows.isEmpty { rows += outages(app, daily) }
    let sources = try days.map { try countedSources(query, known, $0) }
    let late = sources.map { own in
      (part: own.reduce(0) { $0 + $1.late }, whole: own.reduce(0) { $0 + $1.stamped })
    }
    if let row = difference(app, "late", "events received over 1 d late", late) { rows.append(row) }
    let lines = try snapshot.rejectedLines(of: known).filter { counts($0.event) }
    let rejected = days.map { days in lines.filter { days.contains(Int(floorDays($0.time.millisecondsSince1970))) } }
    let shares = zip(rejected, sources).map { own, sources in
      (part: own.count, whole: own.count + sources.reduce(0) { $0 + $1.events })
    }
    if var row = difference(app, "quarantine", "rejected lines", shares) {
      row.part = Self.reasons(rejected.joined().map(\.reason))
      rows.append(row)
    }
    return rows
  }

  /// Returns up to three reasons, the most frequent first.
  private static func reasons(_ reasons: [String]) -> String {
    let counts = Dictionary(reasons.map { ($0, 1) }, uniquingKeysWith: +)
    let sorted = counts.sorted { $0.value != $1.value ? $0.value > $1.value : precedesInBytes($0.key, $1.key) }
    return sorted.prefix(3).map(\.key).joined(separator: " ")
  }

  /// Returns a row for a share that differs between the sides by more than chance; `nil` if it does not.
  private func difference(
    _ app: String, _ cut: String, _ segment: String, _ shares: [(part: Int, whole: Int)]
  ) -> Row? {
    let number = ComparedNumber(before: shares[0], now: shares[1])
    guard let p = number.p, p < 0.05 else { return nil }
    var row = finding(app, cut, segment, shares[0], shares[1])
    row.p = p
    return row
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
        !Set(check.affects).isDisjoint(with: namesOfReport)
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

  /// Returns the sources that the report counts, with their events of some days.
  private func countedSources(
    _ query: ReportQuery, _ app: StoreSnapshot.App, _ days: Range<Int>
  ) throws -> [StoreSnapshot.SourceLateness] {
    let asOf = min(query.asOf(of: app), Int64(days.upperBound) * day)
    return try query.snapshot.arrivals(of: app.id, from: Int64(days.lowerBound) * day, before: asOf)
      .filter { counts(source: $0.source) }
  }

  /// The names by which checks call the report; paths count the users and events of the funnel.
  private var namesOfReport: [String] {
    HealthCheck.all + [kind.name] + (kind == .paths ? [ReportKind.funnel.name] : [])
  }

  private func counts(source: String) -> Bool {
    !Set(Health.affects(source)).isDisjoint(with: namesOfReport)
  }

  /// Whether the report counts events of this name; one that is not known might be any.
  private func counts(_ event: String) -> Bool {
    guard let kind = EventKind.inOrder.first(where: { $0.name == event }) else { return true }
    return counts(source: EventKind.families[kind.familyNumber])
  }

  func finding(
    _ app: String, _ cut: String, _ segment: String, _ before: (part: Int, whole: Int), _ now: (part: Int, whole: Int)
  ) -> Row {
    Row(
      app: app, verdict: .data, cut: cut, segment: segment, before: DriverCounts.Count(units: before.part),
      now: DriverCounts.Count(units: now.part), wholes: (before.whole, now.whole))
  }
}
