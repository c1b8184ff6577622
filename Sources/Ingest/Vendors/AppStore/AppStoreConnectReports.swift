internal import Basics
internal import EventModel

/// Reads the Subscription Event and Subscriber reports of App Store Connect: tab-separated, usually in gzip, one row
/// per group of subscribers with equal values. Rows become counts rather than events.
///
/// Sources: Apple, App Store Connect Help, "Subscription Event Report", "Subscriber Report" (versions 1_1 to 1_4) and
/// "Subscription events". Columns are found by name, in any order.
///
/// | column | count |
/// |---|---|
/// | `Event Date` | day, as `2026-03-01`, `03/01/2026` or `20260301` |
/// | `Event` | event |
/// | `App Name` | app, unless `--app` is given |
/// | `Subscription Offer Type`, `Introductory Price Type` | kind of offer |
/// | `Subscription Name`, `Subscription Apple ID` | product |
/// | `Standard Subscription Duration` | plan |
/// | `Country` | country |
/// | `Quantity`, `Units` | quantity; 1 if the report has neither |
/// | `Refund`, `Customer Price` (Subscriber) | `Refund` for `Yes` or below 0; `Free Trial` by the offer; else `Payment` |
struct AppStoreConnectReports: VendorAdapter {
  static let vendor = "appstoreconnect"

  let report: ReportedCount.Report
  let context: VendorContext

  func events(of row: JSONNode) throws(PayloadRejection) -> [NativeEvent] { [] }

  func count(of row: JSONNode) throws(PayloadRejection) -> (of: ReportedCount, quantity: Int)? {
    func text(_ names: String...) -> String {
      for name in names {
        if let text = row[name]?.text, !text.isEmpty { return text }
      }
      return ""
    }
    guard let day = Self.day(text("Event Date")) else { throw .invalid("Event Date") }
    guard let app = context.app ?? row["App Name"]?.text, !app.isEmpty else { throw .missing("App Name") }
    let quantityText = text("Quantity", "Units")
    guard let quantity = quantityText.isEmpty ? 1 : Int(quantityText),
      (-999_999_999...999_999_999).contains(quantity)
    else {
      throw .invalid("Quantity")
    }
    let offerType = text("Subscription Offer Type", "Introductory Price Type")
    let event: String
    switch report {
    case .subscriptionEvent:
      event = text("Event")
      if event.isEmpty { throw .missing("Event") }
    case .subscriber:
      let isRefund = text("Refund").lowercased() == "yes" || quantity < 0 || text("Customer Price").hasPrefix("-")
      event = isRefund ? "Refund" : offerType.lowercased() == "free trial" ? offerType : "Payment"
    }
    let count = ReportedCount(
      report: report, app: app, day: day, event: event, offerType: offerType, product: text("Subscription Name"),
      productID: text("Subscription Apple ID"), plan: ProductPlans.plan(name: text("Standard Subscription Duration")),
      country: text("Country"))
    return (count, report == .subscriber ? abs(quantity) : quantity)
  }

  /// Returns the days since 1970.
  static func day(_ text: String) -> Int? {
    let form = DateForm.pattern(text.contains("/") ? "M/d/yyyy" : "yyyyMMdd")
    if text.suffix(4).allSatisfy(\.isNumber), let day = form.instant(text) {
      return Int(day.milliseconds / Instant.millisecondsPerDay)
    }
    return CivilDate(text)?.daysSince1970
  }
}
