internal import Lifecycle

/// A metric of an experiment and the direction that is better (Experiments.md, "Metrics").
public struct ExperimentMetric: Sendable, Equatable {
  public enum Direction: String, CaseIterable, Sendable {
    /// More is better.
    case up
    /// Less is better.
    case down
    /// Neither: the metric explains others (D10.1).
    case neither
  }

  public enum Kind: Sendable, Equatable {
    /// A share of the analysed users.
    case proportion
    case mean
    /// A quotient of two sums over the analysed users.
    case ratio
    /// A cumulative incidence at a time, with subjects still under way censored.
    case incidence
  }

  public enum Unit: Sendable, Equatable {
    /// A fraction of 1.
    case share
    /// Units of a currency per user.
    case money(currency: String)
    /// A number per user.
    case number
  }

  /// The name, such as `paid` or `revenue:USD`.
  public var name: String
  public var kind: Kind
  public var direction: Direction
  public var unit: Unit
  /// Milliseconds from the exposure (for an incidence: from its start) until the outcome is known.
  public var horizon: Int64
  /// The noun for its events, such as `purchases`.
  public var outcome: String
}

extension ExperimentMetric {
  static let trialStart = share("trial_start", ExposureOutcome.trialHorizon, "users with an introductory trial")
  static let paid = share("paid", ExposureOutcome.paidHorizon, "users with a purchase")

  /// The share of first introductory trials that were cancelled (D5.3).
  ///
  /// - Parameter horizon: 7 days and the length of a trial.
  static func trialCancelled(horizon: Int64) -> ExperimentMetric {
    share(trialCancelledName, horizon, "cancelled trials", .down)
  }

  /// Cancelled trials per exposed user. More trials lead to more cancellations, so it has no direction (D5.5).
  static func trialCancelledPerExposed(horizon: Int64) -> ExperimentMetric {
    share("\(trialCancelledName)_per_exposed", horizon, "users with a cancelled trial", .neither)
  }

  static let trialCancelledName = "trial_cancelled"
  static let trialToPaidName = "trial_to_paid"
  static let perPayerName = "revenue_per_payer"

  /// The outcome that a metric counts users for; `nil` for metrics that are not a share of users with one of these.
  static func flag(of name: String) -> ExposureOutcome.Flags? {
    switch name {
    case trialStart.name: .hasTrial
    case paid.name: .hasPaid
    case refunded.name: .isRefunded
    case retained.name: .isRetained
    case trialCancelledName: .isTrialCancelled
    default: nil
    }
  }

  /// The group of users that a metric covers if the outcome selects them; `nil` for all exposed users.
  var conditionalOn: String? {
    switch name {
    case Self.trialCancelledName, Self.trialToPaidName: "trials"
    case _ where name == Self.perPayerName || name.hasPrefix("\(Self.perPayerName):"): "payers"
    default: nil
    }
  }

  /// The metric's role unless a plan sets another.
  var defaultRole: MetricRole {
    switch name {
    case Self.refunded.name, Self.retained.name: .guardrail
    case Self.revenueName: .money
    default: .secondary
    }
  }

  /// Whether the metric is net revenue per exposed user, in any currency; false if capped.
  var isRevenue: Bool { name == Self.revenueName || name.hasPrefix("\(Self.revenueName):") }
  static let refunded = share(
    "refunded", ExposureOutcome.revenueHorizon, "users with a payment given back in full", .down)
  static let retained = share(
    "retained", ExposureOutcome.retainedHorizon, "users with an activity event in days 8 to 14")

  /// Net revenue per user, in the decision currency.
  static func revenue(_ currency: String) -> ExperimentMetric {
    money(revenueName, .mean, currency, "payers")
  }

  /// Net revenue per user with the highest sums capped.
  static func cappedRevenue(_ currency: String) -> ExperimentMetric {
    money("revenue_capped", .mean, currency, "payers")
  }

  static func revenuePerPayer(_ currency: String) -> ExperimentMetric {
    money(perPayerName, .ratio, currency, "payers")
  }

  /// Net revenue per user from payments in this currency alone.
  static func nativeRevenue(_ currency: String) -> ExperimentMetric {
    money("\(revenueName):\(currency)", .mean, currency, "payers")
  }

  static func nativeRevenuePerPayer(_ currency: String) -> ExperimentMetric {
    money("\(perPayerName):\(currency)", .ratio, currency, "payers")
  }

  static func trialToPaid(horizon: Int64) -> ExperimentMetric {
    ExperimentMetric(
      name: "trial_to_paid", kind: .incidence, direction: .up, unit: .share, horizon: horizon,
      outcome: "trials converted")
  }

  static let revenueName = "revenue"

  /// The built-in metrics by the names that a plan uses.
  static let builtInNames = [
    "trial_start", "paid", "trial_to_paid", "revenue", "revenue_per_payer", "trial_cancelled", "refunded", "retained",
  ]

  /// Names that no other metric may have, with or without a suffix after a colon.
  static let reservedNames = builtInNames + ["revenue_capped", "trial_cancelled_per_exposed", "value_12"]

  private static func share(
    _ name: String, _ horizon: Int64, _ outcome: String, _ direction: Direction = .up
  ) -> ExperimentMetric {
    ExperimentMetric(
      name: name, kind: .proportion, direction: direction, unit: .share, horizon: horizon, outcome: outcome)
  }

  private static func money(_ name: String, _ kind: Kind, _ currency: String, _ outcome: String) -> ExperimentMetric {
    ExperimentMetric(
      name: name, kind: kind, direction: kind == .ratio ? .neither : .up, unit: .money(currency: currency),
      horizon: ExposureOutcome.revenueHorizon, outcome: outcome)
  }
}
