internal import Basics

/// The text format of rows between Spark and a worker: columns separated by tabs, rows ended by line feeds, `\N` for
/// NULL, and the escapes `\\`, `\t`, `\n` and `\r` in values (PostgreSQL's COPY text, ClickHouse's TabSeparated).
public enum CopyText {
  /// Appends a value with escapes; a value `\N` does not read back as NULL.
  public static func append(_ value: UnsafeRawBufferPointer, to row: inout [UInt8]) {
    EightBytes.append(
      value, to: &row, hasSpecial: { $0.contains(0x5C) || $0.containsLess(than: 0x0E) },
      isSpecial: { $0 == 0x5C || $0 == 0x09 || $0 == 0x0A || $0 == 0x0D },
      escape: { byte, row in
        row.append(0x5C)
        row.append(byte == 0x09 ? 0x74 : byte == 0x0A ? 0x6E : byte == 0x0D ? 0x72 : 0x5C)
      })
  }

  /// Replaces `bytes` with the value that ``append(_:to:)`` escaped.
  ///
  /// - Returns: `false` if a backslash is followed by anything but `\`, `t`, `n` and `r`.
  public static func read(_ value: UnsafeRawBufferPointer, into bytes: inout [UInt8]) -> Bool {
    bytes.removeAll(keepingCapacity: true)
    var place = 0
    while place < value.count {
      let byte = value[place]
      place += 1
      if byte != 0x5C {
        bytes.append(byte)
        continue
      }
      guard place < value.count else { return false }
      switch value[place] {
      case 0x5C: bytes.append(0x5C)
      case 0x74: bytes.append(0x09)
      case 0x6E: bytes.append(0x0A)
      case 0x72: bytes.append(0x0D)
      default: return false
      }
      place += 1
    }
    return true
  }

  public static func isNull(_ value: UnsafeRawBufferPointer) -> Bool {
    value.count == 2 && value[0] == 0x5C && value[1] == 0x4E
  }
}
