/// SplitMix64: a random number generator whose n-th number is a pure function of its seed and n.
///
/// Source: Steele, Lea & Flood (2014), doi:10.1145/2714064.2660195.
public struct SplitMix64: RandomNumberGenerator, Sendable {
  /// The step from one state to the next: 2⁶⁴ divided by the golden ratio, rounded to an odd number.
  @inlinable public static var gamma: UInt64 { 0x9e37_79b9_7f4a_7c15 }

  @usableFromInline var state: UInt64

  @inlinable @inline(__always)
  public init(seed: UInt64) { state = seed }

  @inlinable @inline(__always)
  public mutating func next() -> UInt64 {
    state &+= Self.gamma
    return Self.mixed(state)
  }

  /// The finaliser: a bijection on 64-bit words that sends neighbouring words far apart.
  @inlinable @inline(__always)
  public static func mixed(_ word: UInt64) -> UInt64 {
    var word = word
    word = (word ^ (word >> 30)) &* 0xbf58_476d_1ce4_e5b9
    word = (word ^ (word >> 27)) &* 0x94d0_49bb_1331_11eb
    return word ^ (word >> 31)
  }

  /// Returns the seed for a name: 64-bit FNV-1a over its UTF-8 bytes.
  public static func seed(of name: String) -> UInt64 {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in name.utf8 { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01b3 }
    return hash
  }
}
