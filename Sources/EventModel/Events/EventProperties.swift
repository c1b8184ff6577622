internal import Basics

/// An event's custom properties: names and text values, distinct by bytes.
///
/// Stored as the JSON text of ``EventBatch/properties`` and the store. A Swift dictionary would treat canonically
/// equivalent strings as equal, but `é` in one and in two code points are two names here.
public struct EventProperties: Hashable, Sendable {
  /// A JSON object with string values, names in byte order, no spaces; empty when there are no properties.
  public let json: [UInt8]

  /// Creates the properties from text that is already in this form.
  public init(canonicalJSON json: [UInt8]) {
    self.json = json
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
