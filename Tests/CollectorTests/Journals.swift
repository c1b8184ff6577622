import CZstd
import FolderSupport
import Foundation

/// Access to the journals in the folder.
extension TemporaryDirectory {
  /// All names in the folder, hidden ones included, in byte order.
  var names: [String] { (try? FileManager.default.contentsOfDirectory(atPath: path))?.sorted() ?? [] }

  func bytes(_ name: String) -> [UInt8] { [UInt8](FileManager.default.contents(atPath: path + "/" + name) ?? Data()) }

  /// The lines of all complete journals, in the order of their names.
  var lines: [String] {
    names.filter { !$0.hasPrefix(".") }.flatMap { name in
      String(decoding: Self.unpacked(bytes(name)), as: UTF8.self).split(separator: "\n").map(String.init)
    }
  }

  /// Returns the content of all frames, read with zstd's one-shot interface rather than the code under test.
  static func unpacked(_ bytes: [UInt8]) -> [UInt8] {
    var rest = bytes[...]
    var content: [UInt8] = []
    while !rest.isEmpty {
      let frame = rest.withUnsafeBytes { ZSTD_findFrameCompressedSize($0.baseAddress, $0.count) }
      if ZSTD_isError(frame) != 0 { break }
      let size = rest.withUnsafeBytes { Int(ZSTD_getFrameContentSize($0.baseAddress, $0.count)) }
      var room = [UInt8](repeating: 0, count: size)
      let got = rest.withUnsafeBytes { ZSTD_decompress(&room, size, $0.baseAddress, frame) }
      if got != size { break }
      content += room
      rest = rest.dropFirst(frame)
    }
    return content
  }
}
