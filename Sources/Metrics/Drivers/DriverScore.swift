import Foundation

/// How much a segment's own rate, its share of units, or the number of its payments or users stands out (definitions 10.5).
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

  private typealias Sides = (before: DriverCells.Count, now: DriverCells.Count)

  /// No score is larger, as amounts can be alike to the last.
  private static let most = 999.0

  /// - Parameters:
  ///   - segment: The segment's units before and now.
  ///   - all: All units before and now, with the segment's.
  ///   - table: Its kind of units and the factor of days.
  /// - Returns: `nil` if the segment or the rest of it has no units on either side.
  init?(
    _ segment: (before: DriverCells.Count, now: DriverCells.Count),
    of all: (before: DriverCells.Count, now: DriverCells.Count), in table: DriverCells
  ) {
    let rest = (before: all.before - segment.before, now: all.now - segment.now)
    guard all.before.units > 0, all.now.units > 0, segment.before.units + segment.now.units > 0,
      rest.before.units + rest.now.units > 0
    else { return nil }
    if table.isOfCount {
      (part, ownRate) = (.volume, 0)
      (z, tie) = Self.count(segment, rest, scale: table.scale)
      return
    }
    let (a, b) = (Self.means(segment), Self.means(rest))
    func variance(_ count: DriverCells.Count) -> Double {
      count.units == 0 ? 0 : table.isOfMoney ? Self.sampleVariance(count) : Self.variance(count)
    }
    let variances = SIMD4(
      variance(segment.before), variance(segment.now), variance(rest.before), variance(rest.now))
    let rate = Self.rate(segment, rest, a, b, variances)
    ownRate = rate.z
    let other =
      table.isOfMoney
      ? Self.volume(segment, rest, scale: table.scale) : Self.mix(segment, rest, of: all, a, b, variances)
    let isOther = table.isOfMoney ? abs(other.z) >= abs(rate.z) : abs(other.z) > abs(rate.z)
    part = isOther ? (table.isOfMoney ? .volume : .mix) : .rate
    (z, tie) = isOther ? other : rate
  }

  /// The means of both sides; one that is missing is the other side's.
  private static func means(_ sides: Sides) -> (before: Double, now: Double) {
    let (before, now) = (sides.before.mean, sides.now.mean)
    return (before ?? now ?? 0, now ?? before ?? 0)
  }

  private static func variance(_ count: DriverCells.Count) -> Double {
    let smoothed = (Double(count.sum) + 0.5) / (Double(count.units) + 1)
    return smoothed * (1 - smoothed) / Double(count.units)
  }

  /// - Returns: NaN for a single unit.
  private static func sampleVariance(_ count: DriverCells.Count) -> Double {
    let (units, sum) = (Double(count.units), Double(count.sum))
    return count.units < 2 ? .nan : max(0, count.squares - sum / units * sum) / (units - 1) / units
  }

  private static func quotient(_ change: Double, variance: Double) -> Double {
    if variance.isNaN || change == 0 { return 0 }
    return max(-most, min(most, change / variance.squareRoot()))
  }

  /// The nearer one to 0; 0 if their signs differ.
  private static func nearer(_ left: Double, _ right: Double) -> Double {
    left * right <= 0 ? 0 : abs(left) < abs(right) ? left : right
  }

  /// Returns the score of the segment's own rate or mean: it must have changed, and differently from the rest.
  ///
  /// - Parameter variances: Of the means of the segment before and now, and of the rest.
  private static func rate(
    _ segment: Sides, _ rest: Sides, _ a: (before: Double, now: Double), _ b: (before: Double, now: Double),
    _ variances: SIMD4<Double>
  ) -> (z: Double, tie: Double) {
    guard segment.before.units > 0, segment.now.units > 0 else { return (0, 0) }
    let own = quotient(a.now - a.before, variance: variances[0] + variances[1])
    guard rest.before.units > 0, rest.now.units > 0 else { return (0, abs(own)) }
    let other = quotient((a.now - a.before) - (b.now - b.before), variance: variances.sum())
    return (nearer(own, other), abs(own))
  }

  /// The segment's share of users, as far as its rate differs from that of the rest: the mean of both sides, or that of the
  /// side with units of both. A version that nobody uses any more has no rate now, and the rest may have changed since.
  private static func mix(
    _ segment: Sides, _ rest: Sides, of all: Sides, _ a: (before: Double, now: Double),
    _ b: (before: Double, now: Double), _ variances: SIMD4<Double>
  ) -> (z: Double, tie: Double) {
    let (earlier, later) = (
      Double(segment.before.units) / Double(all.before.units), Double(segment.now.units) / Double(all.now.units)
    )
    let isKnown = [
      segment.before.units > 0 && rest.before.units > 0, segment.now.units > 0 && rest.now.units > 0,
    ]
    let isOfBoth = isKnown[0] == isKnown[1]
    let gap =
      isOfBoth ? (a.before + a.now - b.before - b.now) / 2 : isKnown[0] ? a.before - b.before : a.now - b.now
    let uncertainty =
      isOfBoth ? variances.sum() / 4 : isKnown[0] ? variances[0] + variances[2] : variances[1] + variances[3]
    func spread(_ count: DriverCells.Count, _ whole: DriverCells.Count) -> Double {
      let smoothed = (Double(count.units) + 0.5) / (Double(whole.units) + 1)
      return smoothed * (1 - smoothed) / Double(whole.units)
    }
    let error =
      gap * gap * (spread(segment.before, all.before) + spread(segment.now, all.now))
      + (later - earlier) * (later - earlier) * uncertainty
    return (error > 0 ? (later - earlier) * gap / error.squareRoot() : 0, later > earlier ? 1 : 0)
  }

  /// The segment's number of payments, which changed, and by another factor than that of the rest.
  private static func volume(_ segment: Sides, _ rest: Sides, scale: Double) -> (z: Double, tie: Double) {
    let (before, now) = (Double(segment.before.units), Double(segment.now.units))
    let own = quotient(now - before * scale, variance: now + before * scale * scale)
    let counts = SIMD4(now, before, Double(rest.now.units), Double(rest.before.units)) + 0.5
    let other = quotient(
      log(counts[0] / counts[1]) - log(counts[2] / counts[3]), variance: (1 / counts).sum())
    return (nearer(own, other), abs(own))
  }

  /// How many users of the segment are counted, which changed, and by another factor than that of the rest: the later side
  /// has another share of both sides' users. Unlike a logarithm, it also judges a segment that lost them all.
  private static func count(_ segment: Sides, _ rest: Sides, scale: Double) -> (z: Double, tie: Double) {
    let (before, now) = (Double(segment.before.sum), Double(segment.now.sum))
    let own = quotient(now - before * scale, variance: now + before * scale * scale)
    let (all, others) = (before + now, Double(rest.before.sum + rest.now.sum))
    guard all > 0, others > 0 else { return (0, abs(own)) }
    let later = Double(rest.now.sum)
    let pooled = (now + later) / (all + others)
    let other = quotient(now / all - later / others, variance: pooled * (1 - pooled) * (1 / all + 1 / others))
    return (nearer(own, other), abs(own))
  }
}
