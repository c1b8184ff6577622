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

  /// Returns the events of a webhook; the fields in `event_properties` and outside it are one set.
  private func events(ofWebhook payload: JSONNode) throws(PayloadRejection) -> [NativeEvent] {
    guard let outer = payload.members, let type = payload["event_type"]?.text else { throw .notOf(AdaptyEvent.vendor) }
    let inner = payload["event_properties"]?.members ?? []
    let own = Set(inner.map(\.name))
    // A `null` inside does not override the value outside.
    let members =
      outer.filter {
        $0.name != "event_properties"
          && (!own.contains($0.name) || payload["event_properties"]?[$0.name]?.isAbsent == true)
      }
      + inner.filter { !$0.value.isAbsent }
    var fields = PayloadFields(members)
    fields.drop("event_type")
    let key = fields.text("profile_event_id")
    return try events(type, &fields, key: key)
  }

  /// Returns the events of a row of the exported events (CSV).
  private func events(ofEvent row: JSONNode) throws(PayloadRejection) -> [NativeEvent] {
    var fields = PayloadFields(row)
    guard let type = fields.text("event_type") else { throw .missing("event_type") }
    return try events(type, &fields, key: nil)
  }

  /// - Parameter key: Adapty's own key of the event; without one, its transaction, user and time identify it.
  private func events(
    _ type: String, _ fields: inout PayloadFields, key: String?
  ) throws(PayloadRejection) -> [NativeEvent] {
    let time = VendorTime.native(fields.take("event_datetime"))
    let parts = [fields.peek("transaction_id")?.text, fields.peek("profile_id")?.text, time?.text].compactMap { $0 }
    let id = NativeEvent.id(AdaptyEvent.vendor, type, key ?? parts.joined(separator: ":"))
    var event = AdaptyEvent(fields, context)
    return try event.events(type: type, id: id, at: time)
  }

  /// Returns the `paywall_impression` of a row of the exported paywall visits (CSV).
  ///
  /// `paywall_showed_at` is its `ts`; with `profile_id`, `developer_id` and `paywall_name` it forms the `event_id`. The
  /// rest is mapped as in ``AdaptyEvent``.
  private func events(ofVisit row: JSONNode) throws(PayloadRejection) -> [NativeEvent] {
    var fields = PayloadFields(row)
    let time = VendorTime.native(fields.take("paywall_showed_at"))
    let installedAt = VendorTime.native(fields.take("install_date"))
    let id = NativeEvent.id(
      AdaptyEvent.vendor, "visit", fields.peek("profile_id")?.text, time?.text, fields.peek("developer_id")?.text,
      fields.peek("paywall_name")?.text)
    var visit = AdaptyEvent(fields, context)
    var (event, identify) = visit.person(.paywallImpression, id: id, at: time, installedAt: installedAt)
    event.properties = visit.fields.rest
    return [event] + (identify.map { [$0] } ?? [])
  }
}
