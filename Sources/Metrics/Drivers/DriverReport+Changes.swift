internal import EventModel
internal import Lifecycle
internal import Statistics
internal import Store

/// Experiments, prices and offers that changed between two periods (definitions 10.8). They say where to look, and are no
/// causes.
extension DriverReport {
  /// A change on a day, with the condition that its units meet.
  private struct Change {
    var cut: String
    var segment: String
    /// In local days since 1970.
    var day: Int
    var words: String
    /// Of the report's units.
    var filters: [ReportOptions.Filter] = []
    /// Of an offer: its payments, and all payments of each side. Of a trial length: its trials, and all trials.
    var cases: (before: (part: Int, whole: Int), now: (part: Int, whole: Int))?

    var text: String { "\(CivilDate(daysSince1970: day)) \(words)" }
  }

  /// Returns the changes between two periods with first and last days, in the order of experiments, prices, offers and
  /// trials.
  mutating func changes(
    _ app: String, _ sides: ComparedSides, _ drivers: [FoundDriver]
  ) throws -> [Row] {
    guard sides.before.first != sides.now.first, let first = sides.before.first, let end = sides.before.end,
      let from = sides.now.first, let to = sides.now.end
    else { return [] }
    let days = [first..<end, from..<to]
    var found = try experiments(app, sides, days)
    // Prices and offers of whole days are the same at a later as-of, whose facts are stored.
    var known = sides
    if sides.now.isComplete { known.before.options.asOf = sides.now.asOf }
    found += try prices(known)
    found += try offers(known)
    found += try trials(known)
    var rows: [Row] = []
    for change in found {
      var row = Row(
        app: app, verdict: .suspect, cut: change.cut, segment: change.segment, part: change.text,
        before: DriverCounts.Count(), now: DriverCounts.Count())
      var place = drivers.firstIndex { Self.names(of: $0).contains(change.segment) }
      if let (before, now) = change.cases {
        (row.before.units, row.now.units, row.wholes) = (before.part, now.part, (before.whole, now.whole))
      } else {
        let (before, now) = (
          try touched(change.filters, sides.before), try touched(change.filters, sides.now)
        )
        (row.before, row.now) = (Self.count(before), Self.count(now))
        place = place ?? drivers.firstIndex { hasUsers(change, of: $0, before, now) }
      }
      row.mark(place, drivers)
      rows.append(row)
    }
    return rows
  }

  /// Returns whether a change has the users of a driver, or moved users between variants of which it is one.
  private func hasUsers(
    _ change: Change, of driver: FoundDriver, _ before: [DriverCounts.Row], _ now: [DriverCounts.Row]
  ) -> Bool {
    if isOfSameUnits(driver, before, now) { return true }
    let (table, found) = driver
    return change.words == Self.sharesMoved && found.score.part != .rate
      && found.segment.cut.map { table.dimensions[$0] } == [.variant] && hasAllUnits(driver, before, now)
  }

  /// Returns the units of one side that meet conditions.
  private mutating func touched(
    _ filters: [ReportOptions.Filter], _ side: ComparedSides.Side
  ) throws -> [DriverCounts.Row] {
    var options = side.options
    options.filters.removeAll { own in filters.contains { $0.dimension == own.dimension } }
    options.filters += filters
    return try units(options, by: dimensions).values.flatMap(\.rows)
  }

  // MARK: Experiments

  private static let sharesMoved = "shares moved"

  /// Returns experiments whose first or last users came on days of either side, and those whose variants' shares moved.
  private func experiments(_ app: String, _ sides: ComparedSides, _ days: [Range<Int>]) throws -> [Change] {
    var options = ReportOptions()
    (options.apps, options.asOf, options.timeZone) = ([app], sides.now.asOf, request.options.timeZone)
    let query = try ReportQuery(snapshot, options, defaultBy: [])
    let quiet = Int64(ExperimentPlan().quietDays) * day
    var changes: [Change] = []
    for (_, name, range) in try ExperimentList.exposures(query) where isAsked(.experiment, name) {
      let (first, last) = (
        Int(query.localTime.day(of: range.lowerBound)), Int(query.localTime.day(of: range.upperBound))
      )
      let filter = ReportOptions.Filter(dimension: .experiment, values: [name])
      func add(_ day: Int, _ words: String) {
        changes.append(
          Change(
            cut: Dimension.experiment.name, segment: filter.description, day: day, words: words, filters: [filter]))
      }
      if days.contains(where: { $0.contains(first) }) { add(first, "started") }
      if days[0].lowerBound <= last, first < days[1].upperBound, let day = try movedShares(query, name, days) {
        add(day, Self.sharesMoved)
      }
      if days.contains(where: { $0.contains(last) }), range.upperBound + quiet <= sides.now.asOf { add(last, "ended") }
    }
    return changes
  }

  /// Returns whether the report's own filters leave a value.
  private func isAsked(_ dimension: Dimension, _ value: String) -> Bool {
    request.options.filters.allSatisfy { filter in
      filter.dimension != dimension || filter.values.contains(value) != filter.isExcluding
    }
  }

  /// Returns the first day from which new users were split between the variants in other shares than before, if that
  /// holds to the end of the days (χ² of both sides, at the level of sample ratios). A split with an expected count
  /// below 5 says nothing.
  private func movedShares(_ query: ReportQuery, _ name: String, _ days: [Range<Int>]) throws -> Int? {
    guard let app = query.apps.first, let experiment = query.facts.number(ofName: name),
      let exposed = try ExposedPersons(query, app: app, experiment: NameID(experiment), plan: ExperimentPlan())
    else { return nil }
    let none = [Int](repeating: 0, count: exposed.names.count)
    let before = exposed.byDay.filter { days[0].contains($0.day) }.reduce(none) { zip($0, $1.persons).map(+) }
    var now = none
    var moved: Int?
    for (day, persons) in exposed.byDay where days[1].contains(day) {
      now = zip(now, persons).map(+)
      let shares = Homogeneity([before, now])
      let isMoved = shares.map { $0.leastExpected >= 5 && $0.p < ExperimentHealth.alpha } ?? false
      moved = isMoved ? moved ?? day : nil
    }
    return moved
  }

  // MARK: Prices and offers

  /// A pair of prices that some paywall views showed most.
  private struct ShownPair {
    var day: Int?
    /// The variant, the paywall, the country where they are by country, the tier and the currency.
    var key: [String]
    /// How many pairs there are, of which it is the most frequent.
    var pairs: Int
    var text: String
  }

  /// Returns the pairs of prices that a variant of a paywall showed most, where they changed, and other pairs that did in
  /// one country.
  private func prices(_ sides: ComparedSides) throws -> [Change] {
    let (changed, hasOnePairEach) = try prices(sides, by: [.variant, .paywall])
    // Then every country saw that pair on both sides. To count by country takes all events.
    if changed.isEmpty, hasOnePairEach { return [] }
    let ofCountries = try prices(sides, by: [.variant, .paywall, .country]).changes
    func countries(_ change: Change) -> Set<String> {
      Set(ofCountries.filter { $0.words == change.words }.compactMap { $0.filters.last?.values.first })
    }
    // A currency may be that of one country, which alone saw the prices.
    let hasOneCountry = Set(try shown(sides.now, by: [.country]).map { $0.key[0] }).count == 1
    let ofAll = changed.filter { hasOneCountry || countries($0).count != 1 }
    let known = Set(ofAll.map(\.words))
    return ofAll + ofCountries.filter { !known.contains($0.words) }
  }

  private func prices(
    _ sides: ComparedSides, by dimensions: [Dimension]
  ) throws -> (changes: [Change], hasOnePairEach: Bool) {
    let before = Dictionary(try shown(sides.before, by: dimensions).map { ($0.key, $0) }) { first, _ in first }
    let now = try shown(sides.now, by: dimensions)
    let hasOnePairEach = (before.values + now).allSatisfy { $0.pairs == 1 }
    let place = dimensions.firstIndex(of: .country)
    let changed = now.filter { pair in
      // Of several pairs that a country sees, chance decides which it saw most.
      before[pair.key].map { $0.text != pair.text && (place == nil || $0.pairs == 1) } ?? false
    }
    if changed.isEmpty { return ([], hasOnePairEach) }
    let byDay = try shown(sides.now, by: dimensions, ofDays: true)
    var changes: [Change] = []
    for pair in changed {
      let days = byDay.filter { $0.key == pair.key && $0.text == pair.text }.compactMap(\.day)
      guard let day = days.min(), let earlier = before[pair.key]?.text else { continue }
      var filters = zip(dimensions, pair.key).map { ReportOptions.Filter(dimension: $0, values: [$1]) }
      // All of a country, if each of its variants and paywalls has the new pair.
      let isWhole = { (other: ShownPair) in
        other.key.suffix(3) != pair.key.suffix(3) || other.text == pair.text && before[other.key]?.text == earlier
      }
      if let place, now.allSatisfy(isWhole) { filters = [filters[place]] }
      let change = Change(
        cut: "price", segment: filters.map(\.description).joined(separator: ","), day: day,
        words: "\(earlier) → \(pair.text) \(pair.key.last ?? "")", filters: filters)
      if let same = changes.firstIndex(where: { $0.segment == change.segment && $0.words == change.words }) {
        changes[same].day = min(changes[same].day, day)
      } else {
        changes.append(change)
      }
    }
    return (changes, hasOnePairEach)
  }

  private func shown(
    _ side: ComparedSides.Side, by dimensions: [Dimension], ofDays: Bool = false
  ) throws -> [ShownPair] {
    var options = side.options
    (options.by, options.currency, options.horizon) = ((ofDays ? [.day] : []) + dimensions, nil, nil)
    // A paywall view is of no payment.
    options.filters.removeAll { [.stage, .renewing].contains($0.dimension) }
    let report = try Savings.report(snapshot, options)
    let keys = report.columns.indices.filter { report.columns[$0].kind == .key && report.columns[$0].name != "app" }
    return report.rows.compactMap { row in
      guard report.value("price_source", in: row) == .text("shown"),
        case .money(let monthly?, _)? = report.value("monthly_price", in: row),
        case .money(let yearly?, _)? = report.value("yearly_price", in: row)
      else { return nil }
      let labels = keys.map { row[$0].keyText }
      return ShownPair(
        day: ofDays ? CivilDate(labels[0])?.daysSince1970 : nil, key: Array(labels.dropFirst(ofDays ? 1 : 0)),
        pairs: report.count("price_pairs", in: row) ?? 0,
        text: [monthly, yearly].map { EventRoles.decimal(Int64($0)) }.joined(separator: " and "))
    }
  }

  /// Returns offers that payments of one side alone have, or first payments: later ones keep the offer of the first.
  private func offers(_ sides: ComparedSides) throws -> [Change] {
    let dimensions: [Dimension] = [.product, .offering, .offerType, .offerCode]
    let all = try [sides.before, sides.now].map { try payments($0, by: dimensions + [.stage]) }
    let first = ReportOptions.Filter(dimension: .stage, values: ["1"])
    var changes: [Change] = []
    for isOfFirst in isSearched(.stage) ? [false, true] : [false] {
      let rows = all.map { rows in rows.filter { !isOfFirst || first.values.contains($0.labels[dimensions.count]) } }
      let wholes = rows.map { rows in rows.reduce(0) { $0 + $1.count } }
      for (place, dimension) in dimensions.enumerated() where isSearched(dimension) {
        let counts = rows.map { rows in Dictionary(rows.map { ($0.labels[place], $0.count) }, uniquingKeysWith: +) }
        for value in Set(counts.flatMap(\.keys)).sorted(by: precedesInBytes) where value != Dimension.absent {
          let (old, new) = (counts[0][value] ?? 0, counts[1][value] ?? 0)
          let filter = ReportOptions.Filter(dimension: dimension, values: [value])
          guard min(old, new) == 0, max(old, new) >= DriverSearch.fewestUnits,
            !changes.contains(where: { $0.segment == filter.description })
          else { continue }
          var side = new > 0 ? sides.now : sides.before
          side.options.filters += [filter] + (isOfFirst ? [first] : [])
          let days = try payments(side, by: [.day]).compactMap { CivilDate($0.labels[0])?.daysSince1970 }
          guard let day = new > 0 ? days.min() : days.max() else { continue }
          changes.append(
            Change(
              cut: dimension.name, segment: filter.description, day: day, words: new > 0 ? "new" : "last",
              cases: ((old, wholes[0]), (new, wholes[1]))))
        }
      }
    }
    return changes
  }

  /// Returns trial lengths that no trial before has. A payment follows its trial, so of money, earlier trials count.
  private func trials(_ sides: ComparedSides) throws -> [Change] {
    guard let first = sides.before.first, let end = sides.before.end, let from = sides.now.first else { return [] }
    func starts(_ side: ComparedSides.Side, _ first: Int, _ end: Int?) throws -> [Int: [Int]] {
      var options = side.options
      options.filters.removeAll { [.stage, .renewing].contains($0.dimension) }
      (options.from, options.to) = (CivilDate(daysSince1970: first), end.map { CivilDate(daysSince1970: $0) })
      return try TrialLengths.starts(snapshot, options)
    }
    var before = try starts(sides.before, first, end)
    let wait = money == nil ? 0 : TrialLengths.most(before) ?? 0
    if wait > 0 { before = try starts(sides.before, first - wait, end - wait) }
    let now = try starts(sides.now, from - wait, sides.now.end)
    let wholes = [before, now].map { $0.values.reduce(0) { $0 + $1.count } }
    let new = now.filter { !before.isEmpty && before[$0.key] == nil && $0.value.count >= DriverSearch.fewestUnits }
    return new.sorted { $0.key < $1.key }.map { length, days in
      Change(
        cut: "trial_length", segment: "trials of \(length) days", day: days.min() ?? from, words: "new",
        cases: ((0, wholes[0]), (days.count, wholes[1])))
    }
  }

  /// Whether no filter of the report's own is on a dimension.
  private func isSearched(_ dimension: Dimension) -> Bool {
    !request.options.filters.contains { $0.dimension == dimension }
  }

  private func payments(
    _ side: ComparedSides.Side, by dimensions: [Dimension]
  ) throws -> [(labels: [String], count: Int)] {
    var options = side.options
    (options.by, options.currency, options.horizon) = (dimensions, nil, nil)
    options.filters.removeAll { $0.dimension == .renewing }
    let report = try Refunds.report(snapshot, options)
    let keys = dimensions.compactMap { report.place(ofKey: $0.name) }
    return report.rows.compactMap { row in
      report.count("payments", in: row).map { (keys.map { row[$0].keyText }, $0) }
    }.filter { $0.1 > 0 }
  }
}
