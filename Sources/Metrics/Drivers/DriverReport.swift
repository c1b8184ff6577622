internal import Basics
internal import EventModel
internal import Store

/// Why a number changed: the segments in which it moved, with exact parts, and how often chance alone looks like that
/// (definitions 10).
struct DriverReport {
  let snapshot: StoreSnapshot
  let request: ReportRequest
  let question: DriverQuestion
  private let with: ComparedWith
  private let kind: ReportKind
  let measure: Measure
  private(set) var money: DriverMoney?
  private var rows: [[ReportValue]] = []
  private var sentences: [String] = []
  private var sample: Report?
  private var asOf: [Report.AppInstant] = []
  /// The days now, where all apps have the same.
  private var days: ClosedRange<Int>?

  /// How a column is made of its units.
  enum Measure {
    /// The share of units that meet it: the columns of both counts.
    case share(met: String, units: String)
    /// The number of units that meet it, as a part of all.
    case count(met: String, units: String)
    case money(DriverMoney.Column)
  }

  private var isOfSum: Bool { if case .share = measure { false } else { true } }

  /// How many printed units a unit of the number has.
  private var unit: Double {
    switch measure {
    case .share: 1e6
    case .count: 100
    case .money: Double(powerOfTen128(moneyDecimals(money?.currency ?? ""))) / 1e6
    }
  }

  /// Without another side, it is the period before.
  ///
  /// - Throws: ``OptionError`` for a column that is no share of counts, and for rows by a dimension.
  static func report(_ snapshot: StoreSnapshot, _ request: ReportRequest, _ question: DriverQuestion) throws -> Report {
    let with = try request.comparison ?? ComparedWith("previous")
    guard let with else { preconditionFailure("previous is a side") }
    if !(request.options.by ?? []).isEmpty {
      throw OptionError("why searches all dimensions by itself: leave out --by, and narrow down with --where")
    }
    var question = question
    if question.column.isEmpty { question.column = request.kind.driverColumn }
    return try DriverReport(snapshot, request, question, with).table()
  }

  private init(
    _ snapshot: StoreSnapshot, _ request: ReportRequest, _ question: DriverQuestion, _ with: ComparedWith
  ) throws {
    (self.snapshot, self.request, self.question, self.with, kind) = (snapshot, request, question, with, request.kind)
    measure = try Self.measure(of: question.column, request.kind)
    var request = request
    if case .money(let column) = measure {
      money = DriverMoney(column)
      let whole = try kind.report(snapshot, request.options)
      (sample, request.options) = (whole, request.options.settled(by: whole))
    }
    let query = try ReportQuery(snapshot, request.options, by: kind)
    let apps = try query.apps.map { (app: $0.name, sides: try ComparedSides(query, app: $0, request, with)) }
    let asked = Set(apps.map { [$0.sides.now.first, $0.sides.now.end] })
    if asked.count == 1, let first = asked.first?.first ?? nil, let end = asked.first?.last ?? nil {
      days = first...end
    }
    let begins = Dictionary(
      uniqueKeysWithValues: query.apps.map { ($0.name, Int(query.localTime.day(of: $0.firstDay))) })
    for group in ComparedSides.groups(of: apps, kind) {
      let now = try units(ComparedSides.options(of: group, \.now), by: dimensions)
      let before = try units(ComparedSides.options(of: group, \.before), by: dimensions)
      let none = DriverCells.Side()
      for (app, sides) in group {
        if with.isOfPeriods, let begin = begins[app], let end = sides.before.end, end <= begin {
          asOf.append(Report.AppInstant(app: app, asOf: sides.now.asOf, notes: []))
          let name = apps.count == 1 ? "" : "\(app): "
          sentences.append(
            "\(name)not known: \(Report.AppInstant.begins) on \(CivilDate(daysSince1970: begin)), after the days before"
          )
          continue
        }
        try add(app, sides, before: before[app] ?? none, now: now[app] ?? none, isAlone: apps.count == 1)
      }
    }
  }

  private static func measure(of column: String, _ kind: ReportKind) throws -> Measure {
    if kind == .revenue {
      if let own = DriverMoney.Column(rawValue: column) { return .money(own) }
      let names = DriverMoney.Column.allCases.map(\.rawValue)
      throw OptionError(
        "--column is \(column), but must be one of \(names.joined(separator: ", "))\(NearName.hint(column, in: names))")
    }
    let shares = kind.rules.sorted { precedesInBytes($0.key, $1.key) }.compactMap { name, rule in
      if case .ratio(let met, let units) = rule.kind { (name: name, met: met, units: units) } else { nil }
    }
    let own = kind.rule(of: ReportColumn(column, .rate))?.kind
    if case .ratio(let met, let units)? = own { return .share(met: met, units: units) }
    if let share = shares.first(where: { $0.met == column }) { return .count(met: share.met, units: share.units) }
    let known = shares.map(\.name).filter { !$0.contains("*") } + shares.map(\.met).filter { !$0.contains("*") }
    var names: [String] = []
    for name in known where !names.contains(name) { names.append(name) }
    throw OptionError(
      names.isEmpty
        ? "why does not support \(kind.name); use "
          + ReportKind.all.filter(\.hasDrivers).map(\.name).joined(separator: ", ")
        : "--column is \(column), but must be one of \(names.joined(separator: ", "))\(NearName.hint(column, in: names))"
    )
  }

  /// Dimensions whose values a unit has before its outcome is known. Payments move from version to version anyhow.
  var dimensions: [Dimension] {
    var compared: Dimension?
    if case .values(let filter) = with.side { compared = filter.dimension }
    let known: [Dimension] =
      [.variant, .entryPoint, .paywall, .experiment, .country, .platform, .store]
      + (kind == .revenue ? [.plan, .tier, .offerType, .stage] : [.appVersion])
      + ([.trials, .cancellations].contains(kind) ? [.plan, .tier] : [])
    return (question.cuts.isEmpty ? known : question.cuts).filter { $0 != compared }
  }

  /// Returns the units of each app by values of the dimensions.
  mutating func units(
    _ options: ReportOptions, by dimensions: [Dimension]
  ) throws -> [String: DriverCells.Side] {
    var options = options
    options.by = dimensions
    let (met, units): (String, String)
    switch measure {
    case .money: return try money?.sides(snapshot, options) ?? [:]
    case .share(let part, let whole), .count(let part, let whole): (met, units) = (part, whole)
    }
    options.showsBasis = true
    let report = try kind.report(snapshot, options)
    if sample == nil { sample = report }
    let places = dimensions.map { dimension in
      report.columns.firstIndex { $0.kind == .key && $0.name == dimension.name }
    }
    let app = report.columns.firstIndex { $0.kind == .key && $0.name == "app" }
    var sides: [String: DriverCells.Side] = [:]
    for row in report.rows {
      let all = report.count(units, in: row) ?? 0
      sides[app.map { row[$0].keyText } ?? "", default: DriverCells.Side()].rows.append(
        DriverCells.Row(
          values: places.map { $0.map { row[$0].keyText } ?? "" },
          count: DriverCells.Count(units: all, sum: min(all, report.count(met, in: row) ?? 0))))
    }
    return sides
  }

  private mutating func add(
    _ app: String, _ sides: ComparedSides, before: DriverCells.Side, now: DriverCells.Side, isAlone: Bool
  ) throws {
    asOf.append(Report.AppInstant(app: app, asOf: sides.now.asOf, notes: []))
    var table = DriverCells(
      dimensions, before: before.rows, now: now.rows, isOfMoney: money != nil, scale: sides.scale)
    let whole = (before: table.before, now: table.now)
    let number: ComparedNumber
    switch measure {
    case .share:
      number = ComparedNumber(before: (whole.before.sum, whole.before.units), now: (whole.now.sum, whole.now.units))
    case .count: number = ComparedNumber(before: whole.before.sum, now: whole.now.sum, scale: sides.scale)
    case .money:
      let users = Set(before.users.keys).union(now.users.keys).sorted()
      number = ComparedNumber(
        amounts: users.map { (before: Double(before.users[$0] ?? 0), now: Double(now.users[$0] ?? 0)) },
        scale: sides.scale)
    }
    if whole.before.units == 0, whole.now.units == 0 {
      sentences.append(try sentence(app, number, [], sides, isAlone: isAlone))
      return
    }
    var total = Row(app: app, verdict: .total, before: whole.before, now: whole.now)
    total.contribution = number.change.map { money == nil ? $0 : $0 / 1e6 }
    rows.append(values(total, whole))
    let all = table
    // The segment found is taken away, and the rest searched again.
    var found: [FoundDriver] = []
    let seed = "why/\(kind.name)/\(question.column)/\(app)/\(sides.before.first ?? 0)/\(sides.now.first ?? 0)"
    while found.count < Self.mostDrivers, let top = DriverSearch(table).top(seed: "\(seed)/\(found.count)") {
      let isDriver = top.p <= question.level
      if !isDriver, !found.isEmpty { break }
      found.append((table, top))
      if !isDriver { break }
      table = table.without(top.segment)
    }
    for (place, one) in found.enumerated() {
      rows.append(values(driver(one.driver, of: one.table, app, rank: place + 1, sides), whole))
    }
    for row in try suspects(app, sides, all, found) { rows.append(values(row, whole)) }
    for cut in all.cuts {
      for part in DriverParts(all, cut: cut, isOfSum: isOfSum, unit: unit).rows {
        var row = Row(app: app, verdict: .part, before: part.before, now: part.now)
        (row.cut, row.part) = (all.name(cut: cut), part.part.rawValue)
        row.segment = part.segment.map(all.name) ?? ""
        row.contribution = contribution(part)
        rows.append(values(row, whole))
      }
    }
    try sentences.append(sentence(app, number, found.map(\.driver), sides, isAlone: isAlone))
  }

  private static let mostDrivers = 5

  // MARK: Rows

  enum Verdict: String {
    case total
    case driver
    case chance
    case suspect
    case part
  }

  struct Row {
    var app: String
    var rank: Int?
    var verdict: Verdict
    var cut = ""
    var segment = ""
    var aliases = ""
    var part = ""
    var before: DriverCells.Count
    var now: DriverCells.Count
    var contribution: Double?
    var z: Double?
    var p: Double?
    var explain = ""
  }

  private func driver(
    _ found: DriverSearch.Found, of table: DriverCells, _ app: String, rank: Int, _ sides: ComparedSides
  ) -> Row {
    var row = Row(
      app: app, verdict: found.p <= question.level ? .driver : .chance, before: found.before, now: found.now)
    row.rank = rank
    (row.cut, row.segment) = (table.name(cut: found.segment.cut), table.name(found.segment))
    row.aliases = found.aliases.map(table.name).joined(separator: " ")
    row.part = found.score.part.rawValue
    (row.z, row.p) = (found.score.z, found.p)
    row.contribution =
      DriverParts(table, cut: found.segment.cut, isOfSum: isOfSum, unit: unit).rows.first {
        $0.segment == found.segment && $0.part.rawValue == row.part
      }.map(contribution)
    var words = ["tollgate", "explain", kind.name]
    if let first = sides.now.first { words += ["--from", CivilDate(daysSince1970: first).description] }
    if let end = sides.now.end { words += ["--to", CivilDate(daysSince1970: end).description] }
    words += ["--cell", "app=\(app),\(row.segment)", "--column", question.column]
    row.explain = "\(CommandLineText(words))"
    return row
  }

  /// As a share, a number of units, or money in units of its currency.
  private func contribution(_ part: DriverParts.Row) -> Double {
    Double(part.printed) / (money == nil ? unit : unit * 1e6)
  }

  private func values(
    _ row: Row, _ whole: (before: DriverCells.Count, now: DriverCells.Count)
  ) -> [ReportValue] {
    func share(_ count: DriverCells.Count, _ all: DriverCells.Count) -> ReportValue {
      .rate(all.units > 0 ? Double(count.units) / Double(all.units) : nil)
    }
    // Of a share: how many units the part stands for.
    let mean = Double(whole.before.units + whole.now.units) / 2
    let units = money == nil ? row.contribution.map { isOfSum ? $0 : ($0 * mean * 100).rounded() / 100 } : nil
    var values: [ReportValue] = [.text(row.app), row.rank.map { .count($0) } ?? .percent(nil)]
    values += [row.verdict.rawValue, row.cut, row.segment, row.aliases, row.part].map { .text($0) }
    values += [.count(row.before.units), .count(row.now.units)]
    values += [share(row.before, whole.before), share(row.now, whole.now)]
    if let money {
      func amount(_ microUnits: Double?) -> ReportValue {
        .money(microUnits.map { Int128($0.rounded(.toNearestOrEven)) }, currency: money.currency)
      }
      values += [amount(row.before.mean), amount(row.now.mean), amount(row.contribution.map { $0 * 1e6 })]
      values += [.number(nil), .number(row.z), .probability(row.p), .text(row.explain)]
      return values + [amount(Double(row.before.sum)), amount(Double(row.now.sum))]
    }
    values += [.rate(row.before.mean), .rate(row.now.mean)]
    values.append(isOfSum ? .number(row.contribution) : .rate(row.contribution))
    return values + [.number(units), .number(row.z), .probability(row.p), .text(row.explain)]
  }

  private func table() -> Report {
    var report =
      sample
      ?? Report(name: kind.name, title: kind.title, definition: [], parameters: [], asOf: [], columns: [], rows: [])
    let heading = kind.info(of: ReportColumn(question.column, .rate))?.heading ?? question.column
    (report.name, report.title) = ("why", "\(kind.title): where “\(heading)” changed")
    report.asOf = asOf
    report.definition =
      sentences + [
        partsDefinition,
        "p_search: how often \(DriverSearch.permutations + 1) random splits of the same units find a segment that stands out "
          + "as much anywhere in the search",
        "a driver says where it changed, not why: look at what happened there on these days",
      ]
    report.parameters.removeAll { $0.name == "by" }
    report.parameters += [
      .init(name: "report", value: kind.name), .init(name: "column", value: question.column),
      .init(name: "cut", value: dimensions.map(\.name).joined(separator: ",")),
      .init(name: "level", value: "\(question.level)"),
    ]
    let rate: ReportColumn.Kind = money == nil ? .rate : .money
    let kinds: [(String, ReportColumn.Kind)] = [
      ("app", .key), ("rank", .count), ("verdict", .text), ("cut", .text), ("segment", .text), ("aliases", .text),
      ("part", .text), ("before_n", .count), ("now_n", .count), ("before_share", .rate), ("now_share", .rate),
      ("before_rate", rate), ("now_rate", rate), ("contribution", money == nil && isOfSum ? .number : rate),
      ("contribution_units", .number), ("z", .number), ("p_search", .number), ("explain", .text),
    ]
    report.columns =
      kinds.map { ReportColumn($0.0, $0.1) }
      + (money == nil ? [] : ["before_amount", "now_amount"].map { ReportColumn($0, .money) })
    if let days {
      report.parameters = report.parameters.map { parameter in
        switch parameter.name {
        case "from": .init(name: "from", value: CivilDate(daysSince1970: days.lowerBound).description)
        case "to": .init(name: "to", value: CivilDate(daysSince1970: days.upperBound).description)
        default: parameter
        }
      }
    }
    report.rows = rows
    report.totals = []
    if rows.isEmpty {
      report.emptyNote = sentences.map { $0.prefix(1).uppercased() + $0.dropFirst() + "." }.joined(separator: " ")
    }
    return report
  }
}

extension ReportKind {
  /// Whether the report has shares of counts, whose changes can be split by segment.
  public var hasDrivers: Bool {
    self == .revenue
      || options.contains { $0.name == "compare" }
        && rules.contains { name, rule in if case .ratio = rule.kind { !name.contains("*") } else { false } }
  }

  /// The shares that a table shows and whose changes can be split.
  public var driverColumns: [ColumnInfo] {
    if self == .revenue { return columns.filter { ["gross", "revenue"].contains($0.identifier) } }
    return columns.filter { column in
      guard hasDrivers, column.isCore, !column.identifier.contains("*"), case .ratio? = rules[column.identifier]?.kind
      else { return false }
      return true
    }
  }

  /// The column whose change is explained if none is named.
  public var driverColumn: String {
    if self == .revenue { return DriverMoney.Column.revenue.rawValue }
    let names = driverColumns.map(\.identifier)
    return names.first { $0 == "paid_rate" } ?? names.first ?? ""
  }
}
