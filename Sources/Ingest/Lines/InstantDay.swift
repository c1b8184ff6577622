internal import EventModel

/// Caches the day of the last instant, so that the next instant on that day needs no calendar computation.
struct InstantDay {
  /// `1970-01-` and `01` as bytes in memory; any first day would do.
  private var yearMonth: UInt64 = 0x2D31_302D_3037_3931
  private var day: UInt16 = 0x3130
  /// The start of the day, in milliseconds since 1970-01-01T00:00:00Z.
  private var start: Int64 = 0

  /// Reads a JSON string as an instant, starting after its opening quote.
  ///
  /// - Returns: Milliseconds since 1970-01-01T00:00:00Z and the position after the closing quote; `nil` if it is not an
  ///   instant.
  @inline(__always)
  mutating func read(
    _ text: UnsafePointer<UInt8>
  ) -> (milliseconds: Int64, end: UnsafePointer<UInt8>)? {
    // `2026-03-01T09:30:00Z"` or `2026-03-01T09:30:00.500Z"` on the cached day; the time is checked as by
    // ``Instant/init(rfc3339:)``.
    let time = ByteWord.load(text + 11) ^ 0x3030_3A30_303A_3030
    let wrong = (time &+ 0x7676_7F76_767F_7676) | time
    let pairs = time &* 10 &+ time &>> 8
    let hour = pairs & 0xFF
    let minute = pairs &>> 24 & 0xFF
    let second = pairs &>> 48 & 0xFF
    if ByteWord.load(text) == yearMonth && ByteWord.loadPair(text + 8) == day && text[10] == UInt8(ascii: "T")
      && wrong & ByteWord.highBits == 0 && hour < 24 && minute < 60 && second < 60
    {
      let milliseconds = start &+ Int64(((hour &* 60 &+ minute) &* 60 &+ second) &* 1_000)
      let behind = ByteWord.load(text + 19)
      if behind & 0xFFFF == 0x225A { return (milliseconds, text + 21) }  // Z"
      // .000Z"
      let fraction = (behind & 0xFFFF_FFFF_FFFF) ^ 0x225A_3030_302E
      if (fraction &+ 0x7F7F_7676_767F | fraction) & 0x8080_8080_8080 == 0 && fraction &>> 32 == 0 {
        let digits = (fraction &>> 8 & 0xFF) &* 100 &+ (fraction &>> 16 & 0xFF) &* 10 &+ (fraction &>> 24 & 0xFF)
        return (milliseconds &+ Int64(digits), text + 25)
      }
    }
    return readAnyDay(text)
  }

  private mutating func readAnyDay(
    _ text: UnsafePointer<UInt8>
  ) -> (milliseconds: Int64, end: UnsafePointer<UInt8>)? {
    let end = JSONSyntax.endOfPlainRun(text)
    let bytes = UnsafeRawBufferPointer(start: text, count: text.distance(to: end))
    guard end.pointee == UInt8(ascii: "\""), let instant = Instant(rfc3339: bytes) else { return nil }
    let milliseconds = instant.millisecondsSince1970
    if bytes.last == UInt8(ascii: "Z") && milliseconds >= 0 {
      yearMonth = ByteWord.load(text)
      day = ByteWord.loadPair(text + 8)
      start = milliseconds - milliseconds % Instant.millisecondsPerDay
    }
    return (milliseconds, end + 1)
  }
}
