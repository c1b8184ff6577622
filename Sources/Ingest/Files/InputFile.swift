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
  public init(pathBytes: [UInt8], byteCount: Int64?) {
    self.init(pathBytes: pathBytes, byteCount: byteCount, isStandardInput: false)
  }

  private init(pathBytes: [UInt8], byteCount: Int64?, isStandardInput: Bool) {
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
}
