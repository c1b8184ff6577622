import Foundation

/// How much a segment's own rate, its share of units, or the number of its payments or users stands out; implements definitions 10.5.
struct DriverScore {
  /// The part that stands out most.
  var part: DriverParts.Part
  /// In standard errors.
  var z: Double
  /// How much its own rate stands out; 0 of a count.
  var ownRate: Double
  /// Of two that stand out alike by the same part, the one with the larger tie comes first: the segment's own change in
  /// standard errors, or, of a share of units, 1 if it grew.
  var tie: Double

  private typealias Sides = (before: DriverCounts.Count, now: DriverCounts.Count)

  /// No score is larger, as amounts can be alike to the last.
  private static let most = 999.0

  /// - Parameters:
  ///   - segment: The segment's units before and now.
  ///   - all: All units before and now, with the segment's.
  ///   - table: Its kind of units and the factor of days.
  ///   - aging: The kinds of change that older subscriptions alone explain.
  /// - Returns: `nil` if the segment or the rest of it has no units on either side, or if each has those of one side.
  init?(
    _ segment: (before: DriverCounts.Count, now: DriverCounts.Count),
    of all: (before: DriverCounts.Count, now: DriverCounts.Count), in table: DriverCounts,
    aging: DriverCounts.Aging = .nothing
  ) {
    let rest = (before: all.before - segment.before, now: all.now - segment.now)
    guard all.before.units > 0, all.now.units > 0, segment.before.units + segment.now.units > 0,
      rest.before.units + rest.now.units > 0,
      // All units of one side and none of the other are the whole change.
      segment.before.units + rest.now.units > 0, segment.now.units + rest.before.units > 0
    else { return nil }
    if table.isOfCount {
      (part, ownRate) = (.volume, 0)
      (z, tie) = Self.count(segment, rest, scale: table.scale)
      return
    }
    let (a, b) = (Self.means(segment), Self.means(rest))
    let pooled = (
      own: Self.pooledVariance(segment, isOfMoney: table.isOfMoney),
      rest: Self.pooledVariance(rest, isOfMoney: table.isOfMoney)
    )
    var rate = Self.rate(segment, rest, a, b, pooled, isOfMoney: table.isOfMoney)
    ownRate = rate.z
    var other =
      table.isOfMoney
      ? Self.volume(segment, rest, scale: table.scale)
      : Self.mix(segment, rest, of: all, a, b, pooled, scale: table.isOfPeriods ? table.scale : nil)
    if aging != .nothing, other.z > 0 || !table.isOfMoney { other = (0, 0) }
    if aging == .amounts { rate = (0, 0) }
    let isOther = table.isOfMoney ? abs(other.z) >= abs(rate.z) : abs(other.z) > abs(rate.z)
    part = isOther ? (table.isOfMoney ? .volume : .mix) : .rate
    (z, tie) = isOther ? other : rate
  }

  /// The means of both sides; one that is missing is the other side's.
  private static func means(_ sides: Sides) -> (before: Double, now: Double) {
    let (before, now) = (sides.before.mean, sides.now.mean)
    return (before ?? now ?? 0, now ?? before ?? 0)
  }

  private static func variance(_ count: DriverCounts.Count) -> Double {
    if count.units == 0 { return 0 }
    let smoothed = (Double(count.sum) + 0.5) / (Double(count.units) + 1)
    return smoothed * (1 - smoothed) / Double(count.units)
  }

  /// The variance of one unit, of both sides together, about the mean of its side where units are amounts.
  ///
  /// A variance of each side would be far too small where one has few units and none or all of them meet the column.
  private static func pooledVariance(_ sides: Sides, isOfMoney: Bool) -> Double {
    let (before, now) = (Double(sides.before.units), Double(sides.now.units))
    if isOfMoney {
      func squares(_ count: DriverCounts.Count, _ units: Double) -> Double {
        max(0, count.squares - Double(count.sum) / units * Double(count.sum))
      }
      return (squares(sides.before, before) + squares(sides.now, now)) / (before + now - 2)
    }
    let smoothed = (Double(sides.before.sum + sides.now.sum) + 0.5) / (before + now + 1)
    return smoothed * (1 - smoothed)
  }

  /// The variance of the difference of both sides' rates; 0 without units on a side.
  ///
  /// - Parameter pooled: The variance of one unit.
  private static func varianceOfChange(_ sides: Sides, _ pooled: Double) -> Double {
    guard sides.before.units > 0, sides.now.units > 0 else { return variance(sides.before) + variance(sides.now) }
    return pooled * (1 / Double(sides.before.units) + 1 / Double(sides.now.units))
  }

  private static func quotient(_ change: Double, variance: Double) -> Double {
    if change == 0 { return 0 }
    return max(-most, min(most, change / variance.squareRoot()))
  }

  /// The nearer one to 0; 0 if their signs differ.
  static func nearer(_ left: Double, _ right: Double) -> Double {
    left * right <= 0 ? 0 : abs(left) < abs(right) ? left : right
  }

  /// Returns the score of the segment's own rate or mean: it must have changed, and by another factor than that of the rest.
  /// Of a share, the factor is that of its odds.
  private static func rate(
    _ segment: Sides, _ rest: Sides, _ a: (before: Double, now: Double), _ b: (before: Double, now: Double),
    _ pooled: (own: Double, rest: Double), isOfMoney: Bool
  ) -> (z: Double, tie: Double) {
    let least = min(segment.before.units, segment.now.units)
    let leastOfRest = min(rest.before.units, rest.now.units)
    // The amount of a single payment says nothing.
    if least < (isOfMoney ? 2 : 1) || isOfMoney && leastOfRest < 2 { return (0, 0) }
    let (variance, varianceOfRest) = pooled
    let (ofBefore, ofNow) = (variance / Double(segment.before.units), variance / Double(segment.now.units))
    let own = quotient(a.now - a.before, variance: ofBefore + ofNow)
    if leastOfRest == 0 { return (0, abs(own)) }
    let rest0 = varianceOfRest / Double(rest.before.units)
    let rest1 = varianceOfRest / Double(rest.now.units)
    // By how much an amount or a rate moves with the factor.
    let (slope0, slope1) = isOfMoney ? b : (b.before * (1 - b.before), b.now * (1 - b.now))
    guard slope0 > 0, slope1 > 0 else {
      // Of a rest that all or none of the units meet, and of amounts below 0 on average, no factor is known.
      let change = (a.now - a.before) - (b.now - b.before)
      return (nearer(own, quotient(change, variance: ofBefore + ofNow + rest0 + rest1)), abs(own))
    }
    let ofFactor = rest0 / (slope0 * slope0) + rest1 / (slope1 * slope1)
    var (later, earlier, error) = (0.0, 0.0, 0.0)
    if isOfMoney {
      let root = (b.now / b.before).squareRoot()
      (later, earlier) = (a.now / root, a.before * root)
      error = ofNow / (root * root) + ofBefore * root * root + (later + earlier) * (later + earlier) / 4 * ofFactor
    } else {
      let root = (b.now * (1 - b.before) / (b.before * (1 - b.now))).squareRoot()
      (later, earlier) = (withOdds(of: a.now, times: 1 / root), withOdds(of: a.before, times: root))
      error = ofNow + ofBefore + variance * variance * ofFactor
    }
    let change = abs(later - earlier) < 1e-9 * abs(later) ? 0 : later - earlier
    return (nearer(own, quotient(change, variance: error)), abs(own))
  }

  private static func withOdds(of rate: Double, times factor: Double) -> Double {
    rate * factor / (1 - rate + rate * factor)
  }

  /// The segment's share of users, as far as its rate differs from that of the rest: the mean of both sides, or that of the
  /// side with units of both. A version that nobody uses any more has no rate now, and the rest may have changed since.
  ///
  /// - Parameter scale: Of periods: its own number of users must have changed, too, because shares also change when others
  ///   come or stay away.
  private static func mix(
    _ segment: Sides, _ rest: Sides, of all: Sides, _ a: (before: Double, now: Double),
    _ b: (before: Double, now: Double), _ pooled: (own: Double, rest: Double), scale: Double?
  ) -> (z: Double, tie: Double) {
    let (earlier, later) = (
      Double(segment.before.units) / Double(all.before.units), Double(segment.now.units) / Double(all.now.units)
    )
    // Not in an array, which would be allocated for each segment of each permutation.
    let isKnown = segment.before.units > 0 && rest.before.units > 0
    let isOfBoth = isKnown == (segment.now.units > 0 && rest.now.units > 0)
    let gap =
      isOfBoth ? (a.before + a.now - b.before - b.now) / 2 : isKnown ? a.before - b.before : a.now - b.now
    let uncertainty =
      isOfBoth
      ? (varianceOfChange(segment, pooled.own) + varianceOfChange(rest, pooled.rest)) / 4
      : isKnown ? variance(segment.before) + variance(rest.before) : variance(segment.now) + variance(rest.now)
    func spread(_ count: DriverCounts.Count, _ whole: DriverCounts.Count) -> Double {
      let smoothed = (Double(count.units) + 0.5) / (Double(whole.units) + 1)
      return smoothed * (1 - smoothed) / Double(whole.units)
    }
    let error =
      gap * gap * (spread(segment.before, all.before) + spread(segment.now, all.now))
      + (later - earlier) * (later - earlier) * uncertainty
    let tie: Double = later > earlier ? 1 : 0
    guard error > 0 else { return (0, tie) }
    let z = (later - earlier) * gap / error.squareRoot()
    guard let scale else { return (z, tie) }
    let growth = growth(Double(segment.before.units), Double(segment.now.units), scale: scale)
    let grown = nearer(z, gap > 0 ? growth : -growth)
    guard segment.before.units == 0, !isOfBoth, let earlierMean = all.before.mean else { return (grown, tie) }
    // Users of a new version or variant had another one before, so their rate must differ from that of all before, too.
    return (nearer(grown, quotient(a.now - earlierMean, variance: variance(segment.now) + variance(all.before))), tie)
  }

  /// Returns by how many standard errors a number of units changed.
  private static func growth(_ before: Double, _ now: Double, scale: Double) -> Double {
    quotient(now - before * scale, variance: now + before * scale * scale)
  }

  /// The segment's number of payments, which changed, and by another factor than that of the rest.
  private static func volume(_ segment: Sides, _ rest: Sides, scale: Double) -> (z: Double, tie: Double) {
    let (before, now) = (Double(segment.before.units), Double(segment.now.units))
    let own = growth(before, now, scale: scale)
    let counts = SIMD4(now, before, Double(rest.now.units), Double(rest.before.units)) + 0.5
    let other = quotient(
      log(counts[0] / counts[1]) - log(counts[2] / counts[3]), variance: (1 / counts).sum())
    return (nearer(own, other), abs(own))
  }

  /// How many users of the segment are counted, which changed, and by another factor than that of the rest: the later side
  /// has another share of both sides' users. Unlike a logarithm, it also judges a segment that lost them all.
  private static func count(_ segment: Sides, _ rest: Sides, scale: Double) -> (z: Double, tie: Double) {
    let (before, now) = (Double(segment.before.sum), Double(segment.now.sum))
    let own = growth(before, now, scale: scale)
    let (all, others) = (before + now, Double(rest.before.sum + rest.now.sum))
    guard all > 0, others > 0 else { return (0, abs(own)) }
    let later = Double(rest.now.sum)
    let pooled = (now + later) / (all + others)
    let other = quotient(now / all - later / others, variance: pooled * (1 - pooled) * (1 / all + 1 / others))
    return (nearer(own, other), abs(own))
  }
}
