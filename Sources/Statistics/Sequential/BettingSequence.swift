internal import RealModule

/// A confidence sequence of the mean of bounded values, by betting: valid at every look without approximation, and
/// adaptive to the variance. For capped revenue.
///
/// Two gamblers bet against each mean m: one that values are higher, the other that they are lower. m is in the
/// sequence as long as neither has multiplied the stake by 1/α, each with half of it:
///
///     K⁺(m) = ∏(1 + min(λ_i, ½/m)·(x_i − m)),   K⁻(m) = ∏(1 − min(λ_i, ½/(1 − m))·(x_i − m))
///     λ_i = √(2 ln(2/α) / (σ̂²_{i−1}·i·ln(1 + i)))
///     μ̂_i = (½ + Σx)/(i + 1),   σ̂²_i = (¼ + Σ(x_j − μ̂_j)²)/(i + 1)
///
/// with x the value as a share of the cap. A bet knows only earlier values, so add them in order of arrival. Memory is
/// two numbers per value.
///
/// Source: Waudby-Smith & Ramdas (2024), doi:10.1093/jrsssb/qkad009, section 4.3 (hedged capital, predictable plug-in).
public struct BettingSequence: Hashable, Sendable {
  /// The cap, in the unit of the values.
  public let cap: Double
  public let alpha: Double
  private var shares: [Double] = []
  private var bets: [Double] = []
  private var sum = 0.0
  private var squares = 0.25

  /// - Parameters:
  ///   - cap: The highest possible value, fixed before the first one; above 0.
  ///   - alpha: In (0, 1).
  public init(cap: Double = 1, alpha: Double = 0.05) {
    precondition(cap > 0, "cap is \(cap), but must be above 0")
    precondition(alpha > 0 && alpha < 1, "alpha is \(alpha), but must be in (0, 1)")
    (self.cap, self.alpha) = (cap, alpha)
  }

  /// - Parameter value: From 0 to the cap.
  public mutating func add(_ value: Double) {
    precondition(value >= 0 && value <= cap, "value is \(value), but must be from 0 to \(cap)")
    let (share, place) = (value / cap, Double(shares.count + 1))
    let variance = squares / place
    bets.append((2 * Double.log(2 / alpha) / (variance * place * Double.log(onePlus: place))).squareRoot())
    shares.append(share)
    sum += share
    let distance = share - (0.5 + sum) / (place + 1)
    squares += distance * distance
  }

  /// The means that are not refuted yet, in the unit of the values; 0…cap without any.
  public var interval: Interval {
    let goal = Double.log(2 / alpha)
    /// Returns ln of the capital from betting on values above m, for the shares or their mirror image; decreasing in m.
    func logCapital(_ m: Double, mirrored: Bool) -> Double {
      var total = 0.0
      for (share, bet) in zip(shares, bets) {
        total += Double.log(onePlus: min(bet, 0.5 / m) * ((mirrored ? 1 - share : share) - m))
      }
      return total
    }
    func refutedBelow(mirrored: Bool) -> Double {
      var (low, high) = (0.0, 1.0)
      while high - low > 1e-13 {
        let middle = (low + high) / 2
        if logCapital(middle, mirrored: mirrored) >= goal { low = middle } else { high = middle }
      }
      return low
    }
    return Interval(low: refutedBelow(mirrored: false) * cap, high: (1 - refutedBelow(mirrored: true)) * cap)
  }
}
