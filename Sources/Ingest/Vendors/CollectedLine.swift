public import EventModel

/// A posted body as a line of a collector's file: `{"received_at":INSTANT,"body":BODY}`, which ``CollectedBody`` reads.
public enum CollectedLine {
  /// The longest line that is read back.
  public static let maximumByteCount = Limits.lineBytes

  /// The bytes that the wrapper adds to a body, the line feed among them.
  public static let wrapperByteCount = prefix(Instant(millisecondsSince1970: 1)).count + 2

  /// The line and its line feed. The body stands as it was posted, but for line ends between its tokens, which become
  /// spaces.
  ///
  /// - Returns: `nil` when the body is no JSON value of UTF-8 text that an ingest would read: such as one that nests
  ///   more than 63 deep, or has a NUL.
  public static func bytes(of body: [UInt8], receivedAt: Instant) -> [UInt8]? {
    if body.contains(0) || String(validating: body, as: UTF8.self) == nil { return nil }
    var line = prefix(receivedAt)
    line.reserveCapacity(line.count + body.count + 2)
    for byte in body { line.append(byte == 0x0A || byte == 0x0D ? 0x20 : byte) }
    line.append(UInt8(ascii: "}"))
    if line.count > maximumByteCount || PayloadValue(parsing: line)?["body"] == nil { return nil }
    // `1,"body":2` would close the wrapper's member and open another.
    if PayloadValue(parsing: body) == nil { return nil }
    line.append(UInt8(ascii: "\n"))
    return line
  }

  private static func prefix(_ receivedAt: Instant) -> [UInt8] {
    Array(#"{"received_at":"\#(receivedAt)","body":"#.utf8)
  }
}
