internal import EventModel
internal import Store

/// The answer in words.
extension DriverReport {
  var partsDefinition: String {
    switch measure {
    case .share(let met, let units) where !arms.isEmpty:
      "mix: the segment has another share of the \(units) in each arm. rate: its own share of \(met) differs. The parts of one "
        + "cut add up to the difference"
    case .count(let met, _):
      "volume: the segment's own \(met) \(compared == nil ? "changed" : "differ"). The parts of one cut add up to the "
        + (compared == nil ? "change" : "difference")
    case .share(let met, let units) where compared != nil:
      "mix: the segment has another share of the \(units) in each group. rate: its own share of \(met) differs. The parts of "
        + "one cut add up to the difference"
    case .share(let met, let units):
      "mix: the segment's share of \(units) changed. rate: its own share of \(met) changed. The parts of one cut add up to "
        + "the change"
    case .money(let column):
      "volume: the segment has more or fewer \(column == .refunded ? "refunds" : "payments"). rate: they are larger or "
        + "smaller on average. The parts of one cut add up to the change"
        + (column == .revenue ? ". A refund counts as a payment below 0" : "")
    case .recurring: Self.movementDefinition[0]
    }
  }

  private var unitWord: String { money != nil ? "payment" : kind == .recovery ? "failed charge" : "user" }

  /// A clause on days that were not named, because younger units do not count yet.
  var newestWeek: String {
    let units =
      switch kind {
      case .trials, .cancellations: "trials are all over"
      case .recovery: "failed charges all count: each does after \(Recovery.ages.last ?? 0) days"
      case .saves: "cancellations are all decided"
      default: "users all count"
      }
    return "the newest full week whose \(units)"
  }

  /// A clause on the user whose payments moved most in the direction of the change, if that is half of it or more, and a
  /// tenth of the larger side; empty otherwise. Only of many users is it a surprise.
  func clauseOfOneUser(_ before: [Int32: Int], _ now: [Int32: Int], _ change: Double?, scale: Double) -> String {
    let users = Set(before.keys).union(now.keys)
    guard let change, change != 0, users.count >= DriverSearch.fewestUnits else { return "" }
    let moved = users.map { Double(now[$0] ?? 0) - Double(before[$0] ?? 0) * scale }
    let larger = max(Double(before.values.reduce(0, +)) * scale, Double(now.values.reduce(0, +)))
    guard let most = change < 0 ? moved.min() : moved.max(), most / change >= 0.5, abs(most) >= larger / 10 else {
      return ""
    }
    let amount = amountText(Int((abs(most) * unit).rounded()))
    return "; the payments of one user alone \(most < 0 ? "fell" : "rose") by \(amount)"
  }

  /// When a failed charge counts.
  private func wait(_ sides: Sides) -> String? {
    guard kind == .recovery, case .report(let own) = sides, let days = Recovery.ages.last, let end = own.now.end else {
      return nil
    }
    return "each counts after \(days) days, those of these days from \(CivilDate(daysSince1970: end + days)) on"
  }

  /// The answer in one sentence.
  ///
  /// - Parameters:
  ///   - alike: How many of the largest segments moved as the number did.
  ///   - week: The newest week whose users count, where those of a side do not.
  func sentence(
    _ app: String, _ number: ComparedNumber, _ found: [DriverSearch.Found], _ alike: (moved: Int, of: Int),
    _ sides: Sides, _ week: SettledWeek?, isAlone: Bool
  ) -> String {
    if case .arms(let arms) = sides { return sentence(arms, number, found, isAlone: isAlone) }
    let name = isAlone ? "" : "\(app): "
    let isOfOne = number.beforeCount != number.nowCount
    if number.beforeCount == 0 || number.nowCount == 0 {
      let isBefore = number.beforeCount == 0
      // A payment counts at once: that there is none is an answer.
      if money != nil, compared == nil {
        if !isOfOne { return "\(name)there are no payments on these days or on the days before" }
        return isBefore
          ? "\(name)there are no payments on the days before, so nothing can be compared"
          : "\(name)there are no payments on these days, and there were \(number.beforeCount ?? 0) on the days before: look for a "
            + "fault in the store or in the data before any other cause"
      }
      let side =
        if let compared {
          isOfOne ? isBefore ? "\(compared)" : "the others" : "either group"
        } else {
          isOfOne ? isBefore ? "the days before" : "these days" : "these days or the days before"
        }
      return "\(name)not known: no \(unitWord) of \(side) counts yet; "
        + (week?.clause ?? wait(sides) ?? "ask for earlier days with --from and --to")
    }
    guard let change = number.change, let p = number.p else { return "\(name)not known: \(number.reason)" }
    let isFound = found.contains { $0.p <= question.level }
    let whole = compared == nil ? "change" : "difference"
    if found.isEmpty {
      return name + (p < 0.05 ? "more than chance explains" : "chance alone can explain") + " the \(whole)"
        + "; nothing was searched, because a segment needs \(DriverSearch.fewestUnits) \(unitWord)s, and others outside it"
    }
    if compared != nil {
      if isFound { return "\(name)the difference is not the same everywhere" }
      return p < 0.05
        ? "\(name)the groups differ by more than chance explains, but no segment is shown to differ from the rest"
        : "\(name)chance alone can explain the \(whole), and no segment stands out"
    }
    let word = change < 0 ? "fell" : "rose"
    let drivers = found.count { $0.p <= question.level }
    let standing = drivers == 1 ? "one segment stands" : "\(drivers) segments stand"
    if isFound {
      return p < 0.05
        ? "\(name)it \(word), but not all segments moved alike"
        : "\(name)chance alone can explain the total change, but \(standing) out"
    }
    return p < 0.05
      ? "\(name)it \(word) by more than chance explains, but no segment is shown to differ from the rest: \(alike.moved) of "
        + "the \(alike.of) largest \(word), too"
      : "\(name)chance alone can explain the \(whole), and no segment stands out"
  }
}
