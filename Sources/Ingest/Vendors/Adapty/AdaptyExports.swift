internal import Basics
internal import EventModel

extension AdaptyAdapter {
  /// Returns the events of a row of the exported events (CSV).
  func events(ofEvent row: JSONNode) throws(PayloadRejection) -> [NativeEvent] {
    var fields = PayloadFields(row)
    guard let type = fields.text("event_type") else { throw .missing("event_type") }
    let written = fields.take("event_datetime")
    let time = VendorTime.native(written)
    let id = NativeEvent.id(
      AdaptyEvent.vendor, type, fields.peek("transaction_id")?.text, fields.peek("profile_id")?.text, time?.text)
    var event = AdaptyEvent(fields, context)
    return try event.events(type: type, id: id, at: time)
  }

  /// Returns the `paywall_impression` of a row of the exported paywall visits (CSV).
  ///
  /// `paywall_showed_at` is its `ts`; with `profile_id`, `developer_id` and `paywall_name` it forms the `event_id`. The
  /// rest is mapped as in ``AdaptyEvent``.
  func events(ofVisit row: JSONNode) throws(PayloadRejection) -> [NativeEvent] {
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
