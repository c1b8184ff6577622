/// Returns vᵀM⁻¹v for a symmetric positive definite matrix, by Cholesky; `nil` when it is singular.
func quadraticForm(_ vector: [Double], inverseOf matrix: [[Double]]) -> Double? {
  var lower = matrix
  var solved = vector
  var sum = 0.0
  for i in vector.indices {
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
    for k in 0..<i { solved[i] -= lower[i][k] * solved[k] }
    solved[i] /= lower[i][i]
    sum += solved[i] * solved[i]
  }
  return sum
}
