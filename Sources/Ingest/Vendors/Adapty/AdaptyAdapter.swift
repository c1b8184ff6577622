internal import Basics
internal import EventModel

/// Reads Adapty's webhooks and exports: see ``AdaptyEvent``.
struct AdaptyAdapter: SourceAdapter {
  enum Format {
    case webhook
    case exportedEvent
    case exportedVisit
  }

  let format: Format
  let settings: SourceSettings
  let plans: ProductPlans

  var source: String { AdaptyEvent.vendor }

  init(_ format: Format, _ settings: SourceSettings) {
    self.format = format
    self.settings = settings
    plans = ProductPlans(settings)
  }

  func events(of payload: JSONNode) throws(PayloadRejection) -> [NativeEvent] {
    switch format {
    case .webhook: try events(ofWebhook: payload)
    case .exportedEvent: try events(ofEvent: payload)
    case .exportedVisit: try events(ofVisit: payload)
    }
  }
}
