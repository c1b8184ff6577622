/// The compression of a file, detected from its first bytes and never from its name.
enum Compression {
  case none
  case zstd
  case gzip
  case zip

  /// - Parameter head: The file's first bytes, at least four unless the file has fewer.
  init(head: UnsafeRawBufferPointer) {
    if head.starts(with: [0x1F, 0x8B]) {
      self = .gzip
    } else if head.starts(with: [0x50, 0x4B, 3, 4]) || head.starts(with: [0x50, 0x4B, 5, 6]) {
      self = .zip
    } else if head.count >= 4 && Self.canBeginZstdFrame(Array(head.prefix(4))) {
      self = .zstd
    } else {
      self = .none
    }
  }

  /// Returns whether the whole file is just the start of a compressed file's first bytes.
  static func isCutShort(_ file: UnsafeRawBufferPointer) -> Bool {
    switch file.count {
    case 1: file[0] == 0x1F || file[0] == zstdMagic[0]
    case 2, 3: canBeginZstdFrame(Array(file))
    default: false
    }
  }

  private static let zstdMagic: [UInt8] = [0x28, 0xB5, 0x2F, 0xFD]

  /// Returns whether a frame of zstd can begin with these bytes, at most four. Frames 0x184D2A50–0x184D2A5F have no content
  /// (RFC 8878, 3.1.2).
  static func canBeginZstdFrame(_ head: [UInt8]) -> Bool {
    zstdMagic.starts(with: head)
      || !head.isEmpty && head[0] & 0xF0 == 0x50 && [0x2A, 0x4D, 0x18].starts(with: head.dropFirst())
  }
}
