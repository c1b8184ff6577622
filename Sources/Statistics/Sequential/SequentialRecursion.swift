/// The distribution of a test statistic under repeated looks, as long as it stays inside its bounds.
///
/// On the scale of Brownian motion, B(t) = Z·√t with drift θ: between looks it moves by a normal step of variance t_k −
/// t_{k−1}. Its density inside the bounds is stored at 300 Gauss–Legendre nodes.
///
/// Source: Armitage, McPherson & Rowe (1969), doi:10.2307/2343787; Jennison & Turnbull (2000), chapter 19.
struct SequentialRecursion {
  /// θ: the mean of B at information 1.
  let drift: Double
  /// Information fraction of the last look.
  private(set) var time = 0.0
  private var nodes = [0.0]
  /// Density times quadrature weight at each node: the mass that is still inside.
  private var masses = [1.0]

  init(drift: Double = 0) { self.drift = drift }

  /// Returns the probability of being above z at information `t`, after staying inside so far.
  func above(_ z: Double, at t: Double) -> Double {
    sum(at: t) { step, deviation in (z * t.squareRoot() - step) / deviation }
  }

  /// Returns the probability of being below z at information `t`, after staying inside so far.
  func below(_ z: Double, at t: Double) -> Double {
    sum(at: t) { step, deviation in (step - z * t.squareRoot()) / deviation }
  }

  private func sum(at t: Double, _ distance: (Double, Double) -> Double) -> Double {
    let deviation = (t - time).squareRoot()
    let shift = drift * (t - time)
    var total = 0.0
    for index in nodes.indices {
      total += masses[index] * NormalDistribution.survival(distance(nodes[index] + shift, deviation))
    }
    return total
  }

  /// Moves to the look at information `t`, and keeps the mass between the bounds, given as z.
  mutating func advance(to t: Double, low: Double, high: Double) {
    let rule = GaussLegendre.threeHundred
    let (bottom, top) = (low * t.squareRoot(), high * t.squareRoot())
    let (half, middle) = ((top - bottom) / 2, (top + bottom) / 2)
    let step = t - time
    let (shift, scale) = (drift * step, 1 / step.squareRoot())
    let newNodes = rule.nodes.map { middle + half * $0 }
    var newMasses = [Double](repeating: 0, count: newNodes.count)
    nodes.withUnsafeBufferPointer { nodes in
      masses.withUnsafeBufferPointer { masses in
        for (index, place) in newNodes.enumerated() {
          var density = 0.0
          for old in 0..<nodes.count {
            let z = (place - nodes[old] - shift) * scale
            density += masses[old] * NormalDistribution.density(z)
          }
          newMasses[index] = density * scale * half * rule.weights[index]
        }
      }
    }
    (time, nodes, masses) = (t, newNodes, newMasses)
  }
}
