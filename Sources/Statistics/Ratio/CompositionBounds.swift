/// The users of an arm whom an outcome chose, such as those who started a trial or paid, with what a metric is of them.
public struct ChosenGroup: Hashable, Sendable {
  /// Of the arm's exposed users, above 0.
  public var share: Double
  /// Of the group's users.
  public var mean: Double
  /// Ascending; `nil` of a rate, whose values are 0 and 1.
  private var values: [WeightedValue]?

  /// So many users with the same value.
  private struct WeightedValue: Hashable {
    var value: Double
    var count: Double
  }

  /// - Parameter rate: Of the group, in [0, 1].
  /// - Returns: `nil` without a group.
  public init?(users: Double, group: Double, rate: Double?) {
    guard users > 0, group > 0, let rate else { return nil }
    (share, mean) = (group / users, rate)
  }

  /// - Parameter values: Of the group's users; in any order.
  /// - Returns: `nil` without a group.
  public init?(users: Double, values: [(value: Double, count: Int)]) {
    let group = values.reduce(0) { $0 + $1.count }
    guard users > 0, group > 0 else { return nil }
    share = Double(group) / users
    let sorted = values.sorted { $0.value < $1.value }
    mean = sorted.reduce(0) { $0 + $1.value * Double($1.count) } / Double(group)
    self.values = sorted.map { WeightedValue(value: $0.value, count: Double($0.count)) }
  }

  /// Means that a share of the group can have: of its least and of its greatest values.
  func means(ofShare g: Double) -> Interval {
    guard let values else { return Interval(low: max(0, (mean - (1 - g)) / g), high: min(1, mean / g)) }
    let wanted = g * values.reduce(0) { $0 + $1.count }
    func part(_ values: some Sequence<WeightedValue>) -> Double {
      var (left, sum) = (wanted, 0.0)
      for value in values where left > 0 {
        let taken = min(left, value.count)
        sum += taken * value.value
        left -= taken
      }
      return sum / wanted
    }
    return Interval(low: part(values), high: part(values.reversed()))
  }
}

/// Bounds the difference of two groups among users who would be in the group either way, given that a treatment only adds,
/// or only removes, members; implements D5.4.
///
/// With shares s₁ ≥ s₀ of the exposed users, g = s₀/s₁ of the treatment's group would be in it anyway: at worst those with
/// the least values, at best those with the greatest. Of a rate r₁ that is [max(0, (r₁ − (1 − g))/g), min(1, r₁/g)].
/// s₁ < s₀ is the mirror image.
///
/// Source: Lee (2009), doi:10.1111/j.1467-937X.2009.00536.x; Zhang & Rubin (2003), doi:10.3102/10769986028004353.
public func compositionBounds(treatment: ChosenGroup, control: ChosenGroup) -> Interval {
  if treatment.share >= control.share {
    let kept = treatment.means(ofShare: control.share / treatment.share)
    return Interval(low: kept.low - control.mean, high: kept.high - control.mean)
  }
  let kept = control.means(ofShare: treatment.share / control.share)
  return Interval(low: treatment.mean - kept.high, high: treatment.mean - kept.low)
}
