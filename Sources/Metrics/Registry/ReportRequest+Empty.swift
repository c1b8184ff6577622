internal import Basics
internal import EventModel
internal import Store

extension ReportRequest {
  /// A condition that narrows a report.
  private enum Condition {
    case filter(ReportOptions.Filter)
    case cohort(CohortFilter)
    case days

    func text(_ options: ReportOptions) -> String {
      switch self {
      case .filter(let filter): return filter.description
      case .cohort(let cohort): return cohort.description
      case .days:
        let days = [options.from.map { "from \($0)" }, options.to.map { "to before \($0)" }].compactMap(\.self)
        return days.joined(separator: " ")
      }
    }
  }

  /// Returns a sentence that names the condition that leaves a report without rows, and the rows there are without it.
  ///
  /// - Returns: `nil` if there are no rows without conditions either.
  func emptyNote(_ snapshot: StoreSnapshot) throws -> String? {
    if kind == .quarantine, let reason {
      let known = Set(try snapshot.quarantine().map(\.reason)).sorted(by: precedesInBytes)
      if known.isEmpty { return nil }
      return "No line was rejected for \(reason), only for \(known.joined(separator: ", "))"
        + NearName.hint(reason, in: known)
    }
    guard explained == nil, kind.table != nil else { return nil }
    if options.backtest != nil {
      // Only where the report itself is empty, a condition is at fault.
      var plain = self
      plain.options.backtest = nil
      return try plain.counted(snapshot)?.rows.isEmpty == true ? plain.emptyNote(snapshot) : nil
    }
    // No condition is at fault if the days are not known yet.
    if drivers != nil || comparison != nil, try counted(snapshot)?.rows.isEmpty == false { return nil }
    if kind == .payback, try !Payback.hasSpend(snapshot, options) {
      let others = try snapshot.appsWithSpend()
      if others.isEmpty { return "No spend is stored: import it with `tollgate spend import FILE`." }
      let whose = options.apps.isEmpty ? "any app that has events" : options.apps.joined(separator: ", ")
      return "No spend of \(whose) is stored, only of \(others.joined(separator: ", ")): import it with "
        + "`tollgate spend import --app APP FILE`."
    }
    var conditions = options.filters.map(Condition.filter) + options.cohorts.map(Condition.cohort)
    if options.from != nil || options.to != nil { conditions.append(.days) }
    // One alone may be at fault; else they are taken off one by one, the last first.
    let alone = conditions.map { [$0] }
    let together = conditions.indices.reversed().map { Array(conditions[$0...]) }.filter { $0.count > 1 }
    for removed in alone + together {
      let others = without(removed)
      guard let table = try others.counted(snapshot), !table.rows.isEmpty, let condition = removed.first else {
        continue
      }
      let text = condition.text(options)
      var note = "Nothing matches \(text)."
      if let total = others.total(of: table) { note += " Without it: \(total)." }
      switch condition {
      case .filter(let filter): note += try others.values(of: filter, snapshot)
      case .cohort: break
      case .days: note = try noteOnDays(total: others.total(of: table), snapshot) ?? note + coverage(snapshot)
      }
      return note
    }
    return nil
  }

  /// Says that days of the data have no payment, so that their money is known to be 0; `nil` for other reports and days.
  private func noteOnDays(total: String?, _ snapshot: StoreSnapshot) throws -> String? {
    guard kind == .revenue, let data = try coveredDays(snapshot) else { return nil }
    let from = options.from ?? CivilDate(daysSince1970: data.lowerBound)
    let last = options.to.map { $0.daysSince1970 - 1 } ?? data.upperBound
    guard from.daysSince1970 <= data.upperBound, last >= data.lowerBound else { return nil }
    return "There is no payment from \(from) to \(CivilDate(daysSince1970: last)), although the data have these days. "
      + "Revenue is 0, unless payments are missing." + (total.map { " In all days: \($0)." } ?? "")
  }

  /// Returns ``emptyNote(_:)`` for the group that a report is compared with, if it has no rows.
  func emptyGroupNote(_ snapshot: StoreSnapshot) throws -> String? {
    guard let group = comparedFilter, explained == nil else { return nil }
    var other = self
    (other.comparison, other.drivers) = (nil, nil)
    other.options.filters.removeAll { $0.dimension == group.dimension }
    other.options.filters.append(group)
    return try other.counted(snapshot)?.rows.isEmpty == true ? other.emptyNote(snapshot) : nil
  }

  /// Returns a sentence about the days of the data.
  func coverage(_ snapshot: StoreSnapshot) throws -> String {
    guard let days = try coveredDays(snapshot) else { return "" }
    let (first, last) = (CivilDate(daysSince1970: days.lowerBound), CivilDate(daysSince1970: days.upperBound))
    return first == last ? " The data cover \(first) only." : " The data cover \(first) to \(last)."
  }

  /// The days from the first to the newest event of the apps asked for, in UTC; `nil` without events.
  private func coveredDays(_ snapshot: StoreSnapshot) throws -> ClosedRange<Int>? {
    let apps = try snapshot.apps().filter { options.apps.isEmpty || options.apps.contains($0.name) }
    guard let first = apps.map(\.firstDay).min(), let end = apps.compactMap(\.newestAsOf).max() else { return nil }
    let day = 86_400_000 as Int64
    return Int(first / day)...Int((end - 1) / day)
  }

  private func without(_ conditions: [Condition]) -> ReportRequest {
    var request = self
    for condition in conditions {
      switch condition {
      case .filter(let filter): request.options.filters.removeAll { $0 == filter }
      case .cohort(let cohort): request.options.cohorts.removeAll { $0 == cohort }
      case .days: (request.options.from, request.options.to) = (nil, nil)
      }
    }
    return request
  }

  func counted(_ snapshot: StoreSnapshot) throws -> Report? {
    var options = options
    // More rows need more exchange rates than the report itself. Counts need none.
    options.currency = nil
    options.showsMovement = false
    return try kind.table?(snapshot, options)
  }

  /// The column of a table that counts the units of its rows.
  private static func countColumn(of table: Report) -> Int? { table.columns.firstIndex { $0.kind == .count } }

  static func sum(_ rows: [[ReportValue]], _ place: Int) -> Int {
    rows.reduce(0) { sum, row in if case .count(let count) = row[place] { sum + count } else { sum } }
  }

  /// Returns the unit of a column, such as `viewers`, also of one headed `users, 7 d`.
  private func unit(of column: ReportColumn) -> String {
    "\((kind.info(of: column)?.heading ?? column.name).prefix { $0 != "," })"
  }

  /// Returns a number with its unit, such as `1,888 viewers` and `1 payment`.
  private static func amount(_ count: Int, _ units: String) -> String {
    units.hasSuffix("s") ? EventModel.counted(count, String(units.dropLast())) : "\(grouped(count)) \(units)"
  }

  /// Returns a phrase such as `1,888 viewers`; of states those at the end of the last period.
  private func total(of table: Report) -> String? {
    // A user may be in the rows of several currencies.
    let currency = table.place("currency")
    if let currency, Set(table.rows.map { $0[currency] }).count > 1 { return nil }
    guard let place = Self.countColumn(of: table) else { return EventModel.counted(table.rows.count, "row") }
    let column = table.columns[place]
    var rows = table.rows
    if kind.info(of: column)?.isState == true,
      let period = table.columns.firstIndex(where: { Dimension.period($0.name) != nil }),
      let last = rows.map({ $0[period].keyText }).max(by: precedesInBytes)
    {
      rows.removeAll { $0[period].keyText != last }
    }
    return Self.amount(Self.sum(rows, place), unit(of: column))
  }

  /// Returns sentences about the values that a dimension has, and those that may be meant.
  private func values(of filter: ReportOptions.Filter, _ snapshot: StoreSnapshot) throws -> String {
    if case .property(let name) = filter.dimension, let note = try Self.unknownProperty(name, snapshot) {
      return " \(note)"
    }
    guard let (unit, values) = counts(by: filter.dimension, snapshot), let first = values.first else { return "" }
    let others = values.dropFirst().prefix(2).filter { $0.value > 0 }.map { "\($0.key) (\(grouped($0.value)))" }
    let shown = ["\(first.key) (\(Self.amount(first.value, unit)))"] + others
    let more = values.count > shown.count ? ", \(values.count - shown.count) more" : ""
    let near =
      filter.isExcluding
      ? []
      : filter.values.compactMap { value in
        NearName.meant(by: filter.dimension == .country && value == "UK" ? "GB" : value, in: values.map(\.key))
      }
    // Words of tables, and the readings of an empty value.
    let isOfNoPaywall = filter.values.contains { [Dimension.absent, "no paywall known"].contains($0) }
    let unattributed = isOfNoPaywall ? values.first { $0.key == "(unattributed)" }?.key : nil
    let isName = filter.dimension == .country && filter.values.contains { $0.utf8.count > 3 && $0 != Dimension.absent }
    return (isName ? " Countries are two capital letters, such as DE." : "")
      + " \(filter.dimension.name) has \(shown.joined(separator: ", "))\(more)."
      + (unattributed.map { " Without a known paywall: --where '\(filter.dimension.name)=\($0)'." }
        ?? near.first.map { " Did you mean \($0)?" } ?? "")
  }

  /// Returns the values of a dimension with their numbers of units, the most frequent first; `nil` if no rows can be
  /// split by it.
  private func counts(
    by dimension: Dimension, _ snapshot: StoreSnapshot
  ) -> (unit: String, values: [(key: String, value: Int)])? {
    var request = self
    request.options.by = [dimension]
    // A state has no rows by every dimension.
    guard let table = try? request.counted(snapshot), let place = Self.countColumn(of: table),
      let key = table.place(dimension.name)
    else { return nil }
    // Of viewers, those who are too recent to be in rates have the value as well; menus of pages count them.
    let open = [.funnel, .paths].contains(kind) ? table.place("immature") : nil
    let counts = Dictionary(grouping: table.rows) { $0[key].keyText }.mapValues { rows in
      Self.sum(rows, place) + (open.map { Self.sum(rows, $0) } ?? 0)
    }
    let values = counts.sorted { left, right in
      left.value == right.value ? precedesInBytes(left.key, right.key) : left.value > right.value
    }
    return (unit(of: table.columns[place]), values)
  }

  /// Names the values of filters that no row has, although other values leave rows.
  func unmatchedNotes(_ snapshot: StoreSnapshot) throws -> [String] {
    guard explained == nil, kind.table != nil, options.backtest == nil else { return [] }
    var plain = self
    (plain.options.filters, plain.options.cohorts, plain.options.from, plain.options.to) = ([], [], nil, nil)
    // The only value of a filter has the rows that are there.
    let filters = options.filters + [comparedFilter].compactMap(\.self)
    return try filters.filter { $0.isExcluding || $0.values.count > 1 }.compactMap { filter -> String? in
      guard let known = plain.counts(by: filter.dimension, snapshot) else { return nil }
      var unmatched = filter
      unmatched.isExcluding = false
      unmatched.values = filter.values.filter { value in
        value != Dimension.absent && !known.values.contains { $0.key.utf8.elementsEqual(value.utf8) }
      }
      if unmatched.values.isEmpty { return nil }
      return "Nothing matches \(unmatched)." + (try plain.values(of: unmatched, snapshot))
    }
  }
}
