/// What a count of a store's own aggregated report is of: it says how many, and of nobody in particular.
public struct ReportedCount: Hashable, Sendable {
  /// Which report of App Store Connect.
  public enum Report: String, CaseIterable, Sendable {
    case subscriptionEvent = "subscription_event"
    case subscriber
  }

  public var report: Report
  /// The app of the ingest, or the name of the report.
  public var app: String
  /// Days since 1970 of the report's own calendar, which is Pacific time.
  public var day: Int
  /// As the report calls it, such as `Start Introductory Offer`; of the subscriber report, which names none, `Payment`,
  /// `Free Trial` or `Refund`.
  public var event: String
  /// The kind of offer, such as `Free Trial`; empty for none.
  public var offerType: String
  /// The subscription's name in App Store Connect.
  public var product: String
  /// The subscription's Apple ID; empty for none.
  public var productID: String
  /// The standard duration; `nil` for one that is no plan.
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
