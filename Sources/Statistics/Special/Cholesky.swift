/// The lower triangle L of a symmetric positive definite matrix M = LLᵀ.
struct Cholesky {
  private let lower: [[Double]]

  /// - Parameter matrix: Only its lower triangle is read.
  /// - Returns: `nil` if a pivot is lost in rounding: the matrix is singular.
  init?(_ matrix: [[Double]]) {
    var lower = matrix
    for i in matrix.indices {
      for j in 0...i {
        var value = matrix[i][j]
        for k in 0..<j { value -= lower[i][k] * lower[j][k] }
        if i == j {
          guard value > abs(matrix[i][i]) * 1e-13 else { return nil }
          lower[i][i] = value.squareRoot()
        } else {
          lower[i][j] = value / lower[j][j]
        }
      }
    }
    self.lower = lower
  }

  /// L⁻¹v.
  private func forward(_ vector: [Double]) -> [Double] {
    var solved = vector
    for i in vector.indices {
      for k in 0..<i { solved[i] -= lower[i][k] * solved[k] }
      solved[i] /= lower[i][i]
    }
    return solved
  }

  /// M⁻¹v.
  func solve(_ vector: [Double]) -> [Double] {
    var solved = forward(vector)
    for i in vector.indices.reversed() {
      for k in stride(from: i + 1, to: vector.count, by: 1) { solved[i] -= lower[k][i] * solved[k] }
      solved[i] /= lower[i][i]
    }
    return solved
  }

  /// vᵀM⁻¹v.
  func quadraticForm(_ vector: [Double]) -> Double { forward(vector).reduce(0) { $0 + $1 * $1 } }
}
