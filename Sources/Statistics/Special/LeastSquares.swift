/// An ordinary least-squares fit of one sample, with a variance of its intercept that is valid under unequal variances.
struct LeastSquares {
  /// The estimate at covariates of 0.
  let intercept: Double
  /// One per covariate.
  let slopes: [Double]
  /// HC2: Σ(w_i e_i)²/(1 − h_i), w_i user i's weight in the intercept and h_i the leverage.
  let interceptVariance: Double

  /// - Parameters:
  ///   - rows: The covariates of each user, all of one length.
  ///   - outcomes: One per row.
  /// - Returns: `nil` unless there are more rows than coefficients, or if the covariates are collinear or one row alone
  ///   determines a coefficient (leverage 1, so its residual is always 0).
  ///
  /// Source: MacKinnon & White (1985), doi:10.1016/0304-4076(85)90158-7, for HC2.
  init?(rows: [[Double]], outcomes: [Double]) {
    let width = 1 + (rows.first?.count ?? 0)
    guard rows.count > width else { return nil }
    var gram = [[Double]](repeating: [Double](repeating: 0, count: width), count: width)
    var cross = [Double](repeating: 0, count: width)
    func design(_ row: [Double], _ column: Int) -> Double { column == 0 ? 1 : row[column - 1] }
    for (row, outcome) in zip(rows, outcomes) {
      for i in 0..<width {
        cross[i] += design(row, i) * outcome
        for j in 0...i { gram[i][j] += design(row, i) * design(row, j) }
      }
    }
    guard let factor = Cholesky(gram) else { return nil }
    let coefficients = factor.solve(cross)
    var first = [Double](repeating: 0, count: width)
    first[0] = 1
    let weights = factor.solve(first)
    var variance = 0.0
    for (row, outcome) in zip(rows, outcomes) {
      let line = (0..<width).map { design(row, $0) }
      let leverage = factor.quadraticForm(line)
      guard leverage < 1 - 1e-9 else { return nil }
      let residual = outcome - zip(line, coefficients).reduce(0) { $0 + $1.0 * $1.1 }
      let weight = zip(line, weights).reduce(0) { $0 + $1.0 * $1.1 }
      variance += weight * residual * (weight * residual) / (1 - leverage)
    }
    (intercept, slopes, interceptVariance) = (coefficients[0], Array(coefficients.dropFirst()), variance)
  }
}
