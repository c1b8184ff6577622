internal import Basics

/// A counter-based random generator: the n-th number is a pure function of the key and n (``SplitMix64``).
///
/// Keys separate the streams (seed, app, user, purpose), so a user's life depends neither on other users nor on the
/// order of work, and a new purpose changes no existing number. Uses only integer operations and exactly rounded IEEE
/// 754 ones; the last bit of `log` or `exp` would differ between machines.
struct CounterRandom {
  private var generator: SplitMix64

  init(key: UInt64) { generator = SplitMix64(seed: key) }

  /// Returns the key of a numbered stream below another.
  @inline(__always)
  static func key(_ parent: UInt64, _ number: UInt64) -> UInt64 {
    SplitMix64.mixed(parent ^ SplitMix64.mixed(number &+ SplitMix64.gamma))
  }

  /// Returns the key of a named stream below another.
  static func key(_ parent: UInt64, _ name: String) -> UInt64 { key(parent, SplitMix64.seed(of: name)) }

  @inline(__always)
  mutating func next() -> UInt64 { generator.next() }

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
