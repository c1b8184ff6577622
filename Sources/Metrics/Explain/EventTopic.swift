/// What of a person's events a report looks at.
enum EventTopic: Sendable {
  case first
  case entry
  /// Impressions that a trial or a purchase is credited to.
  case impressions
  /// Every impression.
  case views
  /// Impressions that show both prices.
  case prices
  case trials
  /// Conversions alone.
  case purchases
  case payments
  case refunds
  case autoRenewal
  /// Expirations and charges that failed.
  case ends
  case gates
  case nudges
  case activity
}
