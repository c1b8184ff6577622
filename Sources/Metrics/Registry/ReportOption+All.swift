internal import EventModel
internal import Lifecycle

extension ReportOption {
  /// The options of most reports.
  ///
  /// - Parameters:
  ///   - standard: The dimensions of rows without `--by`.
  ///   - report: The report's name.
  ///   - dimensions: The only ones that `--by` takes; `nil` for all of the report.
  static func common(
    by standard: [Dimension], of report: String = "", among dimensions: [Dimension]? = nil
  ) -> [ReportOption] {
    [app, from, to, last, by(standard, report, dimensions), filter, asOf, timeZone, attribution, grace, currency]
  }

  /// The order and number of rows.
  static let rows = [sort, limit]

  static func neutral(_ name: String) -> [String]? {
    common(by: []).first { $0.name == name }?.neutral.map { [$0] }
  }

  static let app = ReportOption(
    "app", "App", .apps, valueName: "name",
    help: "One app, or several as a,b (repeatable; default: all apps, each with its own rows).",
    expecting: "an app", isRepeatable: true
  ) { $1.options.apps.append($0) }

  static let from = ReportOption(
    "from", "From", day: "day",
    help:
      "First day of the users, trials or payments to count: 2026-03-01, 2026-03, yesterday, monday, 28d or last month."
  ) { word, request in
    request.options.from = word.date
    request.relative.from = word.date == nil ? word : nil
  }

  static let to = ReportOption(
    "to", "To (not included)", day: "day",
    help: "Count through the day before this one. Written like --from; a period such as 2026-03 counts in full."
  ) { word, request in
    request.options.to = word.date
    request.relative.to = word.date == nil ? word : nil
  }

  static let last = ReportOption(
    "last", "Last", .text(placeholder: "28d"), valueName: "time",
    help:
      "Last days, weeks or months of the data (28d, 4w, 3mo), or the last full period (week, month, quarter, year).",
    expecting: "at least 1 day, week or month, such as 28d, 4w or 3mo, or month; for other days, use --from and --to, "
      + "as in --from \"this month\""
  ) { text, request in
    request.relative.last = DayCount(text)
    request.relative.lastPeriod = Dimension.period(text.lowercased()).flatMap {
      $0 == .day ? nil : DayWord("last \($0.name)")
    }
    guard request.relative.hasLast else { throw NoValue() }
  }

  static let timeZone = ReportOption(
    "timezone", "Time zone", .text(placeholder: "UTC"), valueName: "zone",
    help: "Time zone of days, such as Europe/Berlin (default: UTC).", expecting: "an IANA name", standard: "UTC"
  ) { $1.options.timeZone = $0 }

  static let asOf = ReportOption(
    "as-of", "As of", .instant, valueName: "instant",
    help:
      "Report as if the data ended before this day or time, such as monday or 2026-03-01T00:00:00Z; for one app: app=time (default: none).",
    expecting: "a day or an instant, such as 2026-03-01T00:00:00Z, or app=instant", isRepeatable: true
  ) { text, request in
    if let equals = text.lastIndex(of: "="), let instant = instant(String(text[text.index(after: equals)...])) {
      let app = String(text[..<equals])
      if request.options.asOfs.updateValue(instant, forKey: app) != nil {
        throw OptionError("--as-of is given twice for \(app), but must be given once")
      }
    } else {
      if request.options.asOf != nil || request.relative.asOf != nil {
        throw OptionError("--as-of is given 2 times, but must be given once, or once for each app as app=instant")
      }
      request.options.asOf = instant(text)
      request.relative.asOf = request.options.asOf == nil ? DayWord(text) : nil
      if request.options.asOf == nil && request.relative.asOf == nil { throw NoValue() }
    }
    let isOfAll = request.options.asOf != nil || request.relative.asOf != nil
    if isOfAll && !request.options.asOfs.isEmpty {
      throw OptionError("--as-of is given for all apps and for single ones: use one or the other")
    }
  }

  static let grace = ReportOption(
    "grace", "Grace, days", .number(placeholder: "3"), valueName: "days",
    help: "Number of days after a trial or paid period ends during which a late payment still counts (default: 3).",
    expecting: "a number of days from 0 to 36525", standard: "3"
  ) { text, request in
    guard let grace = days(text) else { throw NoValue() }
    request.options.grace = grace
  }

  static let attribution = ReportOption(
    "attribution", "Attribution", default: Attribution.last,
    help:
      "Which paywall view in the 7 days before a trial or payment gets the credit: last, first or all (default: last).",
    neutral: "last"
  ) { $1.options.attribution = $0 }

  private static func by(_ standard: [Dimension], _ report: String, _ dimensions: [Dimension]?) -> ReportOption {
    let names = standard.isEmpty ? "none" : standard.map(\.name).joined(separator: ",")
    let known =
      dimensions?.map(\.name)
      ?? Dimension.plainNames.filter { ReportKind.ofDimension[$0]?.contains(report) ?? true } + ["property:NAME"]
    return ReportOption(
      "by", "Rows by", .dimensions, valueName: "dims",
      help:
        "Dimensions to split rows by: none, or any of \(known.joined(separator: ", ")) (repeatable; default: \(names)).",
      expecting: "a list of dimensions", isRepeatable: true
    ) { text, request in
      var list = request.options.by ?? []
      for dimension in try Dimension.list(text) {
        if list.contains(dimension) { throw ReportError.repeatedDimension(dimension.name) }
        list.append(dimension)
      }
      request.options.by = list
    }
  }

  static let filter = ReportOption(
    "where", "Where", .filters, valueName: "dim=value[,value]",
    help:
      "Count only these values, such as country=US,DE; with !=, all others; country= means no value. cohort:NAME counts the users of a cohort in cohorts.yaml, cohort:!NAME all others (repeatable).",
    expecting: "DIMENSION=VALUE[,VALUE], DIMENSION!=VALUE[,VALUE] or cohort:NAME", isRepeatable: true
  ) { text, request in
    if let cohort = CohortFilter(text) {
      request.options.cohorts.append(cohort)
      return
    }
    guard let equals = text.firstIndex(of: "="), equals != text.startIndex else { throw NoValue() }
    let values = text[text.index(after: equals)...].split(separator: ",", omittingEmptySubsequences: false)
    let filter = try ReportOptions.Filter(String(text[..<equals]), values: values.map(String.init))
    if request.options.filters.contains(where: { $0.dimension == filter.dimension }) {
      let example = "\(filter.dimension.name)=A,B"
      throw OptionError(
        "--where is on \(filter.dimension.name) twice: name both values in one --where, such as \(example)")
    }
    request.options.filters.append(filter)
  }

  static let currency = ReportOption(
    "currency", "Currency", .text(placeholder: "USD if every payment has a rate"), valueName: "code",
    help:
      "Currency to convert amounts to, such as USD, or native to keep them as paid (default: USD if every payment has a rate, else native).",
    expecting: "native, or an ISO 4217 code such as USD", neutral: "native"
  ) { text, request in
    let code = text.uppercased()
    request.options.isNative = code == "NATIVE"
    guard request.options.isNative || RateFile.isCode(code) else { throw NoValue() }
    request.options.currency = request.options.isNative ? nil : code
  }

  static let horizon = ReportOption(
    "horizon", "Horizon, days", .number(placeholder: "7 + trial + grace"), valueName: "days",
    help: "Days to wait before a user counts (default: 7 + trial length + grace).",
    expecting: "a number of days from 0 to 36525", into: \.options.horizon, parse: days)

  static let lastStep = ReportOption(
    "to-step", "Up to step", .text(placeholder: "paid"), valueName: "step",
    help: "Last step to count. A shorter path has results sooner.", expecting: "a step", into: \.options.lastStep
  ) { $0 }

  static let unit = ReportOption(
    "unit", "Counted", default: ReportOptions.Unit.user,
    help: "Count each user once (user), or once in each row where they saw a paywall (view) (default: user)."
  ) { $1.options.unit = $0 }

  static func mode(_ standard: ReportOptions.Mode) -> ReportOption {
    ReportOption(
      "mode", "Money", default: standard,
      help:
        "Amounts to show: gross, net (after refunds) or proceeds (net, after tax and commission) (default: \(standard.rawValue))."
    ) { $1.options.mode = $0 }
  }

  static let storeFee = ReportOption(
    "store-fee", "Store fee", .number(placeholder: "0.15"), valueName: "share",
    help: "For proceeds: commission on payments that do not record it, such as 0.15 (default: 0).",
    expecting: "a share from 0 to 1, such as 0.15", standard: "0"
  ) { text, request in
    guard text.allSatisfy({ $0.isASCII && ($0.isNumber || $0 == ".") }),
      let share = Double(text).flatMap(ExactShare.init)
    else { throw NoValue() }
    request.options.storeFee = share
  }

  static let renewal = ReportOption(
    "renewal", "Assumed renewal", .text(placeholder: "yearly=0.45"), valueName: "plan=share",
    help:
      "Share of a plan's subscriptions that renew each time, such as yearly=0.45; used if fewer than 10 renewals are known (repeatable).",
    expecting: "a plan and the share that renews it, such as yearly=0.45", isRepeatable: true
  ) { text, request in
    let parts = text.split(separator: "=", omittingEmptySubsequences: false)
    guard parts.count == 2, let plan = Plan(name: String(parts[0])), plan != .lifetime, let share = Double(parts[1]),
      (0...1).contains(share)
    else { throw NoValue() }
    if request.options.assumedRenewals[plan] != nil { throw OptionError("--renewal names \(plan.name) twice") }
    request.options.assumedRenewals[plan] = share
  }

  static let compare = ReportOption(
    "compare", "Compare with", .text(placeholder: "previous"), valueName: "previous|day..day|dim=value",
    help:
      "Compare with the previous period, other days or other users, and say whether the change is more than chance.",
    expecting:
      "previous, a period such as 2026-01, two days such as 2026-02-01..2026-03-01, or DIMENSION=VALUE[,VALUE] (not day, week, month, quarter or year)",
    into: \.comparison, parse: ComparedWith.init)

  /// How much of the earlier side's later life counts.
  private enum Ages: String, CaseIterable {
    case equal
    case known
  }

  static let ages = ReportOption(
    "ages", "Ages", default: Ages.equal,
    help: "Compare both sides at the same age (equal), or with all that is known today (known) (default: equal)."
  ) { $1.hasEqualAges = $0 == .equal }

  static let pairs = ReportOption("pairs", "Pairs", help: "Compare pairs of variants, and show when the lead changes.")
  {
    $0.showsPairs = true
  }

  static let backtest = ReportOption(
    "backtest", "Backtest", help: "Test the forecasts: make them as of earlier days, and show how wrong they were."
  ) { $0.isBacktest = true }

  static let every = ReportOption(
    "every", "Forecasts every", .choice(OriginStep.allCases.map(\.rawValue)), valueName: "month|week",
    help: "When --backtest makes forecasts: on the first of each month, or each Monday (default: month).",
    expecting: "month or week", into: \.backtestStep, parse: OriginStep.init(rawValue:))

  static let model = ReportOption(
    "model", "Parts of the forecast",
    help: "With --backtest, also show how far the forecasts were off with and without each part of the model."
  ) { $0.showsModel = true }

  static let movement = ReportOption(
    "movement", "Movement", help: "Show what changed between the start and the end of each period."
  ) { $0.options.showsMovement = true }

  static let byPeriod = ReportOption(
    "by-period", "By payments", help: "Show the share that made each payment, instead of days."
  ) {
    $0.options.isByPeriod = true
  }

  static let at = ReportOption(
    "at", "At", .text(placeholder: "30,90,365"), valueName: "list",
    help:
      "Days to show, such as 30,90, or with --by-period payment numbers, such as 2-13 (default: 12,35,65,95,185,370, or 2-7,13,25).",
    expecting: "whole numbers from 1, such as 30,90 or 2-13", into: \.options.points, parse: points)

  private enum RefundDay: String, CaseIterable {
    case payment
    case refund
  }

  static let date = ReportOption(
    "date", "Day of", default: RefundDay.payment,
    help: "Date refunds by the day of the payment (payment) or of the refund (refund) (default: payment)."
  ) { $1.options.isByRefundDay = $0 == .refund }

  static let experiment = ReportOption(
    "name", "Experiment", .text(placeholder: ""), valueName: "name", help: "Name of the experiment in the events.",
    expecting: "an experiment", isPositional: true
  ) { $1.experiment.experiment = $0 }

  static let overTime = ReportOption(
    "over-time", "Over time", help: "Show the goal by day of data, with its always-valid interval."
  ) { $0.experiment.isOverTime = true }

  static let reason = ReportOption(
    "reason", "Reason", .text(placeholder: "missing:ts"), valueName: "reason",
    help: "List only lines with this reason, such as missing:ts.", expecting: "a reason", into: \.reason
  ) { $0 }

  static let sort = ReportOption(
    "sort", "Sort by", .text(placeholder: "column:desc"), valueName: "column[:desc]",
    help: "Column to sort by (default: largest first in tables, by key in CSV and JSON).", expecting: "a column",
    into: \.sort
  ) { $0 }

  static let limit = ReportOption(
    "limit", "Maximum rows", .wholeNumber, valueName: "n", help: "Maximum number of rows.",
    expecting: "a whole number, 0 or more", into: \.limit, parse: count)
}

/// Values of several options.
extension ReportOption {
  /// Days, maybe with a fraction, in milliseconds.
  public static func days(_ text: String) -> Int64? {
    guard let days = Double(text), days >= 0, days <= 36_525, text.allSatisfy({ $0.isNumber || $0 == "." }) else {
      return nil
    }
    return Int64((days * Double(Lifecycle.day)).rounded())
  }

  /// Milliseconds of an instant by RFC 3339, or of the first instant of a day in UTC.
  public static func instant(_ text: String) -> Int64? {
    (Instant(rfc3339: text) ?? CivilDate(text).map(Instant.init(startOf:)))?.millisecondsSince1970
  }

  static func count(_ text: String) -> Int? { Int(text).flatMap { $0 >= 0 ? $0 : nil } }

  /// Whole numbers from 1, ascending, such as `2-7,13`: at most 120, as each becomes columns of its own.
  static func points(_ text: String) -> [Int]? {
    let limit = 120
    var points: Set<Int> = []
    for part in text.split(separator: ",", omittingEmptySubsequences: false) {
      let ends = part.split(separator: "-", omittingEmptySubsequences: false).map { Int($0) }
      guard ends.count <= 2, let first = ends[0], let last = ends[ends.count - 1], first >= 1, last >= first,
        last <= 36_525, last - first < limit
      else { return nil }
      points.formUnion(first...last)
    }
    return points.count <= limit ? points.sorted() : nil
  }
}
