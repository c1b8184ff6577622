internal import Basics
public import EventModel

/// A posted body as a line of a collector's file: `{"received_at":INSTANT,"body":BODY}`, which ``CollectedBody`` reads.
public enum CollectedLine {
  /// The longest line that `ingest` reads.
  public static let maximumByteCount = Limits.lineBytes

  /// The bytes that the wrapper adds to a body, including the line feed.
  public static let wrapperByteCount = prefix(Instant(millisecondsSince1970: 1)).count + 2

  /// Returns the line with its line feed. The body is unchanged, except that line ends between its tokens become
  /// spaces.
  ///
  /// - Returns: `nil` if `ingest` would not read the body as JSON, for example if it is nested more than 63 deep or has
  ///   a NUL.
  public static func bytes(of body: [UInt8], receivedAt: Instant) -> [UInt8]? {
    if body.contains(0) || String(validating: body, as: UTF8.self) == nil { return nil }
    var line = prefix(receivedAt)
    line.reserveCapacity(line.count + body.count + 2)
    for byte in body { line.append(byte == 0x0A || byte == 0x0D ? 0x20 : byte) }
    line.append(UInt8(ascii: "}"))
    if line.count > maximumByteCount || JSONNode(parsing: line)?["body"] == nil { return nil }
    // A body such as `1,"body":2` would close the wrapper's member and open another.
    if JSONNode(parsing: body) == nil { return nil }
    line.append(UInt8(ascii: "\n"))
    return line
  }

  private static func prefix(_ receivedAt: Instant) -> [UInt8] {
    Array(#"{"received_at":"\#(receivedAt)","body":"#.utf8)
  }
}
