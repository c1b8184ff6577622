internal import Statistics

/// Decides whether a plan's known renewals support a prediction (D6.9): nothing is predicted without ``leastKnown``
/// renewals of each plan that makes ``leastShare`` of the purchases.
enum RenewalSupport {
  /// The least number of renewals made or missed.
  static let leastKnown = 10.0
  /// The least share of a row's purchases.
  static let leastShare = 0.2

  /// - Parameters:
  ///   - buyers: Buyers of the plan.
  ///   - all: Buyers of all the row's plans.
  static func counts(_ buyers: Int, of all: Int) -> Bool { Double(buyers) >= leastShare * Double(all) }

  static func notKnown(_ plan: String, from month: String, days: Int) -> String {
    "\(plan) not known yet from \(month) on (\(days) days of data)"
  }

  /// Returns the reason why counts identify no fit.
  static func notIdentified(_ counts: RenewalCounts) -> String {
    let informative = counts.lost.indices.count { counts.lost[$0] + counts.kept[$0] > 0 }
    if informative == 0 { return "no renewal was due yet" }
    if counts.kept.allSatisfy({ $0 == 0 }) { return "nobody renewed" }
    if counts.lost.allSatisfy({ $0 == 0 }) { return "nobody churned" }
    return "only one renewal was due"
  }

  /// Returns the reason why a fit has no point estimate; `nil` for a fit inside its boundary, and for
  /// none.
  static func boundary(_ plan: String, _ fit: RetentionFit) -> String? {
    switch fit {
    case .homogeneous:
      "\(plan) plans have only a range because so far all users seem equally likely to churn: too simple to project"
    case .polarised:
      "\(plan) plans have only a range because so far users churn either at once or never: too extreme to project"
    case .fitted, .notIdentified: nil
    }
  }
}

extension RenewalCounts {
  /// Renewals made or missed.
  var known: Double { lost.reduce(0, +) + kept.reduce(0, +) }
}
