import EventModel
import Metrics
import Statistics

/// Sentences about the health of the data and the caveats.
extension ReadoutText {
  /// One line if all checks pass, or else only the failed ones, worst first.
  var health: [String] {
    let troubles = troubles
    let health = readout.health
    var parts: [String] = []
    if !health.isSampleRatioOff, !health.isSplitDoubtful, let p = health.sequential?.p {
      parts.append("\(hasPlan ? "split as planned" : "even split, as assumed") (\(probabilityClause(p)))")
    }
    if !haveManyCrossed {
      let crossed = health.crossed == 0 ? "nobody" : counted(health.crossed, "user")
      parts.append("\(crossed) saw \(readout.arms.count == 2 ? "both" : "several") variants")
    }
    let immature = readout.schedule.immature
    let recent =
      immature == 0
      ? "all users are counted" : "\(counted(immature, "user")) \(immature == 1 ? "is" : "are") too recent to count"
    if immature == 0 || troubles.isEmpty { parts.append(recent) }
    if !troubles.isEmpty {
      guard isReadable else { return troubles }
      let isSaid = immature == 0 || troubles.contains(immatureSentence)
      return troubles + (isSaid ? [] : ["\(recent.capitalizedFirst)."])
        + (parts.isEmpty ? [] : ["Other checks passed: \(parts.joined(separator: "; "))."])
    }
    if let covered, readout.money != nil { parts.append("\(wholePercentText(covered)) of amounts in \(currency)") }
    let all = parts.joined(separator: "; ")
    return [isReadable ? "\(Self.passed)\(all)." : "\(all.capitalizedFirst)."]
  }

  /// Whether the users of all days together fit the shares: then only some days are off.
  var isSplitEvenInAll: Bool { (readout.health.chiSquare?.p ?? 0) > 0.05 }

  /// The days whose users do not fit the shares; if no day is off by itself, the one that is furthest from them.
  private var daysNotSplit: [ExperimentHealth.Slice] {
    let off = readout.health.alarmedSlices.filter { $0.dimension == "day" }.map(\.slice)
    return off.isEmpty ? [readout.health.slices.first { $0.dimension == "day" }?.worst].compactMap(\.self) : off
  }

  /// The days of ``daysNotSplit``, such as `40 of 47 days`.
  var daysOff: String {
    let all = readout.health.slices.first { $0.dimension == "day" }?.slices.count ?? 0
    return "\(countText(daysNotSplit.count)) of \(counted(all, "day"))"
  }

  /// Such as `control : b was 88 : 0 on 5 Jan 2026, 131 : 0 on 6 Jan 2026 and 38 more`.
  private func splits(ofDays most: Int) -> String {
    let days = daysNotSplit.map { "\(splitText(readout, $0.persons)) on \(Self.sliceName("day", $0.value))" }
    let names = readout.readingOrder.map { visible(readout.arms[$0].variant) }.joined(separator: " : ")
    let shown = days.prefix(most).joined(separator: ", ") + Self.more(days.count - most)
    return readout.arms.count > 6 ? shown : "\(names) was \(shown)"
  }

  /// Returns a slice in words, such as `country US` or `5 Jan 2026`.
  static func sliceName(_ dimension: String, _ value: String) -> String {
    dimension == "day"
      ? CivilDate(value).map { shortDayText($0) } ?? value : "\(dimensionName(dimension)) \(visible(value))"
  }

  /// Whether the app has neither of the goals that count without a plan.
  var hasNothingToCompare: Bool {
    readout.plan.primary == nil && primary?.metric.name == "retained" && primary?.absence == "no_usage_events"
  }

  /// The beginning of ``health`` if all checks pass.
  static let passed = "Data checks passed: "

  /// The lines of ``health`` in a memo, with the users who are too recent to count.
  var memoHealth: [String] { health + [unfinished].compactMap(\.self).filter { !health.contains($0) } }

  /// A sentence on users too recent to count (definitions 8.2); `nil` if every user counts.
  var unfinished: String? {
    let schedule = readout.schedule
    guard schedule.immature > 0, let share = schedule.maturedShare else { return nil }
    if share < 0.5 { return immatureSentence }
    let last = readout.asOf - Int64(schedule.horizonDays * 86_400_000)
    let are = schedule.immature == 1 ? "is" : "are"
    return "\(userText(schedule.immature)) first exposed after \(dayText(last)) \(are) too recent to count; "
      + "\(wholePercentText(share)) count."
  }

  /// The first day on which a user counts; `nil` without exposures.
  var counting: String? {
    readout.schedule.exposures.map {
      dayText($0.lowerBound + Int64(readout.schedule.horizonDays * 86_400_000), hasYear: true)
    }
  }

  var immatureSentence: String {
    "More than half of the users are still inside their \(fixed(readout.schedule.horizonDays, 0)) days."
  }

  var troubles: [String] {
    let health = readout.health
    var lines: [String] = []
    let isOnDaysOnly = health.isSampleRatioOff && isSplitEvenInAll
    if health.isSampleRatioOff {
      let p = probabilityClause(health.sequential?.p ?? 0)
      lines.append(
        isOnDaysOnly
          ? "The split is even in all days together (\(armCounts)), but off on \(daysOff) (\(p)): \(splits(ofDays: 3))."
          : "The split is off: \(armCounts) (\(p)).")
    }
    if health.isSplitDoubtful, let p = health.chiSquare?.p {
      lines.append(
        "The split may be off: \(armCounts) (\(probabilityClause(p)) in one look). The check for daily looks does not call it off yet."
      )
    }
    for leak in health.leaks {
      lines.append(
        "\(userText(leak.persons)) \(leak.persons == 1 ? "is" : "are") in \(visible(leak.variant)), which has no planned share."
      )
    }
    let places = health.alarmedSlices.filter { !isOnDaysOnly || $0.dimension != "day" }.map {
      "\(Self.sliceName($0.dimension, $0.slice.value)) (\(splitText(readout, $0.slice.persons)))"
    }
    if !places.isEmpty {
      let preposition = health.alarmedSlices.allSatisfy { $0.dimension == "day" } ? "on" : "within"
      lines.append(
        "The split is off \(preposition) \(listText(Array(places.prefix(3))))" + Self.more(places.count - 3) + ".")
    }
    if haveManyCrossed, let share = percentText(Double(health.crossed) / Double(max(1, health.persons))) {
      let are = health.crossed == 1 ? ("was", "is") : ("were", "are")
      lines.append("\(userText(health.crossed)) (\(share)) \(are.0) seen with two variants and \(are.1) left out.")
    }
    if let matured = readout.schedule.maturedShare, matured < 0.5 { lines.append(immatureSentence) }
    if readout.money?.isPartial == true { lines.append(partialShort) }
    return lines
  }

  /// Whether more than 1% of the users saw several variants.
  private var haveManyCrossed: Bool { readout.health.crossed * 100 > readout.health.persons }

  /// The users of each variant; with many variants, those furthest from their share.
  var armCounts: String {
    func text(_ arms: some Sequence<ExperimentReadout.Arm>) -> String {
      arms.map { "\(visible($0.variant)) \(countText($0.persons))" }.joined(separator: ", ")
    }
    guard readout.arms.count > Self.mostNamed else { return text(readout.readingOrder.map { readout.arms[$0] }) }
    let total = Double(max(1, userCount))
    func distance(_ arm: ExperimentReadout.Arm) -> Double { abs(Double(arm.persons) - total * arm.share) }
    let worst = readout.arms.sorted { distance($0) > distance($1) }.prefix(3)
    return "\(text(worst)) and \(countText(readout.arms.count - 3)) more"
  }

  static func more(_ count: Int) -> String { count > 0 ? " and \(count) more" : "" }

  // MARK: Caveats

  /// All caveats, one sentence each, worst first.
  var caveats: [String] { readout.caveats.map(sentence) }

  /// The caveats of a memo, or a sentence that there are none.
  var caveatsOrNone: [String] {
    if !caveats.isEmpty { return shownCaveats(rest: "in the full readout") }
    switch (decision.outcome, decision.reason) {
    case (.undecided, "primary"): return ["No caveats beyond the wide range above."]
    case (.undecided, "too_few"): return ["No caveats beyond the small numbers above."]
    case (.undecided, _): return ["No caveats beyond the open question above."]
    case (.none, _): return ["No caveats beyond the fault above."]
    case (.ship, _) where isYearOpenShip: return ["No caveats beyond the open range of money above."]
    case (.ship, _), (.doNotShip, _), (.noDifference, _): return ["None."]
    }
  }

  /// Returns at most four caveats, then the number of others.
  ///
  /// - Parameter rest: Where the others are.
  func shownCaveats(rest: String) -> [String] {
    let all = caveats
    guard all.count > 4 else { return all }
    return Array(all.prefix(4)) + ["And \(all.count - 4) more \(rest)."]
  }

  func sentence(_ caveat: Caveat) -> String {
    switch caveat {
    case .guardrailTooFew(let name):
      guard let metric = metric(name) else { return "" }
      let counts = [leaderPlace + 1, 0].map { metric.arms.indices.contains($0) ? metric.arms[$0].events : 0 }
      return
        "Look into “\(metric.metric.readerName)” before you ship: \(against(metric)) in \(control) (\(countText(counts[0])) "
        + "and \(userText(counts[1]))). This guardrail cannot fail with fewer than 10 users in a variant."
    case .sampleRatio(let dimension, let value):
      return
        "The split is off \(dimension == "day" ? "on" : "within") \(Self.sliceName(dimension, value)): find out why before you trust it."
    case .crossed(let share):
      return
        "\(percentText(share) ?? "Many") of the users saw several variants and are left out: what made them switch may "
        + "also explain the difference."
    case .endedEarly(let share):
      return "Ended early, at \(wholePercentText(share)) of the planned size"
        + (readout.plan.looks == .once ? ": the test planned for one look no longer applies." : ".")
    case .plannedLate:
      return "The plan was made after a quarter of the users had been exposed, so it does not count."
    case .endedWithoutPlan(let last, let p):
      return
        "Ended on \(dayText(last)) without a planned size, so the intervals for daily looks apply. One look would have given "
        + "\(probabilityClause(p)), but that rule must be chosen before the test (`looks: once`, `planned_users`)."
    case .partOfUsers(let filters):
      return "This covers only users with \(listText(filters.map { "`\(visible($0))`" })). Of many groups, some win or "
        + "lose by chance: decide on all users."
    case .partOfTest: return "This covers part of the test: users first exposed on the days you asked for."
    case .trialsOutlastGoal(let trial, let goal):
      return
        "Trials last up to \(durationText(days: Double(trial))), but the goal counts \(durationText(days: Double(goal))) from the exposure: users in such a "
        + "trial cannot have paid by then and count as not paid. `funnel` waits for every trial."
    case .intervalReturned:
      return
        "The interval includes zero now. The verdict rests on an earlier look; its limits allow for a look every day."
    case .longTermLeansAgainst: return longTermLeaning
    case .conditionalGuardrail(let name):
      return
        "The guardrail “\(readerName(ofMetric: name, in: readout))” compares users who differ between the variants: "
        + "it fails only if that cannot explain the difference."
    case .partialMoney: return partialShort
    case .moneyNotEstimable:
      return revenueKnownOn.map {
        "Revenue cannot be compared before \($0), so it has not confirmed this result: more users may pay, but pay less."
      } ?? moneyMissing
    case .cap: return capped ?? "A few large payers decide: capping them changes the sign of the revenue difference."
    case .fading:
      return (readout.trend?.answer == .fades ? trend : within) ?? "The effect gets smaller from week to week."
    case .oppositeSegment(let dimension, let value): return opposite(dimension, value)
    case .segmentsDisagree(let dimension):
      let lifts = liftsOfSegments(dimension).joined(separator: ", ")
      return
        "It helps some users and harms others, by \(Self.dimensionName(dimension)): \(lifts). Test these groups on "
        + "their own before you drop it."
    case .smallWin:
      return readout.plan.minimumLift == ExperimentPlan().minimumLift
        ? "The gain is smaller than a lift of \(minimumLift), the smallest worth having (`minimum_lift`)."
        : "The gain is smaller than the lift of \(minimumLift) that you called worth having."
    case .loggingDiffers:
      return "Activity is logged differently in the variants: differences in usage may come from that."
    case .adjustmentDiffers:
      return "Adjusting for what users did before would change the decision: compare both under Adjustments."
    case .composition(let variant): return cancellations(variant)
    case .immature: return immatureSentence
    case .usageDecides:
      return "\(visible(readout.app)) has no trial or payment, so week-2 usage is the goal. If there are some, "
        + "load the files that have them."
    case .controlAssumed:
      return "No variant is named `control`: \(control) serves as the control. A plan can name another."
    case .planDateUnknown:
      return "Nobody recorded when the plan was made (`planned_on`): it counts as made before the data."
    }
  }

  /// A sentence on revenue that cannot be compared, although all users have had their 30 days or nobody paid.
  private var moneyMissing: String {
    if isOnlyControlWithoutPayers, let users = metric("paid")?.arms.first?.persons {
      return
        "Revenue cannot be compared: none of \(userText(users)) in \(control) paid. Check that \(control) logs purchases."
    }
    let yet = revenueMatureOn == nil ? "" : " yet"
    return "Revenue cannot be compared\(yet), so it has not confirmed this result."
  }

  func opposite(_ dimension: String, _ value: String) -> String {
    let segment = readout.segments.first { $0.dimension == dimension && visible($0.variant) == leader }?
      .segments.first { $0.value == value }
    let text = primary.map(MetricText.init)
    let change = segment.flatMap { text?.change($0.difference, $0.interval) }.map { ", \($0)" } ?? ""
    return
      "In \(Self.dimensionName(dimension)) \(visible(value)) the effect goes the other way\(change): look at it separately."
  }

  /// A sentence such as `The cap of 89 USD affects 3 users and changes the difference from +0.44 to +0.41 USD.`; `nil`
  /// without a cap.
  var capped: String? {
    guard let twin = readout.metrics.first(where: { $0.capped != nil }), let cap = twin.capped, let revenue,
      let plain = MetricText(revenue).difference(comparison(revenue)?.difference),
      let other = MetricText(twin).difference(comparison(twin)?.difference)
    else { return nil }
    let users = userText(cap.persons)
    let unit = currency.isEmpty ? "" : " \(currency)"
    return "The cap of \(yearlyText(cap.cap, hasSign: false))\(unit) affects \(users) and "
      + (plain == other
        ? "leaves the difference at \(other)."
        : "changes the difference from \(plain.replacing(unit, with: "")) to \(other).")
  }

  /// Returns whether a different mix of users starting trials explains the cancellations.
  func cancellations(_ variant: String) -> String {
    let place = readout.treatments.firstIndex(of: variant) ?? leaderPlace
    func difference(_ name: String) -> ArmComparison? {
      readout.metrics.first { $0.metric.baseName == name && $0.comparisons.indices.contains(place) }?.comparisons[place]
    }
    let started = difference("trial_start")?.difference ?? 0
    let hasFewer = started < 0
    guard let metric = metric("trial_cancelled"), let bounds = difference("trial_cancelled")?.composition,
      bounds.low > 0 || bounds.high < 0, metric.arms.indices.contains(place + 1),
      let treatment = metric.arms[place + 1].estimate, let control = metric.arms.first?.estimate,
      let low = liftNumber(bounds.low), let high = liftNumber(bounds.high)
    else {
      return "\(hasFewer ? "Fewer" : "More") users start trials with \(visible(variant)); that alone can explain the "
        + "difference in trial cancellations."
    }
    let cancelled =
      "\(wholePercentText(treatment)) of \(visible(variant)) trials are cancelled, against \(wholePercentText(control)) in "
      + "\(self.control)."
    // Rates that read alike are not called more or fewer.
    if abs(started) < 0.000_5 { return "\(cancelled) Both start about as many trials." }
    return "\(cancelled) The \(hasFewer ? "missing" : "extra") starters do not explain it (\(low) to \(high) pp for "
      + "those who start either way)."
  }
}
