/// A conversion-share e-process with changes of the allocation: each period of constant shares is a separate factor,
/// over the conversions of the users enrolled in it.
///
/// Source: Lindon & Malek (2022), arXiv 2011.03567: a product of e-values under one null is one.
public struct ConversionShareEpochs: Hashable, Sendable {
  private var current: ConversionShare
  private var counts: [Double]
  /// ln E of the periods before the current one.
  private var closed = 0.0
  public private(set) var logEValue = 0.0
  /// The smallest 1/E so far, at most 1.
  public private(set) var p = AlwaysValidP()

  public init(_ first: ConversionShare) {
    current = first
    counts = [Double](repeating: 0, count: first.allocation.count)
  }

  /// Starts a new allocation for the users enrolled from here on; later conversions must be those of these users.
  public mutating func change(to next: ConversionShare) {
    precondition(next.allocation.count == counts.count, "the arms must stay the same")
    closed = logEValue
    current = next
    counts = counts.map { _ in 0 }
  }

  /// Adds the conversions of one more look, one count per arm.
  public mutating func add(_ conversions: [Double]) {
    precondition(conversions.count == counts.count, "one count per arm")
    for (arm, count) in conversions.enumerated() { counts[arm] += count }
    logEValue = closed + current.logEValue(counts)
    p.look(logEValue: logEValue)
  }
}
