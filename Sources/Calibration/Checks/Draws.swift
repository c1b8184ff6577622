import Foundation
import Statistics

/// Draws one after the other from a counter-based generator, named by the check.
struct Draws {
  private let generator: CounterGenerator
  private var place: UInt64 = 0

  init(name: String) { generator = CounterGenerator(name: name) }

  /// In [0, 1).
  mutating func uniform() -> Double {
    place += 1
    return generator.uniform(at: place)
  }

  /// Box & Muller; one of the two is thrown away.
  mutating func normal() -> Double {
    let radius = (-2 * log(1 - uniform())).squareRoot()
    return radius * cos(2 * .pi * uniform())
  }
}
