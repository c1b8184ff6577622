extension Event {
  /// The event's content, for comparing it with another event of the same `app` and `event_id`.
  ///
  /// It has all fields but `received_at`, as JSON in UTF-8 with sorted keys and no spaces. Instants are integer
  /// milliseconds, prices decimal numbers, properties an object of strings, so it is a valid line of a native file.
  /// Absent fields are left out. Every default is written out (`environment`, `ownership` and `tier` of all events,
  /// `trial_kind` of `trial_start`, `reason` of `cancellation`), so an explicit default and an absent field have equal
  /// content.
  ///
  /// Order and equality are defined on the bytes, not by Swift's `<` and `==` on strings.
  public var canonicalJSONBytes: [UInt8] {
    var json: [UInt8] = []
    appendCanonicalJSON(to: &json)
    return json
  }

  /// ``canonicalJSONBytes`` as a string.
  public func canonicalJSON() -> String {
    String(decoding: canonicalJSONBytes, as: UTF8.self)
  }
}

extension Event: EventContent {
  package var propertiesJSON: [UInt8]? { properties.json.isEmpty ? nil : properties.json }
}
