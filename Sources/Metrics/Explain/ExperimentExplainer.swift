internal import Lifecycle
public import Store

/// Explains one metric of one variant of an experiment (definitions 8.2): the users who first saw the variant,
/// each with the contribution to the outcome or the reason for not being analysed, and the events behind it.
///
/// Belongs to one snapshot and one thread.
public final class ExperimentExplainer: RowExplainer {
  private static let crossed = "users who also saw another variant (8.1)"
  /// The column of exposed users, in addition to the metrics.
  private static let personsColumn = "persons"

  private let report: ExperimentReport
  private let readout: ExperimentReadout
  private let arm: Int
  private let query: ReportQuery
  private let exposed: ExposedPersons
  private let source: ExposureSource
  private let plan: ExperimentPlan

  /// - Parameter cell: `variant`, and `app`, which may be absent if only one app has the experiment.
  /// - Throws: ``ExplanationError`` for names that the experiment does not have, ``ExperimentError``, ``ReportError``.
  public init(
    _ snapshot: StoreSnapshot, _ options: ReportOptions, _ wanted: ExperimentOptions,
    cell: [(name: String, value: String)]
  ) throws {
    var options = options.split(by: [])
    let report = try Experiments.report(snapshot, options, wanted)
    self.report = report
    for (name, _) in cell where !["app", "experiment", "variant"].contains(name) {
      throw ExplanationError.unknownKey(name, ["app", "experiment", "variant"], others: "--where")
    }
    func value(_ name: String) -> String? { cell.first { $0.name == name }?.value }
    let isOther = value("experiment").map { $0 != report.experiment } ?? false
    let readouts = isOther ? [] : report.readouts.filter { value("app") == nil || $0.app == value("app") }
    let places = readouts.flatMap { readout in
      readout.arms.indices.filter { value("variant") == nil || readout.arms[$0].variant == value("variant") }
        .map { (readout: readout, arm: $0) }
    }
    guard let place = places.first else {
      throw ExplanationError.noRow(
        cell, rows: report.readouts.reduce(0) { $0 + $1.arms.count },
        values: ["app": report.readouts.map(\.app), "variant": report.readouts.flatMap { $0.arms.map(\.variant) }])
    }
    if places.count > 1 {
      let missing = (readouts.count > 1 ? ["app"] : []) + (value("variant") == nil ? ["variant"] : [])
      throw ExplanationError.severalRows(places.count, missing: missing)
    }
    (readout, arm) = place
    options.apps = [readout.app]
    query = try ReportQuery(snapshot, options, defaultBy: [])
    guard let app = query.apps.first, let experiment = query.facts.number(ofName: wanted.experiment),
      let exposed = try ExposedPersons(query, app: app, experiment: NameID(experiment), plan: wanted.plan)
    else { throw ExplanationError.noRow(cell, rows: 0) }
    self.exposed = exposed
    plan = readout.plan
    source = try ExposureSource(
      query, app: app, experiment: NameID(experiment), plan: wanted.plan, needsPersons: true)
  }

  // MARK: - Metrics

  /// A metric with the functions that explain it.
  private struct Part {
    var metric: ExperimentMetric?
    var value: ReportValue
    var kind: ReportColumn.Kind
    var rules: String
    var text: String
    var textOf: String?
    var topics: Set<EventTopic>
    var isEstimate = false
    /// The largest relative deviation allowed between the sum of rounded amounts and the readout.
    var noise = 1e-9
    /// Returns an additional remark on an event.
    var remark: (Int32, PersonHistory.Event) -> String? = { _, _ in nil }
    /// Returns a user's contribution; `nil` for a user who is not analysed.
    var amount: (ExposureSource.Person) -> (Explanation.Amount, of: Explanation.Amount?, reason: String)?
  }

  private func part(_ column: String) throws -> Part {
    if column == Self.personsColumn {
      return Part(
        value: .count(readout.arms[arm].persons), kind: .count, rules: "8.1",
        text: "users whose first exposure to the experiment is this variant, and who saw no other", topics: [],
        amount: { _ in (Explanation.Amount(count: 1), nil, "counted") })
    }
    let plain = readout.metrics.filter { $0.capped == nil }
    guard
      let found = plain.first(where: { $0.metric.name == column })
        ?? plain.first(where: { $0.metric.name.hasPrefix("\(column):") })
    else {
      if readout.metrics.contains(where: { $0.metric.name == column }) {
        throw ExplanationError.refused(
          column, "is a metric whose highest sums are cut off; explain the one without a cap")
      }
      throw ExplanationError.unknownColumn(column, [Self.personsColumn] + plain.map(\.metric.name))
    }
    let metric = found.metric
    guard let estimate = found.arms[arm].estimate else { throw ExplanationError.undefined(column) }
    if let own = plan.metrics.first(where: { $0.name == metric.name }) { return try self.own(own, metric, estimate) }
    switch (metric.kind, metric.unit) {
    case (.mean, .money(let currency)), (.ratio, .money(let currency)):
      let trace = try isConverted(metric, to: currency) ? ConvertedRevenueTrace(exposed, currency: currency) : nil
      return money(metric, currency, estimate, trace)
    case (.incidence, _): return trials(metric, estimate)
    default: return share(metric, estimate)
    }
  }

  /// Returns a plan's own metric, from the values of its selected events in the window.
  private func own(_ own: OwnMetric, _ metric: ExperimentMetric, _ estimate: Double) throws -> Part {
    let trace = try OwnMetricTrace(
      own, exposed, of: source.persons.map(\.user).filter { exposed.arm($0.variant) == arm && !$0.isCrossed })
    let days = [own.window.lowerBound, own.window.upperBound].map { bound in
      bound % day == 0 ? "\(bound / day)" : "\(Double(bound) / Double(day))"
    }.joined(separator: " to ")
    let isShare = own.kind == .proportion || own.kind == .timeToEvent
    var text =
      switch own.source {
      case .step(let step): "users who reached the step \(step.name) of the path \(step.pathName)"
      case .events: isShare ? "users with an event that the plan selects" : "Σ of what the selected events count"
      }
    text += ", \(days) d after the exposure"
    if let cap = own.cap { text += ", at most \(cap) a user" }
    var textOf = Self.analysed(metric)
    if own.kind == .timeToEvent {
      text += "; the share is their incidence at the window's end, in which the others count as long as they were seen"
      textOf = "exposed users"
    } else if case .ratio = own.kind {
      textOf = "Σ of what the denominator's events count, of these users"
    }
    let isStep = if case .step = own.source { true } else { false }
    let none = isStep ? "did not get there" : "no such event"
    func amount(_ value: Double) -> Explanation.Amount {
      Explanation.Amount(millionths: Int128((value * 1e6).rounded()))
    }
    return Part(
      metric: metric, value: isShare ? .rate(estimate) : .number(estimate), kind: isShare ? .rate : .number,
      rules: isStep ? "8.2, 11.9" : "8.2", text: text, textOf: textOf, topics: [],
      isEstimate: own.kind == .timeToEvent, noise: 1e-6, remark: trace.remark,
      amount: { person in
        guard let (value, of) = trace.outcome(of: person.user) else { return nil }
        return (amount(value), amount(of), value == 0 ? none : "counted")
      })
  }

  private func isMature(_ person: ExposureSource.Person, _ metric: ExperimentMetric) -> Bool {
    exposed.asOf - person.unit.ts >= metric.horizon
  }

  private func share(_ metric: ExperimentMetric, _ estimate: Double) -> Part {
    let isOfTrials = metric.name == ExperimentMetric.trialCancelledName
    // Cancelled trials of all users are another metric than those of users with a trial.
    let flag = ExperimentMetric.flag(of: metric.name) ?? .isTrialCancelled
    let (rules, topics): (String, Set<EventTopic>) =
      switch flag {
      case .hasTrial: ("2.2, 8.2", [.trials])
      case .hasPaid: ("2.9, 8.2", [.payments])
      case .isTrialCancelled: (isOfTrials ? "8.2, D5.3" : "8.2, D5.5", [.trials, .autoRenewal])
      case .isRefunded: ("2.7, 8.2", [.payments, .refunds])
      default: ("8.2, D5.1", [.activity])
      }
    return Part(
      metric: metric, value: .rate(estimate), kind: .rate, rules: rules, text: metric.outcome,
      textOf: isOfTrials ? "first introductory trials within 7 d of the exposure" : Self.analysed(metric),
      topics: topics,
      amount: { [self] person in
        if !isMature(person, metric) || isOfTrials && !person.unit.flags.contains(.hasTrial) { return nil }
        let has = person.unit.flags.contains(flag)
        return (
          Explanation.Amount(count: has ? 1 : 0), Explanation.Amount(count: 1), has ? "counted" : "not in the numerator"
        )
      })
  }

  /// Returns whether any user paid in a currency other than that of a metric of all money.
  private func isConverted(_ metric: ExperimentMetric, to currency: String) throws -> Bool {
    if metric.name.contains(":") { return false }
    let number = query.facts.number(ofName: currency).map { NameID($0) }
    return source.persons.contains { $0.revenues.contains { $0.currency != number && ($0.hasPaid || $0.net != 0) } }
  }

  /// - Parameter trace: Of a metric of payments in several currencies, each at its rate.
  private func money(
    _ metric: ExperimentMetric, _ currency: String, _ estimate: Double, _ trace: ConvertedRevenueTrace? = nil
  ) -> Part {
    let isPerPayer = metric.kind == .ratio
    let number = query.facts.number(ofName: currency).map { NameID($0) }
    let when =
      trace == nil
      ? "at the instants of payments and refunds"
      : "each payment by its rate to \(currency), each refund by that of its payment"
    return Part(
      metric: metric, value: .money(Int128((estimate * 1e6).rounded()), currency: currency), kind: .money,
      rules: trace == nil ? "7.1, 8.2, D6.4" : "7.1, 8.2, D6.2, D6.4",
      text: "net revenue within \(metric.horizon / day) d, \(when)",
      textOf: isPerPayer ? "of these, those with a payment" : Self.analysed(metric), topics: [.payments, .refunds],
      // Each user's converted amount is rounded to the micro-unit.
      noise: trace == nil ? 1e-9 : 1e-6, remark: trace?.remark ?? { _, _ in nil },
      amount: { [self] person in
        if !isMature(person, metric) { return nil }
        let revenue = person.revenues.first { $0.currency == number }
        let (net, isPayer) =
          trace?.outcome(of: person.user.person)
          ?? (
            Explanation.Amount(millionths: Int128(revenue?.net ?? 0), currency: currency), revenue?.hasPaid ?? false
          )
        return (
          net, Explanation.Amount(count: !isPerPayer || isPayer ? 1 : 0),
          isPayer || !net.isZero ? "counted" : "nothing paid"
        )
      })
  }

  private func trials(_ metric: ExperimentMetric, _ estimate: Double) -> Part {
    let asOf = exposed.asOf
    return Part(
      metric: metric, value: .rate(estimate), kind: .rate, rules: "8.2",
      text:
        "conversions of the users' first trials within 7 d of the exposure; the rate is their share after "
        + "\(metric.horizon / day) days, in which trials still under way count as long as they were seen (Aalen–Johansen)",
      textOf: "first trials within 7 d of the exposure", topics: [.trials], isEstimate: true,
      amount: { person in
        guard let trial = person.trial else { return nil }
        let reason =
          trial.convertedAt != nil
          ? "counted" : trial.deadline <= asOf ? "not converted (2.5)" : "still under way (2.5)"
        return (Explanation.Amount(count: trial.convertedAt != nil ? 1 : 0), Explanation.Amount(count: 1), reason)
      })
  }

  private static func analysed(_ metric: ExperimentMetric) -> String {
    "users first exposed at least \(metric.horizon / day) days before the end of the data"
  }

  // MARK: - The whole

  /// Explains one metric of the variant, such as `paid` or `revenue:EUR`, or `persons`.
  public func explanation(
    of column: String, offset: Int = 0, limit: Int? = nil, user: String? = nil
  ) throws -> Explanation {
    let part = try part(column)
    var list = PersonList()
    var units: [Int32: ExposureUnit] = [:]
    var (immature, crossed, elsewhere) = (0, 0, 0)
    let notAnalysed =
      part.metric?.name == ExperimentMetric.trialToPaid(horizon: 0).name
      ? "users without a trial within 7 d of the exposure" : "too recent to count: first exposed later (8.2)"
    for person in source.persons {
      guard exposed.arm(person.user.variant) == arm else {
        elsewhere += 1
        continue
      }
      var entry = PersonList.Entry(
        person: person.user.person, amount: .zero, of: part.textOf.map { _ in .zero }, reasons: [])
      if person.unit.isCrossed {
        crossed += 1
        entry.reasons = [Self.crossed]
      } else if let (amount, of, reason) = part.amount(person) {
        (entry.amount, entry.of, entry.reasons) = (amount, of, [reason])
      } else {
        immature += 1
        entry.reasons = [notAnalysed]
      }
      list.entries.append(entry)
      units[person.user.person] = person.unit
    }
    let total = list.total
    let of = part.textOf.map { _ in list.denominator }
    try check(part, column, total, of)

    var counts = [Explanation.Count(place: .counted, reason: part.text, amount: total)]
    if let of, let text = part.textOf { counts.append(Explanation.Count(place: .counted, reason: text, amount: of)) }
    if immature > 0 {
      counts.append(
        Explanation.Count(place: .leftOut, reason: notAnalysed, amount: Explanation.Amount(count: immature)))
    }
    if crossed > 0 {
      counts.append(
        Explanation.Count(place: .leftOut, reason: Self.crossed, amount: Explanation.Amount(count: crossed)))
    }
    if elsewhere > 0 {
      counts.append(
        Explanation.Count(
          place: .elsewhere, reason: "users first seen with another variant",
          amount: Explanation.Amount(count: elsewhere)))
    }

    let sight = "first exposure to \(report.experiment) (8.1): \(readout.arms[arm].variant)"
    let page = try list.page(query.facts, offset: offset, limit: limit, user: user) { history in
      var roles = EventRoles(history, topics: part.topics, attribution: .last)
      roles.remark = { part.remark(history.person, $0) }
      if let unit = units[history.person] {
        roles.sights =
          unit.isCrossed
          ? history.facts.sights(query.facts, of: exposed.experiment)
          : [EventRoles.Sight(experiment: exposed.experiment, ts: unit.ts, text: sight)]
      }
      return roles.events()
    }
    return Explanation(
      report: "experiment", column: part.metric?.name ?? column,
      cell: [("app", readout.app), ("experiment", report.experiment), ("variant", readout.arms[arm].variant)],
      value: part.value, kind: part.kind, rules: part.rules, rule: part.text, parameters: report.parameters,
      asOf: report.asOf.filter { $0.app == readout.app }, total: total, of: part.isEstimate ? nil : of,
      isEstimate: part.isEstimate,
      counts: counts,
      persons: page.persons, personCount: list.entries.count, offset: page.first, rounding: .zero)
  }

  /// Checks that the users, who come from facts, add up to the readout.
  private func check(
    _ part: Part, _ column: String, _ total: Explanation.Amount, _ of: Explanation.Amount?
  ) throws {
    func disagrees(_ cell: String, _ listed: String) -> ExplanationError {
      .disagrees(column: column, cell: cell, listed: listed)
    }
    guard let metric = part.metric, let of,
      let result = readout.metrics.first(where: { $0.metric == metric })?.arms[arm]
    else {
      if Int128(readout.arms[arm].persons) * 1_000_000 != total.millionths {
        throw disagrees("\(readout.arms[arm].persons)", "\(total.millionths / 1_000_000)")
      }
      return
    }
    switch metric.kind {
    case .proportion:
      let (events, persons) = (Int128(result.events) * 1_000_000, Int128(result.persons) * 1_000_000)
      if events != total.millionths || persons != of.millionths {
        throw disagrees(
          "\(result.events) of \(result.persons)", "\(total.millionths / 1_000_000) of \(of.millionths / 1_000_000)")
      }
    case .mean, .ratio:
      let quotient = Double(total.millionths) / Double(of.millionths)
      let value = result.estimate ?? 0
      if abs(quotient - value) > part.noise * max(1, abs(value)) { throw disagrees("\(value)", "\(quotient)") }
    case .incidence:
      if Int128(result.persons) * 1_000_000 != of.millionths {
        throw disagrees("\(result.persons)", "\(of.millionths / 1_000_000)")
      }
    }
  }
}
