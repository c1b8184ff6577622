/// A share of money as written, such as a tax of 0.19 or a store fee of 0.15: an exact fraction of 1 with up to 12
/// decimals.
public struct ExactShare: Hashable, Sendable, CustomStringConvertible {
  /// The denominator of ``parts``.
  static let whole: Int128 = 1_000_000_000_000

  /// The numerator, in `0...whole`, so that a sum of money times it fits below 10²⁶ micro-units.
  let parts: Int128

  /// - Parameter share: In `0...1`; a text of up to 12 decimals comes back as it was written.
  /// - Returns: `nil` outside `0...1`.
  public init?(_ share: Double) {
    guard share >= 0, share <= 1 else { return nil }
    parts = Int128((share * 1e12).rounded())
  }

  public static let none = ExactShare(parts: 0)

  private init(parts: Int128) { self.parts = parts }

  /// The share as short as exact, such as `0.15`.
  public var description: String {
    if parts == 0 || parts == Self.whole { return parts == 0 ? "0" : "1" }
    let digits = String(Int128(parts) + Self.whole).dropFirst()
    return "0." + digits.reversed().drop { $0 == "0" }.reversed()
  }
}
