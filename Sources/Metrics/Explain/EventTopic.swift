/// A kind of user events that a report depends on.
enum EventTopic: Sendable {
  case first
  case entry
  /// Impressions that a trial or a purchase is credited to.
  case impressions
  /// Every impression.
  case views
  /// Impressions that show both prices.
  case prices
  /// The store's sheet, and closed paywalls.
  case sheets
  case trials
  /// Conversions only.
  case purchases
  case payments
  case refunds
  case autoRenewal
  /// Expirations and failed charges.
  case ends
  case gates
  case nudges
  case activity

  /// Those of a subscription's whole life.
  static let ofSubscriptions: Set<EventTopic> = [.impressions, .trials, .payments, .refunds, .autoRenewal, .ends]
}
