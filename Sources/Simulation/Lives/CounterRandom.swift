/// A counter-based random generator: the n-th number is a pure function of the key and n.
///
/// Keys separate the streams (seed, app, user, purpose), so a user's life depends neither on other users nor on the
/// order of work, and a new purpose changes no existing number. Uses only integer operations and exactly rounded IEEE
/// 754 ones; the last bit of `log` or `exp` would differ between machines.
///
/// Source: SplitMix64 of G. L. Steele, D. Lea, C. H. Flood (2014), doi:10.1145/2714064.2660195.
struct CounterRandom {
  private let key: UInt64
  private var counter: UInt64 = 0

  init(key: UInt64) {
    self.key = key
  }

  /// SplitMix64's finaliser: a bijection of the 64-bit words that scatters neighbours.
  @inline(__always)
  static func mix(_ word: UInt64) -> UInt64 {
    var word = word
    word = (word ^ (word >> 30)) &* 0xbf58_476d_1ce4_e5b9
    word = (word ^ (word >> 27)) &* 0x94d0_49bb_1331_11eb
    return word ^ (word >> 31)
  }

  /// Returns the key of a numbered stream below another.
  @inline(__always)
  static func key(_ parent: UInt64, _ number: UInt64) -> UInt64 {
    mix(parent ^ mix(number &+ 0x9e37_79b9_7f4a_7c15))
  }

  /// Returns the key of a named stream below another (FNV-1a over the UTF-8).
  static func key(_ parent: UInt64, _ name: String) -> UInt64 {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in name.utf8 { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01b3 }
    return key(parent, hash)
  }

  @inline(__always)
  mutating func next() -> UInt64 {
    counter &+= 1
    return Self.mix(key &+ counter &* 0x9e37_79b9_7f4a_7c15)
  }

  /// Returns the next number in `0..<1`, a multiple of 2⁻⁵³.
  @inline(__always)
  mutating func uniform() -> Double {
    Double(next() >> 11) * 0x1p-53
  }

  /// Returns whether an event of that probability happens: never for 0, always for 1.
  @inline(__always)
  mutating func happens(_ probability: Double) -> Bool {
    uniform() < probability
  }

  /// Returns the next integer in a range that is not empty.
  @inline(__always)
  mutating func within(_ range: Range<Int64>) -> Int64 {
    let width = UInt64(range.upperBound - range.lowerBound)
    return range.lowerBound + Int64(next().multipliedFullWidth(by: width).high)
  }

  /// Draws an index with probabilities in proportion to `shares`, which need not sum to 1.
  @inline(__always)
  mutating func pick(_ shares: [Double]) -> Int {
    var total = 0.0
    for share in shares { total += share }
    var rest = uniform() * total
    for (position, share) in shares.enumerated() {
      rest -= share
      if rest < 0 { return position }
    }
    return shares.count - 1
  }
}
