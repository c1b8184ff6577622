internal import Basics

/// Reads Adapty's webhooks and exports: see ``AdaptyEvent``.
struct AdaptyAdapter: VendorAdapter {
  static let vendor = AdaptyEvent.vendor

  enum Format {
    case webhook
    case exportedEvent
    case exportedVisit
  }

  let format: Format
  let context: VendorContext

  func events(of payload: JSONNode) throws(PayloadRejection) -> [NativeEvent] {
    switch format {
    case .webhook: try events(ofWebhook: payload)
    case .exportedEvent: try events(ofEvent: payload)
    case .exportedVisit: try events(ofVisit: payload)
    }
  }
}
