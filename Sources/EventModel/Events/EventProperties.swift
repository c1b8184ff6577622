internal import Basics

/// An event's custom properties: names and text values, distinct by bytes.
///
/// Stored as the JSON text of ``EventBatch/properties`` and the store. A Swift dictionary would treat canonically
/// equivalent strings as equal, but `é` in one and in two code points are two names here.
public struct EventProperties: Hashable, Sendable {
  /// A JSON object with string values, names in byte order, no spaces; empty when there are no properties.
  public let json: [UInt8]

  public static let none = EventProperties(canonicalJSON: [])

  /// Creates the properties from text that is already in this form.
  public init(canonicalJSON json: [UInt8]) {
    self.json = json
  }

  /// Creates the properties from pairs: the last of equal names wins, and empty values are dropped.
  public init(_ pairs: [(name: String, value: String)]) {
    var latest: [[UInt8]: String] = [:]
    for pair in pairs { latest[Array(pair.name.utf8)] = pair.value }
    let kept = latest.filter { !$0.value.isEmpty }.sorted { $0.key.lexicographicallyPrecedes($1.key) }
    guard !kept.isEmpty else {
      self = .none
      return
    }
    var json: [UInt8] = [UInt8(ascii: "{")]
    for (name, value) in kept {
      if json.count > 1 { json.append(UInt8(ascii: ",")) }
      name.withUnsafeBytes { JSONText.append(quoted: $0, to: &json) }
      json.append(UInt8(ascii: ":"))
      JSONText.append(quoted: value, to: &json)
    }
    json.append(UInt8(ascii: "}"))
    self.json = json
  }

  /// Returns the value of a name, compared by bytes.
  public subscript(name: String) -> String? {
    let wanted = Array(name.utf8)
    var reader = Reader(json: json)
    while let (name, value) = reader.next() {
      if name == wanted { return String(decoding: value, as: UTF8.self) }
    }
    return nil
  }

  /// The pairs in byte order of the names.
  public var pairs: [(name: String, value: String)] {
    var pairs: [(name: String, value: String)] = []
    var reader = Reader(json: json)
    while let (name, value) = reader.next() {
      pairs.append((String(decoding: name, as: UTF8.self), String(decoding: value, as: UTF8.self)))
    }
    return pairs
  }

  /// Iterates over the canonical text, which is always well-formed.
  private struct Reader {
    let json: [UInt8]
    var offset = 1

    init(json: [UInt8]) { self.json = json }

    mutating func next() -> (name: [UInt8], value: [UInt8])? {
      guard offset < json.count, json[offset] == UInt8(ascii: "\"") else { return nil }
      let name = string()
      offset += 1
      let value = string()
      offset += 1
      return (name, value)
    }

    /// Reads the string at the current offset and moves past its closing quote.
    private mutating func string() -> [UInt8] {
      var bytes: [UInt8] = []
      let end = json.withUnsafeBytes { JSONText.read(quotedFrom: offset, of: $0, into: &bytes) }
      guard let end else { preconditionFailure("properties are canonical JSON") }
      offset = end
      return bytes
    }
  }
}
