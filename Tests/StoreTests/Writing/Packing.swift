import Foundation
import PackingSupport

/// The compression of a file's bytes.
enum Packing: CaseIterable {
  case plain
  /// gzip with two members, cut anywhere, even within a line.
  case gzipMembers
  /// zstd with three frames, cut anywhere.
  case zstdFrames

  func pack(_ bytes: [UInt8]) -> Data {
    switch self {
    case .plain: Data(bytes)
    case .gzipMembers: Data(pieces(bytes, 2).flatMap(gzipMember))
    case .zstdFrames: Data(pieces(bytes, 3).flatMap { zstdFrame($0) })
    }
  }

  private func pieces(_ bytes: [UInt8], _ count: Int) -> [[UInt8]] {
    (0..<count).map { piece in
      Array(bytes[bytes.count * piece / count..<bytes.count * (piece + 1) / count])
    }
  }
}
