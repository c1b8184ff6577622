/// A share that is estimated from users whose outcome is partly still open (definitions 4.6, 6.4).
enum EstimatedShare: String, CaseIterable {
  /// The share that has had an event, by Aalen–Johansen: F.
  case incidence
  /// The share that has not, by Kaplan–Meier: 1 − F.
  case survival

  /// The name of the column with the variance of an estimate, by Greenwood.
  func variance(of name: String) -> String { "\(name)_\(rawValue)_variance" }

  /// Returns F and its variance in a row; `nil` if the column is not of this kind, or empty.
  func incidence(of name: String, in row: [ReportValue], _ report: Report) -> (incidence: Double, variance: Double)? {
    guard case .rate(let share?)? = report.value(name, in: row),
      case .number(let variance?)? = report.value(variance(of: name), in: row)
    else { return nil }
    return (self == .survival ? 1 - share : share, variance)
  }
}
