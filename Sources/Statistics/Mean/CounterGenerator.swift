public import Basics

/// A counter-based random generator: a draw depends only on the seed and its index, so that results do not depend on
/// the order of work, and any draw can be repeated.
///
/// ``SplitMix64``'s finaliser over the place times its gamma.
public struct CounterGenerator: Hashable, Sendable {
  public let seed: UInt64
  @usableFromInline let start: UInt64

  public init(seed: UInt64) { (self.seed, start) = (seed, SplitMix64.mixed(seed)) }

  /// Creates a generator seeded by a name, such as an experiment's.
  public init(name: String) { self.init(seed: SplitMix64.seed(of: name)) }

  @inlinable @inline(__always)
  public func bits(at place: UInt64) -> UInt64 {
    SplitMix64.mixed(start ^ SplitMix64.mixed((place &+ 1) &* SplitMix64.gamma))
  }

  /// In [0, 1), 53 bits.
  @inlinable @inline(__always)
  public func uniform(at place: UInt64) -> Double { Double(bits(at: place) >> 11) * 0x1p-53 }

  /// In 0..<bound.
  @inlinable @inline(__always)
  public func index(below bound: Int, at place: UInt64) -> Int {
    Int(bits(at: place).multipliedFullWidth(by: UInt64(bound)).high)
  }
}
