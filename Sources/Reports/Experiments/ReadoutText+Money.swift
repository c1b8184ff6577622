import Metrics
import Statistics

/// Sentences about a variant's worth: a year, the long term, the risk (D6).
extension ReadoutText {
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
    let years = [year, yearOfLastWeeks].compactMap(\.self)
    guard let pace, readout.schedule.usersADay ?? 0 > 0, money.annual.indices.contains(leaderPlace),
      money.annual[leaderPlace] != nil
    else { return years }
    return years + [assumptions(pace)]
  }

  /// The new users a day in as many digits as the year's amount, which is a multiple of them.
  var pace: String? { readout.schedule.usersADay.map { yearlyText($0, hasSign: false) } }

  /// A year's money if the effect stays as it was in the last two weeks, for an effect that fades (D8.7).
  var yearOfLastWeeks: String? {
    guard isReadable, let money = readout.money, let low = money.annualOfLastWeeks else { return nil }
    let bounds = [low.interval.low, low.interval.high].map { yearlyText($0, hasSign: true) }.joined(separator: " to ")
    return "With the effect of the last two weeks alone, a year is \(yearlyText(low.value, hasSign: true)) "
      + "\(money.currency) (\(bounds))."
  }

  /// The annual figure, such as `A year: +22,500 USD (+10,300 to +34,600) at 141 users a day.`
  var year: String? {
    guard isReadable, let money = readout.money, !money.isPartial else { return nil }
    guard money.annual.indices.contains(leaderPlace), let annual = money.annual[leaderPlace] else {
      if readout.schedule.usersADay == 0 { return "Yearly revenue is not known: no new users arrive." }
      return money.weeks == 0 ? "Yearly revenue is not known yet: it needs two full weeks of new users." : nil
    }
    let (low, high) = (annual.interval.low, annual.interval.high)
    let pace = self.pace.map { " at \($0) users a day" } ?? ""
    if isYearOpenShip {
      let pace = self.pace.map { " at \($0) new users a day" } ?? ""
      return "Worth about \(yearlyText(annual.value, hasSign: true)) \(money.currency) a year\(pace) "
        + "(\(yearRange(annual))). \(gain(annual)). \(moneyRole)"
    }
    if low < 0, high > 0 {
      let pace = self.pace.map { " (at \($0) users a day)" } ?? ""
      return "A year\(needsLeaderName ? " of \(leader)" : ""): between \(yearlyText(low, hasSign: true)) "
        + "and \(yearlyText(high, hasSign: true)) \(money.currency); not known to be a gain\(pace)."
    }
    if annual.value < 0 {
      return "A year of \(leader) would cost \(yearlyText(-annual.value, hasSign: false)) \(money.currency) "
        + "(\(yearlyText(-high, hasSign: false)) to \(yearlyText(-low, hasSign: false)))\(pace).\(notTheGoal())"
    }
    return "A year: \(yearlyText(annual.value, hasSign: true)) \(money.currency) "
      + "(\(yearlyText(low, hasSign: true)) to \(yearlyText(high, hasSign: true)))\(pace).\(notTheGoal(isGain: true))"
  }

  /// Returns a sentence after a gain or loss that is shown, if the goal shows neither, or a loss; else an empty one.
  private func notTheGoal(isGain: Bool = false) -> String {
    let isAgainst = isGain && decision.outcome == .doNotShip && decision.reason == "primary"
    guard isAgainst || [.undecided, .noDifference].contains(decision.outcome), !decision.isHeldBack, let primary,
      revenue?.isPrimary != true
    else { return "" }
    let hint =
      readout.plan.primary == nil ? " For a test of prices or plans, write `primary: revenue` into its plan." : ""
    return " This does not decide: the goal is “\(primary.metric.readerName)”.\(hint)"
  }

  /// Whether a variant is shipped although its money may be a loss: the estimate is a gain, and the interval includes 0.
  var isYearOpenShip: Bool {
    guard decision.outcome == .ship, decision.reason == "primary", let annual = readout.money?.annual,
      annual.indices.contains(leaderPlace),
      let interval = annual[leaderPlace]?.interval, revenue?.isPrimary != true
    else { return false }
    return interval.low < 0 && interval.high > 0
  }

  /// The range of a year's money by the rule that decides, after that of one look.
  ///
  /// Both ends scale with the critical value (D6.7), so one look's range is narrower as its interval of the difference is.
  func yearRange(_ annual: AnnualImpact) -> String {
    func text(_ range: Interval) -> String {
      [range.low, range.high].map { yearlyText($0, hasSign: true) }.joined(separator: " to ")
    }
    let reading = readout.schedule.rule == .alwaysValid ? "however often you look" : "by the plan's rule"
    let once = yearOfOneLook(annual).map { "\(text($0)) if you looked once, " } ?? ""
    return "\(once)\(text(annual.interval)) \(reading)"
  }

  /// The interval of a year's money in one look; `nil` if it is not narrower than the interval that decides.
  private func yearOfOneLook(_ annual: AnnualImpact) -> Interval? {
    let comparison = comparison(readout.decidingRevenue)
    guard let once = comparison?.interval, let decides = comparison?.sequential.interval,
      once.high - once.low < decides.high - decides.low
    else { return nil }
    let share = (once.high - once.low) / (decides.high - decides.low)
    let ends = [annual.interval.low, annual.interval.high].map { annual.value + ($0 - annual.value) * share }
    return Interval(low: ends[0], high: ends[1])
  }

  /// How sure a gain is whose interval includes 0: likely if one look's interval is above 0.
  func gain(_ annual: AnnualImpact) -> String {
    yearOfOneLook(annual).map { $0.low > 0 } ?? false
      ? "A gain is likely, but not proven" : "It is not known to be a gain"
  }

  /// The part that money has in a decision to ship (D1.4, D1.6).
  var moneyRole: String {
    "The decision rests on \(primary?.metric.readerName ?? "the goal"); lower revenue would have blocked it."
  }

  /// Returns the assumptions of the annual figure.
  private func assumptions(_ pace: String) -> String {
    let cap = readout.plan.cap.map { yearlyText($0, hasSign: false) }
    return
      "If \(pace) users a day keep coming, all get \(leader), and the effect stays, the yearly amount is "
      + "what a year's new users pay in their first 30 days. Later renewals are not included."
      + (cap.map { " Each user counts up to the plan's cap, \($0) \(currency)." } ?? "")
  }

  /// Payers all of whose payments have a rate ÷ payers, over all arms; `nil` without payers.
  var covered: Double? {
    guard let shares = readout.money?.coveredShares else { return nil }
    let payers = readout.money?.payers.map(Double.init) ?? []
    var (sum, weight) = (0.0, 0.0)
    for (place, share) in shares.enumerated() {
      guard let share else { continue }
      let own = payers.indices.contains(place) && payers[place] > 0 ? payers[place] : 1
      (sum, weight) = (sum + share * own, weight + own)
    }
    return weight > 0 ? sum / weight : nil
  }

  /// The sentence on payments without a rate.
  var partialMoney: String {
    let missing = (readout.money?.missing ?? [:]).sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
    let gaps = missing.map { "\(countText($0.value)) in \($0.key)" }
    let known = covered.map { "only \(wholePercentText($0)) of payers paid at a rate known in \(currency)" }
    let counted = "Money is not compared: \(known ?? "some payments have no rate in \(currency)")"
    if gaps.isEmpty { return "\(counted)." }
    return "\(counted). Payments without a rate: \(listText(gaps)). Add rates with `tollgate rates import`."
  }

  /// The health line without the missing rates, which the money part lists.
  var partialShort: String {
    let share = covered.map { "covers \(wholePercentText($0)) of payers" } ?? "does not cover all payers"
    return "Money counts payments in \(currency) only, which \(share)."
  }

  /// The sentence on the long-term value; `nil` if it is not requested.
  var longTerm: String? {
    guard isReadable, let longTerm = readout.longTerm else { return nil }
    guard let basis = longTerm.basis else {
      return "Value at 12 months: not known yet (\(countText(longTerm.daysOfData)) days of data)."
    }
    let text = MetricText(.money(currency: currency))
    let arms = readout.readingOrder.compactMap { place -> String? in
      guard longTerm.values.indices.contains(place) else { return nil }
      let value = text.value(longTerm.values[place])
      let range = longTerm.intervals.indices.contains(place) ? longTerm.intervals[place].flatMap(text.range) : nil
      guard let range else { return value.map { "\(visible(readout.arms[place].variant)) \($0)" } }
      return "\(visible(readout.arms[place].variant)) \(range)" + (value.map { " (\($0))" } ?? "")
    }
    let values = "Value at 12 months (\(basis.rawValue)): \(arms.joined(separator: ", "))."
    return agreement.map { "\(values) \($0)" } ?? values
  }

  var agreement: String? {
    readout.longTerm?.agreement == .leansAgainst ? longTermLeaning : agreementClause.map { "It \($0)." }
  }

  /// A clause such as `agrees with paid`; `nil` where the value is likely on the other side, which is a caveat.
  var agreementClause: String? {
    guard let longTerm = readout.longTerm, let primary else { return nil }
    let goal = primary.metric.readerName
    switch longTerm.agreement {
    case .agrees:
      let isShown = longTerm.differenceIntervals[leaderPlace].map { $0.low > 0 || $0.high < 0 } ?? false
      return isShown ? "agrees with \(goal)" : "points the same way as \(goal)"
    case .contradicts: return "contradicts \(goal)"
    case .leansAgainst, .notKnown: return nil
    }
  }

  var longTermLeaning: String {
    let goal = primary?.metric.readerName ?? "the goal"
    let basis = readout.longTerm?.basis.map { " (\($0.rawValue))" } ?? ""
    return "\(leader) leads in \(goal), but is likely behind in value at 12 months\(basis)."
  }

  /// The risk to revenue, only for an undecided test; at most, all of control's revenue can be lost.
  var risk: String? {
    guard decision.outcome == .undecided, readout.money?.isPartial != true, let revenue = readout.decidingRevenue,
      let low = comparison(revenue)?.sequential.interval?.low, low < 0, let level = revenue.arms.first?.estimate,
      let amount = MetricText(revenue).size(max(low, -max(0, level)))
    else { return nil }
    return "If you take \(leader) and it is worse, it costs at most \(amount) a user (lower end of the interval)."
  }
}
