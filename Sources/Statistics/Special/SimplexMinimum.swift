/// Returns a local minimum by Nelder & Mead's simplex.
///
/// Source: Nelder & Mead (1965), doi:10.1093/comjnl/7.4.308.
func simplexMinimum(
  from start: [Double], step: Double, of function: ([Double]) -> Double
) -> (point: [Double], value: Double) {
  var corners = [(point: start, value: function(start))]
  for axis in start.indices {
    var point = start
    point[axis] += step
    corners.append((point, function(point)))
  }
  for _ in 0..<2_000 {
    corners.sort { $0.value < $1.value }
    let worst = corners[corners.count - 1]
    let size = start.indices.map { axis in abs(worst.point[axis] - corners[0].point[axis]) }.max() ?? 0
    if size < 1e-11 { break }
    let centre = start.indices.map { axis in
      corners.dropLast().reduce(0) { $0 + $1.point[axis] } / Double(start.count)
    }
    func along(_ share: Double) -> (point: [Double], value: Double) {
      let point = start.indices.map { centre[$0] + share * (worst.point[$0] - centre[$0]) }
      return (point, function(point))
    }
    let reflected = along(-1)
    if reflected.value < corners[0].value {
      let expanded = along(-2)
      corners[corners.count - 1] = expanded.value < reflected.value ? expanded : reflected
    } else if reflected.value < corners[corners.count - 2].value {
      corners[corners.count - 1] = reflected
    } else {
      let contracted = reflected.value < worst.value ? along(-0.5) : along(0.5)
      if contracted.value < min(reflected.value, worst.value) {
        corners[corners.count - 1] = contracted
      } else {
        for index in 1..<corners.count {
          let point = start.indices.map { 0.5 * (corners[index].point[$0] + corners[0].point[$0]) }
          corners[index] = (point, function(point))
        }
      }
    }
  }
  corners.sort { $0.value < $1.value }
  return corners[0]
}
