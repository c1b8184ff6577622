internal import RealModule

/// The result of a fit of renewals.
public enum RetentionFit: Hashable, Sendable {
  case fitted(ShiftedBetaGeometric, logLikelihood: Double)
  /// The likelihood rises to α, β → ∞: all customers churn alike, at `churn` per period.
  case homogeneous(churn: Double, logLikelihood: Double)
  /// The likelihood rises to α, β → 0: a share `churn` leaves at the first renewal, the others never.
  case polarised(churn: Double, logLikelihood: Double)
  /// One period, no churn, or no customer left after it: two parameters cannot be identified.
  case notIdentified
}

extension RetentionFit {
  /// Returns S(0)…S(last) of the fit, or of the limit that the data point to; `nil` if not identified.
  public func survival(through last: Int) -> [Double]? {
    switch self {
    case .fitted(let model, _): model.survival(through: last)
    case .homogeneous(let churn, _): (0...last).map { Double.pow(1 - churn, $0) }
    case .polarised(let churn, _): (0...last).map { $0 == 0 ? 1 : 1 - churn }
    case .notIdentified: nil
    }
  }
}
