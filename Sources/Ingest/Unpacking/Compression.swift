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
    } else if head.starts(with: Self.zstdMagic) || Self.isSkippable(head, count: 4) {
      self = .zstd
    } else {
      self = .none
    }
  }

  /// Returns whether the whole file is just the start of a compressed file's first bytes.
  static func isCutShort(_ file: UnsafeRawBufferPointer) -> Bool {
    switch file.count {
    case 1: file[0] == 0x1F || file[0] == zstdMagic[0]
    case 2, 3: zstdMagic.starts(with: file) || isSkippable(file, count: file.count)
    default: false
    }
  }

  private static let zstdMagic: [UInt8] = [0x28, 0xB5, 0x2F, 0xFD]

  /// Frames 0x184D2A50–0x184D2A5F have no content and may come first (RFC 8878, 3.1.2).
  private static func isSkippable(_ head: UnsafeRawBufferPointer, count: Int) -> Bool {
    head.count >= count && head[0] & 0xF0 == 0x50
      && head[1..<count].elementsEqual([0x2A, 0x4D, 0x18].prefix(count - 1))
  }
}
