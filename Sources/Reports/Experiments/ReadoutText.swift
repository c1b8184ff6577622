import Metrics
import Statistics

/// The words of one readout. Each part is a pure function of the readout, so that page, terminal, memo and chat agree.
struct ReadoutText {
  let readout: ExperimentReadout

  init(_ readout: ExperimentReadout) { self.readout = readout }

  // MARK: Names and parts

  var decision: ExperimentDecision { readout.decision }
  var primary: MetricReadout? { readout.primary }

  /// Whether any treatment may be called better or worse.
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
  var hasPlan: Bool { readout.plan != ExperimentPlan() }

  /// The lift that a sample size or an equivalence refers to, such as `10%`.
  var minimumLift: String { chosenShare(readout.plan.minimumLift) }

  // MARK: Banner

  /// The banner, such as `SHIP b`.
  var banner: String { outcome { $0.uppercased() } }

  /// The decision as a title, such as `Ship b`.
  var title: String { outcome(\.self) }

  private func outcome(_ words: (String) -> String) -> String {
    switch decision.outcome {
    case .ship: "\(words("Ship")) \(leader)"
    case .doNotShip: "\(words("Do not ship")) \(leader)"
    case .noDifference: words("No difference that matters")
    case .undecided: words("Undecided")
    case .none: words("No verdict")
    }
  }

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
  ///
  /// - Parameter variant: Named after its level, such as ` in b`.
  func against(_ metric: MetricReadout, _ variant: String = "") -> String {
    let text = MetricText(metric)
    let place = leaderPlace + 1
    let treatment = metric.arms.indices.contains(place) ? text.value(metric.arms[place].estimate) : nil
    return "\(treatment ?? undefinedMark)\(variant) against \(text.value(metric.arms.first?.estimate) ?? undefinedMark)"
  }

  /// Returns levels such as `paid is 12.4% against 8.0% in control`; the treatment is named where the title does not.
  func levels(_ metric: MetricReadout) -> String {
    "\(metric.metric.readerName) is \(against(metric, inLeader)) in \(control)"
  }

  /// Such as ` in b`, where the title does not name it.
  private var inLeader: String { needsLeaderName ? leaderName(after: "in") : "" }

  /// Returns a change such as `+4.4 pp (+2.0 to +6.8)`, by the rule that decides.
  func change(_ metric: MetricReadout) -> String {
    let comparison = comparison(metric)
    return MetricText(metric).change(comparison?.decisionDifference, comparison?.sequential.interval)
      ?? "not estimable"
  }

  /// Returns levels and their change, such as `12.4% against 8.0%, +4.4 pp (+2.0 to +6.8)`. A test that was decided on an
  /// earlier day has the change of that day.
  private func levelsAndChange(_ levels: String, _ metric: MetricReadout) -> String {
    let days = comparison(metric)?.sequential.stoppedDaysBefore ?? 0
    let decided = days > 0 ? " when decided on \(dayText(readout.asOf - Int64(days) * 86_400_000 - 1))" : ""
    return "\(levels), \(change(metric))\(decided)"
  }

  func moved(_ metric: MetricReadout) -> String {
    (comparison(metric)?.decisionDifference ?? 0) < 0 ? "down" : "up"
  }

  /// A clause such as `paid is up +4.4 pp (+2.0 to +6.8)`.
  var lead: String {
    guard let primary else { return "" }
    let difference = MetricText(primary).difference(comparison(primary)?.decisionDifference) ?? "not estimable"
    return "\(primary.metric.readerName) is \(moved(primary))\(inLeader) (\(difference))"
  }

  /// A clause such as `revenue is +0.44 USD a user (+0.20 to +0.67)`; `nil` if money decides, or if it cannot be compared
  /// or is partial.
  var revenueClause: String? {
    guard let revenue = readout.decidingRevenue, self.revenue?.isPrimary != true, readout.money?.isPartial != true,
      let comparison = comparison(revenue)
    else { return nil }
    let cap =
      revenue.capped.map { " with each user's capped at \(yearlyText($0.cap, hasSign: false)) \(currency)" } ?? ""
    let text = MetricText(revenue)
    guard let difference = text.difference(comparison.decisionDifference),
      let bounds = text.bounds(comparison.sequential.interval)
    else { return nil }
    return "revenue is \(difference) a user (\(bounds))\(cap)"
  }

  var shipFinding: String {
    guard let primary else { return "" }
    if decision.reason == "not_worse" {
      let margin = readout.plan.margin.flatMap(MetricText(primary).size) ?? minimumLift
      return
        "it is not worse than \(control) in \(primary.metric.readerName) by more than \(margin), \(change(primary))."
    }
    return levelsAndChange(levels(primary), primary) + (revenueClause.map { ", and \($0)" } ?? "") + "."
  }

  var doNotShipFinding: String {
    guard let primary else { return "" }
    if let name = suffix("watched") {
      guard let watched = metric(name) else { return "\(lead), but \(visible(name)) is worse." }
      let text = MetricText(watched)
      let comparison = comparison(watched)
      let size = text.size(comparison?.decisionDifference) ?? undefinedMark
      let bounds = text.bounds(comparison?.sequential.interval).map { " (\($0))" } ?? ""
      return watched.metric.baseName == "revenue"
        ? "\(lead), but revenue is \(moved(watched)) \(size) a user\(bounds)."
        : "\(lead), but \(watched.metric.readerName) is \(moved(watched)) \(size)\(bounds)."
    }
    if let name = suffix("guardrail") {
      let reader = readerName(ofMetric: name, in: readout)
      if let margin = margin(name) { return "\(lead), but \(reader) is worse by more than the margin of \(margin)." }
      return "\(lead), but \(reader) is worse, \(metric(name).map(change) ?? undefinedMark)."
    }
    if let win {
      return "it wins \(win.metric.readerName) (\(against(win))) but loses \(primary.metric.readerName), "
        + levelsAndChange(against(primary), primary) + "."
    }
    return levelsAndChange(levels(primary), primary) + "."
  }

  /// A metric of all users, such as trials, that the treatment wins while it loses the goal.
  var win: MetricReadout? {
    readout.metrics.first {
      !$0.isPrimary && $0.conditionalOn == nil && $0.capped == nil && $0.metric.goodDirection != nil
        && comparison($0)?.standing == .better
    }
  }

  var noDifferenceFinding: String {
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

  var undecidedFinding: String {
    guard let primary else { return "not known yet." }
    if let name = suffix("watched_open") {
      guard let watched = metric(name) else { return "\(lead), but \(visible(name)) is behind so far." }
      let text = MetricText(watched)
      let size = text.size(comparison(watched)?.decisionDifference) ?? undefinedMark
      let unit = text.size(0).flatMap { $0.split(separator: " ").dropFirst().first.map { " \($0)" } } ?? ""
      let bounds = text.bounds(comparison(watched)?.sequential.interval).map { " (\($0)\(unit))" } ?? ""
      let soFar = isEnded ? "" : " so far"
      return size == text.size(0)
        ? "\(lead), but \(watched.metric.readerName) is about equal to \(control)'s\(soFar)\(bounds)."
        : "\(lead), but \(watched.metric.readerName) is \(size) below \(control)\(soFar)\(bounds)."
    }
    if let name = suffix("guardrail_open") {
      let reader = readerName(ofMetric: name, in: readout)
      return margin(name).map { "\(lead), but \(reader) may still be worse than the margin of \($0) allows." }
        ?? "\(lead), but \(reader) may still be worse."
    }
    switch decision.reason {
    case "long_term": return longTermFinding
    case "too_few":
      if readout.schedule.analysed == 0, let counting {
        return "none of the \(userText(userCount)) counts yet, as \(primary.metric.readerName) is known "
          + "\(fixed(readout.schedule.horizonDays, 0)) days after the first exposure: from \(counting) on."
      }
      let recent = readout.schedule.immature
      let others = recent > 0 ? "; \(countText(recent)) more \(recent == 1 ? "is" : "are") too recent to count" : ""
      let arms = [leaderPlace + 1, 0].compactMap { primary.arms.indices.contains($0) ? primary.arms[$0] : nil }
      var (counts, word) = (arms.map(\.events), "with")
      // Nearly all have it: those without are the few.
      let least = AsymptoticSequence.leastOutcomes
      let without = arms.map { $0.persons - $0.events }
      if primary.metric.unit == .share, counts.allSatisfy({ $0 >= least }), without.contains(where: { $0 < least }) {
        (counts, word) = (without, "without")
      }
      guard counts.count == 2 else { return "too few users to say more\(others)." }
      let isAll = word == "without" && counts.allSatisfy { $0 == 0 }
      if isAll, primary.metric.readerName == "paid" {
        return "everyone in \(leader) and \(control) paid, which is too one-sided to compare\(others)."
      }
      return "\(userText(counts[0])) of \(leader) and \(countText(counts[1])) of \(control) \(word) "
        + "\(primary.metric.readerName) so far are too few to say more\(others)."
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
        : "\(countText(readout.schedule.analysed)) joined long enough ago"
      return "too early to read: planned for one look \(size), \(there)."
    default: return "\(levels(primary)), \(possible(primary))"
    }
  }

  /// Returns a clause such as `and the true lift could be anything from −26% to +89%.`
  func possible(_ metric: MetricReadout) -> String {
    let reading = comparison(metric)?.sequential
    // No share falls by more than all of it.
    let least = metric.metric.unit == .share ? -1 : -Double.infinity
    if let interval = reading?.liftInterval, let low = liftText(max(least, interval.low)),
      let high = liftText(interval.high)
    {
      return "and the true lift could be anything from \(low) to \(high)."
    }
    let text = MetricText(metric)
    if let interval = reading?.interval, let low = text.difference(interval.low),
      let high = text.difference(interval.high)
    {
      return "and the true difference could be anything from \(low) to \(high)."
    }
    return "too few users to say more."
  }

  var longTermFinding: String {
    guard let longTerm = readout.longTerm, longTerm.differenceIntervals.indices.contains(leaderPlace),
      let interval = longTerm.differenceIntervals[leaderPlace]
    else { return "\(lead), but value at 12 months says the opposite." }
    let text = MetricText(.money(currency: currency))
    let difference = longTerm.differences[leaderPlace]
    let size = difference.flatMap(text.size).map { " \($0)" } ?? ""
    // Without a point, the unit stands with the bounds.
    let bounds = text.bounds(interval).map { difference == nil ? "\($0) \(currency)" : $0 }
    let notes = [bounds, longTerm.basis?.rawValue].compactMap(\.self).joined(separator: ", ")
    return "\(lead), but value at 12 months is \((difference ?? interval.high) < 0 ? "down" : "up")\(size)"
      + (notes.isEmpty ? "." : " (\(notes)).")
  }

  var noneFinding: String {
    switch decision.reason {
    case "sample_ratio":
      if isSplitEvenInAll {
        return
          "on \(daysOff), users were not split \(readout.plan.shares == nil ? "evenly" : "as planned"), although in "
          + "all days together they are. The fault may also have caused the difference."
      }
      let isPlanned = readout.plan.shares != nil
      let rest =
        isPlanned
        ? "The fault that lost users may also have caused the difference."
        : "If the split was meant to be even, whatever lost users may also explain the difference."
      if readout.arms.count > Self.mostNamed {
        return "\(countText(userCount)) users in \(countText(readout.arms.count)) variants are not split "
          + "\(isPlanned ? "as planned" : "evenly, and no plan says how"). \(rest)"
      }
      let counts = listText(readout.readingOrder.map { countText(readout.arms[$0].persons) })
      return "\(counts) users are not \(isPlanned ? plannedShares : "an even split"). \(rest)"
    case "leak":
      let leaks = readout.health.leaks.map {
        "\(userText($0.persons)) \($0.persons == 1 ? "is" : "are") in \(visible($0.variant))"
      }
      return "\(Self.few(leaks)), although the plan gives it no share."
    case "nothing_to_compare":
      return readout.arms.count < 2 ? "only one variant was seen." : "there is nothing to compare."
    default:
      if hasNothingToCompare {
        return "\(visible(readout.app)) has no trial or payment yet, and no usage events, so nothing can be compared."
      }
      let name = primary?.metric.readerName ?? visible(readout.plan.primary ?? "the goal")
      return "\(name) cannot be compared (\(reasonWords(decision.reason)))."
    }
  }

  var plannedShares: String {
    let shares = readout.readingOrder.map { readout.arms[$0].share }
    if Set(shares.map { ($0 * 1e6).rounded() }).count == 1 {
      let names = [2: "halves", 3: "thirds", 4: "quarters", 5: "fifths"]
      let even = names[shares.count] ?? "even shares"
      return "the planned \(even)"
    }
    return "the planned \(listText(shares.map(chosenShare)))"
  }

  /// Returns the rest of a reason after its kind, such as `revenue` of `watched:revenue`.
  func suffix(_ kind: String) -> String? {
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

  // MARK: Question

  /// The plan, such as `no plan: intervals hold however often you look`.
  var planLine: String {
    let schedule = readout.schedule
    let size =
      readout.plan.plannedUsers.map { "\(countText(planned: $0)) users" }
      ?? readout.plan.plannedDays.map { "\(fixed($0, $0 == $0.rounded() ? 0 : 1)) days" }
    let share = schedule.plannedShare.map { ", \(wholePercentText($0)) reached" } ?? ""
    switch schedule.rule {
    case .alwaysValid: return "\(whyUnplanned): intervals hold however often you look"
    case .groupSequential: return "planned: \(size ?? "a size")\(share)"
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
}
