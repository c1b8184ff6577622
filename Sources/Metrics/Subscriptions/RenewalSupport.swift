internal import Statistics

/// Whether the known renewals of a plan bear a number for what it brings later (D6.9): without ``leastKnown`` of a plan that
/// makes ``leastShare`` of the purchases nothing is predicted.
enum RenewalSupport {
  /// Renewals that were made or missed.
  static let leastKnown = 10.0
  /// Of a row's purchases.
  static let leastShare = 0.2

  /// - Parameters:
  ///   - buyers: Of the plan.
  ///   - all: Of the row's plans.
  static func counts(_ buyers: Int, of all: Int) -> Bool { Double(buyers) >= leastShare * Double(all) }

  /// - Parameter days: Of data.
  static func notKnown(_ plan: String, from month: String, days: Int) -> String {
    "\(plan) not known yet from \(month) on (\(days) days of data)"
  }

  /// Why a fit has no point (definitions 7.6); `nil` for one inside its boundary, and for none.
  static func boundary(_ plan: String, _ fit: RetentionFit) -> String? {
    switch fit {
    case .homogeneous: "\(plan) has no point: its fit is at the boundary where everyone churns alike"
    case .polarised: "\(plan) has no point: its fit is at the boundary where some churn at once and the others never"
    case .fitted, .notIdentified: nil
    }
  }
}

extension RenewalCounts {
  /// Renewals that were made or missed.
  var known: Double { lost.reduce(0, +) + kept.reduce(0, +) }
}
