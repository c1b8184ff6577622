internal import Foundation

/// A file, pipe or standard input to read.
public struct InputFile: Sendable, Hashable {
  /// The path as given to the system; not necessarily UTF-8.
  public let pathBytes: [UInt8]
  /// Size at discovery; `nil` if it is not a regular file.
  public let byteCount: Int64?
  public let isStandardInput: Bool
  /// A copy of standard input that can be read again.
  private(set) var copy: Int32?

  /// The path in messages, quarantine and manifest: `-` is standard input. Invalid UTF-8 and control characters are
  /// written `\xE9`, so that different paths stay different.
  public var path: String { Self.readable(pathBytes) }

  public static let standardInput = InputFile(pathBytes: Array("-".utf8), byteCount: nil, isStandardInput: true)

  /// Creates an input without checking the file system.
  public init(pathBytes: [UInt8], byteCount: Int64?, isStandardInput: Bool = false) {
    self.pathBytes = pathBytes
    self.byteCount = byteCount
    self.isStandardInput = isStandardInput
  }

  /// Returns the file, or a copy of standard input, so that it can be read more than once.
  ///
  /// The copy has no name and stays until the process ends.
  ///
  /// - Throws: ``Onboarding/Failure``.
  public func readableAgain() throws(Onboarding.Failure) -> InputFile {
    guard isStandardInput, copy == nil else { return self }
    var file = self
    do {
      let descriptor = try NamelessFile.create()
      file.copy = descriptor
      let source = try ByteSource(self, blockByteCount: 1 << 20)
      while case let block = try source.nextBlock(), !block.isEmpty { try NamelessFile.write(block, to: descriptor) }
    } catch {
      throw Onboarding.Failure(path: path, reason: error.reason)
    }
    return file
  }

  static func readable(_ bytes: [UInt8]) -> String {
    if let text = String(validating: bytes, as: UTF8.self), !text.unicodeScalars.contains(where: isControl) {
      return text
    }
    var text = ""
    var rest = bytes[...]
    while let byte = rest.first {
      // The longest valid character here, or else a single byte.
      let length = (1...4).first { $0 <= rest.count && String(validating: rest.prefix($0), as: UTF8.self) != nil }
      let character = length.map { String(decoding: rest.prefix($0), as: UTF8.self) } ?? ""
      if let length, byte >= 0x80 || length == 1, !character.unicodeScalars.contains(where: isControl) {
        text += character
        rest = rest.dropFirst(length)
      } else {
        let digits = String(byte, radix: 16, uppercase: true)
        text += byte < 0x10 ? "\\x0\(digits)" : "\\x\(digits)"
        rest = rest.dropFirst()
      }
    }
    return text
  }

  private static func isControl(_ scalar: Unicode.Scalar) -> Bool { scalar.properties.generalCategory == .control }

  /// Total bytes of all files at which they are read by day.
  static let bytesByDay: Int64 = 256 << 20

  /// Returns the files in reading order: as given, or, if they exceed one transaction, by the day in their names, those
  /// without a day first.
  ///
  /// A transaction folds the users that it touches. If a folder has daily files of several kinds, byte order puts all
  /// days of one kind first, and each transaction would touch almost all users again. By day, it touches only the users
  /// of its days. The store does not depend on the order.
  public static func inReadingOrder(_ files: [InputFile]) -> [InputFile] {
    var bytes: Int64 = 0
    for file in files {
      guard let byteCount = file.byteCount else { return files }
      bytes += byteCount
    }
    if bytes < bytesByDay { return files }
    let days = files.map { day(in: $0.pathBytes) }
    return files.indices.sorted { (days[$0], $0) < (days[$1], $1) }.map { files[$0] }
  }

  /// Returns the last day in a path, as yyyymmdd: `2026-01-31`, `2026_01_31`, `2026/01/31` or `20260131`; 0 if there is
  /// none.
  static func day(in path: [UInt8]) -> Int {
    func digits(_ places: Range<Int>) -> Int? {
      if places.upperBound > path.count { return nil }
      var number = 0
      for byte in path[places] {
        guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
        number = number * 10 + Int(byte - UInt8(ascii: "0"))
      }
      return number
    }
    for start in path.indices.reversed() {
      guard let year = digits(start..<start + 4), (1900..<2200).contains(year),
        start == 0 || digits(start - 1..<start) == nil
      else { continue }
      let isSeparated = start + 4 < path.count && "-_/".utf8.contains(path[start + 4])
      let month = start + (isSeparated ? 5 : 4)
      let day = month + (isSeparated ? 3 : 2)
      guard let monthNumber = digits(month..<month + 2), (1...12).contains(monthNumber),
        let dayNumber = digits(day..<day + 2), (1...31).contains(dayNumber), digits(day + 2..<day + 3) == nil,
        !isSeparated || path[month + 2] == path[start + 4]
      else { continue }
      return year * 10_000 + monthNumber * 100 + dayNumber
    }
    return 0
  }
}
