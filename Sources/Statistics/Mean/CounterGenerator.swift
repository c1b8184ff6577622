/// A counter-based random generator: a draw depends only on the seed and its index, so that results do not depend on
/// the order of work, and any draw can be repeated.
///
/// It is SplitMix64's finaliser of the index times the golden gamma.
///
/// Source: Steele, Lea & Flood (2014), doi:10.1145/2714064.2660195.
public struct CounterGenerator: Hashable, Sendable {
  public let seed: UInt64

  public init(seed: UInt64) { self.seed = seed }

  /// Creates a seed from a name, such as an experiment's (FNV-1a, 64 bit).
  public init(name: String) {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in name.utf8 { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01b3 }
    seed = hash
  }

  public func bits(at place: UInt64) -> UInt64 {
    Self.mixed(Self.mixed(seed) ^ Self.mixed((place &+ 1) &* 0x9e37_79b9_7f4a_7c15))
  }

  private static func mixed(_ value: UInt64) -> UInt64 {
    var z = value
    z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
    z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
    return z ^ (z >> 31)
  }

  /// In [0, 1), 53 bits.
  public func uniform(at place: UInt64) -> Double { Double(bits(at: place) >> 11) * 0x1p-53 }

  /// In 0..<bound.
  public func index(below bound: Int, at place: UInt64) -> Int {
    Int(bits(at: place).multipliedFullWidth(by: UInt64(bound)).high)
  }
}
