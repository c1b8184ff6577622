#if canImport(Glibc)
  internal import Glibc
#else
  internal import Darwin
#endif

/// One file, pipe or standard input to read.
public struct InputFile: Sendable, Hashable {
  /// As given to the system; not necessarily UTF-8.
  public let pathBytes: [UInt8]
  /// Size at discovery; `nil` for what is no regular file.
  public let byteCount: Int64?
  public let isStandardInput: Bool

  /// As named in messages, quarantine and manifest: `-` is standard input; bytes that are no UTF-8, and those of characters
  /// that a terminal acts on, read `\xE9`, so that different names stay different.
  public var path: String { Self.readable(pathBytes) }

  /// Standard input.
  public static let standardInput = InputFile(pathBytes: Array("-".utf8), byteCount: nil, isStandardInput: true)

  /// A file at hand; the file system is not looked at.
  public init(pathBytes: [UInt8], byteCount: Int64?) {
    self.init(pathBytes: pathBytes, byteCount: byteCount, isStandardInput: false)
  }

  private init(pathBytes: [UInt8], byteCount: Int64?, isStandardInput: Bool) {
    self.pathBytes = pathBytes
    self.byteCount = byteCount
    self.isStandardInput = isStandardInput
  }

  static func readable(_ bytes: [UInt8]) -> String {
    if let text = String(validating: bytes, as: UTF8.self), !text.unicodeScalars.contains(where: isControl) {
      return text
    }
    var text = ""
    var rest = bytes[...]
    while let byte = rest.first {
      // The longest well-formed character here, or else one byte on its own.
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
}
