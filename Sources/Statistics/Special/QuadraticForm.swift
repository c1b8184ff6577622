/// Returns vᵀM⁻¹v for a symmetric positive definite matrix; `nil` if it is singular.
func quadraticForm(_ vector: [Double], inverseOf matrix: [[Double]]) -> Double? {
  Cholesky(matrix)?.quadraticForm(vector)
}
