import Basics
import EventModel
public import Metrics

/// A comparison as people read it: the report's core numbers by their headings, each change with its
/// interval, and a verdict in words.
extension Report {
  /// The headings of both sides: before and now, or the values of two groups of users.
  var comparedNames: (before: String, now: String) {
    guard let compare = parameter("compare"), let equals = compare.firstIndex(of: "=") else { return ("before", "now") }
    let name = compare[..<equals]
    let own = parameter("where")?.split(separator: " ").first { $0.hasPrefix("\(name)=") }
    return (
      String(compare[compare.index(after: equals)...]), own.map { String($0.dropFirst(name.count + 1)) } ?? "others"
    )
  }

  func comparedForReading(_ options: RenderOptions) -> (report: Report, notes: [String]) {
    let places = Dictionary(columns.enumerated().map { ($1.name, $0) }) { first, _ in first }
    guard let kind = parameter("report").flatMap(ReportKind.named), let column = places["column"],
      let change = places["change"], let word = places["word"], let now = places["now"], let before = places["before"]
    else { return (self, []) }
    func info(_ row: [ReportValue]) -> ColumnInfo? {
      kind.info(of: ReportColumn(row[column].textValue ?? "", .number))
    }
    var report = self
    report.columns[column] = ReportColumn("column", .text)
    report.columns[change].kind = .text
    // Retention by payment shows payments in place of days.
    let isByPayment = rows.contains { $0[column].textValue?.hasPrefix("retention_") ?? false }
    func isCore(_ row: [ReportValue]) -> Bool {
      let name = row[column].textValue ?? ""
      // These bounds also move when more trials are open.
      if ["floor_rate", "ceiling_rate"].contains(name) { return false }
      let isPayment = name.hasPrefix("retention_")
      if isPayment || name.hasPrefix("survival_") { return isPayment == isByPayment }
      return info(row)?.isCore ?? true
    }
    func isShown(_ row: [ReportValue]) -> Bool { options.columns == "all" || isCore(row) }
    func words(_ row: [ReportValue]) -> [ReportValue] {
      var row = row
      for (side, units) in [(before, "before_n"), (now, "now_n")] { _ = row.hideShare(side, of: places[units]) }
      let isKnown = row[change].share == nil || row[before].share != nil && row[now].share != nil
      if isOfFew(row, places) || lacksDaysBefore(row, places) {
        // The numbers are what they are, but say nothing of a change.
        for bound in [change + 1, change + 2] { row[bound] = .rate(nil) }
        row[word] = .text("unknown")
      }
      row[column] = .text(info(row)?.heading ?? row[column].textValue ?? "")
      row[change] = .text(isKnown ? Self.effect(row[change], row[change + 1], row[change + 2]) : undefinedMark)
      row[word] = .text(isKnown && row[word] != .text("unknown") ? row[word].textValue ?? "" : "not known")
      return row
    }
    let shown = rows(sortedBy: options.sort).filter(isShown)
    report.rows = shown.map(words)
    report.totals = totals.filter(isShown).map(words)
    var notes = [totalNote(report.totals, places), emptyNowNote(places)].compactMap(\.self) + periods(places)
    let immature = rows.filter { $0[column].textValue == "immature" }
    func count(_ place: Int) -> Int {
      immature.reduce(0) { sum, row in if case .count(let count) = row[place] { sum + count } else { sum } }
    }
    if count(now) + count(before) > 0 {
      // Each app has a horizon of its own.
      let horizon = asOf.count == 1 ? parameter("horizon_days").flatMap(Double.init) : nil
      let days = horizon.map { " (under \(counted(Int($0.rounded()), "day")))" } ?? ""
      let names = comparedNames
      let isOfGroups = names.before != "before"
      notes.append(
        "Too recent to count\(days): \(countText(count(now))) users\(isOfGroups ? " of" : "") \(names.now), "
          + "\(countText(count(before)))\(isOfGroups ? " of" : "") \(names.before).")
    }
    let empty = report.rows.filter { $0[before].storedText == nil && $0[now].storedText == nil }
    if empty.count < report.rows.count {
      report.rows.removeAll { $0[before].storedText == nil && $0[now].storedText == nil }
      let known = Set(report.rows.map { $0[column] })
      let keys = report.columns.indices.filter {
        report.columns[$0].kind == .key && (report.columns[$0].name != "app" || asOf.count > 1)
      }
      let parts = empty.inGroups { $0[column].textValue }.compactMap { name, rows -> String? in
        guard let name, known.contains(.text(name)) else { return name }
        let names = rows.map { row in keys.compactMap { row[$0].textValue }.joined(separator: " ") }
        return "\(name) (\(names.joined(separator: ", ")))"
      }
      if !parts.isEmpty { notes.append("Not known on either side: \(parts.joined(separator: ", ")).") }
    }
    // One app alone has fewer rows, and so may have another verdict.
    let ofApps = asOf.count > 1 ? " in all apps" : ""
    if report.rows.contains(where: { [.text("up"), .text("down")].contains($0[word]) }) {
      notes.append(
        "Up, down: chance alone does not explain the change, corrected for the number of rows compared\(ofApps) (Holm)."
      )
    }
    let chances = shown.filter { $0[word] == .text("chance") }
    if options.isForPage, kind == .revenue, parameter("compare")?.contains("=") == false {
      notes.insert(
        "This compares what each user paid in both periods. The overview tests payments one by one, so its range differs a little.",
        at: notes.isEmpty ? 0 : 1)
    }
    if chances.contains(where: { Self.leavesOutZero($0[change + 1], $0[change + 2]) }) {
      notes.append(
        "Chance: with so many rows\(ofApps) tested at once (Holm), chance alone can explain it, even where a row's interval excludes 0."
      )
    } else if !chances.isEmpty {
      notes.append(
        "Chance: chance alone can explain the change. The true change may still be as large as its interval says.")
    }
    return (report, notes)
  }

  /// The rows of a comparison in words, for a message.
  public var comparedWords: [ComparedWords] {
    var options = RenderOptions()
    options.columns = "all"
    let report = comparedForReading(options).report
    let places = Dictionary(report.columns.enumerated().map { ($1.name, $0) }) { first, _ in first }
    guard let app = places["app"], let now = places["now"], let change = places["change"], let word = places["word"]
    else { return [] }
    let currencies = Set(report.rows.compactMap { row in places["currency"].flatMap { row[$0].textValue } })
    return report.rows.map { row in
      ComparedWords(
        app: row[app].textValue ?? "", now: row[now].readableNumber(percentDecimals: 1) ?? undefinedMark,
        change: row[change].textValue ?? undefinedMark, word: row[word].textValue ?? "not known",
        currency: { if case .money(_, let currency) = row[now] { currency } else { nil } }(),
        paidIn: currencies.count > 1 ? places["currency"].flatMap { row[$0].textValue } : nil)
    }
  }

  /// A sentence such as `All apps: net 15,223.25, before 14,592.08: +4.3% (−8.2% to +17%), chance.`, of the last sum
  /// shown.
  private func totalNote(_ totals: [[ReportValue]], _ places: [String: Int]) -> String? {
    guard let row = totals.last, let now = places["now"], let before = places["before"], let column = places["column"],
      let lift = places["lift"], let word = places["word"], let name = row[column].textValue,
      let amount = row[now].readableNumber(percentDecimals: 1),
      let earlier = row[before].readableNumber(percentDecimals: 1)
    else { return nil }
    if isOfFew(row, places) { return "All apps: \(name) \(amount), before \(earlier): too few users to say more." }
    if row[word] == .text("not known") {
      return "All apps: \(name) \(amount), before \(earlier): not comparable, as the data lack some of the days before."
    }
    let shares = (lift...lift + 2).compactMap { row[$0].share }
    // Both bounds have as many decimals.
    let decimals = shares.dropFirst().contains { abs($0) >= 0.0995 } ? 0 : 1
    let parts = shares.indices.compactMap {
      liftNumber(shares[$0], decimals: $0 == 0 ? nil : decimals).map { "\($0)%" }
    }
    guard parts.count == 3, let verdict = row[word].textValue else { return nil }
    return "All apps: \(name) \(amount), before \(earlier): \(parts[0]) (\(parts[1]) to \(parts[2])), \(verdict)."
  }

  /// Whether a tested sum or mean is of fewer than ``fewestCompared`` users on both sides together.
  private func isOfFew(_ row: [ReportValue], _ places: [String: Int]) -> Bool {
    guard let p = places["p"], case .probability(_?) = row[p], let change = places["change"], row[change].share == nil
    else { return false }
    let counts = ["before_n", "now_n"].compactMap { places[$0].flatMap { row[$0].quantity } }
    return counts.count == 2 && counts[0] + counts[1] < Double(fewestCompared)
  }

  /// Whether a row, or one that it adds up, is a sum over days before of which the data lack some.
  private func lacksDaysBefore(_ row: [ReportValue], _ places: [String: Int]) -> Bool {
    guard let kind = parameter("report").flatMap(ReportKind.named), let place = places["column"],
      let name = row[place].textValue, let app = places["app"].flatMap({ row[$0].textValue }),
      asOf.contains(where: { $0.lacksDaysBefore && [$0.app, ""].contains(app) })
    else { return false }
    let column = ReportColumn(name, .number)
    return kind.isSum(column) && (name == "opening" || kind.info(of: column)?.isState != true)
  }

  /// Says that the later days have none of what the days before had; `nil` where they have some.
  private func emptyNowNote(_ places: [String: Int]) -> String? {
    guard let reason = places["reason"], let unit = places["unit"], let before = places["before"], !rows.isEmpty,
      rows.allSatisfy({ $0[reason].textValue?.hasPrefix("no such row now") ?? false }),
      let first = rows.first(where: { ["payments", "users"].contains($0[unit].textValue ?? "") }),
      let count = first[before].readableNumber(percentDecimals: 0), let name = first[unit].textValue
    else { return nil }
    return "There are no \(name) on these days, and there were \(count) on the days before."
  }

  private static func leavesOutZero(_ low: ReportValue, _ high: ReportValue) -> Bool {
    guard let low = low.quantity, let high = high.quantity else { return false }
    return low > 0 || high < 0
  }

  private static func effect(_ change: ReportValue, _ low: ReportValue, _ high: ReportValue) -> String {
    func text(_ value: ReportValue, isChange: Bool = false) -> String? {
      if let share = value.share { return pointsNumber(share).map { isChange ? "\($0) pp" : $0 } }
      var value = value
      if case .number(let number?) = value { value = .count(Int(number.rounded())) }
      return value.readableNumber(percentDecimals: 1, hasSign: true).map(withPlus)
    }
    guard let shown = text(change, isChange: true) else { return undefinedMark }
    if let low = low.share, let high = high.share {
      return pointsBounds(low, high).map { "\(shown) (\($0))" } ?? shown
    }
    guard let low = text(low), let high = text(high) else { return shown }
    return "\(shown) (\(low) to \(high))"
  }

  /// The days of both sides in words.
  private func periods(_ places: [String: Int]) -> [String] {
    guard let app = places["app"] else { return [] }
    let isOpen =
      if let complete = places["complete"], let own = places["now_days"] {
        rows.contains { isUnfinished($0, complete, places["now_from"] ?? 0, places["now_to"] ?? 0, own) }
      } else {
        false
      }
    func day(_ name: String, _ row: [ReportValue], before days: Int = 0) -> String? {
      places[name].flatMap { row[$0].textValue }.flatMap(CivilDate.init)
        .map { shortDayText(CivilDate(daysSince1970: $0.daysSince1970 - days)) }
    }
    func days(_ side: String, _ row: [ReportValue]) -> String? {
      guard let first = day("\(side)_from", row) else { return nil }
      guard let end = day("\(side)_to", row, before: 1) else { return "from \(first)" }
      // Of unfinished days, those that the data reach; of the days before, as many.
      if isOpen, let place = places["\(side)_days"], case .number(let seen?) = row[place],
        let last = day("\(side)_from", row, before: 1 - Int(seen.rounded(.up))), seen > 0
      {
        return "\(first) to \(last)"
      }
      return "\(first) to \(end)"
    }
    let compared = parameter("compare")?.contains("=") == false ? rows : []
    let found = compared.compactMap { row -> (app: String, sentence: String)? in
      guard let now = days("now", row), let before = days("before", row) else { return nil }
      return (row[app].textValue ?? "", "Now: \(now). Before: \(before).")
    }.inGroups(by: \.sentence).map { $0.values[0] }
    let ages = parameter("ages") == "equal" ? Self.equalTime : " Before has had more time."
    var notes = found.prefix(2).map { found.count > 1 ? "\($0.app): \($0.sentence)" : $0.sentence }
    if let last = notes.popLast() { notes.append(last + ages) }
    if !notes.isEmpty, isOpen {
      notes.append(
        parameter("ages") == "equal"
          ? "This period is not over, so it is compared with the same part of the one before."
          : "This period is not over: its counts and amounts still grow.")
    }
    let week = definition.first { $0.hasPrefix(Report.newestSettled) }.map { "\($0.capitalizedFirst)." }
    return notes + [week, scaledNote].compactMap(\.self)
  }

  /// The sentence on sides of the same age (definitions 9.3).
  static let equalTime = " Later events are left out of Before, so both periods had equal time."

  /// Says that the two sides have different numbers of days.
  var scaledNote: String? {
    definition.first { $0.hasPrefix(Report.scaled) }.map { "\($0.capitalizedFirst)." }
  }

  /// Whether the data lack more than the quarter of a day by which files end before midnight of a row's last day.
  private func isUnfinished(_ row: [ReportValue], _ complete: Int, _ first: Int, _ end: Int, _ days: Int) -> Bool {
    guard row[complete] == .text("false"), case .number(let seen?) = row[days],
      let first = row[first].textValue.flatMap(CivilDate.init), let end = row[end].textValue.flatMap(CivilDate.init)
    else { return false }
    return Double(end.daysSince1970 - first.daysSince1970) - seen > 0.25
  }
}

/// A number compared with the days before, in words.
public struct ComparedWords: Sendable, Equatable {
  public var app: String
  /// Such as `27.9%`.
  public var now: String
  /// Whether too few units count to say anything.
  public var isUnknown: Bool { now == undefinedMark }
  /// Such as `+11.0 pp (+5.4 to +16.5)`.
  public var change: String
  /// `up`, `down`, `chance` or `not known`.
  public var word: String
  /// ISO 4217; `nil` for what is not money.
  public var currency: String?
  /// The currency of the row's payments; `nil` unless rows have several.
  public var paidIn: String?
}

extension [ReportValue] {
  /// Empties a row's share if it is one of few units, which says nothing.
  ///
  /// - Parameter units: The place of their number.
  /// - Returns: Whether the share is left as it is.
  mutating func hideShare(_ place: Int, of units: Int?) -> Bool {
    guard self[place].share != nil, let units, case .count(let number) = self[units], number < fewestCompared else {
      return true
    }
    self[place] = .rate(nil)
    return false
  }
}
