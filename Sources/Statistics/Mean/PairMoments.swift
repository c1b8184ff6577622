/// Count, means and central sums of squares and products of users' values before and in an experiment, in a form that
/// merges.
///
/// Source: Chan, Golub & LeVeque (1983), for pairs.
public struct PairMoments: Hashable, Sendable {
  public private(set) var count = 0.0
  private var before = 0.0
  private var after = 0.0
  private var squaresBefore = 0.0
  private var squaresAfter = 0.0
  private var products = 0.0

  public init() {}

  /// Creates `zeros` users with 0 before and after.
  public init(zeros: Double) { count = zeros }

  /// Creates users with 0 or 1 before and after, from how many have 1 before, 1 after, and both.
  public init(users: Double, before: Double, after: Double, both: Double) {
    guard users > 0 else { return }
    count = users
    self.before = before / users
    self.after = after / users
    squaresBefore = before * (1 - self.before)
    squaresAfter = after * (1 - self.after)
    products = both - before * self.after
  }

  public mutating func add(before: Double, after: Double) {
    count += 1
    let (x, y) = (before - self.before, after - self.after)
    self.before += x / count
    self.after += y / count
    squaresBefore += x * (before - self.before)
    squaresAfter += y * (after - self.after)
    products += x * (after - self.after)
  }

  public mutating func merge(_ other: PairMoments) {
    guard other.count > 0 else { return }
    let total = count + other.count
    let (x, y, weight) = (other.before - before, other.after - after, count * other.count / total)
    squaresBefore += other.squaresBefore + x * x * weight
    squaresAfter += other.squaresAfter + y * y * weight
    products += other.products + x * y * weight
    before += x * other.count / total
    after += y * other.count / total
    count = total
  }

  /// Returns the users' values after, minus the slope's prediction from those before.
  ///
  /// - Parameter centre: The grand mean of the values before.
  fileprivate func adjusted(slope: Double, centre: Double) -> MeanArm? {
    guard count >= 2 else { return nil }
    let squares = squaresAfter - slope * (2 * products - slope * squaresBefore)
    return MeanArm(
      mean: after - slope * (before - centre), variance: max(0, squares) / (count - 1) / count, count: count)
  }

  /// Returns the statistic of Welch's test after the adjustment of ``cupedTest(treatment:control:confidence:)``.
  ///
  /// - Returns: `nil` if an arm has fewer than two users, nothing varies, or the history does not vary, so that the
  ///   method does not apply.
  static func cuped(treatment: PairMoments, control: PairMoments) -> WelchStatistic? {
    var all = treatment
    all.merge(control)
    guard all.squaresBefore > 0 else { return nil }
    let slope = all.products / all.squaresBefore
    guard
      let own = treatment.adjusted(slope: slope, centre: all.before),
      let other = control.adjusted(slope: slope, centre: all.before)
    else { return nil }
    return WelchStatistic(own, other)
  }
}
