internal import EventModel
internal import Statistics
internal import Store

/// A report compared with another side of itself: a row for each cell and column (definitions 9).
struct ComparedReport {
  /// A report's rows by their keys.
  private struct Table {
    var report: Report
    let rows: [[[UInt8]]: [ReportValue]]

    init(_ report: Report) {
      (self.report, rows) = (report, Dictionary(report.rows.map { (report.key(of: $0), $0) }) { $1 })
    }
  }

  struct Cell {
    var app: String
    var key: [[UInt8]]
    var column: ReportColumn
    var before: ReportValue?
    var now: ReportValue?
    var number: ComparedNumber
    var sides: ComparedSides
  }

  private let snapshot: StoreSnapshot
  private let request: ReportRequest
  private let with: ComparedWith
  let kind: ReportKind
  private var sample: Report?
  private(set) var cells: [Cell] = []
  private var sides: [(app: String, sides: ComparedSides)] = []
  private var variants: [String: [String]] = [:]
  /// The app's first day of data where it is after that of before.
  private var begins: [String: CivilDate] = [:]
  /// The week to compare instead, for each app in whose days now no user counts yet.
  private var settled: [String: SettledWeek] = [:]
  private var notes: [String] = []

  static func report(_ snapshot: StoreSnapshot, _ request: ReportRequest, _ with: ComparedWith) throws -> Report {
    var request = request
    request.options.by = try dimensions(request, with)
    do {
      return try ComparedReport(snapshot, request, with).table()
    } catch Mixed.currencies {
      // A rate may be missing on one side alone.
      request.options.isNative = true
      return try ComparedReport(snapshot, request, with).table()
    }
  }

  private enum Mixed: Error {
    case currencies
  }

  private static func dimensions(_ request: ReportRequest, _ with: ComparedWith) throws -> [Dimension] {
    // A row of one value has no other side where the sides are its values.
    guard let by = request.options.by else {
      return request.kind.defaultBy.filter { !$0.isPeriod && $0 != with.dimension }
    }
    if let name = by.first(where: { with.isOfPeriods ? $0.isPeriod : $0 == with.dimension })?.name {
      let reason = with.isOfPeriods ? "rows of two periods would not pair" : "--compare sets its values against others"
      throw OptionError("--by is \(name), but \(reason): leave out \(name)")
    }
    return by
  }

  private init(_ snapshot: StoreSnapshot, _ request: ReportRequest, _ with: ComparedWith) throws {
    (self.snapshot, self.request, self.with, kind) = (snapshot, request, with, request.kind)
    let query = try ReportQuery(snapshot, request.options, by: kind)
    for app in query.apps {
      let own = try ComparedSides(query, app: app, request, with)
      sides.append((app.name, own))
      let first = CivilDate(daysSince1970: Int(query.localTime.day(of: app.firstDay)))
      if with.isOfPeriods, let before = own.before.first, before < first.daysSince1970 { begins[app.name] = first }
    }
    for group in ComparedSides.groups(of: sides, kind) { try add(group) }
    if kind == .trials, with.isOfPeriods { notes = try TrialLengths.notes(snapshot, sides) }
    for app in unsettledApps { settled[app] = try SettledWeek(request, app: app, snapshot) }
    if sample == nil { sample = try kind.report(snapshot, request.options) }
  }

  private func made(_ options: ReportOptions, by person: Bool = false) throws -> Report {
    var options = options
    options.showsBasis = true
    if person { options.by = (options.by ?? []) + [.person] }
    return try kind.report(snapshot, options)
  }

  /// - Parameter apps: With the same days on both sides.
  private mutating func add(_ apps: [(app: String, sides: ComparedSides)]) throws {
    let options = (now: ComparedSides.options(of: apps, \.now), before: ComparedSides.options(of: apps, \.before))
    try ComparedSides.readTogether(snapshot, now: options.now, before: options.before, kind)
    let (now, before) = try (made(options.now), made(options.before))
    if now.parameter("currency") != before.parameter("currency") { throw Mixed.currencies }
    if let sample, sample.parameter("currency") != now.parameter("currency") { throw Mixed.currencies }
    if sample == nil { sample = now }
    for instant in now.asOf { variants[instant.app] = instant.variants }
    let (own, other) = (Table(now), Table(before))
    let columns = compared(now, before)
    // Groups of users differ in size by nature, so chance says nothing of their sums.
    let sums = with.isOfPeriods ? columns.filter { kind.isSum($0) } : []
    let means = columns.compactMap { mean(of: $0) }
    let measured = sums.filter { !isOfUsersOnce($0) }.map(\.name) + means.flatMap { [$0.amount, $0.count] }
    let amounts =
      try measured.isEmpty
      ? nil
      : (
        before: UserAmounts(made(options.before, by: true), columns: measured),
        now: UserAmounts(made(options.now, by: true), columns: measured)
      )
    let keys = Set(own.rows.keys).union(other.rows.keys).sorted(by: precedesInBytes)
    let known = Dictionary(uniqueKeysWithValues: apps.map { ($0.app, $0.sides) })
    for key in keys {
      let app = String(decoding: key.first ?? [], as: UTF8.self)
      guard let sides = known[app] else { continue }
      let (row, earlier) = (own.rows[key], other.rows[key])
      for column in columns {
        let value = row.flatMap { now.value(column.name, in: $0) }
        let former = earlier.flatMap { before.value(column.name, in: $0) }
        var number = number(column, now: (now, row), before: (before, earlier))
        if row != nil, earlier != nil, sums.contains(column) {
          let scale = kind.info(of: column)?.isState ?? false ? 1 : sides.scale
          number =
            if let amounts, !isOfUsersOnce(column) {
              UserAmounts.sum(column.name, of: key, before: amounts.before, now: amounts.now, scale: scale)
            } else {
              ComparedNumber(before: Int(former?.quantity ?? 0), now: Int(value?.quantity ?? 0), scale: scale)
            }
        } else if row != nil, earlier != nil, let mean = mean(of: column), let amounts {
          func moments(_ amounts: UserAmounts, _ report: Report, _ row: [ReportValue]?) -> Moments {
            let total = row.flatMap { report.count(mean.count, in: $0) } ?? 0
            return amounts.moments(mean.amount, over: mean.count, of: key, total: total)
          }
          number = ComparedNumber(
            before: moments(amounts.before, before, earlier), now: moments(amounts.now, now, row))
        }
        if row == nil || earlier == nil {
          let isBeforeData = begins[app].map { $0.daysSince1970 >= sides.before.end ?? .max } ?? false
          let begin = isBeforeData && earlier == nil ? "; the data begin later" : ""
          number = ComparedNumber(before: nil, now: nil, reason: "no such row \(row == nil ? "now" : "before")\(begin)")
        }
        cells.append(
          Cell(app: app, key: key, column: column, before: former, now: value, number: number, sides: sides))
      }
    }
  }

  /// The apps whose users on the days now are all too recent to count, or whose trials are all open.
  private var unsettledApps: Set<String> {
    func count(_ value: ReportValue?) -> Int { if case .count(let count)? = value { count } else { 0 } }
    func apps(with name: String) -> Set<String> {
      Set(cells.filter { $0.column.name == name && count($0.now) > 0 }.map(\.app))
    }
    return kind == .trials
      ? apps(with: "trials").subtracting(apps(with: "matured"))
      : apps(with: "immature").subtracting(apps(with: "users"))
  }

  /// Whether each user counts once at most, on one side only: funnels and paths count a user by the first entry ever.
  /// Users of value and of lifetime value count in the rows of all currencies, whether they pay or not.
  private func isOfUsersOnce(_ column: ReportColumn) -> Bool {
    switch kind {
    case .value: column.name == "users"
    case .ltv: column.name.hasPrefix("persons_")
    default: [.funnel, .paths].contains(kind) && request.options.unit == .user
    }
  }

  /// The numbers of both plain reports, without bounds; days that are over have no status of today.
  private func compared(_ now: Report, _ before: Report) -> [ReportColumn] {
    now.columns.filter { column in
      ![.key, .text, .low, .high].contains(column.kind) && !column.isBasis && kind.info(of: column) != nil
        && before.columns.contains(column)
    }
  }

  /// Returns the columns of which a column is the quotient, by user: the amounts and the count of those in the mean.
  private func mean(of column: ReportColumn) -> (amount: String, count: String)? {
    switch kind.sum(of: column) {
    case .mean(let count): (column.name, count)
    case .ratio(let amount, let count) where column.kind == .money: (amount, count)
    default: nil
    }
  }

  /// Returns a rate that is a quotient of counts or an estimate with its test, and other numbers with the change alone.
  private func number(
    _ column: ReportColumn, now: (report: Report, row: [ReportValue]?), before: (report: Report, row: [ReportValue]?)
  ) -> ComparedNumber {
    func counts(_ side: (report: Report, row: [ReportValue]?)) -> (part: Int, whole: Int)? {
      guard column.kind == .rate, let row = side.row, case .ratio(let part, let whole)? = kind.sum(of: column),
        let k = side.report.count(part, in: row), let n = side.report.count(whole, in: row), k <= n
      else { return nil }
      return (k, n)
    }
    if let own = counts(now), let other = counts(before) { return ComparedNumber(before: other, now: own) }
    if column.kind == .rate, let row = now.row, let earlier = before.row {
      for share in EstimatedShare.allCases {
        if let own = share.incidence(of: column.name, in: row, now.report),
          let other = share.incidence(of: column.name, in: earlier, before.report)
        {
          return ComparedNumber(share, before: other, now: own)
        }
      }
    }
    if let row = now.row, let earlier = before.row, let own = now.report.resampled(column.name, in: row),
      let other = before.report.resampled(column.name, in: earlier)
    {
      return ComparedNumber(before: other, now: own)
    }
    return ComparedNumber(
      before: before.row.flatMap { before.report.value(column.name, in: $0)?.quantity },
      now: now.row.flatMap { now.report.value(column.name, in: $0)?.quantity },
      reason: with.isOfPeriods
        ? "no test: neither a share, a sum nor a mean over users" : "no test: groups of users differ in size")
  }

  // MARK: The table

  private func table() -> Report {
    let adjusted = self.adjusted()
    let rows = cells.indices.map { row(cells[$0], adjusted[$0]) }
    var report =
      sample
      ?? Report(
        name: kind.name, title: kind.title, definition: [], parameters: [], asOf: [], columns: [], rows: [])
    let keys = report.columns.filter { $0.kind == .key }
    report.asOf = sides.map { side in
      var instant = Report.AppInstant(app: side.app, asOf: side.sides.now.asOf, notes: side.sides.cohortNotes)
      instant.variants = variants[side.app] ?? []
      if let begin = begins[side.app], let end = side.sides.before.end {
        instant.notes.append(Report.AppInstant.begin(begin.daysSince1970, beforeEnd: end))
      }
      if let clause = settled[side.app]?.clause {
        let unsettled = kind == .trials ? Report.AppInstant.openTrials : Report.AppInstant.unsettled
        instant.notes.append("\(unsettled); \(clause)")
      }
      return instant
    }
    (report.name, report.title) = ("compare", "\(kind.title) compared")
    report.parameters =
      report.parameters.map { parameter in
        switch parameter.name {
        case "app":
          .init(name: "app", value: request.options.apps.isEmpty ? "all" : request.options.apps.joined(separator: ","))
        case "as_of": .init(name: "as_of", value: request.options.asOfText)
        default: parameter
        }
      } + [
        .init(name: "report", value: kind.name), .init(name: "compare", value: comparedText),
        .init(name: "ages", value: request.hasEqualAges ? "equal" : "known"),
      ]
    report.definition = sentences()
    report.columns =
      keys + [ReportColumn("column", .key), ReportColumn("unit", .text)]
      + [ReportColumn("before", .number), ReportColumn("now", .number)] + ReportColumn.bounded("change", .number)
      + ReportColumn.bounded("lift", .number)
      + ["p", "p_adjusted"].map { ReportColumn($0, .number) } + [ReportColumn("family", .count)]
      + ["word", "reason"].map { ReportColumn($0, .text) } + ["before_n", "now_n"].map { ReportColumn($0, .count) }
      + ["before_from", "before_to", "before_as_of", "now_from", "now_to", "now_as_of"].map { ReportColumn($0, .text) }
      + ["before_days", "now_days"].map { ReportColumn($0, .number) }
      + ["complete", "method"].map { ReportColumn($0, .text) }
    report.rows = rows
    (report.totals, report.notes) = (totals, notes)
    return report
  }

  /// The other side as `--compare` names it, with the first app's days for words such as `last month`.
  private var comparedText: String {
    switch with.side {
    case .previous: "previous"
    case .values(let filter): filter.description
    case .days:
      [sides.first?.sides.before.first, sides.first?.sides.before.end].map { Self.day($0) ?? "" }.joined(
        separator: "..")
    }
  }

  /// Returns Holm's p of each cell and the size of its family: the tested rows of one column.
  private func adjusted() -> [(p: Double?, family: Int)] {
    var found = [(p: Double?, family: Int)](repeating: (nil, 0), count: cells.count)
    for places in Dictionary(grouping: cells.indices, by: { cells[$0].column.name }).values {
      let values = Adjustment.holm.adjusted(places.map { cells[$0].number.p })
      for (place, p) in zip(places, values) { found[place] = (p, values.count { $0 != nil }) }
    }
    return found
  }

  func row(_ cell: Cell, _ adjusted: (p: Double?, family: Int)) -> [ReportValue] {
    let number = cell.number
    let like = cell.now ?? cell.before ?? .count(0)
    func value(_ amount: Double?) -> ReportValue { .of(amount, like: like) }
    func share(_ share: Double?) -> ReportValue { .rate(share.flatMap { $0.isFinite ? $0 : nil }) }
    let word =
      if let p = adjusted.p, let change = number.change {
        p < 0.05 ? (change > 0 ? "up" : "down") : "chance"
      } else if number.method == .proportions, number.change == 0 {
        "chance"  // all or none of both sides
      } else if number.method == .none, cell.before != nil, cell.now != nil {
        ""
      } else {
        "unknown"
      }
    func text(_ day: Int?) -> ReportValue { .text(Self.day(day) ?? "") }
    let (before, now) = (cell.sides.before, cell.sides.now)
    let info = kind.info(of: cell.column)
    return cell.key.map { .text(String(decoding: $0, as: UTF8.self)) }
      + [.text(cell.column.name), .text(info?.unit ?? ""), cell.before ?? like.empty, cell.now ?? like.empty]
      + [value(number.change), value(number.interval?.low), value(number.interval?.high)]
      + [share(number.lift), share(number.liftInterval?.low), share(number.liftInterval?.high)]
      + [.probability(number.p), .probability(adjusted.p), .count(adjusted.family), .text(word), .text(number.reason)]
      + [number.beforeCount, number.nowCount].map { $0.map { .count($0) } ?? .number(nil) }
      + [text(before.first), text(before.end), .text(ReportQuery.instant(before.asOf))]
      + [text(now.first), text(now.end), .text(ReportQuery.instant(now.asOf))]
      + [
        .number(before.days), .number(now.days), .text(now.isComplete ? "true" : "false"),
        .text(number.method.rawValue),
      ]
  }

  private static func day(_ number: Int?) -> String? { number.map { CivilDate(daysSince1970: $0).description } }

  // MARK: Sentences

  private func sentences() -> [String] {
    var sentences: [String] = []
    let all = sides.map(\.sides)
    guard let first = all.first else { return [] }
    if with.isOfPeriods {
      for (app, sides) in self.sides.prefix(3) {
        let (now, before) = (Self.period(sides.now), Self.period(sides.before))
        let name = self.sides.count > 1 ? "\(app): " : ""
        var text = "\(name)now is \(now), before is \(before)"
        if request.hasEqualAges {
          text += ", with data up to \(ReportQuery.instant(sides.before.asOf)), so both are shown at the same age"
        } else if sides.now.asOf == sides.before.asOf {
          text += "; before has had more time"
        }
        sentences.append(text)
      }
      if all.contains(where: \.isOfSettledWeek) { sentences.append("\(Report.newestSettled) \(kind.settledUnits)") }
      if self.sides.count > 3 { sentences.append("and \(self.sides.count - 3) more apps, each with days of its own") }
      if all.contains(where: { !$0.now.isComplete }) {
        sentences.append(
          request.hasEqualAges
            ? "now is not over yet: it is compared with the same part of the days before"
            : "now is not over yet: its counts and amounts still grow")
      }
      let isScaled = cells.contains { kind.isSum($0.column) && !(kind.info(of: $0.column)?.isState ?? false) }
      if isScaled, let clause = all.lazy.compactMap(\.scaledClause).first { sentences.append(clause) }
      if all.contains(where: { !$0.isOfWholeWeeks }) {
        sentences.append("the sides are not whole weeks apart, so they begin on different weekdays")
      }
    } else if case .values(let filter) = with.side {
      let own = first.now.options.filters.first { $0.dimension == filter.dimension }
      sentences.append("now is \(own.map(\.description) ?? "all others"), before is \(filter)")
    }
    return sentences + [
      "up, down: p is below 0.05 after Holm's correction for the rows of one column; chance: chance alone can explain the change, "
        + "which may still be as large as its interval says; unknown: a side has too little data",
      "p assumes that users are independent: it does not include an outage or a holiday, which affects a whole day",
    ]
  }

  private static func period(_ side: ComparedSides.Side) -> String {
    let end = side.end.map { " to \(CivilDate(daysSince1970: $0 - 1))" } ?? " on"
    let days = side.days.map { " (\(rounded($0)) d\(side.isComplete || side.end == nil ? "" : " so far"))" } ?? ""
    return (day(side.first) ?? "the first day") + end + days
  }

  private static func rounded(_ days: Double) -> String {
    let tenths = (days * 10).rounded() / 10
    return tenths == tenths.rounded() ? String(Int(tenths)) : String(tenths)
  }
}

extension ReportValue {
  /// Returns an amount as a value of the same unit.
  fileprivate static func of(_ amount: Double?, like value: ReportValue) -> ReportValue {
    guard let amount, amount.isFinite else { return value.empty }
    switch value {
    case .money(_, let currency), .estimate(_, let currency): return .estimate(amount, currency: currency)
    case .count where amount == amount.rounded() && abs(amount) < 1e15: return .count(Int(amount))
    case .count, .number, .percent, .text: return .number(amount)
    case .rate, .probability: return .rate(amount)
    }
  }
}
