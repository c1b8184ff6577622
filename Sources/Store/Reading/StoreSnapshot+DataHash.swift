internal import Crypto
internal import EventModel
internal import Foundation
internal import GRDB

extension StoreSnapshot {
  /// Returns the SHA-256 of an app's events before an instant; it does not depend on the order of ingestion
  /// (Program.md, "Freeze a readout").
  ///
  /// The hash covers the sorted lines `app TAB event_id TAB SHA-256 of the normalised event`, each with a newline.
  /// Events are normalised as for conflicts (Events.md): all fields except `received_at`, as JSON with sorted keys.
  /// Sandbox events are included.
  ///
  /// - Parameter instant: Milliseconds since 1970.
  /// - Returns: 64 hexadecimal digits; the hash of no lines for an app without events.
  /// - Throws: ``StoreError/hasNoEvents`` if the store has only facts.
  public func dataHash(app: String, before instant: Int64) throws -> String {
    let texts = try StoredTexts(db)
    let dictionaries = texts.dictionaries
    let isOfApp = dictionaries.clients.map { dictionaries.names[Int($0.app)].utf8.elementsEqual(app.utf8) }
    var lines = EventLines()
    var json: [UInt8] = []
    try SortedRuns.forEachRow(db) { row, text in
      guard row.ts < instant, isOfApp[Int(row.client)] else { return }
      json.removeAll(keepingCapacity: true)
      texts.content(row, text).appendCanonicalJSON(to: &json)
      lines.add(id: row.eventID.text(in: text), digest: SHA256.hash(data: json))
    }
    return lines.digest(app: app)
  }
}

/// The texts `event_id TAB digest` of many events in one buffer, so that places are sorted instead of lines.
private struct EventLines {
  private var bytes: [UInt8] = []
  private var places: [(offset: Int, count: Int)] = []

  mutating func add(id: [UInt8], digest: SHA256Digest) {
    let offset = bytes.count
    bytes.append(contentsOf: id)
    bytes.append(0x09)
    bytes.append(contentsOf: digest)
    places.append((offset, bytes.count - offset))
  }

  /// Returns the digest of the sorted lines. A digest's digits sort like its bytes and the app is the same in all
  /// lines, so sorting the entries sorts the lines.
  mutating func digest(app: String) -> String {
    bytes.withUnsafeBytes { bytes in
      places.sort { left, right in
        let order = memcmp(
          bytes.baseAddress! + left.offset, bytes.baseAddress! + right.offset, min(left.count, right.count))
        return order != 0 ? order < 0 : left.count < right.count
      }
    }
    let digits = Array("0123456789abcdef".utf8)
    var hasher = SHA256()
    var line: [UInt8] = []
    for place in places {
      line.removeAll(keepingCapacity: true)
      line.append(contentsOf: app.utf8)
      line.append(0x09)
      let split = place.offset + place.count - SHA256Digest.byteCount
      line.append(contentsOf: bytes[place.offset..<split])
      for byte in bytes[split..<place.offset + place.count] {
        line.append(digits[Int(byte >> 4)])
        line.append(digits[Int(byte & 15)])
      }
      line.append(0x0A)
      hasher.update(data: line)
    }
    return hasher.finalize().hexadecimal
  }
}
