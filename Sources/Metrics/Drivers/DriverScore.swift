import Foundation

/// How much a segment's own rate, its share of units, or the number of its payments stands out (definitions 10.5).
struct DriverScore {
  /// The part that stands out most.
  var part: DriverParts.Part
  /// In standard errors.
  var z: Double
  /// Of two that stand out alike by the same part, the one with the larger tie comes first: the segment's own change in
  /// standard errors, or, of a share of units, 1 if it grew.
  var tie: Double

  /// The fewest units of a side whose share says anything.
  private static let fewestUnits = 20

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
    let (a, b) = (Self.means(segment), Self.means(rest))
    func variance(_ count: DriverCells.Count) -> Double {
      count.units == 0 ? 0 : table.isOfMoney ? Self.sampleVariance(count) : Self.variance(count)
    }
    let variances = SIMD4(
      variance(segment.before), variance(segment.now), variance(rest.before), variance(rest.now))
    let fewest = table.isOfMoney ? 1 : Self.fewestUnits
    let known = (
      before: min(segment.before.units, rest.before.units) >= fewest,
      now: min(segment.now.units, rest.now.units) >= fewest
    )
    let rate: (z: Double, tie: Double) = known.before && known.now ? Self.rate(a, b, variances) : (0, 0)
    let other =
      table.isOfMoney
      ? Self.volume(segment, rest, scale: table.scale) : Self.mix(segment, of: all, known, a, b, variances)
    let isOther = table.isOfMoney ? abs(other.z) >= abs(rate.z) : abs(other.z) > abs(rate.z)
    part = isOther ? (table.isOfMoney ? .volume : .mix) : .rate
    (z, tie) = isOther ? other : rate
  }

  /// Returns how much a segment stands out among the units of a larger one. If that has few units of a side, as of a new
  /// app version, it is how far the segment's share of the other side is from the rest's.
  static func inside(
    _ segment: (before: DriverCells.Count, now: DriverCells.Count),
    of parent: (before: DriverCells.Count, now: DriverCells.Count), in table: DriverCells
  ) -> Double {
    let isNew = parent.before.units < fewestUnits
    if table.isOfMoney || !isNew && parent.now.units >= fewestUnits {
      return DriverScore(segment, of: parent, in: table)?.z ?? 0
    }
    let own = isNew ? segment.now : segment.before
    let rest = (isNew ? parent.now : parent.before) - own
    guard let a = own.mean, let b = rest.mean else { return 0 }
    return quotient(a - b, variance: variance(own) + variance(rest))
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
    _ a: (before: Double, now: Double), _ b: (before: Double, now: Double), _ variances: SIMD4<Double>
  ) -> (z: Double, tie: Double) {
    let own = quotient(a.now - a.before, variance: variances[0] + variances[1])
    let other = quotient((a.now - a.before) - (b.now - b.before), variance: variances.sum())
    return (nearer(own, other), abs(own))
  }

  /// The segment's share of users, as far as its rate differs from that of the rest: the mean of both sides, or that of the
  /// side with enough units of both. A version that nobody uses any more has no rate now, and the rest may have changed
  /// since.
  private static func mix(
    _ segment: Sides, of all: Sides, _ known: (before: Bool, now: Bool), _ a: (before: Double, now: Double),
    _ b: (before: Double, now: Double), _ variances: SIMD4<Double>
  ) -> (z: Double, tie: Double) {
    let (earlier, later) = (
      Double(segment.before.units) / Double(all.before.units), Double(segment.now.units) / Double(all.now.units)
    )
    let isOfBoth = known.before == known.now
    let gap =
      isOfBoth ? (a.before + a.now - b.before - b.now) / 2 : known.before ? a.before - b.before : a.now - b.now
    let uncertainty =
      isOfBoth ? variances.sum() / 4 : known.before ? variances[0] + variances[2] : variances[1] + variances[3]
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
}
