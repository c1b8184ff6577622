import Metrics
import Statistics

/// Text of the next step (D3.6).
extension ReadoutText {
  /// ``next`` as it goes on after `Next:`.
  var nextClause: String { next.lowercasedFirst }

  /// The next step in one or two sentences; never empty.
  var next: String {
    switch readout.next {
    case nil where decision.outcome == .ship:
      if readout.caveats.contains(where: { if case .partOfUsers = $0 { true } else { false } }) {
        return "Read the test for all users before you ship: a group may win by chance."
      }
      if let checked = checkBeforeShipping { return checked }
      return hasPlan
        ? "Give \(leader) to everybody\(orAlternative); record the day in the plan (`shipped_on`)."
        : "Give \(leader) to everybody\(orAlternative); record the day as `shipped_on` in a plan file."
    case .wait: return wait
    case .restart: return restart
    case .keepControl:
      if decision.outcome == .noDifference {
        return cheapest
      }
      if suffix("watched_open")?.hasPrefix("revenue") == true, let date = revenueMatureOn {
        return "Keep \(control) for now; revenue of the users so far is known on \(date): look again then."
      }
      return isEnded ? "Keep \(control)." : "Keep \(control); end the test."
    case .fix: return fix
    case .stop, nil: return stop
    }
  }

  /// A step before a variant is given to everybody: to look into a guardrail of few users that is far worse, to check a
  /// control without payers, or to wait for revenue of 30 days; `nil` where nothing is open.
  private var checkBeforeShipping: String? {
    for case .guardrailTooFew(let name) in readout.caveats {
      let metric = readerName(ofMetric: name, in: readout)
      return "Look into “\(metric)” first; give \(leader) to everybody only if it does no harm."
    }
    if isOnlyControlWithoutPayers {
      return "Check that \(control) logs purchases; give \(leader) to everybody only if it does."
    }
    guard let date = revenueKnownOn else { return nil }
    return
      "Wait for revenue until \(date); more users pay, but they may pay less. Then ship \(leader) unless revenue is lower."
  }

  /// Whether users of a treatment paid, and none in control.
  var isOnlyControlWithoutPayers: Bool {
    guard let arms = metric("paid")?.arms, let control = arms.first, control.persons > 0 else { return false }
    return control.events == 0 && arms.contains { $0.events > 0 }
  }

  /// The day from which on all users so far have revenue of 30 days; `nil` if revenue can be compared, or never can.
  var revenueKnownOn: String? {
    let hasPayers = metric("paid")?.arms.contains { $0.events > 0 } ?? false
    guard readout.caveats.contains(.moneyNotEstimable), hasPayers || readout.money != nil else { return nil }
    return revenueMatureOn
  }

  /// The first day whose data have the revenue of 30 days of all users so far; `nil` if they are there, or if rates are
  /// missing.
  var revenueMatureOn: String? {
    guard readout.money?.isPartial != true, let last = readout.schedule.exposures?.upperBound else { return nil }
    let known = last + (revenue?.metric.horizon ?? 30 * 86_400_000)
    let day: Int64 = 86_400_000
    return known > readout.asOf ? dayText((known + day - 1) / day * day) : nil
  }

  /// The advice of a test without a difference; it names the variants that are not worse where others are.
  private var cheapest: String {
    let standings = primary?.comparisons.map(\.standing) ?? []
    guard standings.contains(.worse) else { return "Keep whichever is cheaper; the question is settled." }
    let same = standings.indices.filter { standings[$0] == .same }.map { visible(readout.treatments[$0]) }
    return "Keep whichever of \(Self.few([control] + same)) is cheaper; the question is settled."
  }

  /// Such as `, or c if it is cheaper`; empty if only the best may be shipped.
  private var orAlternative: String {
    if alternatives.isEmpty { return "" }
    return ", or \(alternatives.count == 1 ? alternatives[0] : "one of \(Self.few(alternatives))") if it is cheaper"
  }

  var wait: String {
    let schedule = readout.schedule
    if schedule.isPlanOpen { return waitForPlan }
    guard let target = schedule.target, let days = schedule.daysMore, days.isFinite else {
      if schedule.analysed == 0, let counting { return "Wait until \(counting): the first users count then." }
      return "Wait: no user of \(control) who is old enough to count has the outcome yet."
    }
    let date = dayText(readout.asOf + Int64(days * 86_400_000))
    let more = countText(planned: max(0, target - Double(schedule.analysed)))
    return "Wait until \(date): \(more) more users, about \(durationText(days: days).replacing("about ", with: "")), "
      + (isForEquivalence
        ? "show with 80% that a lift beyond ±\(chosenShare(readout.plan.sameLift)) is ruled out, if there is no difference."
        : "find a lift of \(minimumLift) with 80%.")
  }

  /// A sentence such as `Wait until 3 March 2026: then the planned 24,000 users have come and their 14 days are over.`
  var waitForPlan: String {
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
  var isForEquivalence: Bool {
    let schedule = readout.schedule
    guard let target = schedule.target, let needed = schedule.usersNeededForEquivalence else { return false }
    return target == needed && target != schedule.usersNeeded
  }

  var stop: String {
    let schedule = readout.schedule
    let opening = isEnded ? "Stop here" : "Stop"
    guard let target = schedule.target ?? schedule.usersNeeded else {
      let goal = primary?.metric.readerName ?? "the goal"
      guard let arm = primary?.arms.first, arm.events > 0 else {
        let users = userText(primary?.arms.first?.persons ?? 0)
        let logs = isOnlyControlWithoutPayers ? "\(control) logs purchases" : "purchases are logged"
        return goal == "paid"
          ? "\(opening): none of \(users) in \(control) has paid, so a size cannot be planned; check that \(logs)."
          : "\(opening): nobody in \(control) has the outcome “\(goal)” yet, so a size cannot be planned."
      }
      return arm.persons < AsymptoticSequence.leastUsers
        ? "\(opening), or add users: \(userText(arm.persons)) of \(control) are too few to plan a size."
        : "\(opening): \(goal) is so frequent in \(control) that a lift of \(minimumLift) is not possible."
    }
    if schedule.target == nil {
      return "\(opening): the effect is near the margin of \(minimumLift), and more users will hardly "
        + "settle it."
    }
    let purpose =
      isForEquivalence
      ? "ruling out a lift beyond ±\(chosenShare(readout.plan.sameLift))" : "finding a lift of \(minimumLift)"
    guard let pace = schedule.usersADay, pace > 0 else {
      let users = countText(planned: target)
      return "\(opening). \(purpose.capitalizedFirst) would take \(users) users, and no new ones arrive."
    }
    let size =
      "\(purpose) would take \(countText(planned: target)) users, \(durationText(days: target / pace)) at \(dailyText(pace)) a day."
    let sentence = "\(opening). \(size.capitalizedFirst)"
    let patience = fixed(readout.plan.patienceDays, 0)
    if !isEnded, let least = schedule.leastLift, let text = liftNumber(least), isPossible(lift: least) {
      return
        "\(opening), unless you expect a lift of \(text.drop { $0 == "+" })% or more, which this traffic can show in "
        + "\(patience) days: \(size)"
    }
    guard let least = schedule.leastLift, let text = liftNumber(least) else {
      return "\(sentence) With this traffic, no lift would show in \(patience) days: test on all paywalls together."
    }
    return
      "\(sentence) With this traffic, only a lift of \(text.drop { $0 == "+" })% or more would show in \(patience) days: "
      + "test a bolder change, or all paywalls together."
  }

  /// Whether a lift of the goal is still within the interval of some treatment, or nothing is known of it yet.
  private func isPossible(lift: Double) -> Bool {
    guard let primary else { return false }
    let isGoodUp = primary.metric.goodDirection != .down
    return primary.comparisons.contains { comparison in
      guard let interval = comparison.sequential.liftInterval else { return true }
      return isGoodUp ? interval.high >= lift : -interval.low >= lift
    }
  }

  var restart: String {
    let schedule = readout.schedule
    guard let target = schedule.target ?? schedule.usersNeeded else { return "Start again with a plan." }
    let days = schedule.usersADay.flatMap { $0 > 0 ? (target / $0).rounded(.up) + schedule.horizonDays : nil }
    let time = days.map { " (\(durationText(days: $0)))" } ?? ""
    return "Start again with \(countText(planned: target)) users\(time) and a plan; these data are not added."
  }

  /// The shares that users have, in whole percent, such as `control: 70, b: 30`.
  private var exampleShares: String {
    let total = Double(max(1, userCount))
    return readout.readingOrder.map { place in
      let arm = readout.arms[place]
      return "\(visible(arm.variant)): \(fixed(Double(arm.persons) / total * 100, 0))"
    }.joined(separator: ", ")
  }

  /// Advice for a variant that got users on a part of the days only; `nil` if none did.
  private var partWithUsers: String? {
    for place in readout.readingOrder {
      let name = visible(readout.arms[place].variant)
      switch readout.health.daysWithUsers(of: place, share: readout.arms[place].share) {
      case nil: continue
      case .from(let day, let start):
        return "\(name) took users only from \(Self.sliceName("day", day)) on. Compare from then: `--from \(start)`."
      case .until(let day, let next):
        return "\(name) took users only until \(Self.sliceName("day", day)). "
          + (readout.arms.count > 2 ? "Compare from then: `--from \(next)`." : "Compare until then: `--to \(next)`.")
      }
    }
    return nil
  }

  var fix: String {
    switch decision.reason {
    case "sample_ratio" where isSplitEvenInAll:
      return "Find out what was different on those days; start again after the fix."
    case "sample_ratio" where partWithUsers != nil: return partWithUsers ?? ""
    case "sample_ratio":
      let total = Double(max(1, userCount))
      let isOpen = readout.plan.shares == nil && readout.arms.count <= Self.mostNamed
      let split =
        isOpen
        ? "If you did not split evenly, write the shares into a plan, such as variants: {\(exampleShares)}. Otherwise, find"
        : "Find"
      let worst = readout.arms.min { Double($0.persons) / total - $0.share < Double($1.persons) / total - $1.share }
      return
        "\(split) where users of \(visible(worst?.variant ?? "a variant")) get lost, by version and by day; start again after "
        + "the fix."
    case "leak":
      return "Find out how users got into a variant without a share; start again after the fix."
    case "nothing_to_compare": return "Check that every variant logs its exposures."
    case _ where hasNothingToCompare:
      return "Wait for the first trials and payments. If there are some, load the files that have them."
    default: return "Log what \(primary?.metric.readerName ?? "the goal") counts, or choose another primary metric."
    }
  }
}
