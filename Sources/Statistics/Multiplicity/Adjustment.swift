/// A method of adjusting the p values of one family. Undefined values are ignored and stay undefined.
public enum Adjustment: Hashable, Sendable, CaseIterable {
  /// p·m.
  case bonferroni
  /// Holm (1979): p_(i)·(m − i + 1), running maximum. Controls the familywise error under any dependence.
  case holm
  /// Hochberg (1988): Holm's factors, running minimum from the top; needs non-negative dependence.
  case hochberg
  /// Benjamini & Hochberg (1995): p_(i)·m/i, running minimum from the top. Controls the false discovery rate.
  case benjaminiHochberg
  /// Benjamini & Yekutieli (2001): Benjamini & Hochberg's times Σ1/i, valid under any dependence.
  case benjaminiYekutieli

  /// Returns adjusted p values, one per given value in its order, at most 1; ties stay tied.
  ///
  /// - Parameter values: In [0, 1]; `nil` if a test could not be done.
  public func adjusted(_ values: [Double?]) -> [Double?] {
    let order = values.indices.filter { values[$0] != nil }.sorted { values[$0]! < values[$1]! }
    let m = Double(order.count)
    var result = [Double?](repeating: nil, count: values.count)
    let harmonic = order.indices.reduce(0) { $0 + 1 / Double($1 + 1) }
    func factor(_ rank: Int) -> Double {
      switch self {
      case .bonferroni: m
      case .holm, .hochberg: m - Double(rank)
      case .benjaminiHochberg: m / Double(rank + 1)
      case .benjaminiYekutieli: m / Double(rank + 1) * harmonic
      }
    }
    let stepsUp = self != .bonferroni && self != .holm
    var running = stepsUp ? 1.0 : 0.0
    for rank in stepsUp ? Array(order.indices.reversed()) : Array(order.indices) {
      let value = min(1, values[order[rank]]! * factor(rank))
      running = stepsUp ? min(running, value) : self == .holm ? max(running, value) : value
      result[order[rank]] = running
    }
    return result
  }
}
