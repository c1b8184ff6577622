internal import Basics
internal import EventModel
internal import Lifecycle
internal import Store

/// Why a number changed: the segments in which it moved, with exact parts, and how often chance alone looks like that
/// (definitions 10).
struct DriverReport {
  let snapshot: StoreSnapshot
  let request: ReportRequest
  private(set) var question: DriverQuestion
  /// The users of the earlier side; `nil` where the sides are periods or arms.
  private(set) var compared: ReportOptions.Filter?
  let kind: ReportKind
  private(set) var measure: Measure
  var money: DriverCurrency?
  var rows: [[ReportValue]] = []
  var sentences: [String] = []
  /// Clauses on sides of different length, of a change of a count or amount, and of different weekdays.
  private(set) var clauses: [String] = []
  /// Of each app with a side of which no unit counts yet, the newest week of which all do.
  private(set) var recent: [(from: CivilDate, to: CivilDate)?] = []
  /// The apps with refunds among the units.
  private(set) var appsWithRefunds: Set<String> = []
  private(set) var sample: Report?
  var asOf: [Report.AppInstant] = []
  /// The days now, where all apps have the same.
  private(set) var days: ClosedRange<Int>?
  /// The days before, since 1970, where all apps have the same, and whether both sides are read at the same age.
  private(set) var before: (days: Range<Int>, hasEqualAges: Bool)?
  /// Says which week the days are, if none are named and it is not the last one.
  private(set) var week: String?
  /// The properties that are searched if no dimensions are named.
  private(set) var properties: [Dimension] = []
  /// The arms of an experiment, one pair for each app.
  private(set) var arms: [ExperimentArms] = []

  /// How a column is made of its units.
  enum Measure {
    /// The share of units that meet it: the columns of both counts.
    case share(met: String, units: String)
    /// The number of units that meet it, as a part of all.
    case count(met: String, units: String)
    case money(DriverMoney.Column)
    /// Monthly recurring revenue at the end of each side.
    case recurring

    var ofMoney: DriverMoney.Column? { if case .money(let column) = self { column } else { nil } }
  }

  /// The two sides of one app.
  enum Sides {
    case report(ComparedSides)
    case arms(ExperimentArms)

    var asOf: Int64 {
      switch self {
      case .report(let sides): sides.now.asOf
      case .arms(let arms): arms.asOf
      }
    }

    fileprivate var cohortNotes: [String] { if case .report(let sides) = self { sides.cohortNotes } else { [] } }

    /// The factor for the earlier side's counts.
    var scale: Double { if case .report(let sides) = self { sides.scale } else { 1 } }

    /// The permutations' seed for these sides.
    fileprivate var seed: String {
      switch self {
      case .report(let sides): "\(sides.before.first ?? 0)/\(sides.now.first ?? 0)"
      case .arms(let arms): "\(arms.control)/\(arms.treatment)"
      }
    }
  }

  var isOfSum: Bool { if case .share = measure { false } else { true } }
  var isOfCount: Bool { if case .count = measure { true } else { false } }

  /// How many printed units a unit of the number has.
  var unit: Double {
    switch measure {
    case .share: 1e6
    case .count: 100
    case .money, .recurring: Double(powerOfTen(money?.decimals ?? 0)) / 1e6
    }
  }

  /// Without another side, it is the period before; of an experiment, the sides are two arms.
  ///
  /// - Throws: ``OptionError`` for a column that is not a share of counts, and for rows by a dimension.
  static func report(_ snapshot: StoreSnapshot, _ request: ReportRequest, _ question: DriverQuestion) throws -> Report {
    if !(request.options.by ?? []).isEmpty {
      throw OptionError("why searches all dimensions by itself: leave out --by, and narrow down with --where")
    }
    if request.kind == .experiment { return try DriverReport(arms: snapshot, request, question).table() }
    let with = try request.comparison ?? ComparedWith("previous")
    guard let with else { preconditionFailure("previous is a side") }
    var question = question
    if question.column.isEmpty { question.column = request.driverColumn }
    return try DriverReport(snapshot, request, question, with).table()
  }

  private init(
    _ snapshot: StoreSnapshot, _ request: ReportRequest, _ question: DriverQuestion, _ with: ComparedWith
  ) throws {
    (self.snapshot, self.request, self.question, kind) = (snapshot, request, question, request.kind)
    if case .values(let filter) = with.side { compared = filter }
    measure = try Self.measure(of: question.column, request.kind)
    var request = request
    // Every viewer counts as a user, whatever comes later, so nobody has to wait for trials.
    if case .count(let met, let units) = measure, met == units, ComparedSides.countsUsers(request) {
      request.options.horizon = request.options.horizon ?? day
    }
    if isOfMovements, !with.isOfPeriods {
      throw OptionError(
        "--compare names users, but recurring revenue is split between two days: compare previous, or days such as "
          + "2026-02-01..2026-03-01")
    }
    switch measure {
    case .share, .count: break
    case .money, .recurring:
      money = DriverCurrency()
      var all = request.options
      // Of all movements, so that none lacks a rate later.
      if isOfMovements { (all.showsMovement, all.from, all.by) = (true, nil, []) }
      let whole = try kind.report(snapshot, all)
      (sample, request.options) = (whole, request.options.settled(by: whole))
    }
    if question.cuts.isEmpty, !isOfMovements {
      properties = try snapshot.propertyNames(atMost: Self.mostProperties, values: Self.mostValues)
        .map { .property($0) }
    }
    let query = try ReportQuery(snapshot, request.options, by: kind)
    let apps = try query.apps.map { (app: $0.name, sides: try ComparedSides(query, app: $0, request, with)) }
    let asked = Set(apps.map { [$0.sides.now.first, $0.sides.now.end] })
    if asked.count == 1, let first = asked.first?.first ?? nil, let end = asked.first?.last ?? nil {
      days = first...end
    }
    if with.isOfPeriods, request.options.from == nil, apps.contains(where: { $0.sides.isOfSettledWeek }) {
      week = "the newest full week whose \(kind.settledUnits)"
    }
    let earlier = Set(apps.map { [$0.sides.before.first, $0.sides.before.end] })
    if with.isOfPeriods, earlier.count == 1, let first = earlier.first?.first ?? nil,
      let end = earlier.first?.last ?? nil
    {
      // Of days that are not over, the same part of the days before.
      let seen = apps.compactMap(\.sides.before.days).max().map { first + Int($0.rounded(.up)) } ?? end
      before = (days: first..<max(first, min(end, seen)), hasEqualAges: request.hasEqualAges)
    }
    let begins = Dictionary(
      uniqueKeysWithValues: query.apps.map { ($0.name, Int(query.localTime.day(of: $0.firstDay))) })
    for group in ComparedSides.groups(of: apps, kind) {
      let options = (now: ComparedSides.options(of: group, \.now), before: ComparedSides.options(of: group, \.before))
      try ComparedSides.readTogether(snapshot, now: options.now, before: options.before, kind)
      let now = isOfMovements ? [:] : try units(options.now, by: dimensions)
      let before = isOfMovements ? [:] : try units(options.before, by: dimensions)
      let none = DriverCounts.Side()
      for (app, sides) in group {
        if with.isOfPeriods, let begin = begins[app], let first = sides.before.first, let end = sides.before.end,
          end <= begin || first < begin && isOfSum && !isOfMovements
        {
          asOf.append(Report.AppInstant(app: app, asOf: sides.now.asOf, notes: sides.cohortNotes))
          let name = apps.count == 1 ? "" : "\(app): "
          sentences.append("\(name)not known: \(Report.AppInstant.begin(begin, beforeEnd: end))")
          continue
        }
        if isOfMovements {
          try addMovements(app, sides, isAlone: apps.count == 1)
        } else {
          try add(
            app, .report(sides), before: before[app] ?? none, now: now[app] ?? none, isAlone: apps.count == 1)
        }
        guard with.isOfPeriods, !isOfMovements, let begin = begins[app], let first = sides.before.first else {
          continue
        }
        // Until the first monthly renewals are due, churn is low by nature.
        let isYoung =
          first >= begin && kind == .subscriptions && question.column.hasPrefix("churn")
          && CoveredDays.arePoorInRenewals(from: first, since: begin)
        if first < begin || isYoung {
          sentences[sentences.count - 1] +=
            ". \(isYoung ? "Few renewals were due before" : "The days before are cut"), as \(Report.AppInstant.begins) on "
            + "\(CivilDate(daysSince1970: begin))"
        }
      }
    }
  }

  private init(arms snapshot: StoreSnapshot, _ request: ReportRequest, _ question: DriverQuestion) throws {
    (self.snapshot, self.request, self.question, kind) = (snapshot, request, question, request.kind)
    measure = .share(met: question.column, units: "users")
    let read = try Experiments.read(snapshot, request.options, request.experiment) {
      (arms: try ExperimentArms($0, question), goal: $0.primary.name)
    }
    arms = read.results.map(\.arms)
    self.question.column = arms[0].metric.name
    measure = .share(met: arms[0].metric.name, units: arms[0].units)
    let base = Experiments.base(
      read.query, read.wanted, control: arms[0].control, primary: Set(read.results.map(\.goal)).sorted())
    sample = base
    for arms in arms {
      try add(arms.app, .arms(arms), before: arms.before, now: arms.now, isAlone: read.results.count == 1)
    }
  }

  private static func measure(of column: String, _ kind: ReportKind) throws -> Measure {
    if kind == .mrr {
      if column == kind.driverColumn { return .recurring }
      throw OptionError("--column is \(column), but why \(kind.name) splits the change of \(kind.driverColumn)")
    }
    if kind == .revenue {
      if let own = DriverMoney.Column(rawValue: column) { return .money(own) }
      throw OptionError("column", column, mustBeOneOf: DriverMoney.Column.allCases.map(\.rawValue))
    }
    let described = kind.columns.sorted { precedesInBytes($0.identifier, $1.identifier) }
    let shares = described.compactMap { info in
      if case .ratio(let met, let units) = info.sum { (name: info.identifier, met: met, units: units) } else { nil }
    }
    let own = kind.sum(of: ReportColumn(column, .rate))
    if case .ratio(let met, let units)? = own { return .share(met: met, units: units) }
    if let share = shares.first(where: { $0.met == column }) { return .count(met: share.met, units: share.units) }
    // All units of a share meet their own number.
    let units = shares.map(\.units).filter { name in
      kind.info(of: ReportColumn(name, .count)).map { $0.unit != "money" } ?? false
    }
    if units.contains(column) { return .count(met: column, units: column) }
    let known = (shares.map(\.name) + shares.map(\.met) + units).filter { !$0.contains("*") }
    let names = known.inGroups(by: \.self).map(\.key)
    if names.isEmpty {
      throw OptionError(
        "why does not support \(kind.name); use "
          + ReportKind.all.filter(\.hasDrivers).map(\.words).joined(separator: ", "))
    }
    throw OptionError("column", column, mustBeOneOf: names)
  }

  /// Returns the units of each app by values of the dimensions.
  ///
  /// - Parameters:
  ///   - user: Whose payments are left out.
  ///   - rates: Those of amounts in these currencies, in place of the rates of their days.
  mutating func units(
    _ options: ReportOptions, by dimensions: [Dimension], without user: Int32? = nil, at rates: [String: Double] = [:]
  ) throws -> [String: DriverCounts.Side] {
    var options = options
    options.by = dimensions
    let (met, units): (String, String)
    switch measure {
    case .money(let column):
      var own = money ?? DriverCurrency()
      defer { money = own }
      return try DriverMoney(column, without: user, at: rates).sides(snapshot, options, &own)
    case .recurring:
      return try DriverMovements.read(snapshot, options, by: dimensions).mapValues { app in
        DriverCounts.Side(rows: app.strata.map { DriverCounts.Row(values: $0.values, count: $0.sum.now) })
      }
    case .share(let part, let whole), .count(let part, let whole): (met, units) = (part, whole)
    }
    options.showsBasis = true
    let report = try kind.report(snapshot, options)
    if sample == nil { sample = report }
    let places = dimensions.map { report.place(ofKey: $0.name) }
    let app = report.place(ofKey: "app")
    var sides: [String: DriverCounts.Side] = [:]
    for row in report.rows {
      let all = report.count(units, in: row) ?? 0
      sides[app.map { row[$0].keyText } ?? "", default: DriverCounts.Side()].rows.append(
        DriverCounts.Row(
          values: places.map { $0.map { row[$0].keyText } ?? "" },
          count: DriverCounts.Count(units: all, sum: min(all, report.count(met, in: row) ?? 0))))
    }
    return sides
  }

  private mutating func add(
    _ app: String, _ sides: Sides, before: DriverCounts.Side, now: DriverCounts.Side, isAlone: Bool
  ) throws {
    asOf.append(Report.AppInstant(app: app, asOf: sides.asOf, notes: sides.cohortNotes))
    if clauses.isEmpty, case .report(let sides) = sides {
      clauses = [isOfSum ? sides.scaledClause : nil, sides.weekdayClause].compactMap(\.self)
    }
    let all = strata(before, now, sides)
    let whole = (before: all.before, now: all.now)
    if all.hasRefunds { appsWithRefunds.insert(app) }
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
    case .recurring: preconditionFailure("recurring revenue does not add up from units")
    }
    var week: SettledWeek?
    if case .report = sides, number.beforeCount == 0 || number.nowCount == 0 {
      week = money == nil ? try SettledWeek(request, app: app, snapshot) : nil
      // One that is asked about already is no advice.
      if case .report(let sides) = sides, week?.days?.from.daysSince1970 == sides.now.first { week = nil }
      recent.append(week?.days)
    }
    let isEmpty = whole.before.units == 0 && whole.now.units == 0
    // Users move to new versions anyhow, so the number of those who have one changes.
    var searched = isOfCount && question.cuts.isEmpty ? all.without(.appVersion) : all
    let single = money == nil ? nil : singleUser(before.users, now.users, scale: sides.scale)
    let exchange = DriverExchange(before.amounts, now.amounts, number, scale: sides.scale)
    if single != nil || exchange.isLarge, case .report(let own) = sides {
      let user = single?.user
      let (earlier, later) = (
        user == nil ? before : try units(own.before.options, by: dimensions, without: user)[app],
        try units(own.now.options, by: dimensions, without: user, at: exchange.isLarge ? exchange.earlier : [:])[app]
      )
      searched = strata(earlier ?? DriverCounts.Side(), later ?? DriverCounts.Side(), sides)
    }
    // The segment found is taken away, and the rest searched again.
    var table = searched
    var found: [FoundDriver] = []
    let seed = "why/\(kind.name)/\(question.column)/\(app)/\(sides.seed)"
    while !isEmpty, found.count < Self.mostDrivers,
      let top = DriverSearch(table).top(seed: "\(seed)/\(found.count)", level: question.level)
    {
      let isDriver = top.p <= question.level
      if !isDriver, !found.isEmpty { break }
      found.append((table, top))
      if !isDriver { break }
      table = table.without(top.segment)
    }
    let drivers = found.enumerated().map { driver($1.driver, of: $1.table, app, rank: $0 + 1, sides) }
    var total = Row(app: app, verdict: .total, before: whole.before, now: whole.now)
    total.contribution = number.change.map { change in
      isOfCount ? (change * unit).rounded() / unit : money == nil ? change : change / 1e6
    }
    // Those that moved as the number did come first.
    func opposes(_ row: Row) -> Bool { (row.contribution ?? 0) * (total.contribution ?? 0) < 0 }
    let ordered = drivers.filter { !opposes($0) } + drivers.filter(opposes)
    let first = ordered.first.flatMap { $0.verdict == .driver ? $0.rank : nil }.map { found[$0 - 1] }
    var (findings, suspected, onset): ([Row], [Row], Int?) = ([], [], nil)
    switch sides {
    case .report(let sides):
      let daily = try daily(app, sides, of: first)
      findings = try self.findings(app, sides, daily)
      onset = first.flatMap { self.onset(of: $0, daily) }
      if !isEmpty { suspected = try rows(app, exchange, whole) + suspects(app, sides, all, found) }
    case .arms(let arms): findings = self.findings(arms)
    }
    rows += findings.map { values($0, whole) }
    if isEmpty {
      sentences.append(sentence(app, number, [], (0, 0), sides, week, isAlone: isAlone))
      return
    }
    rows += ([total] + ordered + suspected).map { values($0, whole) }
    for cut in all.cuts {
      for part in DriverParts(all, cut: cut, unit: unit).rows {
        let row = Row(
          app: app, verdict: .part, cut: all.name(cut: cut), segment: all.name(part.segment), part: part.part.rawValue,
          before: part.before, now: part.now, contribution: contribution(part))
        rows.append(values(row, whole))
      }
    }
    let alike = DriverSearch(searched).movedAlike(isRising: number.change ?? 0 > 0)
    let left = (single.map(clause(of:)) ?? "") + clause(of: exchange)
    sentences.append(
      sentence(
        app, number, found.map(\.driver), alike, sides, week, left: left,
        isOfData: !Set(findings.map(\.cut)).isDisjoint(with: ["days", "country", "platform"]), isAlone: isAlone)
        + advice(
          app, number, findings, ordered, suspected, whole, onset: onset,
          mixture: first.flatMap { mixture(of: $0, ordered[0]) }, isBeyond: !left.isEmpty))
  }

  private func strata(_ before: DriverCounts.Side, _ now: DriverCounts.Side, _ sides: Sides) -> DriverCounts {
    DriverCounts(
      dimensions, before: before.rows, now: now.rows, isOfMoney: money != nil, isOfCount: isOfCount,
      isOfAges: compared == nil && (kind.isOfSubscriptions || [.gross, .revenue].contains(measure.ofMoney)),
      scale: sides.scale,
      isOfPeriods: compared == nil && arms.isEmpty)
  }

  private static let mostDrivers = 5
}
