extension Event {
  /// The content of the event, as it is compared with that of another one with the same `app` and `event_id`.
  ///
  /// All fields but `received_at`, as JSON in UTF-8 with sorted keys and no spaces. Instants are integer milliseconds,
  /// prices decimal numbers, properties an object of texts, so that it is a line of a native file again; absent fields are left out. Every default is
  /// written out (`environment`, `ownership` and `tier` of all events, `trial_kind` of `trial_start`, `reason` of
  /// `cancellation`), so that an explicit default and an absent field are the same content.
  ///
  /// Order and equality are those of the bytes; Swift's `<` and `==` on strings are not.
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
