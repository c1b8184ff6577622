internal import Basics

extension AdaptyAdapter {
  /// Returns the events of a webhook; the fields in `event_properties` and outside it are one set.
  func events(ofWebhook payload: JSONNode) throws(PayloadRejection) -> [NativeEvent] {
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
    let time = VendorTime.native(fields.take("event_datetime"))
    let key = fields.text("profile_event_id")
    let id = NativeEvent.id(
      AdaptyEvent.vendor, type,
      key
        ?? [fields.peek("transaction_id")?.text, fields.peek("profile_id")?.text, time?.text]
        .compactMap { $0 }.joined(separator: ":"))
    var event = AdaptyEvent(fields, context)
    return try event.events(type: type, id: id, at: time)
  }
}
