internal import Foundation

/// Converts bytes to and from base 64, so that any row can carry them.
enum Base64 {
  /// - Throws: ``WorkerFault`` if the text is not base 64.
  static func bytes(_ text: UnsafeRawBufferPointer) throws -> [UInt8] {
    guard let start = text.baseAddress else { return [] }
    let shared = Data(bytesNoCopy: UnsafeMutableRawPointer(mutating: start), count: text.count, deallocator: .none)
    guard let bytes = Data(base64Encoded: shared) else { throw WorkerFault(.data, "a column is not in base 64") }
    return [UInt8](bytes)
  }

  static func text(of bytes: [UInt8]) -> [UInt8] {
    [UInt8](Data(bytes).base64EncodedData())
  }
}
