/// The families of event files: there is one file per family and UTC day.
public enum EventFamily: String, Sendable, Hashable, CaseIterable {
  case activity
  case churn
  case conversions
  case paywallImpressions = "paywall-impressions"
  case trialStarts = "trial-starts"

  /// The index in ``allCases``.
  var position: Int {
    switch self {
    case .activity: 0
    case .churn: 1
    case .conversions: 2
    case .paywallImpressions: 3
    case .trialStarts: 4
    }
  }
}
