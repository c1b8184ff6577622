/// One difference between a vendor's definition and ours (definitions 13.1).
enum VendorSetting: Hashable, Sendable {
  /// Days are those of this IANA zone.
  case zone(String)
  /// A trial counts on the day of its user's first event.
  case firstSeen
  /// A user with several trials counts once.
  case unitPerson
  /// Each event that starts a trial counts, repeated ones too.
  case unitEvent
  /// Only users who paid in the window are in the denominator.
  case unitPayer
  /// Trials that can still convert, and users not followed long enough, are in the denominator.
  case baseAll
  /// Only first purchases are in the denominator; refunds of all payments count.
  case baseFirstPurchases
  /// Payments whose time ends on the days are in the denominator, and those without a next payment are lost.
  case baseDue
  /// Any later payment of the trial's subscription converts it.
  case linkChain
  /// Any later payment of the user converts the trial.
  case linkEver
  /// The payment must come within days of the trial's start.
  case within(days: Int)
  /// Counts by calendar days: up to and including the Nth day after the first one.
  case completeDays
  /// No limit in time.
  case unlimited
  /// Refunds count on the day of their payment.
  case refundOnPaymentDay
  /// Refunds count on their own day, whatever the day of their payment.
  case refundOnOwnDay
  /// Payments given back in full never were.
  case refundErased
  /// A payment given back in full is no conversion.
  case refundUncounted
  /// A payment given back in full within the window is no conversion.
  case refundUncountedInWindow
  /// The grace period counts as access, until an expiration.
  case accessToGrace
  /// Subscriptions with auto-renew off are not active.
  case renewalOffNotActive
  /// Resubscriptions are taken off churn.
  case netted
  /// A subscription ends with a change to another product, and a new one starts.
  case changeIsNew
  /// Payments of a weekly plan in a month, as a fraction.
  case weeks(Int, per: Int)

  var step: BridgeStep {
    switch self {
    case .zone: .zone
    case .firstSeen: .cohort
    case .unitPerson, .unitEvent, .unitPayer: .unit
    case .baseAll, .baseFirstPurchases, .baseDue: .base
    case .linkChain, .linkEver: .link
    case .within, .completeDays, .unlimited: .window
    case .refundOnPaymentDay, .refundOnOwnDay, .refundErased, .refundUncounted, .refundUncountedInWindow: .refund
    case .accessToGrace: .access
    case .renewalOffNotActive: .renewalOff
    case .netted: .resubscription
    case .changeIsNew: .change
    case .weeks: .week
    }
  }

  /// The vendor's setting in words.
  ///
  /// - Parameter days: See ``BridgeQuestion/days``.
  func theirs(days: Int) -> String {
    switch self {
    case .zone(let name): name
    case .firstSeen: "first event"
    case .unitPerson: "user"
    case .unitEvent: "event"
    case .unitPayer: "paying user"
    case .baseAll: "all"
    case .baseFirstPurchases: "first purchases"
    case .baseDue: "due to renew"
    case .linkChain: "any of subscription"
    case .linkEver: "any later one"
    case .within(let days): "\(days) d"
    case .completeDays: "\(days) complete days"
    case .unlimited: "none"
    case .refundOnPaymentDay: "payment's day"
    case .refundOnOwnDay: "own day"
    case .refundErased: "erased"
    case .refundUncounted, .refundUncountedInWindow: self == .refundUncounted ? "not counted" : "not in the window"
    case .accessToGrace: "end of grace"
    case .renewalOffNotActive: "not active"
    case .netted: "offset churn"
    case .changeIsNew: "churn and new"
    case .weeks(let numerator, let denominator): denominator == 1 ? "\(numerator)" : "1 ÷ 0.\(denominator)"
    }
  }

  /// Our own setting in words.
  func ours(of metric: VendorMetric, days: Int, timeZone: String) -> String {
    switch step {
    case .zone: timeZone
    case .cohort: "trial's start"
    case .unit: metric.isOfFirstSeen ? "user" : "trial"
    case .base:
      switch metric {
      case .refundRate: "payments"
      case .churnRate: "active before"
      default: metric.isOfFirstSeen ? "followed \(days) d" : "deadline past"
      }
    case .link: "its own payment"
    case .window: metric.isOfFirstSeen ? "\(days) d" : "none"
    case .refund:
      metric == .refundRate
        ? "payment's day" : [.revenue, .realizedLTV].contains(metric) ? "own day" : "counted"
    case .access: "end of paid time"
    case .renewalOff: "active"
    case .resubscription: "not offset"
    case .change: "same subscription"
    case .week: "365.2425 ÷ 84"
    }
  }
}
