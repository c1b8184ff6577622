/// Returns where `isInside` stops holding, from `start` in a direction, by doubling steps and bisection.
///
/// If it does not hold at `start`, returns where it starts to hold in the other direction.
func crossing(from start: Double, direction: Double, isInside: (Double) -> Bool) -> Double {
  var (inside, outside) = (start, start)
  var step = 0.25
  if isInside(start) {
    repeat {
      inside = outside
      outside += direction * step
      step *= 2
    } while isInside(outside) && abs(outside) < 1_000
  } else {
    repeat {
      outside = inside
      inside -= direction * step
      step *= 2
    } while !isInside(inside) && abs(inside) < 1_000
  }
  for _ in 0..<200 {
    let middle = inside + (outside - inside) / 2
    if middle == inside || middle == outside { break }
    if isInside(middle) { inside = middle } else { outside = middle }
  }
  return inside
}

/// Returns the least place, but for rounding, where a condition holds: it does at `high`, and not at `low`.
func leastPlace(from low: Double, to high: Double, where holds: (Double) -> Bool) -> Double {
  var (low, high) = (low, high)
  while true {
    let middle = low + (high - low) / 2
    if middle <= low || middle >= high { return high }
    if holds(middle) { high = middle } else { low = middle }
  }
}
