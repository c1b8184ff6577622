internal import Basics
public import EventModel

extension EventProperties {
  public static var none: EventProperties { EventProperties(canonicalJSON: []) }

  /// Creates the properties from pairs: the last of equal names wins, and empty values are dropped.
  public init(_ pairs: [(name: String, value: String)]) {
    var latest: [[UInt8]: String] = [:]
    for pair in pairs { latest[Array(pair.name.utf8)] = pair.value }
    let kept = latest.filter { !$0.value.isEmpty }.sorted { $0.key.lexicographicallyPrecedes($1.key) }
    var json: [UInt8] = []
    for (name, value) in kept {
      json.append(UInt8(ascii: json.isEmpty ? "{" : ","))
      name.withUnsafeBytes { JSONText.append(quoted: $0, to: &json) }
      json.append(UInt8(ascii: ":"))
      JSONText.append(quoted: value, to: &json)
    }
    self.init(canonicalJSON: json.isEmpty ? [] : json + [UInt8(ascii: "}")])
  }

  /// Returns the value of a name, compared by bytes.
  public subscript(name: String) -> String? { pairs.first { $0.name.utf8.elementsEqual(name.utf8) }?.value }
}
