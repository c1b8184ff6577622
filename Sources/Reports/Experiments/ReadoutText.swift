import Metrics
import Statistics

/// The words of one readout. Each part is a pure function of the readout, so that page, terminal, memo and chat agree
/// (D11).
struct ReadoutText {
  let readout: ExperimentReadout

  init(_ readout: ExperimentReadout) { self.readout = readout }

  // MARK: Names and parts

  var decision: ExperimentDecision { readout.decision }
  var primary: MetricReadout? { readout.primary }

  /// Whether any treatment may be called better or worse (D1.2).
  var isReadable: Bool { decision.outcome != .none }

  var control: String { visible(readout.arms.first?.variant ?? "control") }

  /// The treatment that the decision is about.
  var leader: String {
    decision.treatment.flatMap { readout.treatments.indices.contains($0) ? visible(readout.treatments[$0]) : nil }
      ?? visible(readout.treatments.first ?? "the treatment")
  }

  /// The place of ``leader`` among the treatments.
  var leaderPlace: Int { decision.treatment ?? 0 }

  func comparison(_ metric: MetricReadout?) -> ArmComparison? {
    guard let metric, metric.comparisons.indices.contains(leaderPlace) else { return nil }
    return metric.comparisons[leaderPlace]
  }

  /// Returns the metric for a name in a decision's reason; if several currencies have it, the role decides.
  func metric(_ name: String) -> MetricReadout? {
    readout.metrics.first { $0.metric.name == name && $0.capped == nil }
      ?? readout.metrics.first { $0.metric.baseName == name && $0.role == .money }
      ?? readout.metrics.first { $0.metric.baseName == name }
  }

  /// Net revenue per exposed user in the decision currency.
  var revenue: MetricReadout? {
    let all = readout.metrics.filter { $0.metric.baseName == "revenue" && $0.absence == nil }
    return all.first { $0.metric.unit == readout.money.map { .money(currency: $0.currency) } } ?? all.first
  }

  var isEnded: Bool { readout.schedule.isEnded }

  /// Whether the test has a plan; without a plan file it has none.
  private var hasPlan: Bool { readout.plan != ExperimentPlan() }

  /// The lift that a sample size or an equivalence refers to, such as `10%`.
  var minimumLift: String { chosenShare(readout.plan.minimumLift) }

  // MARK: Banner (D11.3, D11.8)

  /// The banner, such as `SHIP b`.
  var banner: String {
    switch decision.outcome {
    case .ship: "SHIP \(leader)"
    case .doNotShip: "DO NOT SHIP \(leader)"
    case .noDifference: "NO DIFFERENCE THAT MATTERS"
    case .undecided: "UNDECIDED"
    case .none: "NO VERDICT"
    }
  }

  /// The decision as a title, such as `Ship b`.
  var title: String {
    switch decision.outcome {
    case .ship: "Ship \(leader)"
    case .doNotShip: "Do not ship \(leader)"
    case .noDifference: "No difference that matters"
    case .undecided: "Undecided"
    case .none: "No verdict"
    }
  }

  /// The summary sentence.
  var sentence: String {
    decision.reason == "not_yet" ? "\(finding.capitalizedFirst)" : "\(title): \(finding)"
  }

  /// The summary sentence without the decision before its colon.
  var finding: String {
    switch decision.outcome {
    case .ship: shipFinding
    case .doNotShip: doNotShipFinding
    case .noDifference: noDifferenceFinding
    case .undecided: undecidedFinding
    case .none: noneFinding
    }
  }

  /// Returns levels such as `12.4% against 8.0%`.
  private func against(_ metric: MetricReadout) -> String {
    let text = MetricText(metric)
    let place = leaderPlace + 1
    let treatment = metric.arms.indices.contains(place) ? text.value(metric.arms[place].estimate) : nil
    return "\(treatment ?? undefinedMark) against \(text.value(metric.arms.first?.estimate) ?? undefinedMark)"
  }

  /// Returns levels such as `paid is 12.4% against 8.0% of control`.
  private func levels(_ metric: MetricReadout) -> String {
    "\(metric.metric.readerName) is \(against(metric)) of \(control)"
  }

  /// Returns a change such as `+4.4 pp (+2.0 to +6.8)`, by the rule that decides.
  func change(_ metric: MetricReadout) -> String {
    let comparison = comparison(metric)
    return MetricText(metric).change(comparison?.decisionDifference, comparison?.sequential.interval)
      ?? "not estimable"
  }

  private func moved(_ metric: MetricReadout) -> String {
    (comparison(metric)?.decisionDifference ?? 0) < 0 ? "down" : "up"
  }

  /// A clause such as `paid is up +4.4 pp (+2.0 to +6.8)`.
  private var lead: String {
    guard let primary else { return "" }
    let difference = MetricText(primary).difference(comparison(primary)?.decisionDifference) ?? "not estimable"
    return "\(primary.metric.readerName) is \(moved(primary)) (\(difference))"
  }

  /// A clause such as `revenue is +0.44 USD a viewer (+0.20 to +0.67)`; `nil` if money decides or cannot be compared.
  private var revenueClause: String? {
    guard let revenue, !revenue.isPrimary, let comparison = comparison(revenue) else { return nil }
    let text = MetricText(revenue)
    guard let difference = text.difference(comparison.decisionDifference),
      let bounds = text.bounds(comparison.sequential.interval)
    else { return nil }
    return "revenue is \(difference) a viewer (\(bounds))"
  }

  private var shipFinding: String {
    guard let primary else { return "" }
    if decision.reason == "not_worse" {
      let margin = readout.plan.margin.flatMap(MetricText(primary).size) ?? minimumLift
      return
        "it is not worse than \(control) in \(primary.metric.readerName) by more than \(margin), \(change(primary))."
    }
    return "\(levels(primary)), \(change(primary))" + (revenueClause.map { ", and \($0)" } ?? "") + "."
  }

  private var doNotShipFinding: String {
    guard let primary else { return "" }
    if let name = suffix("watched") {
      guard let watched = metric(name) else { return "\(lead), but \(visible(name)) is worse." }
      let text = MetricText(watched)
      let comparison = comparison(watched)
      let size = text.size(comparison?.decisionDifference) ?? undefinedMark
      let bounds = text.bounds(comparison?.sequential.interval).map { " (\($0))" } ?? ""
      return watched.metric.baseName == "revenue"
        ? "\(lead), but revenue is \(moved(watched)) \(size) a viewer\(bounds)."
        : "\(lead), but \(watched.metric.readerName) is \(moved(watched)) \(size)\(bounds)."
    }
    if let name = suffix("guardrail") {
      let reader = readerName(ofMetric: name, in: readout)
      if let margin = margin(name) { return "\(lead), but \(reader) is worse by more than the margin of \(margin)." }
      return "\(lead), but \(reader) is worse, \(metric(name).map(change) ?? undefinedMark)."
    }
    if let win {
      return "it wins \(win.metric.readerName) (\(against(win))) but loses \(primary.metric.readerName), "
        + "\(against(primary)), \(change(primary))."
    }
    return "\(levels(primary)), \(change(primary))."
  }

  /// A metric of all users, such as trials, that the treatment wins while it loses the goal.
  private var win: MetricReadout? {
    readout.metrics.first {
      !$0.isPrimary && $0.conditionalOn == nil && $0.capped == nil && $0.metric.goodDirection != nil
        && comparison($0)?.standing == .better
    }
  }

  private var noDifferenceFinding: String {
    guard let primary, let comparison = comparison(primary) else { return "" }
    let text = MetricText(primary)
    if let margin = readout.plan.margin {
      let bounds = text.bounds(comparison.sequential.interval).map { " (\($0))" } ?? ""
      return "\(levels(primary)); a difference beyond ±\(text.size(margin) ?? undefinedMark) is ruled out\(bounds)."
    }
    let same = readout.plan.sameLift
    let bounds =
      comparison.sequential.liftInterval.flatMap { liftBoundsText($0, within: same) }.map { " (\($0))" } ?? ""
    return "\(levels(primary)); a lift beyond ±\(chosenShare(same)) is ruled out\(bounds)."
  }

  private var undecidedFinding: String {
    guard let primary else { return "not known yet." }
    if let name = suffix("watched_open") {
      guard let watched = metric(name) else { return "\(lead), but \(visible(name)) is behind so far." }
      let size = MetricText(watched).size(comparison(watched)?.decisionDifference) ?? undefinedMark
      return "\(lead), but \(watched.metric.readerName) is \(size) below \(control) so far."
    }
    if let name = suffix("guardrail_open") {
      let reader = readerName(ofMetric: name, in: readout)
      return margin(name).map { "\(lead), but \(reader) may still be worse than the margin of \($0) allows." }
        ?? "\(lead), but \(reader) may still be worse."
    }
    switch decision.reason {
    case "long_term": return longTermFinding
    case "too_few":
      let counts = [leaderPlace + 1, 0].map { place in
        "\(primary.arms.indices.contains(place) ? countText(primary.arms[place].events) : "0")"
      }
      return "\(counts[0]) users of \(leader) and \(counts[1]) of \(control) with \(primary.metric.readerName) so far "
        + "are too few to say more."
    case "ended_early":
      let share = readout.schedule.plannedShare.map(wholePercentText) ?? "a part"
      return "the test ended at \(share) of its planned size; \(levels(primary)), which the bound for that size does "
        + "not settle."
    case "not_yet":
      let size =
        readout.plan.plannedUsers.map { "at \(countText(planned: $0)) users" }
        ?? readout.plan.plannedDays.map { "after \(fixed($0, $0 == $0.rounded() ? 0 : 1)) days" } ?? "at its end"
      let there =
        readout.plan.plannedUsers == nil
        ? readout.schedule.plannedShare.map { "\(wholePercentText($0)) of them are over" } ?? "it is not over"
        : "\(countText(readout.schedule.analysed)) are there"
      return "not to be read yet: planned for one look \(size), \(there)."
    default: return "\(levels(primary)), \(possible(primary))"
    }
  }

  /// Returns a clause such as `and lifts from −26% to +89% are all possible.`
  private func possible(_ metric: MetricReadout) -> String {
    let reading = comparison(metric)?.sequential
    if let interval = reading?.liftInterval, let low = liftText(interval.low), let high = liftText(interval.high) {
      return "and lifts from \(low) to \(high) are all possible."
    }
    let text = MetricText(metric)
    if let interval = reading?.interval, let low = text.difference(interval.low),
      let high = text.difference(interval.high)
    {
      return "and differences from \(low) to \(high) are all possible."
    }
    return "too few users to say more."
  }

  private var longTermFinding: String {
    guard let longTerm = readout.longTerm, longTerm.differences.indices.contains(leaderPlace),
      let difference = longTerm.differences[leaderPlace]
    else { return "\(lead), but value at 12 months says the opposite." }
    let text = MetricText(.money(currency: currency))
    let bounds = longTerm.differenceIntervals[leaderPlace].flatMap(text.bounds)
    let notes = [bounds, longTerm.basis?.rawValue].compactMap(\.self).joined(separator: ", ")
    return
      "\(lead), but value at 12 months is \(difference < 0 ? "down" : "up") \(text.size(difference) ?? undefinedMark)"
      + (notes.isEmpty ? "." : " (\(notes)).")
  }

  private var noneFinding: String {
    switch decision.reason {
    case "sample_ratio":
      if readout.arms.count > Self.mostNamed {
        return "\(countText(userCount)) users in \(countText(readout.arms.count)) variants are not split as planned. "
          + "What lost those users may also have caused the difference."
      }
      let counts = listText(readout.arms.map { countText($0.persons) })
      return "\(counts) users are not \(plannedShares). What lost those users may also have caused the difference."
    case "leak":
      let leaks = readout.health.leaks.map { "\(countText($0.persons)) users are in \(visible($0.variant))" }
      return "\(Self.few(leaks)), although the plan gives it no share."
    case "nothing_to_compare":
      return readout.arms.count < 2 ? "only one variant was seen." : "there is nothing to compare."
    default:
      let name = primary?.metric.readerName ?? visible(readout.plan.primary ?? "the goal")
      return "\(name) cannot be compared (\(reasonWords(decision.reason)))."
    }
  }

  private var plannedShares: String {
    let shares = readout.arms.map(\.share)
    if Set(shares.map { ($0 * 1e6).rounded() }).count == 1 {
      let names = [2: "halves", 3: "thirds", 4: "quarters", 5: "fifths"]
      return "the planned \(names[shares.count] ?? "even shares")"
    }
    return "the planned \(listText(shares.map(chosenShare)))"
  }

  /// Returns the rest of a reason after its kind, such as `revenue` of `watched:revenue`.
  private func suffix(_ kind: String) -> String? {
    decision.reason.hasPrefix("\(kind):") ? String(decision.reason.dropFirst(kind.count + 1)) : nil
  }

  /// Returns a guardrail's margin, such as `1.0 pp` or `5%`; `nil` without one.
  func margin(_ name: String) -> String? {
    let guardrail = readout.plan.guardrails.first { guardrail in
      guardrail.metric == name || name.hasPrefix("\(guardrail.metric):")
    }
    switch guardrail?.margin {
    case .absolute(let margin): return metric(name).flatMap { MetricText($0).size(margin) } ?? "\(margin)"
    case .relative(let share): return chosenShare(share)
    case nil: return nil
    }
  }

  // MARK: Question (D11.2)

  /// The plan, such as `no plan: limits hold however often you look`.
  var planLine: String {
    let schedule = readout.schedule
    let size =
      readout.plan.plannedUsers.map { "\(countText(planned: $0)) users" }
      ?? readout.plan.plannedDays.map { "\(fixed($0, $0 == $0.rounded() ? 0 : 1)) days" }
    let share = schedule.plannedShare.map { ", \(wholePercentText($0)) there" } ?? ""
    switch schedule.rule {
    case .alwaysValid: return "\(whyUnplanned): limits hold however often you look"
    case .groupSequential: return "planned: \(size ?? "a size")\(share), limits for that plan"
    case .once: return "planned: one look at \(size ?? "the end")\(share)"
    }
  }

  /// The reason why the test is not read by a planned size.
  var whyUnplanned: String {
    if !hasPlan { return "no plan" }
    if readout.caveats.contains(.plannedLate) { return "planned too late to count" }
    return readout.plan.isPlanned ? "ended before its planned size" : "no planned size"
  }

  var userCount: Int { readout.arms.reduce(0) { $0 + $1.persons } }

  /// The dates, such as `5 January to 15 March 2026 (70 days)`, of a running or ended test.
  var dates: String? {
    guard let exposures = readout.schedule.exposures else { return nil }
    return "\(daysText(exposures)), \(isEnded ? "ended" : "running")"
  }

  /// A sentence on users too recent to count (D3.8); `nil` if every user counts.
  var unfinished: String? {
    let schedule = readout.schedule
    guard schedule.immature > 0, let share = schedule.maturedShare else { return nil }
    if share < 0.5 { return immatureSentence }
    let last = readout.asOf - Int64(schedule.horizonDays * 86_400_000)
    return "\(countText(schedule.immature)) users first exposed after \(dayText(last)) are too recent to count; "
      + "\(wholePercentText(share)) count."
  }

  private var immatureSentence: String {
    "More than half of the users are still inside their \(fixed(readout.schedule.horizonDays, 0)) days."
  }

  // MARK: Money (D11.10)

  /// The currency, ISO 4217; that of the revenue metric if the readout has no money part.
  var currency: String {
    if let money = readout.money { return money.currency }
    if case .money(let currency) = revenue?.metric.unit { return currency }
    return ""
  }

  /// Revenue per viewer by arm, the annual figure and its assumptions.
  var money: [String] {
    guard isReadable, let money = readout.money else { return [] }
    if money.isPartial { return [partialMoney] }
    guard let year else { return [] }
    return readout.schedule.usersADay.map { [year, assumptions($0)] } ?? [year]
  }

  /// The annual figure, such as `A year: +22,500 USD (+10,300 to +34,600) at 141 users a day.`
  var year: String? {
    guard isReadable, let money = readout.money, !money.isPartial else { return nil }
    guard money.annual.indices.contains(leaderPlace), let annual = money.annual[leaderPlace] else {
      return money.weeks == 0 ? "Revenue a year is not known yet: that needs two whole weeks of new users." : nil
    }
    let (low, high) = (annual.interval.low, annual.interval.high)
    let pace = readout.schedule.usersADay.map { " at \(dailyText($0)) users a day" } ?? ""
    if low < 0, high > 0 {
      return "A year: between \(yearlyText(low, hasSign: true)) and \(yearlyText(high, hasSign: true)) "
        + "\(money.currency)\(pace); not known to be a gain."
    }
    if annual.value < 0 {
      return "A year of \(leader) would cost \(yearlyText(-annual.value, hasSign: false)) \(money.currency) "
        + "(\(yearlyText(-high, hasSign: false)) to \(yearlyText(-low, hasSign: false)))\(pace)."
    }
    return "A year: \(yearlyText(annual.value, hasSign: true)) \(money.currency) "
      + "(\(yearlyText(low, hasSign: true)) to \(yearlyText(high, hasSign: true)))\(pace)."
  }

  /// Returns the assumptions of the annual figure (D6.8).
  private func assumptions(_ usersADay: Double) -> String {
    "If \(dailyText(usersADay)) users a day keep coming, all get \(leader), and the effect stays: first-30-day revenue "
      + "of a year's new viewers. Renewals after 30 days are not in it."
  }

  /// Payers all of whose payments have a rate ÷ payers, over all arms; `nil` without payers.
  var covered: Double? {
    guard let shares = readout.money?.coveredShares else { return nil }
    let payers = revenue?.arms.map { Double($0.events) } ?? []
    var (sum, weight) = (0.0, 0.0)
    for (place, share) in shares.enumerated() {
      guard let share else { continue }
      let own = payers.indices.contains(place) && payers[place] > 0 ? payers[place] : 1
      (sum, weight) = (sum + share * own, weight + own)
    }
    return weight > 0 ? sum / weight : nil
  }

  /// The sentence on payments without a rate (D6.3).
  private var partialMoney: String {
    let missing = (readout.money?.missing ?? [:]).sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
    let gaps = missing.map { "\($0.key), \(countText($0.value)) \($0.value == 1 ? "payment" : "payments")" }
    let covers = covered.map { "Covers \(wholePercentText($0)) of payers (\(currency) only)" } ?? "\(currency) only"
    return gaps.isEmpty ? "\(covers)." : "\(covers); no rate for \(gaps.joined(separator: "; ")): `rates import`."
  }

  /// The health line without the missing rates, which the money part lists.
  private var partialShort: String {
    let share = covered.map { "covers \(wholePercentText($0)) of payers" } ?? "does not cover all payers"
    return "Money counts payments in \(currency) only, which \(share)."
  }

  /// The long-term value (D6.9, D6.10); `nil` if it is not requested.
  var longTerm: String? {
    guard isReadable, let longTerm = readout.longTerm else { return nil }
    guard let basis = longTerm.basis else {
      return "Value at 12 months: not known yet (\(countText(longTerm.daysOfData)) days of data)."
    }
    let text = MetricText(.money(currency: currency))
    let arms = readout.arms.indices.compactMap { place -> String? in
      guard longTerm.values.indices.contains(place), let value = text.value(longTerm.values[place]) else { return nil }
      let bounds = longTerm.intervals.indices.contains(place) ? longTerm.intervals[place] : nil
      guard let bounds, let low = text.value(bounds.low), let high = text.value(bounds.high) else {
        return "\(visible(readout.arms[place].variant)) \(value)"
      }
      return "\(visible(readout.arms[place].variant)) \(low) to \(high) (\(value))"
    }
    let values = "Value at 12 months (\(basis.rawValue)): \(arms.joined(separator: ", "))."
    return agreement.map { "\(values) \($0)" } ?? values
  }

  private var agreement: String? {
    guard let longTerm = readout.longTerm, let primary else { return nil }
    let goal = primary.metric.readerName
    switch longTerm.agreement {
    case .agrees: return "It agrees with \(goal)."
    case .leansAgainst: return longTermLeaning
    case .contradicts: return "It contradicts \(goal)."
    case .notKnown: return nil
    }
  }

  private var longTermLeaning: String {
    let goal = primary?.metric.readerName ?? "the goal"
    let basis = readout.longTerm?.basis.map { " (\($0.rawValue))" } ?? ""
    return "\(leader) leads in \(goal), but is likely behind in value at 12 months\(basis)."
  }

  /// The risk to revenue (D11.12), only for an undecided test.
  var risk: String? {
    guard decision.outcome == .undecided, let revenue, let low = comparison(revenue)?.sequential.interval?.low, low < 0,
      let amount = MetricText(revenue).size(low)
    else { return nil }
    return "Taking \(leader) anyway and being wrong costs at most \(amount) a viewer (lower end of the interval)."
  }

  // MARK: Variants, segments, trend (D7, D8)

  /// The ranking (D7.3, D7.4); `nil` with two variants.
  var ranking: String? {
    guard isReadable, let ranking = readout.ranking, let primary, ranking.order.count > 2 else { return nil }
    let text = MetricText(primary)
    func name(_ place: Int) -> String { visible(readout.arms[place].variant) }
    func level(_ place: Int) -> String { text.value(primary.arms[place].estimate).map { " (\($0))" } ?? "" }
    let isFew = ranking.order.count <= Self.mostNamed
    let named = isFew ? ranking.order : Array(ranking.order.prefix(3))
    var places = named.dropFirst().map { name($0) + level($0) }
    if !isFew {
      places.append("\(countText(ranking.order.count - named.count)) more")
      if !named.contains(0) { places[places.count - 1] += ", \(control)\(level(0)) among them" }
    }
    var sentences = ["\(name(named[0])) first\(level(named[0])), then \(places.joined(separator: ", "))."]
    let clauses = named.compactMap { place -> String? in
      let beaten = ranking.pairs.filter { $0.isShown && $0.first == place }.map(\.second)
      if beaten.isEmpty { return nil }
      guard beaten.count > Self.mostNamed - 1 else {
        return "\(name(place)) is better than \(listText(beaten.map(name)))"
      }
      let others = "\(countText(beaten.count - (beaten.contains(0) ? 1 : 0))) others"
      return "\(name(place)) is better than \(beaten.contains(0) ? "\(control) and " : "")\(others)"
    }
    let open = ranking.pairs.filter { !$0.isShown }
    sentences += told(clauses, open: isFew ? open.map { "\(name($0.first)) and \(name($0.second))" } : [])
    if !isFew {
      sentences.append(open.count == ranking.pairs.count ? "No two can be told apart." : "Other pairs: --all.")
    }
    if decision.outcome == .ship {
      let others = ranking.bestGroup.filter { $0 != leaderPlace + 1 }
      if !others.isEmpty {
        let verb = others.count == 1 ? "is" : "are"
        sentences.append(
          "\(Self.few(others.map(name))) \(verb) not shown worse: take the cheaper one.")
      }
    }
    return sentences.joined(separator: " ")
  }

  /// The most variants to name one by one.
  private static let mostNamed = 6

  /// Returns all of a few names, or the first three of many with the number of others.
  static func few(_ names: [String]) -> String {
    names.count <= mostNamed - 1
      ? listText(names) : listText(Array(names.prefix(3)) + ["\(countText(names.count - 3)) more"])
  }

  /// Returns sentences about pairs. If more than two pairs are open, it says that no others can be told apart.
  private func told(_ clauses: [String], open: [String]) -> [String] {
    var clauses = clauses
    if open.count > 2 {
      clauses.append(clauses.isEmpty ? "No two can be told apart" : "no other two can be told apart")
    } else if !open.isEmpty {
      clauses.append("\(open.joined(separator: ", ")) cannot be told apart")
    }
    return clauses.isEmpty ? [] : [clauses.joined(separator: "; ") + "."]
  }

  /// The segments (D8.3) of the decision's treatment, one sentence each for those that differ, that do not, and that
  /// are not known yet.
  var segments: [String] {
    guard isReadable else { return [] }
    let own = readout.segments.filter { $0.segments.count > 1 && visible($0.variant) == leader }
    var sentences = own.filter { $0.answer == .differs }.map { segments in
      let parts = segments.segments.compactMap { segment in
        liftText(segment.lift).map { "\(visible(segment.value)) \($0)" }
      }
      let p = segments.p.map { " (\(probabilityClause($0)))" } ?? ""
      return "The lift differs by \(Self.dimensionName(segments.dimension))\(p)"
        + (parts.isEmpty ? "." : ": \(parts.joined(separator: ", ")).")
    }
    let same = own.filter { $0.answer == .same }.map { Self.dimensionPlural($0.dimension) }
    if !same.isEmpty {
      sentences.append("Same in all \(listText(same)): lifts differ by less than \(minimumLift).")
    }
    let open = own.filter { $0.answer == .notKnown }
    let known = open.compactMap { segments in
      segments.spreadHigh.flatMap { $0 < 1 ? liftNumber($0) : nil }.map {
        (Self.dimensionPlural(segments.dimension), "\($0.drop { $0 == "+" })%")
      }
    }
    if known.count == 1 {
      sentences.append(
        "No difference between \(known[0].0) shown; lifts that differ by up to \(known[0].1) are possible.")
    } else if !known.isEmpty {
      var groups: [(spread: String, names: [String])] = []
      for (name, spread) in known {
        if let place = groups.firstIndex(where: { $0.spread == spread }) {
          groups[place].names.append(name)
        } else {
          groups.append((spread, [name]))
        }
      }
      let parts = groups.map { "\($0.spread) between \($0.names.joined(separator: " or "))" }
      sentences.append("No difference shown, but lifts may still differ by up to \(listText(parts)).")
    }
    let vague = open.filter { !(($0.spreadHigh ?? .infinity) < 1) }.map { Self.dimensionPlural($0.dimension) }
    if !vague.isEmpty { sentences.append("Too few users to compare \(listText(vague)).") }
    return sentences
  }

  private static func dimensionName(_ dimension: String) -> String {
    dimension == "app_version" ? "app version" : dimension == "week" ? "week of entry" : dimension
  }

  private static func dimensionPlural(_ dimension: String) -> String {
    switch dimension {
    case "country": "countries"
    case "week": "weeks of entry"
    case "app_version": "app versions"
    default: "\(dimension)s"
    }
  }

  /// The trend (D8.7); `nil` if there are too few data.
  var trend: String? {
    guard isReadable, let trend = readout.trend, let primary else { return nil }
    let text = MetricText(primary)
    let slope = text.difference(trend.slope) ?? undefinedMark
    switch trend.answer {
    case .fades, .grows:
      let last =
        trend.weeks.last.flatMap { text.difference($0.difference) }.map { "; the last week alone is \($0)" } ?? ""
      return "\(trend.answer == .fades ? "Fades" : "Grows"): \(slope) a week (\(probabilityClause(trend.p)))\(last)."
    case .noneShown:
      let half = 1.959_963_984_540_054 * trend.standardError
      guard let low = text.difference(trend.slope - half), let high = text.difference(trend.slope + half) else {
        return nil
      }
      let unit = low.split(separator: " ").last.map { " \($0)" } ?? ""
      return "No trend shown (\(low.replacing(unit, with: "")) to \(high) a week)."
    }
  }

  /// The trend within users (D8.6); `nil` for a metric that happens once, and if there are too few data.
  var within: String? {
    guard isReadable, let within = readout.within, let primary else { return nil }
    let text = MetricText(primary)
    switch within.answer {
    case .fades, .grows:
      let weeks = [within.first, within.last].map { week in
        "\(text.difference(week.difference) ?? undefinedMark) in week \(week.number)"
      }
      if within.isMoney && within.answer == .fades {
        return "Most of the difference comes early: \(listText(weeks)) after the exposure "
          + "(\(probabilityClause(within.p))). One-off payments at the start look like this, too."
      }
      return "\(within.answer == .fades ? "Fades" : "Grows") within users: \(listText(weeks)) after the exposure "
        + "(\(probabilityClause(within.p)))."
    case .noneShown:
      let half = StudentDistribution.criticalValue(confidence: 0.95, degrees: within.degrees) * within.standardError
      guard let low = text.difference(within.slope - half), let high = text.difference(within.slope + half) else {
        return nil
      }
      let unit = low.split(separator: " ").dropFirst().last.map { " \($0)" } ?? ""
      return "No trend within users shown (\(unit.isEmpty ? low : low.replacing(unit, with: "")) to \(high) a week)."
    }
  }

  /// The trends from week to week of exposure, and within users.
  var trends: [String] { [trend, within].compactMap(\.self) }

  // MARK: Health (D11.11)

  /// One line if all checks pass, or else only the failed ones, worst first.
  var health: [String] {
    let troubles = troubles
    let health = readout.health
    var parts: [String] = []
    if !health.isSampleRatioOff, let p = health.sequential?.p {
      parts.append("split as planned (\(probabilityClause(p)))")
    }
    parts.append("\(countText(health.crossed)) crossed")
    let immature = readout.schedule.immature
    parts.append(immature == 0 ? "all users counted" : "\(countText(immature)) users too recent to count")
    if !troubles.isEmpty {
      return isReadable ? troubles + ["Otherwise healthy: \(parts.joined(separator: ", "))."] : troubles
    }
    if let covered, readout.money != nil { parts.append("\(currency) covers \(wholePercentText(covered))") }
    return ["Healthy: \(parts.joined(separator: ", "))."]
  }

  private var troubles: [String] {
    let health = readout.health
    var lines: [String] = []
    if health.isSampleRatioOff {
      lines.append("The split is off: \(armCounts) (\(probabilityClause(health.sequential?.p ?? 0))).")
    }
    for leak in health.leaks {
      lines.append("\(countText(leak.persons)) users are in \(visible(leak.variant)), which has no planned share.")
    }
    if !health.alarmedSlices.isEmpty {
      let places = health.alarmedSlices.map {
        "\(Self.dimensionName($0.dimension)) \(visible($0.slice.value)) (\(splitText($0.slice.persons)))"
      }
      lines.append("The split is off within \(listText(Array(places.prefix(3))))" + Self.more(places.count - 3) + ".")
    }
    let crossed = Double(health.crossed) / Double(max(1, health.persons))
    if crossed > 0.01, let share = percentText(crossed) {
      lines.append("\(countText(health.crossed)) users (\(share)) were seen with two variants and are left out.")
    }
    if let matured = readout.schedule.maturedShare, matured < 0.5 { lines.append(immatureSentence) }
    if readout.money?.isPartial == true { lines.append(partialShort) }
    return lines
  }

  /// The users of each variant; with many variants, those furthest from their share.
  var armCounts: String {
    func text(_ arms: some Sequence<ExperimentReadout.Arm>) -> String {
      arms.map { "\(visible($0.variant)) \(countText($0.persons))" }.joined(separator: ", ")
    }
    guard readout.arms.count > Self.mostNamed else { return text(readout.arms) }
    let total = Double(max(1, userCount))
    func distance(_ arm: ExperimentReadout.Arm) -> Double { abs(Double(arm.persons) - total * arm.share) }
    let worst = readout.arms.sorted { distance($0) > distance($1) }.prefix(3)
    return "\(text(worst)) and \(countText(readout.arms.count - 3)) more"
  }

  private static func more(_ count: Int) -> String { count > 0 ? " and \(count) more" : "" }

  // MARK: Caveats (D11.4)

  /// All caveats, one sentence each, worst first.
  var caveats: [String] { readout.caveats.map(sentence) }

  /// ``shownCaveats``, or a sentence that there are none.
  var caveatsOrNone: [String] {
    if !caveats.isEmpty { return shownCaveats }
    switch (decision.outcome, decision.reason) {
    case (.undecided, "primary"): return ["No caveats beyond the wide range above."]
    case (.undecided, "too_few"): return ["No caveats beyond the small numbers above."]
    case (.undecided, _): return ["No caveats beyond the open question above."]
    case (.none, _): return ["No caveats beyond the fault above."]
    case (.ship, _), (.doNotShip, _), (.noDifference, _): return ["None."]
    }
  }

  /// At most four caveats, then the number of others.
  var shownCaveats: [String] {
    let all = caveats
    guard all.count > 4 else { return all }
    return Array(all.prefix(4)) + ["And \(all.count - 4) more (--all)."]
  }

  private func sentence(_ caveat: Caveat) -> String {
    switch caveat {
    case .sampleRatio(let dimension, let value):
      return
        "The split is off within \(Self.dimensionName(dimension)) \(visible(value)): find out why before you trust it."
    case .endedEarly(let share):
      return
        "Ended early, at \(wholePercentText(share)) of the planned size: the test planned for one look no longer applies."
    case .plannedLate:
      return "Planned after a quarter of the users had been exposed, so the plan does not count."
    case .endedWithoutPlan(let last, let p):
      return
        "Ended on \(dayText(last)) and not planned to be read once: daily-look limits apply. One look would have given "
        + "\(probabilityClause(p)); that rule has to be chosen before the data (`looks: once`, `planned_users`)."
    case .longTermLeansAgainst: return longTermLeaning
    case .conditionalGuardrail(let name):
      return
        "The guardrail \(readerName(ofMetric: name, in: readout)) is of users who differ between the variants: "
        + "it fails only if that cannot explain the difference."
    case .partialMoney: return partialShort
    case .moneyNotEstimable: return "Revenue cannot be compared yet, so it has not confirmed this result."
    case .cap: return capped ?? "A few large payers decide: capping them changes the sign of the revenue difference."
    case .fading:
      return (readout.trend?.answer == .fades ? trend : within) ?? "The effect gets smaller from week to week."
    case .oppositeSegment(let dimension, let value): return opposite(dimension, value)
    case .smallWin:
      return readout.plan.minimumLift == ExperimentPlan().minimumLift
        ? "The gain is smaller than a lift of \(minimumLift), the least worth having (`minimum_lift`)."
        : "The gain is smaller than the lift of \(minimumLift) that you called worth having."
    case .loggingDiffers:
      return "Activity is logged differently in the variants: differences in usage may come from that."
    case .adjustmentDiffers:
      return "Adjusted for what users did before, the decision would differ: compare both with --all."
    case .composition(let variant): return cancellations(variant)
    case .immature: return immatureSentence
    case .planDateUnknown:
      return "Nobody recorded when the plan was made (`planned_on`): it counts as made before the data."
    }
  }

  private func opposite(_ dimension: String, _ value: String) -> String {
    let segment = readout.segments.first { $0.dimension == dimension && visible($0.variant) == leader }?
      .segments.first { $0.value == value }
    let text = primary.map(MetricText.init)
    let change = segment.flatMap { text?.change($0.difference, $0.interval) }.map { ", \($0)" } ?? ""
    return
      "In \(Self.dimensionName(dimension)) \(visible(value)) the effect goes the other way\(change): look at it separately."
  }

  /// A sentence such as `The cap at 89 USD changes 3 users and the difference from +0.44 to +0.41 USD.` (D6.5); `nil`
  /// without a cap.
  var capped: String? {
    guard let twin = readout.metrics.first(where: { $0.capped != nil }), let cap = twin.capped, let revenue,
      let plain = MetricText(revenue).difference(comparison(revenue)?.difference),
      let other = MetricText(twin).difference(comparison(twin)?.difference)
    else { return nil }
    let users = cap.persons == 1 ? "1 user" : "\(countText(cap.persons)) users"
    let unit = currency.isEmpty ? "" : " \(currency)"
    return "The cap at \(yearlyText(cap.cap, hasSign: false))\(unit) changes \(users) and the difference from "
      + "\(plain.replacing(unit, with: "")) to \(other)."
  }

  /// Returns whether a different mix of users starting trials explains the cancellations (D5.4).
  private func cancellations(_ variant: String) -> String {
    let place = readout.treatments.firstIndex(of: variant) ?? leaderPlace
    func difference(_ name: String) -> ArmComparison? {
      readout.metrics.first { $0.metric.baseName == name && $0.comparisons.indices.contains(place) }?.comparisons[place]
    }
    let hasFewer = (difference("trial_start")?.difference ?? 0) < 0
    guard let metric = metric("trial_cancelled"), let bounds = difference("trial_cancelled")?.composition,
      bounds.low > 0 || bounds.high < 0, metric.arms.indices.contains(place + 1),
      let treatment = metric.arms[place + 1].estimate, let control = metric.arms.first?.estimate,
      let low = liftNumber(bounds.low), let high = liftNumber(bounds.high)
    else {
      return "\(hasFewer ? "Fewer" : "More") users start trials with \(visible(variant)); that alone can explain the "
        + "difference in cancellations of trials."
    }
    return "Of trials, \(wholePercentText(treatment)) are cancelled with \(visible(variant)) against "
      + "\(wholePercentText(control)) of \(self.control). \(hasFewer ? "Fewer" : "More") trials do not explain it: for users "
      + "who would start one either way it is \(low) to \(high) pp."
  }

  // MARK: Next step (D11.9)

  /// The next step in one or two sentences; never empty.
  var next: String {
    switch readout.next {
    case nil where decision.outcome == .ship:
      return hasPlan
        ? "Give \(leader) to everybody; record the day in the plan (`shipped_on`)."
        : "Give \(leader) to everybody; record the day as `shipped_on` in a plan file."
    case .wait: return wait
    case .restart: return restart
    case .keepControl:
      if decision.outcome == .noDifference {
        return "Keep whichever is cheaper; the question is settled."
      }
      return isEnded ? "Keep \(control)." : "Keep \(control); end the test."
    case .fix: return fix
    case .stop, nil: return stop
    }
  }

  private var wait: String {
    let schedule = readout.schedule
    if schedule.isPlanOpen { return waitForPlan }
    guard let target = schedule.target, let days = schedule.daysMore, days.isFinite else {
      return "Wait: \(control) has no outcome yet."
    }
    let date = dayText(readout.asOf + Int64(days * 86_400_000))
    let more = countText(planned: max(0, target - Double(schedule.analysed)))
    return "Wait until \(date): \(more) more users, about \(durationText(days: days).replacing("about ", with: "")), "
      + (isForEquivalence
        ? "show with 80% that a lift beyond ±\(chosenShare(readout.plan.sameLift)) is ruled out, if there is no difference."
        : "find a lift of \(minimumLift) with 80%.")
  }

  /// A sentence such as `Wait until 3 March 2026: then the planned 24,000 users have come and their 14 days are over.`
  private var waitForPlan: String {
    let (plan, schedule) = (readout.plan, readout.schedule)
    let size =
      plan.plannedUsers.map { "the planned \(countText(planned: $0)) users have come" }
      ?? plan.plannedDays.map { "the planned \(fixed($0, $0 == $0.rounded() ? 0 : 1)) days are over" }
      ?? "the plan's end is reached"
    let outcomes =
      plan.plannedUsers == nil
      ? "those of the last users, too" : "their \(fixed(schedule.horizonDays, 0)) days are over"
    let date = schedule.daysToLook.map { " until \(dayText(readout.asOf + Int64($0 * 86_400_000)))" } ?? ""
    return "Wait\(date): then \(size), and \(outcomes)."
  }

  /// Whether the size to wait for is that of an equivalence.
  private var isForEquivalence: Bool {
    let schedule = readout.schedule
    guard let target = schedule.target, let needed = schedule.usersNeededForEquivalence else { return false }
    return target == needed && target != schedule.usersNeeded
  }

  private var stop: String {
    let schedule = readout.schedule
    let opening = isEnded ? "Stop here" : "Stop"
    guard let target = schedule.target ?? schedule.usersNeeded else {
      return
        "\(opening): nothing of \(primary?.metric.readerName ?? "the goal") has happened yet that a size could be planned by."
    }
    if schedule.target == nil {
      return "\(opening): the effect is near the margin of \(minimumLift), and more users will hardly "
        + "settle it."
    }
    let purpose =
      isForEquivalence
      ? "to rule out a lift beyond ±\(chosenShare(readout.plan.sameLift))" : "to find a lift of \(minimumLift)"
    guard let pace = schedule.usersADay, pace > 0 else {
      return "\(opening): \(purpose) takes \(countText(planned: target)) users, and no new ones arrive."
    }
    let sentence =
      "\(opening): \(purpose) takes \(countText(planned: target)) users, \(durationText(days: target / pace)) at "
      + "\(dailyText(pace)) a day."
    let patience = fixed(readout.plan.patienceDays, 0)
    guard let least = schedule.leastLift, let text = liftNumber(least) else {
      return "\(sentence) In \(patience) days this traffic finds no lift: test on all paywalls together."
    }
    return
      "\(sentence) In \(patience) days this traffic finds lifts from \(text.drop { $0 == "+" })%: test a bolder change, "
      + "or all paywalls together."
  }

  private var restart: String {
    let schedule = readout.schedule
    guard let target = schedule.target ?? schedule.usersNeeded else { return "Start again with a plan." }
    let days = schedule.usersADay.flatMap { $0 > 0 ? (target / $0).rounded(.up) + schedule.horizonDays : nil }
    let time = days.map { " (\(durationText(days: $0)))" } ?? ""
    return "Start again with \(countText(planned: target)) users\(time) and a plan; these data are not added."
  }

  private var fix: String {
    switch decision.reason {
    case "sample_ratio":
      let total = Double(max(1, userCount))
      let worst = readout.arms.min { Double($0.persons) / total - $0.share < Double($1.persons) / total - $1.share }
      return
        "Find where users of \(visible(worst?.variant ?? "a variant")) get lost (by version and day, with --all); start "
        + "again after the fix."
    case "leak":
      return "Find out how users got into a variant without a share; start again after the fix."
    case "nothing_to_compare": return "Check that every variant logs its exposures."
    default: return "Log what \(primary?.metric.readerName ?? "the goal") counts, or choose another primary metric."
    }
  }
}
