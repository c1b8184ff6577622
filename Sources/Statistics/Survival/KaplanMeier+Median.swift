extension KaplanMeier where Time == Int64 {
  /// Returns the median of counts at distinct, ascending times without storing steps; equal to
  /// `KaplanMeier(times:events:censored:).median`.
  ///
  /// - Parameters: As in ``init(times:events:censored:entered:)``.
  public static func median(times: [Int64], events: [Int], censored: [Int]) -> Int64? {
    let entered = events.reduce(0, +) + censored.reduce(0, +)
    var atRisk = entered
    var (stretchSurvival, stretchAtRisk) = (1.0, entered)
    let slack = 4 * Double(times.count) * 0x1p-53
    for index in times.indices {
      let remaining = atRisk - events[index]
      let survival =
        stretchAtRisk == 0 ? stretchSurvival : stretchSurvival * (Double(remaining) / Double(stretchAtRisk))
      if survival < 0.5 * (1 - slack) { return times[index] }
      // Too close for doubles.
      if survival <= 0.5 * (1 + slack) { return KaplanMeier(times: times, events: events, censored: censored).median }
      atRisk = remaining - censored[index]
      if censored[index] > 0 { (stretchSurvival, stretchAtRisk) = (survival, atRisk) }
    }
    return nil
  }
}

extension KaplanMeier {
  /// The least time t with S(t) ≤ ½; `nil` if it is not reached.
  ///
  /// Computed exactly on the counts: S = ⅔·¾ is ½, but its rounded factors may multiply to either side of it.
  public var median: Time? { steps.first(where: isAtMostHalf)?.time }

  private func isAtMostHalf(_ step: Step) -> Bool {
    // Each run between censorings costs three roundings; far from ½ the double decides.
    let slack = 4 * Double(steps.count) * 0x1p-53
    if step.survival > 0.5 * (1 + slack) { return false }
    if step.survival < 0.5 * (1 - slack) { return true }
    var left: [Int: Int] = [:]  // factor: its count above the fraction line minus its count below
    left[2] = 1
    var stretchStart = steps[0].atRisk
    for current in steps {
      let remaining = current.atRisk - current.events
      if current.time == step.time || current.censored > 0 {
        left[remaining, default: 0] += 1
        left[stretchStart, default: 0] -= 1
        if current.time == step.time { break }
        stretchStart = remaining - current.censored
      }
    }
    var (above, below) = (Magnitude(1), Magnitude(1))
    for (factor, power) in left {
      for _ in 0..<abs(power) {
        if power > 0 { above.multiply(by: UInt(factor)) } else { below.multiply(by: UInt(factor)) }
      }
    }
    return above.compare(to: below) <= 0
  }
}
