/// A number that vendors define in their own way (definitions 13).
public enum VendorMetric: String, CaseIterable, Sendable {
  case trialConversion = "trial_conversion"
  case newTrials = "new_trials"
  case activeTrials = "active_trials"
  case activeSubscriptions = "active_subscriptions"
  case mrr
  case churnRate = "churn_rate"
  case churnedSubscriptions = "churned_subscriptions"
  case revenue
  case refundRate = "refund_rate"
  case realizedLTV = "realized_ltv"
  case conversionToPaying = "conversion_to_paying"
  case initialConversion = "initial_conversion"

  enum Unit {
    case share
    case count
    case money
  }

  /// Which of a report's numbers vendors define in their own way, the report's main one; `nil` for none.
  static func of(_ kind: ReportKind) -> VendorMetric? {
    switch kind {
    case .funnel: .conversionToPaying
    case .trials: .trialConversion
    case .mrr: .mrr
    case .subscriptions: .activeSubscriptions
    case .revenue: .revenue
    case .refunds: .refundRate
    case .ltv: .realizedLTV
    default: nil
    }
  }

  var title: String {
    switch self {
    case .mrr: "Monthly recurring revenue"
    case .realizedLTV: "Realized lifetime value"
    default: rawValue.prefix(1).uppercased() + rawValue.dropFirst().replacing("_", with: " ")
    }
  }

  /// Our own definition, as one sentence.
  func meaning(days: Int) -> String {
    switch self {
    case .trialConversion: "of the trials started on these days whose deadline is past, those that were paid (4.3)"
    case .newTrials: "trials started on these days (4.1)"
    case .activeTrials: "trials neither over nor paid at the end of these days"
    case .activeSubscriptions: "subscriptions paid for at the end of these days, excluding lifetime purchases (7.2)"
    case .mrr:
      "last price ÷ its months, summed over the active subscriptions at the end of these days, excluding lifetime purchases (7.2)"
    case .churnRate: "of the subscriptions active before these days, those that churned on them (7.4)"
    case .churnedSubscriptions: "subscriptions that churned on these days (7.3)"
    case .revenue: "payments of these days minus their refunds, by --mode (7.1)"
    case .refundRate: "of the payments of these days, those refunded in full or in part"
    case .realizedLTV:
      "revenue within \(days) d of the first event, per user first seen on these days and followed so long (7.5)"
    case .conversionToPaying:
      "of the users first seen on these days and followed for \(days) d, those with a payment in that time"
    case .initialConversion:
      "of the users first seen on these days and followed for \(days) d, those with a trial or a payment in that time"
    }
  }

  var unit: Unit {
    switch self {
    case .trialConversion, .churnRate, .refundRate, .conversionToPaying, .initialConversion: .share
    case .newTrials, .activeTrials, .activeSubscriptions, .churnedSubscriptions: .count
    case .mrr, .revenue, .realizedLTV: .money
    }
  }

  /// Whether users are followed for a number of days from their first event.
  var isOfFirstSeen: Bool { [.realizedLTV, .conversionToPaying, .initialConversion].contains(self) }
}
