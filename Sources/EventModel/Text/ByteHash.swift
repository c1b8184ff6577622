/// A 64-bit hash of bytes that is equal on every run and machine.
///
/// The store has such hashes on disk, so the function must never change. It is a multiply-fold over 8-byte words, after
/// wyhash (Wang Yi, public domain), without its protection against hostile input. Code that cannot tolerate collisions
/// compares the bytes.
public enum ByteHash {
  @inlinable @inline(__always)
  public static func mix(_ a: UInt64, _ b: UInt64) -> UInt64 {
    let product = a.multipliedFullWidth(by: b)
    return product.high ^ product.low
  }

  /// Returns the hash of the bytes with a seed.
  @inlinable
  public static func hash(_ bytes: UnsafeRawBufferPointer, seed: UInt64 = 0) -> UInt64 {
    var state = seed ^ 0xa076_1d64_78bd_642f
    var offset = 0
    let count = bytes.count
    while count - offset >= 8 {
      let word = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
      state = mix(state ^ word, 0xe703_7ed1_a0b4_28db)
      offset += 8
    }
    // Reads the remaining bytes, the first in the lowest place; from the last eight bytes if there are eight.
    var tail: UInt64 = 0
    if offset < count {
      if count >= 8 {
        let last = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: count - 8, as: UInt64.self))
        tail = last >> UInt64((8 - (count - offset)) * 8)
      } else {
        var shift: UInt64 = 0
        for byte in bytes {
          tail |= UInt64(byte) << shift
          shift += 8
        }
      }
    }
    state = mix(state ^ tail, 0x8ebc_6af0_9c88_c6e3)
    return mix(state ^ UInt64(count), 0x5899_65cc_7537_4cc3)
  }
}
