/// Where `isInside` stops holding, going from `start` in a direction, by doubling steps and bisection.
///
/// When it does not hold at `start`, where it begins to hold, going the other way.
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
