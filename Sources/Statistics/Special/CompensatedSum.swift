/// A sum of doubles with the rounding error of each addition kept, so that small terms outlive large ones that cancel.
///
/// Source: Knuth, The Art of Computer Programming 2, 4.2.2, theorem B; Neumaier (1974), doi:10.1002/zamm.19740540106.
struct CompensatedSum: Hashable, Sendable {
  private var sum = 0.0
  private var error = 0.0

  var value: Double { error.isFinite ? sum + error : sum }

  mutating func add(_ term: Double) {
    let next = sum + term
    let part = next - sum
    error += (sum - (next - part)) + (term - part)
    sum = next
  }

  mutating func add(_ other: CompensatedSum) {
    add(other.sum)
    error += other.error
  }

  /// Adds a product with its rounding error.
  mutating func add(_ factor: Double, times other: Double) {
    let product = factor * other
    add(product)
    let rest = (-product).addingProduct(factor, other)
    if rest.isFinite { error += rest }
  }

  /// Returns the sum less a product, which is not rounded before.
  func less(_ factor: Double, times other: Double) -> Double {
    var rest = self
    rest.add(-factor, times: other)
    return rest.value
  }
}
