internal import Lifecycle
public import Store

/// Takes one metric of one variant of an experiment apart (definitions 8.1 to 8.3): the persons who are analysed, with what each
/// adds to the outcome and the events that decided.
///
/// Belongs to one snapshot and one thread.
public final class ExperimentExplainer {
  /// The column that has the exposed persons, beside those of the metrics.
  private static let personsColumn = "persons"

  private let report: ExperimentReport
  private let readout: ExperimentReadout
  private let arm: Int
  private let query: ReportQuery
  private let exposed: ExposedPersons
  private let source: ExposureSource

  /// - Parameter cell: `app`, which may be absent where the experiment is seen in one only, and `variant`.
  /// - Throws: ``ExplanationError`` for what the experiment does not have, ``ExperimentError``, ``ReportError``.
  public init(
    _ snapshot: StoreSnapshot, _ options: ReportOptions, _ wanted: ExperimentOptions,
    cell: [(name: String, value: String)]
  ) throws {
    var options = options
    options.by = []
    options.source = .facts
    let report = try Experiments.report(snapshot, options, wanted)
    self.report = report
    for (name, _) in cell where !["app", "experiment", "variant"].contains(name) {
      throw ExplanationError.unknownKey(name, ["app", "experiment", "variant"])
    }
    func value(_ name: String) -> String? { cell.first { $0.name == name }?.value }
    let isOther = value("experiment").map { $0 != report.experiment } ?? false
    let readouts = isOther ? [] : report.readouts.filter { value("app") == nil || $0.app == value("app") }
    let places = readouts.flatMap { readout in
      readout.arms.indices.filter { value("variant") == nil || readout.arms[$0].variant == value("variant") }
        .map { (readout: readout, arm: $0) }
    }
    guard let place = places.first else {
      throw ExplanationError.noRow(cell, rows: report.readouts.reduce(0) { $0 + $1.arms.count })
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
    source = try ExposureSource(
      query, app: app, experiment: NameID(experiment), plan: wanted.plan, needsPersons: true)
  }

  // MARK: - Metrics

  /// A metric as it is taken apart.
  private struct Part {
    var metric: ExperimentMetric?
    var value: ReportValue
    var kind: ReportColumn.Kind
    var rules: String
    var text: String
    var textOf: String?
    var topics: Set<EventTopic>
    var isEstimate = false
    /// What a person adds; `nil` for one who is not among those analysed.
    var amount: (ExposureSource.Person) -> (Explanation.Amount, of: Explanation.Amount?, reason: String)?
  }

  private static func count(_ isCounted: Bool) -> Explanation.Amount {
    Explanation.Amount(millionths: isCounted ? 1_000_000 : 0)
  }

  private func part(_ column: String) throws -> Part {
    if column == Self.personsColumn {
      return Part(
        value: .count(readout.arms[arm].persons), kind: .count, rules: "8.1",
        text: "persons whose first sight of the experiment is the variant, and who saw no other", topics: [],
        amount: { _ in (Self.count(true), nil, "counted") })
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
    switch metric.kind {
    case .proportion: return try share(metric, estimate)
    case .mean, .ratio:
      guard case .money(let currency) = metric.unit, query.facts.number(ofName: currency) != nil,
        metric.name == ExperimentMetric.revenue(currency).name
          || metric.name == ExperimentMetric.revenuePerPayer(currency).name
      else { throw Self.isOwn(column) }
      return money(metric, currency, estimate)
    case .incidence:
      guard metric.name == ExperimentMetric.trialToPaid(horizon: 0).name else { throw Self.isOwn(column) }
      return trials(metric, estimate)
    }
  }

  private static func isOwn(_ column: String) -> ExplanationError {
    .refused(column, "is a metric of the plan's own; its events are those that the plan selects")
  }

  private func isMature(_ person: ExposureSource.Person, _ metric: ExperimentMetric) -> Bool {
    exposed.age(person.unit.ts) >= Int(metric.horizon / day)
  }

  private func share(_ metric: ExperimentMetric, _ estimate: Double) throws -> Part {
    let flag: KeyPath<ExposureUnit, Bool>
    let topics: Set<EventTopic>
    switch metric.name {
    case ExperimentMetric.trialStart.name: (flag, topics) = (\.hasTrial, [.trials])
    case ExperimentMetric.paid.name: (flag, topics) = (\.hasPaid, [.payments])
    case ExperimentMetric.trialCancelled.name: (flag, topics) = (\.isTrialCancelled, [.trials, .autoRenewal])
    case ExperimentMetric.refunded.name: (flag, topics) = (\.isRefunded, [.payments, .refunds])
    case ExperimentMetric.retained.name:
      (flag, topics) = (\.isRetained, [.views, .trials, .payments, .activity, .gates, .nudges, .autoRenewal])
    default: throw Self.isOwn(metric.name)
    }
    return Part(
      metric: metric, value: .rate(estimate), kind: .rate, rules: "8.2, 8.3", text: metric.outcome,
      textOf: Self.analysed(metric), topics: topics,
      amount: { [self] person in
        if !isMature(person, metric) { return nil }
        let has = person.unit[keyPath: flag]
        return (Self.count(has), Self.count(true), has ? "counted" : "not in the numerator")
      })
  }

  private func money(_ metric: ExperimentMetric, _ currency: String, _ estimate: Double) -> Part {
    let isPerPayer = metric.kind == .ratio
    let number = query.facts.number(ofName: currency).map { NameID($0) }
    return Part(
      metric: metric, value: .money(Int128((estimate * 1e6).rounded()), currency: currency), kind: .money,
      rules: "7.1, 8.2, 8.3",
      text: "net revenue within \(metric.horizon / day) d, at the instants of payments and refunds",
      textOf: isPerPayer ? "of these, those with a payment" : Self.analysed(metric), topics: [.payments, .refunds],
      amount: { [self] person in
        if !isMature(person, metric) { return nil }
        let revenue = person.revenues.first { $0.currency == number }
        let net = Explanation.Amount(millionths: Int128(revenue?.net ?? 0), currency: currency)
        let isPayer = revenue?.hasPaid ?? false
        let isCounted = isPayer || !net.isZero
        return (net, Self.count(!isPerPayer || isPayer), isCounted ? "counted" : "nothing paid")
      })
  }

  private func trials(_ metric: ExperimentMetric, _ estimate: Double) -> Part {
    let asOf = exposed.asOf
    return Part(
      metric: metric, value: .rate(estimate), kind: .rate, rules: "8.3",
      text:
        "conversions of the persons' first trials within 7 d of the exposure; the rate is their incidence at the horizon, "
        + "in which trials still under way count as long as they were seen (Aalen–Johansen)",
      textOf: "first trials within 7 d of the exposure", topics: [.trials], isEstimate: true,
      amount: { person in
        guard let trial = person.trial else { return nil }
        let reason =
          trial.convertedAt != nil
          ? "counted" : trial.deadline <= asOf ? "not converted (2.5)" : "still under way (2.5)"
        return (Self.count(trial.convertedAt != nil), Self.count(true), reason)
      })
  }

  private static func analysed(_ metric: ExperimentMetric) -> String {
    "exposed persons whose horizon of \(metric.horizon / day) d is over"
  }

  // MARK: - The whole

  /// Explains one metric of the variant.
  ///
  /// - Parameters:
  ///   - column: A metric, such as `paid` or `revenue:EUR`, or `persons`.
  ///   - offset: Persons before the page.
  ///   - limit: Persons of the page; `nil` for all.
  /// - Throws: ``ExplanationError``.
  public func explanation(of column: String, offset: Int = 0, limit: Int? = nil) throws -> Explanation {
    let part = try part(column)
    typealias Entry = (
      person: ExposureSource.Person, amount: Explanation.Amount, of: Explanation.Amount?, reason: String
    )
    var listed: [Entry] = []
    var (immature, crossed, elsewhere) = (0, 0, 0)
    for person in source.persons {
      guard exposed.arm(person.variant) == arm else {
        elsewhere += 1
        continue
      }
      if person.unit.isCrossed {
        crossed += 1
      } else if let (amount, of, reason) = part.amount(person) {
        listed.append((person, amount, of, reason))
      } else {
        immature += 1
      }
    }
    let zero = Explanation.Amount(millionths: 0)
    let total = listed.reduce(zero) { $0 + $1.amount }
    let of = part.textOf.map { _ in listed.reduce(zero) { $0 + ($1.of ?? zero) } }
    try check(part, column, total, of)

    var counts = [Explanation.Count(place: .counted, reason: part.text, amount: total)]
    if let of, let text = part.textOf { counts.append(Explanation.Count(place: .counted, reason: text, amount: of)) }
    func persons(_ count: Int) -> Explanation.Amount { Explanation.Amount(millionths: Int128(count) * 1_000_000) }
    if let metric = part.metric, immature > 0 {
      let reason =
        metric.kind == .incidence
        ? "persons without a trial within 7 d of the exposure" : "persons whose horizon is not over (8.2)"
      counts.append(Explanation.Count(place: .leftOut, reason: reason, amount: persons(immature)))
    }
    if crossed > 0 {
      counts.append(
        Explanation.Count(
          place: .leftOut, reason: "persons who saw another variant, too (8.1)", amount: persons(crossed)))
    }
    if elsewhere > 0 {
      counts.append(
        Explanation.Count(
          place: .elsewhere, reason: "persons first seen with another variant", amount: persons(elsewhere)))
    }

    let users = try query.facts.users(of: listed.map(\.person.person))
    func name(_ entry: Entry) -> String { users[entry.person.person]?.first ?? "" }
    listed.sort { left, right in
      let (a, b) = (left.amount.isZero, right.amount.isZero)
      return a == b ? precedesInBytes(name(left), name(right)) : b
    }
    let first = min(max(0, offset), listed.count)
    let page = listed[first..<min(listed.count, limit.map { first + $0 } ?? listed.count)]
    let events = try events(of: page.map(\.person), part.topics)
    return Explanation(
      report: "experiment", column: part.metric?.name ?? column,
      cell: [("app", readout.app), ("experiment", report.experiment), ("variant", readout.arms[arm].variant)],
      value: part.value, kind: part.kind, rules: part.rules, rule: part.text, parameters: report.parameters,
      asOf: report.asOf.filter { $0.app == readout.app }, total: total, of: part.isEstimate ? nil : of,
      isEstimate: part.isEstimate,
      counts: counts,
      persons: page.map { entry in
        Explanation.Person(
          user: name(entry), users: users[entry.person.person] ?? [], amount: entry.amount, of: entry.of,
          reasons: [entry.reason], events: events[entry.person.person] ?? [])
      }, personCount: listed.count, offset: first, rounding: zero)
  }

  /// That the persons, who come from facts, give what the readout says.
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
      if abs(quotient - value) > 1e-9 * max(1, abs(value)) { throw disagrees("\(value)", "\(quotient)") }
    case .incidence:
      if Int128(result.persons) * 1_000_000 != of.millionths {
        throw disagrees("\(result.persons)", "\(of.millionths / 1_000_000)")
      }
    }
  }

  private func events(
    of persons: [ExposureSource.Person], _ topics: Set<EventTopic>
  ) throws -> [Int32: [Explanation.Event]] {
    let exposures = Dictionary(persons.map { ($0.person, $0.unit.ts) }) { first, _ in first }
    let sight = "first sight of \(report.experiment) (8.1): \(readout.arms[arm].variant)"
    var events: [Int32: [Explanation.Event]] = [:]
    try query.facts.forEachHistory(of: exposures.keys.sorted()) { history in
      var roles = EventRoles(history, topics: topics, attribution: .last)
      roles.exposure = exposures[history.person].map { (exposed.experiment, $0, sight) }
      events[history.person] = roles.events()
    }
    return events
  }
}
