internal import EventModel
public import Store

/// Leads from our number to a vendor's, one difference in definition after the other (definitions 13).
public struct Bridge {
  let question: BridgeQuestion
  let query: ReportQuery
  let app: StoreSnapshot.App
  let persons: BridgePersons
  /// Users without the payments that were given back in full; `nil` where no step asks.
  private let withoutRefunded: BridgePersons?

  /// - Parameters:
  ///   - options: Only `apps`, `from`, `to`, `timeZone`, `asOf`, `grace`, `filters`, `cohorts`, `currency` and `mode`
  ///     apply.
  /// - Returns: The steps from our number to the vendor's; or with a step in the question, the users whom it changed.
  /// - Throws: ``OptionError``, ``ReportError``.
  public static func report(
    _ snapshot: StoreSnapshot, _ options: ReportOptions, _ question: BridgeQuestion
  ) throws -> Report {
    try options.split(by: []).inOneCurrency(snapshot) { options in
      let bridge = try Bridge(snapshot, options, question)
      return try question.step == nil ? bridge.steps() : bridge.changedUsers()
    }
  }

  private init(_ snapshot: StoreSnapshot, _ options: ReportOptions, _ question: BridgeQuestion) throws {
    self.question = question
    query = try ReportQuery(snapshot, options, defaultBy: [])
    guard let app = query.apps.first else { throw ReportError.unknownApp("", known: []) }
    guard query.apps.count == 1 else {
      throw OptionError(
        "the store has \(query.apps.count) apps; name one with --app: \(query.apps.map(\.name).joined(separator: ", "))"
      )
    }
    if question.metric == .churnRate, options.from == nil, question.period == .none {
      throw OptionError(
        "--metric churn_rate is of the subscriptions active before the days: name the first with --from")
    }
    self.app = app
    persons = try BridgePersons(query, app: app, question.metric)
    withoutRefunded =
      question.readings.contains { $0.setting == .refundErased }
      ? try BridgePersons(query, app: app, question.metric, erasesRefunded: true) : nil
  }

  // MARK: - Counts

  /// The days of a number, as civil days of whichever zone counts.
  struct Span {
    var label = ""
    var from: CivilDate?
    var to: CivilDate?
  }

  /// The days asked for; by period those from the first event to the last, in whichever zone they are more.
  func spans(_ times: [String: LocalTime]) -> [Span] {
    guard let period = Dimension.period(question.period.rawValue) else {
      return [Span(from: query.options.from, to: query.options.to)]
    }
    let zones = [query.localTime] + times.values
    let begin = persons.all.map(\.firstSeen).min() ?? persons.asOf
    let first = CivilDate(daysSince1970: Int(zones.map { $0.day(of: begin) }.min() ?? 0))
    let last = CivilDate(daysSince1970: Int(zones.map { $0.day(of: persons.asOf - 1) }.max() ?? 0) + 1)
    let (from, to) = (max(query.options.from ?? first, first), min(query.options.to ?? last, last))
    var spans: [Span] = []
    var start = period.first(of: from)
    while start < to {
      let next = period.next(start)
      // Of the last period, the days after the data are the same as none.
      let end = query.options.to.map { min(next, $0) } ?? next
      spans.append(Span(label: period.label(ofPeriod: start), from: max(start, from), to: end))
      start = next
    }
    return spans
  }

  func count(_ span: Span, _ settings: [VendorSetting], times: [String: LocalTime]) throws -> BridgeCount {
    var time = query.localTime
    for case .zone(let name) in settings { time = times[name] ?? time }
    let days = BridgeCount.Days(time, from: span.from, to: span.to, asOf: persons.asOf)
    let persons = settings.contains(.refundErased) ? withoutRefunded ?? persons : persons
    let off =
      settings.contains(.renewalOffNotActive) ? try persons.renewalsOff(query, before: days.end) : []
    return BridgeCount(
      question.metric, persons, days, settings: Set(settings), window: question.days, off: off)
  }

  func times() throws -> [String: LocalTime] {
    var times: [String: LocalTime] = [:]
    for case .zone(let name) in question.readings.map(\.setting) {
      times[name] = try LocalTime(
        timeZone: name, instants: max(0, min(app.firstDay, persons.asOf))...max(0, app.firstDay, persons.asOf))
    }
    return times
  }

  // MARK: - Reports

  func report(
    title: String, definition: [String], columns: [ReportColumn], rows: [[ReportValue]]
  ) -> Report {
    var report = query.report(
      "bridge", title: title, definition: definition,
      columns: [ReportColumn("app", .key)]
        + (question.period == .none ? [] : [ReportColumn(question.period.rawValue, .key)]) + columns, rows: rows)
    let kept =
      ["app", "from", "to", "timezone", "as_of", "grace_days", "where"]
    report.parameters.removeAll { !kept.contains($0.name) }
    report.parameters += [
      .init(name: "vendor", value: question.vendor.name), .init(name: "metric", value: question.metric.rawValue),
      .init(name: "by", value: question.period.rawValue),
    ]
    if question.metric.isOfFirstSeen { report.parameters.append(.init(name: "days", value: String(question.days))) }
    if question.metric.unit == .money {
      report.parameters += [
        .init(name: "mode", value: query.options.mode.rawValue), query.currencyParameter,
      ]
    }
    return report
  }

  // MARK: - Users

  /// The units whose numerator or denominator one step changed; their parts add up to the step's; implements definitions 13.4.
  private func changedUsers() throws -> Report {
    let rule = question.step?.title ?? ""
    let settings = question.readings.map(\.setting)
    guard let place = question.readings.firstIndex(where: { $0.setting.step == question.step }) else {
      throw OptionError("--step must be a step of the bridge")
    }
    let times = try times()
    let span = Span(from: query.options.from, to: query.options.to)
    let before = try count(span, Array(settings[..<place]), times: times)
    let now = try count(span, Array(settings[...place]), times: times)
    let changes = now.changes(since: before)
    let users = try query.facts.users(of: Set(changes.keys.map(\.person)).sorted())
    let isMoney = question.metric.unit == .money
    func amount(_ value: Int128) -> ReportValue {
      isMoney
        ? .money(roundedToOdd(value, dividedBy: BridgeCount.scale), currency: persons.currency ?? "")
        : .count(Int(value))
    }
    func part(_ value: Double?) -> ReportValue { question.metric.unit == .share ? .rate(value) : .number(value) }
    let rows = changes.map { unit, change -> [ReportValue] in
      let (old, new) = (before.parts[unit] ?? BridgeCount.Part(), now.parts[unit] ?? BridgeCount.Part())
      let at = unit.at == .min ? "" : ReportQuery.instant(unit.at)
      return [
        .text(app.name), .text(users[unit.person]?.sorted(by: precedesInBytes).first ?? ""), .text(at),
        .text(change.rawValue),
        amount(old.met), .count(Int(old.of)), amount(new.met), .count(Int(new.of)),
        part(now.contribution(of: old, new, from: before)),
      ]
    }
    var report = report(
      title: "\(question.metric.title): users changed by the rule “\(rule)”",
      definition: [
        "in, out: units that only one of the two definitions counts. part: what the unit adds to the step's part"
          + " (13.4)"
      ],
      columns: [
        ReportColumn("user", .text), ReportColumn("at", .text), ReportColumn("change", .text),
        ReportColumn("met_before", isMoney ? .money : .count), ReportColumn("of_before", .count),
        ReportColumn("met_now", isMoney ? .money : .count), ReportColumn("of_now", .count),
        ReportColumn("part", question.metric.unit == .share ? .rate : .number),
      ],
      rows: rows.sorted { left, right in
        let (one, two) = (left.map(\.keyText), right.map(\.keyText))
        return precedesInBytes([one[1], one[2]], [two[1], two[2]])
      })
    if rows.isEmpty { report.emptyNote = "The rule “\(rule)” changes no user's numbers." }
    return report
  }
}

extension BridgeCount {
  /// How a step changed a unit.
  enum Change: String {
    /// Only the count after the step has the unit.
    case added = "in"
    /// Only the count before it has the unit.
    case removed = "out"
    /// Its part of the numerator or denominator is another one.
    case revalued = "changed"
  }

  /// Returns the units that are not in both counts alike.
  func changes(since before: BridgeCount) -> [Unit: Change] {
    var changes: [Unit: Change] = [:]
    for (unit, part) in parts where before.parts[unit] != part {
      changes[unit] = before.parts[unit] == nil ? .added : .revalued
    }
    for unit in before.parts.keys where parts[unit] == nil { changes[unit] = .removed }
    return changes
  }

  /// A unit's part of the difference between two counts: with r the share before and d the denominator now, its change
  /// of the numerator less r × its change of the denominator, over d. The parts of all units add up to the difference,
  /// as those of unchanged ones are 0.
  fileprivate func contribution(of old: Part, _ new: Part, from before: BridgeCount) -> Double? {
    let scale = metric.unit == .money ? Double(Self.scale) * 1e6 : 1
    let met = Double(new.met - old.met) / scale
    if metric.unit != .share, metric != .realizedLTV { return met }
    guard total.of > 0, before.total.of > 0 else { return nil }
    let share = Double(before.total.met) / scale / Double(before.total.of)
    return (met - share * Double(new.of - old.of)) / Double(total.of)
  }
}
