/// The key of a count in a store's aggregated report, which gives totals without users.
public struct ReportedCount: Hashable, Sendable {
  /// The report of App Store Connect.
  public enum Report: String, CaseIterable, Sendable {
    case subscriptionEvent = "subscription_event"
    case subscriber
  }

  public var report: Report
  /// The app of the ingest, or the name of the report.
  public var app: String
  /// The day since 1970 in the report's calendar, which is Pacific time.
  public var day: Int
  /// The event's name in the report, such as `Start Introductory Offer`; the subscriber report has no names, so it is
  /// `Payment`, `Free Trial` or `Refund`.
  public var event: String
  /// The kind of offer, such as `Free Trial`; empty if there is none.
  public var offerType: String
  /// The subscription's name in App Store Connect.
  public var product: String
  /// The subscription's Apple ID; empty if there is none.
  public var productID: String
  /// The standard duration; `nil` if it is not a plan.
  public var plan: Plan?
  public var country: String

  public init(
    report: Report, app: String, day: Int, event: String, offerType: String, product: String, productID: String,
    plan: Plan?, country: String
  ) {
    self.report = report
    self.app = app
    self.day = day
    self.event = event
    self.offerType = offerType
    self.product = product
    self.productID = productID
    self.plan = plan
    self.country = country
  }
}
