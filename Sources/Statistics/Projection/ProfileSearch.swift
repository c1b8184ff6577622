/// Returns the ranges of quantities over the likely models of a family with a shape and a location.
///
/// - Parameters:
///   - shapes: Ascending; extremes are searched on them, then between them.
///   - best: The quantities of the most likely model.
///   - ends: Returns the quantities at both ends of the likely locations for a shape; `nil` if none is likely.
func profileIntervals(
  _ shapes: [Double], best: [Double], ends: (Double) -> (low: [Double], high: [Double])?
) -> [Interval] {
  let known = shapes.map(ends)
  // The searches of several quantities start at the same shapes.
  var met: [Double: (low: [Double], high: [Double])?] = [:]
  func remembered(_ shape: Double) -> (low: [Double], high: [Double])? {
    if let ends = met[shape] { return ends }
    let found = ends(shape)
    met[shape] = .some(found)
    return found
  }
  return best.indices.map { quantity in
    func extreme(_ sign: Double) -> Double {
      // The higher of both ends, which depends on the quantity.
      func value(_ ends: (low: [Double], high: [Double])?) -> Double {
        ends.map { max(sign * $0.low[quantity], sign * $0.high[quantity]) } ?? -.infinity
      }
      let values = known.map(value)
      guard let top = values.indices.max(by: { values[$0] < values[$1] }) else { return best[quantity] }
      let (_, found) = goldenMaximum(
        from: shapes[max(0, top - 1)], to: shapes[min(shapes.count - 1, top + 1)], rounds: 20,
        of: { value(remembered($0)) })
      return sign * max(found, values[top], sign * best[quantity])
    }
    return Interval(low: extreme(-1), high: extreme(1))
  }
}

/// Returns where a function that is not negative at `top` reaches 0 in the direction of `step`, or the last position
/// within a distance of 60 if it does not.
func likelihoodEdge(from top: Double, step: Double, _ excess: (Double) -> Double) -> Double {
  var (inside, outside) = (top, top + step)
  var (above, below) = (excess(inside), excess(outside))
  while below >= 0, abs(outside - top) < 60 {
    (inside, above, outside) = (outside, below, 2 * outside - top)
    below = excess(outside)
  }
  return signChange(inside, above, outside, below, excess)
}

/// Returns where a decreasing function that is positive at the start of a range and negative at its end reaches 0.
func fallingRoot(in range: ClosedRange<Double>, of function: (Double) -> Double) -> Double {
  let (low, high) = (range.lowerBound, range.upperBound)
  let (above, below) = (function(low), function(high))
  if above <= 0 { return low }
  return below >= 0 ? high : signChange(low, above, high, below, function)
}

/// Finds a sign change by regula falsi with the retained end at half weight: Dowell & Jarratt (1971),
/// doi:10.1007/BF01934364.
///
/// - Returns: A position where the function is not negative, within 1e-12 of one where it is, or with a value below
///   1e-10.
private func signChange(
  _ start: Double, _ atStart: Double, _ end: Double, _ atEnd: Double, _ function: (Double) -> Double
) -> Double {
  var (inside, above, outside, below) = (start, atStart, end, atEnd)
  var lastSide = 0
  for _ in 0..<60 where below < 0 && abs(outside - inside) > 1e-12 && above > 1e-10 {
    // An impossible outcome has no finite log-likelihood.
    let isFinite = below > -.infinity && above < .infinity
    let middle = isFinite ? (inside * below - outside * above) / (below - above) : (inside + outside) / 2
    let value = function(middle)
    if value >= 0 {
      (inside, above) = (middle, value)
      if lastSide == 1 { below /= 2 }
      lastSide = 1
    } else {
      (outside, below) = (middle, value)
      if lastSide == -1 { above /= 2 }
      lastSide = -1
    }
  }
  return inside
}

/// Returns the highest value found by golden sections, and its position.
func goldenMaximum(
  from: Double, to: Double, rounds: Int, of function: (Double) -> Double
) -> (place: Double, value: Double) {
  let share = (5.0.squareRoot() - 1) / 2
  var (low, high) = (from, to)
  var (left, right) = (high - share * (high - low), low + share * (high - low))
  var (atLeft, atRight) = (function(left), function(right))
  var best = atLeft >= atRight ? (left, atLeft) : (right, atRight)
  for _ in 0..<rounds {
    if atLeft >= atRight {
      (high, right, atRight) = (right, left, atLeft)
      left = high - share * (high - low)
      atLeft = function(left)
      if atLeft > best.1 { best = (left, atLeft) }
    } else {
      (low, left, atLeft) = (left, right, atRight)
      right = low + share * (high - low)
      atRight = function(right)
      if atRight > best.1 { best = (right, atRight) }
    }
  }
  return best
}
