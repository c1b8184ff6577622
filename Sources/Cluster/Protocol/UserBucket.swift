internal import CZlib

/// Computes the bucket of a user: the CRC-32 of app, line feed and user id, which Spark computes too.
enum UserBucket {
  static func number(app: UnsafeRawBufferPointer, user: UnsafeRawBufferPointer, of buckets: UInt32) -> UInt32 {
    var sum = crc32(0, app.baseAddress?.assumingMemoryBound(to: UInt8.self), UInt32(app.count))
    var separator = UInt8(ascii: "\n")
    sum = crc32(sum, &separator, 1)
    sum = crc32(sum, user.baseAddress?.assumingMemoryBound(to: UInt8.self), UInt32(user.count))
    return UInt32(truncatingIfNeeded: sum) % buckets
  }
}
