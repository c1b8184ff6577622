internal import EventModel
internal import Lifecycle
internal import Store

/// The two sides of a comparison for one app: the options of each report, and how much of its period each side has seen
/// (implements definitions 9.1, 9.2, 9.3 and 9.4).
struct ComparedSides {
  struct Side {
    var options: ReportOptions
    /// Local days since 1970; open at an end without a day.
    var first: Int?
    var end: Int?
    /// Milliseconds since 1970.
    var asOf: Int64
    /// Elapsed days of the period up to the as-of; `nil` without a first day.
    var days: Double?
    /// Of these, the days whose users count by now (3.3).
    var countedDays: Double?
    /// Whether the period is over at the as-of.
    var isComplete: Bool
  }

  var before: Side
  var now: Side
  /// Whether the two sides start a whole number of weeks apart.
  var isOfWholeWeeks: Bool
  /// Whether no days were named, and those of the last full week do not all count yet.
  private(set) var isOfSettledWeek = false
  /// Warnings of cohorts that look ahead from the earlier side's first day.
  var cohortNotes: [String]

  /// The first and the last day of both sides, in days since 1970.
  var days: [Int?] { [now.first, now.end, before.first, before.end] }

  /// The days of both periods, without one of the last hours, which may still get its events; `nil` if they are the same.
  var wholeDays: [Range<Int>]? {
    guard before.first != now.first, let first = before.first, let end = before.end, let from = now.first,
      let to = now.end
    else { return nil }
    return [first..<end, from..<min(max(from, Int(floorDays(now.asOf - 1))), to)]
  }

  /// The factor for the earlier side's counts and amounts, which makes both of equally many days that count.
  var scale: Double {
    guard let own = now.countedDays, let other = before.countedDays, own > 0, other > 0,
      abs(own - other) * Double(day) > 1
    else { return 1 }
    return own / other
  }

  /// A clause such as `changes of counts and amounts are per 28 days: before has 31`; `nil` for equally many days.
  var scaledClause: String? {
    guard scale != 1, let own = now.countedDays, let other = before.countedDays else { return nil }
    func text(_ days: Double) -> String { String(Int(days.rounded())) }
    return "\(Report.scaled) \(text(own)) days: before has \(text(other))"
  }

  /// A clause on periods that do not have the same weekdays; `nil` of four weeks and more, where a weekend is a small part.
  var weekdayClause: String? {
    guard !isOfWholeWeeks, let days = now.countedDays, days < 28 else { return nil }
    return Report.weekdays
  }

  /// - Throws: ``OptionError`` for sides that overlap or are not known.
  init(_ query: ReportQuery, app: StoreSnapshot.App, _ request: ReportRequest, _ with: ComparedWith) throws {
    let asOf = query.asOf(of: app)
    var (own, other) = (request.options, request.options)
    (own.apps, other.apps) = ([app.name], [app.name])
    (own.asOfs, other.asOfs) = ([:], [:])
    let local = query.localTime
    let newest = CivilDate(daysSince1970: Int(local.day(of: asOf - 1)))
    if case .values(let filter) = with.side {
      other.filters = try Self.filters(own.filters, other: filter)
      if !own.filters.contains(where: { $0.dimension == filter.dimension }) {
        var rest = filter
        rest.isExcluding = true
        own.filters.append(rest)
      }
    } else if own.from == nil {
      guard with.side == .previous, own.to == nil else {
        throw OptionError(
          "--compare needs the report's own days to compare with: give --from and --to, or --last")
      }
      let monday = CivilDate.monday(ofDay: CoveredDays.daysOver(at: local.local(asOf)))
      let week = (from: CivilDate(daysSince1970: monday - 7), to: CivilDate(daysSince1970: monday))
      let settled = try SettledWeek.days(insteadOf: week, request, app: app.name, query.snapshot)
      (own.from, own.to) = (settled.from, settled.to)
      isOfSettledWeek = settled.from != week.from
    }
    let end = (own.to ?? CivilDate(daysSince1970: newest.daysSince1970 + 1))
    if let first = own.from {
      switch with.side {
      case .values: break
      case .previous:
        if own.to == nil, first >= end { throw OptionError("--from is \(first), but the data end on \(newest)") }
        let length = end.daysSince1970 - first.daysSince1970
        let months = (end.year - first.year) * 12 + end.month - first.month
        other.from =
          first.day == 1 && end.day == 1 && months > 0
          ? first.addingMonths(-months) : CivilDate(daysSince1970: first.daysSince1970 - length)
        other.to = first
      case .days(let from, let to):
        (other.from, other.to) = (from.first(newest: newest), to.end(newest: newest))
      }
    }
    if with.isOfPeriods, let first = own.from, let from = other.from, let to = other.to {
      if to <= from { throw OptionError("--compare is \(from)..\(to), but the second day must be after the first") }
      if from < end && first < to {
        throw OptionError("--compare is \(from)..\(to), which overlaps \(first) to \(end): compare days that do not")
      }
      if from > first {
        throw OptionError(
          "--compare is \(from)..\(to), which is after \(first): give the later days to --from and --to")
      }
      let earlier = local.instant(asOf, after: first, shiftedTo: from)
      other.asOf = request.hasEqualAges ? earlier : asOf
      isOfWholeWeeks = (asOf - earlier) % (7 * day) == 0
    } else {
      (other.from, other.to, other.asOf) = (own.from, own.to, asOf)
      isOfWholeWeeks = true
    }
    own.asOf = asOf
    cohortNotes = query.cohortNotes(from: other.from)
    let wait = try Self.countsUsers(request) ? Funnel.horizons(query)[app.id] ?? 0 : 0
    func side(_ options: ReportOptions) -> Side {
      let asOf = options.asOf ?? asOf
      let end = options.to.map(local.start(of:))
      func days(until last: Int64) -> Double? {
        options.from.map { Double(max(0, min(end ?? last, last) - local.start(of: $0))) / Double(day) }
      }
      return Side(
        options: options, first: options.from?.daysSince1970, end: options.to?.daysSince1970, asOf: asOf,
        days: days(until: asOf), countedDays: days(until: asOf - wait), isComplete: end.map { $0 <= asOf } ?? false)
    }
    (now, before) = (side(own), side(other))
  }

  /// Whether the numbers are of users who count only a horizon after their first paywall view.
  static func countsUsers(_ request: ReportRequest) -> Bool {
    [.funnel, .value].contains(request.kind) || request.kind == .paths && request.options.path == nil
  }

  /// Returns the earlier side's filters: those of the report, with the compared one in place of its dimension's own.
  private static func filters(
    _ own: [ReportOptions.Filter], other: ReportOptions.Filter
  ) throws -> [ReportOptions.Filter] {
    for filter in own where filter.dimension == other.dimension {
      let shared = other.values.filter { filter.values.contains($0) != filter.isExcluding }
      if let value = shared.first {
        throw OptionError(
          "--compare is \(other), but --where \(filter) also counts \(value): the sides must not share users")
      }
    }
    return own.filter { $0.dimension != other.dimension } + [other]
  }
}

extension ComparedSides {
  /// Returns apps with the same days, which are read together. A rate of money may depend on the instant, so reports of
  /// money are made app by app.
  static func groups(
    of apps: [(app: String, sides: ComparedSides)], _ kind: ReportKind
  ) -> [[(app: String, sides: ComparedSides)]] {
    if kind.hasAmounts { return apps.map { [$0] } }
    let groups = Dictionary(grouping: apps.indices) { apps[$0].sides.days }
    return groups.values.sorted { $0[0] < $1[0] }.map { $0.map { apps[$0] } }
  }

  /// Returns the options of one side's report of apps with the same days, each with its own as-of.
  static func options(
    of apps: [(app: String, sides: ComparedSides)], _ side: KeyPath<ComparedSides, Side>
  ) -> ReportOptions {
    var options = apps[0].sides[keyPath: side].options
    if apps.count == 1 { return options }
    (options.apps, options.asOf) = (apps.map(\.app), nil)
    options.asOfs = Dictionary(uniqueKeysWithValues: apps.map { ($0.app, $0.sides[keyPath: side].asOf) })
    return options
  }

  /// Lets the reports of both sides read the stored units in one pass.
  static func readTogether(
    _ snapshot: StoreSnapshot, now: ReportOptions, before: ReportOptions, _ kind: ReportKind
  ) throws {
    // The facts of a cohort are read for one report alone.
    if !now.cohorts.isEmpty || !before.cohorts.isEmpty { return }
    let other = try ReportQuery(snapshot, before, by: kind).facts
    try ReportQuery(snapshot, now, by: kind).facts.otherSide = other
  }
}

extension Report {
  /// The beginning of the sentence on sides of different length.
  public static let scaled = "changes of counts and amounts are per"
  /// The sentence on periods with different weekdays.
  public static let weekdays = "the two periods begin on different weekdays, and weekends alone can change a number"
  /// The sentence on refunds among the units of `why revenue`.
  public static let refundsAreUnits = "A refund counts as a payment below 0"
}
