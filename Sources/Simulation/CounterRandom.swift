internal import Basics

/// A random number for every counter: the n-th one is a pure function of the key and n (``SplitMix64``).
///
/// Streams are told apart by their keys (seed, app, person, purpose), so that a person's life depends on
/// nobody else's and on no order of work, and a new purpose shifts no number of an old one. Only integer
/// operations and exactly rounded IEEE 754 ones are used; no `log` or `exp`, whose last bit differs
/// between machines.
struct CounterRandom {
  private var generator: SplitMix64

  init(key: UInt64) { generator = SplitMix64(seed: key) }

  /// Returns the key of a stream below another: by number.
  @inline(__always)
  static func key(_ parent: UInt64, _ number: UInt64) -> UInt64 {
    SplitMix64.mixed(parent ^ SplitMix64.mixed(number &+ SplitMix64.gamma))
  }

  /// Returns the key of a stream below another: by name.
  static func key(_ parent: UInt64, _ name: String) -> UInt64 { key(parent, SplitMix64.seed(of: name)) }

  @inline(__always)
  mutating func next() -> UInt64 { generator.next() }

  /// The next number in `0..<1`, a multiple of 2⁻⁵³.
  @inline(__always)
  mutating func uniform() -> Double {
    Double(next() >> 11) * 0x1p-53
  }

  /// Whether something of that probability happens; 0 never, 1 always.
  @inline(__always)
  mutating func happens(_ probability: Double) -> Bool {
    uniform() < probability
  }

  /// The next integer of a range that is not empty.
  @inline(__always)
  mutating func within(_ range: Range<Int64>) -> Int64 {
    let width = UInt64(range.upperBound - range.lowerBound)
    return range.lowerBound + Int64(next().multipliedFullWidth(by: width).high)
  }

  /// The position of the next draw from shares; they need not sum to 1.
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
