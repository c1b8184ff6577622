import Foundation
import Statistics

/// Successive draws from a counter-based generator that is seeded with the check's name.
struct Draws {
  private let generator: CounterGenerator
  private var place: UInt64 = 0

  init(name: String) { generator = CounterGenerator(name: name) }

  /// Returns a number in [0, 1).
  mutating func uniform() -> Double {
    place += 1
    return generator.uniform(at: place)
  }

  /// Returns a standard normal number by Box and Muller; the second of each pair is discarded.
  mutating func normal() -> Double {
    let radius = (-2 * log(1 - uniform())).squareRoot()
    return radius * cos(2 * .pi * uniform())
  }
}
