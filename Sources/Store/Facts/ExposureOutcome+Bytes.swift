internal import EventModel
public import Lifecycle

/// The encoding of an outcome in the row of its exposure, as varints; an outcome without anything takes no bytes.
///
/// The flags come first. If they say so, the trial follows: its start after the exposure, its length, its grace, and 1
/// + the time from its start to its conversion, or 0. Each currency follows with its number, flags, net revenue and net
/// revenue before, the last two in zigzag form.
extension ExposureOutcome {
  /// Appends the encoded outcome.
  func encode(exposedAt: Int64, to bytes: inout [UInt8]) {
    let flags = UInt64(self.flags.rawValue) | (trial == nil ? 0 : 64)
    if flags == 0 && revenues.isEmpty { return }
    Varint.append(flags, to: &bytes)
    if let trial {
      let parts = [
        trial.start - exposedAt, trial.end - trial.start, trial.deadline - trial.end,
        trial.convertedAt.map { $0 - trial.start + 1 } ?? 0,
      ]
      for part in parts { Varint.append(signed: part, to: &bytes) }
    }
    for revenue in revenues {
      Varint.append(UInt64(revenue.currency), to: &bytes)
      Varint.append((revenue.hasPaid ? 1 : 0) | (revenue.hadPaidBefore ? 2 : 0), to: &bytes)
      Varint.append(signed: revenue.net, to: &bytes)
      Varint.append(signed: revenue.netBefore, to: &bytes)
    }
  }

  /// Reads the bytes written by ``encode(exposedAt:to:)``.
  ///
  /// - Throws: `DatabaseError` for bytes that it does not write.
  public init(_ bytes: UnsafeRawBufferPointer, exposedAt: Int64) throws {
    self.init()
    if bytes.isEmpty { return }
    var offset = 0
    func signed() -> Int64 { Varint.nextSigned(bytes, &offset) }
    let flags = Varint.next(bytes, &offset)
    self.flags = Flags(rawValue: UInt16(truncatingIfNeeded: flags & ~64))
    if flags & 64 != 0 {
      let start = exposedAt &+ signed()
      let end = start &+ signed()
      let deadline = end &+ signed()
      let converted = signed()
      trial = Trial(
        start: start, end: end, deadline: deadline, convertedAt: converted == 0 ? nil : start &+ converted &- 1)
      let instants = [start, end, deadline, trial?.convertedAt ?? start]
      guard instants.allSatisfy(StoredRange.ends.contains) else { throw Self.malformed }
    }
    while offset < bytes.count {
      var revenue = Revenue(currency: NameID(truncatingIfNeeded: Varint.next(bytes, &offset)))
      let flags = Varint.next(bytes, &offset)
      revenue.hasPaid = flags & 1 != 0
      revenue.hadPaidBefore = flags & 2 != 0
      revenue.net = signed()
      revenue.netBefore = signed()
      revenues.append(revenue)
    }
    // The last number ends with the bytes.
    if bytes[bytes.count - 1] >= 0x80 || flags >> 9 != 0 { throw Self.malformed }
  }

  private static var malformed: any Error { StoredDamage.error("the outcome of an exposure is malformed") }
}
