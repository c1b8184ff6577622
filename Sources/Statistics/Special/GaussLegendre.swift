internal import RealModule

/// Gauss–Legendre quadrature of a fixed order: exact for polynomials of degree 2·order − 1.
struct GaussLegendre: Sendable {
  /// In (−1, 1), ascending.
  let nodes: [Double]
  let weights: [Double]

  /// Finds the nodes by Newton's steps on the Legendre polynomial from Tricomi's start.
  init(order: Int) {
    var nodes = [Double](repeating: 0, count: order)
    var weights = nodes
    for index in 0..<((order + 1) / 2) {
      var x = Double.cos(.pi * (Double(index) + 0.75) / (Double(order) + 0.5))
      var slope = 1.0
      for _ in 0..<100 {
        var (previous, current) = (1.0, x)
        for degree in stride(from: 2, through: order, by: 1) {
          let n = Double(degree)
          (previous, current) = (current, ((2 * n - 1) * x * current - (n - 1) * previous) / n)
        }
        slope = Double(order) * (x * current - previous) / (x * x - 1)
        let step = current / slope
        x -= step
        if abs(step) < 1e-16 { break }
      }
      if order % 2 == 1, index == order / 2 { x = 0 }
      let weight = 2 / ((1 - x * x) * slope * slope)
      (nodes[index], nodes[order - 1 - index]) = (-x, x)
      (weights[index], weights[order - 1 - index]) = (weight, weight)
    }
    self.nodes = nodes
    self.weights = weights
  }

  static let thirty = GaussLegendre(order: 30)
  static let threeHundred = GaussLegendre(order: 300)

  /// Calls the closure with the places of panels and their weights.
  func forEach(in edges: [Double], _ body: (_ place: Double, _ weight: Double) -> Void) {
    for (low, high) in zip(edges, edges.dropFirst()) {
      let (half, middle) = ((high - low) / 2, (high + low) / 2)
      for index in nodes.indices { body(middle + half * nodes[index], half * weights[index]) }
    }
  }

  /// Returns the edges of panels for several bells: between mean ± k·deviation of each.
  static func edges(around bells: [(mean: Double, deviation: Double)]) -> [Double] {
    let edges = bells.flatMap { bell in
      [0, 0.5, 1, 1.5, 2, 3, 4, 5, 6, 8, 10, 14, 20, 28, 40].flatMap { k in
        [bell.mean - k * bell.deviation, bell.mean + k * bell.deviation]
      }
    }
    return Set(edges).sorted()
  }

  /// ∫ f over [low, high].
  func integral(_ low: Double, _ high: Double, _ integrand: (Double) -> Double) -> Double {
    let (half, middle) = ((high - low) / 2, (high + low) / 2)
    var sum = 0.0
    for index in nodes.indices { sum += weights[index] * integrand(middle + half * nodes[index]) }
    return half * sum
  }
}
