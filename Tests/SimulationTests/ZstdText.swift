import CZstd
import Foundation

/// Returns the content of all frames of a zstd file; `nil` for a damaged file.
///
/// - Parameter capacity: At least the length of the whole text.
func zstdText(_ file: Data, capacity: Int) -> [UInt8]? {
  var isWhole = false
  let text = [UInt8](unsafeUninitializedCapacity: capacity) { buffer, count in
    let result = file.withUnsafeBytes { ZSTD_decompress(buffer.baseAddress, capacity, $0.baseAddress, $0.count) }
    isWhole = ZSTD_isError(result) == 0
    count = isWhole ? result : 0
  }
  return isWhole ? text : nil
}
