internal import EventModel

/// Events on the days of a change that may be behind it: new app versions, experiments, prices and offers, and notes on
/// days of either side (implements definitions 10.8). They say where to look, and are not causes.
extension DriverReport {
  /// A segment that was found, among the units that earlier ones left.
  typealias FoundDriver = (table: DriverCounts, driver: DriverSearch.Found)

  /// - Parameters:
  ///   - all: The units of both sides.
  ///   - found: The segments found, in order.
  mutating func suspects(
    _ app: String, _ sides: ComparedSides, _ all: DriverCounts, _ found: [FoundDriver]
  ) throws -> [Row] {
    let drivers = found.filter { $0.driver.p <= question.level }
    var rows: [Row] = []
    // Payments are searched without their version, but a new one may be behind their change.
    let ofVersions =
      money == nil || isOfMovements || compared != nil || !question.cuts.isEmpty
      ? all
      : DriverCounts(
        [.appVersion], before: try units(sides.before.options, by: [.appVersion])[app]?.rows ?? [],
        now: try units(sides.now.options, by: [.appVersion])[app]?.rows ?? [])
    let versions = compared == nil ? newVersions(ofVersions) : []
    let days = versions.isEmpty ? [:] : try firstDays(of: .appVersion, sides.now)
    // Days between the two sides may have had a version already.
    let first = sides.before.end == sides.now.first ? nil : sides.now.first
    let unclear = first.map { CivilDate(daysSince1970: $0).description }
    for (version, segment) in versions {
      let name = "\(Dimension.appVersion.name)=\(version)"
      let day = days[version] == unclear ? nil : days[version]
      var row = Row(
        app: app, verdict: .suspect, cut: Dimension.appVersion.name, segment: name, part: day ?? "",
        before: segment.before, now: segment.now)
      var place = drivers.firstIndex { Self.names(of: $0).contains(name) }
      // A driver may be the version on one platform alone.
      if place == nil, let part = drivers.firstIndex(where: { Self.isOf(.appVersion, version, $0) }) {
        let (table, driver) = drivers[part]
        (row.cut, row.segment) = (table.name(cut: driver.segment.cut), table.name(driver.segment))
        (row.before, row.now, place) = (driver.before, driver.now, part)
      }
      row.mark(place, drivers)
      rows.append(row)
    }
    rows += try changes(app, sides, drivers)
    for note in question.notes where note.isOf(app) {
      let (before, now) = (try touched(note, sides.before), try touched(note, sides.now))
      if before == nil, now == nil { continue }
      var row = Row(
        app: app, verdict: .suspect, cut: "note", segment: note.text, part: note.words,
        before: Self.count(before ?? []), now: Self.count(now ?? []))
      let place = drivers.firstIndex { one in
        !Self.names(of: one).isDisjoint(with: note.tags) || isOfSameUnits(one, before ?? [], now ?? [])
      }
      row.mark(place, drivers)
      rows.append(row)
    }
    return rows
  }

  /// App versions that nobody had before.
  private func newVersions(_ table: DriverCounts) -> [(String, (before: DriverCounts.Count, now: DriverCounts.Count))] {
    guard let place = table.dimensions.firstIndex(of: .appVersion) else { return [] }
    var counts: [Int: (before: DriverCounts.Count, now: DriverCounts.Count)] = [:]
    for stratum in table.strata {
      let known = counts[stratum.values[place]] ?? (DriverCounts.Count(), DriverCounts.Count())
      counts[stratum.values[place]] = (known.before + stratum.before, known.now + stratum.now)
    }
    return counts.sorted { $0.key < $1.key }.filter {
      $0.value.before.units == 0 && $0.value.now.units >= DriverSearch.fewestUnits
    }.map { (table.values[place][$0.key], $0.value) }
  }

  /// Returns the first day with units of each value of a dimension.
  private mutating func firstDays(of dimension: Dimension, _ side: ComparedSides.Side) throws -> [String: String] {
    let rows = try units(side.options, by: [dimension, .day]).values.flatMap(\.rows).filter { $0.count.units > 0 }
    return Dictionary(rows.map { ($0.values[0], $0.values[1]) }, uniquingKeysWith: min)
  }

  /// Returns the units of one side on the days of a note; `nil` where the side has none of them.
  private mutating func touched(_ note: DayNote, _ side: ComparedSides.Side) throws -> [DriverCounts.Row]? {
    let first = max(note.days.lowerBound, side.first ?? .min)
    let end = min(note.days.upperBound, side.end ?? .max)
    guard first < end else { return nil }
    var options = side.options
    (options.from, options.to) = (CivilDate(daysSince1970: first), CivilDate(daysSince1970: end))
    return try units(options, by: dimensions).values.flatMap(\.rows)
  }

  static func count(_ rows: [DriverCounts.Row]) -> DriverCounts.Count {
    rows.reduce(DriverCounts.Count()) { $0 + $1.count }
  }

  /// The segment's name and those of its aliases.
  static func names(of found: FoundDriver) -> Set<String> {
    Set(([found.driver.segment] + found.driver.aliases).map(found.table.name))
  }

  /// Returns whether a segment's units all have a value.
  private static func isOf(_ dimension: Dimension, _ value: String, _ found: FoundDriver) -> Bool {
    zip(found.driver.segment.cut, found.driver.segment.values).contains { place, own in
      found.table.dimensions[place] == dimension && found.table.values[place][own] == value
    }
  }

  /// Returns whether some units are those of a segment, all of them and no others.
  func isOfSameUnits(_ found: FoundDriver, _ before: [DriverCounts.Row], _ now: [DriverCounts.Row]) -> Bool {
    (before + now).allSatisfy { $0.count.units == 0 || isIn(found, $0) } && hasAllUnits(found, before, now)
  }

  /// Returns whether the units of a segment are all among some units.
  func hasAllUnits(_ found: FoundDriver, _ before: [DriverCounts.Row], _ now: [DriverCounts.Row]) -> Bool {
    func units(_ rows: [DriverCounts.Row]) -> Int { rows.reduce(0) { $0 + (isIn(found, $1) ? $1.count.units : 0) } }
    return units(before) == found.driver.before.units && units(now) == found.driver.now.units
  }

  private func isIn(_ found: FoundDriver, _ row: DriverCounts.Row) -> Bool {
    zip(found.driver.segment.cut, found.driver.segment.values).allSatisfy { place, value in
      let own = dimensions.firstIndex(of: found.table.dimensions[place])
      return own.map { row.values[$0] } == found.table.values[place][value]
    }
  }
}

extension DriverReport.Row {
  /// Says which driver a suspect is.
  mutating func mark(_ place: Int?, _ drivers: [DriverReport.FoundDriver]) {
    guard let place else { return }
    let name = drivers[place].table.name(drivers[place].driver.segment)
    rank = place + 1
    if name != segment { aliases = name }
  }
}
