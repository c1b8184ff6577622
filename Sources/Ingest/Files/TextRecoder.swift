internal import Basics

/// Recodes UTF-16 and Windows-1252 text to UTF-8 while it is read, and carriage returns that end lines to line feeds;
/// anything else passes unchanged.
struct TextRecoder {
  enum Encoding {
    case utf8
    /// UTF-8 whose lines end with a carriage return alone.
    case carriageReturns
    case utf16(isBigEndian: Bool)
    case windows1252
  }

  /// The number of bytes that show the encoding.
  private static let headByteCount = 4 << 10

  private(set) var encoding: Encoding
  /// Recoded bytes that are not taken yet.
  private var pending: [UInt8]
  private var next = 0
  /// Bytes of a unit or pair that is incomplete.
  private var rest: [UInt8] = []
  private var isAtEnd = false
  private let input = UnsafeBuffer()

  private final class UnsafeBuffer {
    let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: 16 << 10, alignment: 16)
    deinit { bytes.deallocate() }
  }

  /// Reads the head of a file.
  ///
  /// - Parameters:
  ///   - isWindows1252: Whether text without a sign of UTF-16 is Windows-1252.
  ///   - read: Writes the next bytes and returns their number; 0 only at the end.
  /// - Throws: ``FileFailure`` for a format that is not text.
  init(
    isWindows1252: Bool, path: String, _ read: (UnsafeMutableRawBufferPointer) throws(FileFailure) -> Int
  ) throws(FileFailure) {
    var head: [UInt8] = []
    while head.count < Self.headByteCount, !isAtEnd {
      let count = try read(input.bytes)
      isAtEnd = count == 0
      head += input.bytes[..<count]
    }
    if let failure = BinaryFormat.failure(head, path: path) { throw failure }
    encoding = Self.encoding(of: head) ?? (isWindows1252 ? .windows1252 : .utf8)
    let hasReturns = head.dropLast().contains(0x0D) && !head.dropLast().contains(0x0A) && !head.contains(0)
    if hasReturns, case .utf8 = encoding { encoding = .carriageReturns }
    pending = []
    switch encoding {
    case .utf8: pending = head
    case .carriageReturns: pending = recoded(head)
    case .utf16(let isBigEndian):
      let mark: [UInt8] = isBigEndian ? [0xFE, 0xFF] : [0xFF, 0xFE]
      pending = recoded(head.starts(with: mark) ? Array(head.dropFirst(2)) : head)
    case .windows1252: pending = recoded(head)
    }
  }

  /// Returns UTF-16 by its byte-order mark, or because every second byte is 0; else `nil`.
  private static func encoding(of head: [UInt8]) -> Encoding? {
    if head.starts(with: [0xFF, 0xFE]) { return .utf16(isBigEndian: false) }
    if head.starts(with: [0xFE, 0xFF]) { return .utf16(isBigEndian: true) }
    let sample = head.prefix(headByteCount)
    guard sample.count >= 4 else { return nil }
    let first = stride(from: 0, to: sample.count, by: 2)
    let second = stride(from: 1, to: sample.count, by: 2)
    if second.allSatisfy({ sample[$0] == 0 }) && first.allSatisfy({ sample[$0] != 0 }) {
      return .utf16(isBigEndian: false)
    }
    if first.allSatisfy({ sample[$0] == 0 }) && second.allSatisfy({ sample[$0] != 0 }) {
      return .utf16(isBigEndian: true)
    }
    return nil
  }

  /// Writes the next bytes as UTF-8 and returns their number; 0 only at the end.
  mutating func read(
    into room: UnsafeMutableRawBufferPointer,
    _ read: (UnsafeMutableRawBufferPointer) throws(FileFailure) -> Int
  ) throws(FileFailure) -> Int {
    while next == pending.count {
      if case .utf8 = encoding {
        if isAtEnd { return 0 }
        return try read(room)
      }
      if isAtEnd {
        guard !rest.isEmpty else { return 0 }
        rest = []
        pending = Array("\u{FFFD}".utf8)
      } else {
        let count = try read(input.bytes)
        isAtEnd = count == 0
        pending = recoded(Array(input.bytes[..<count]))
      }
      next = 0
    }
    let count = min(room.count, pending.count - next)
    pending.withUnsafeBytes { room.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[next..<next + count])) }
    next += count
    if next == pending.count {
      pending.removeAll()
      next = 0
    }
    return count
  }

  private mutating func recoded(_ bytes: [UInt8]) -> [UInt8] {
    var text: [UInt8] = []
    text.reserveCapacity(bytes.count * 2)
    if case .carriageReturns = encoding { return bytes.map { $0 == 0x0D ? 0x0A : $0 } }
    guard case .utf16(let isBigEndian) = encoding else {
      for byte in bytes {
        if byte < 0x80 { text.append(byte) } else { text.append(contentsOf: Self.windows1252[Int(byte - 0x80)]) }
      }
      return text
    }
    let units = rest + bytes
    func unit(_ place: Int) -> UInt16 {
      let (a, b) = (UInt16(units[place]), UInt16(units[place + 1]))
      return isBigEndian ? a << 8 | b : b << 8 | a
    }
    var place = 0
    while place + 1 < units.count {
      let value = unit(place)
      if value & 0xFC00 == 0xD800 {
        guard place + 3 < units.count else { break }
        let low = unit(place + 2)
        if low & 0xFC00 == 0xDC00 {
          let code = 0x10000 + (UInt32(value & 0x3FF) << 10 | UInt32(low & 0x3FF))
          text.append(contentsOf: String(UnicodeScalar(code) ?? "\u{FFFD}").utf8)
          place += 4
          continue
        }
      }
      if let scalar = UnicodeScalar(value) {
        text.append(contentsOf: String(scalar).utf8)
      } else {
        // Half of a pair is no text: as these bytes it is no UTF-8 either, and its line is rejected.
        text += [0xED, UInt8(0x80 | value >> 6 & 0x3F), UInt8(0x80 | value & 0x3F)]
      }
      place += 2
    }
    rest = Array(units[place...])
    return text
  }

  /// UTF-8 of the bytes from 0x80 on (WHATWG Encoding Standard, index windows-1252).
  private static let windows1252: [[UInt8]] = {
    let special: [UInt32] = [
      0x20AC, 0x81, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, 0x8D,
      0x017D, 0x8F, 0x90, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A,
      0x0153, 0x9D, 0x017E, 0x0178,
    ]
    return (special + Array(0xA0...0xFF)).map { code in UnicodeScalar(code).map { Array(String($0).utf8) } ?? [] }
  }()
}

/// Formats that are not read.
enum BinaryFormat {
  private static let dumpStarts = [
    "-- postgresql", "-- mysql", "-- mariadb", "--\n-- postgresql", "create table", "insert into", "begin;", "pragma ",
  ]

  /// Says what a file is and what to do with it; `nil` if its first bytes are those of no such format.
  static func failure(_ head: [UInt8], path: String) -> FileFailure? {
    let (csv, file) = (csvPath(of: path), path.shellWord)
    func table(_ name: String) -> FileFailure {
      FileFailure(
        "is \(name) file, which tollgate does not read. Export the table as CSV or newline-delimited JSON, then "
          + "`tollgate init \(csv.shellWord)`.")
    }
    func packed(_ name: String, _ command: String) -> FileFailure {
      FileFailure(
        "is \(name), which tollgate does not unpack. Unpack it, `\(command) \(file)`, and name the files that are in "
          + "it.")
    }
    func document(_ name: String) -> FileFailure {
      FileFailure(
        "is \(name) and holds no records. Export your events as CSV, NDJSON or Parquet, then `tollgate init FILE`.")
    }
    let text = String(decoding: head.prefix(64), as: UTF8.self).lowercased()
    if head.starts(with: [0xD0, 0xCF, 0x11, 0xE0]) { return workbook(path) }
    if head.starts(with: "Obj\u{1}".utf8) { return table("an Avro") }
    if head.starts(with: "ORC".utf8), head.count > 3, !(0x20...0x7E).contains(head[3]) { return table("an ORC") }
    if head.starts(with: "SQLite format 3\0".utf8) {
      return FileFailure(
        "is a SQLite database. Export a table: `sqlite3 -header -csv \(file) \"SELECT * FROM TABLE\" > "
          + "\(csv.shellWord) && tollgate init \(csv.shellWord)`.")
    }
    if head.starts(with: [0xFD, 0x37, 0x7A, 0x58, 0x5A, 0]) { return packed("compressed with xz", "xz -d") }
    if head.starts(with: "BZh".utf8), head.dropFirst(4).starts(with: [0x31, 0x41, 0x59, 0x26, 0x53, 0x59]) {
      return packed("compressed with bzip2", "bzip2 -d")
    }
    if head.starts(with: [0x37, 0x7A, 0xBC, 0xAF, 0x27, 0x1C]) { return packed("a 7z archive", "7z x") }
    if head.starts(with: "Rar!".utf8) { return packed("a RAR archive", "unrar x") }
    if head.dropFirst(257).starts(with: "ustar".utf8) { return packed("a tar archive", "tar xf") }
    if head.starts(with: "%PDF-".utf8) { return document("a PDF document") }
    if head.starts(with: [0x89, 0x50, 0x4E, 0x47]) || head.starts(with: [0xFF, 0xD8, 0xFF]) {
      return document("a picture")
    }
    if dumpStarts.contains(where: text.hasPrefix) {
      return FileFailure(
        "is an SQL dump. Load it into its database and export each table as CSV, as with psql: "
          + "`\\copy TABLE TO '\(csv)' CSV HEADER`, then `tollgate init \(csv.shellWord)`.")
    }
    return ["<!doctype html", "<html"].contains(where: text.hasPrefix) ? document("a web page") : nil
  }

  static func workbook(_ path: String) -> FileFailure {
    FileFailure(
      "is an Excel workbook. In Excel: File > Save As > CSV UTF-8 (Comma delimited), then "
        + "`tollgate init \(csvPath(of: path).shellWord)`.")
  }

  private static func csvPath(of path: String) -> String {
    let name = path.split(separator: "/").last.map(String.init) ?? path
    let dot = name.dropFirst().lastIndex(of: ".")
    return (dot.map { String(name[..<$0]) } ?? name) + ".csv"
  }
}
