/// The effect that a test is planned for: a difference of rates or means, or a rate that is not worse by a margin.
public enum PlannedEffect: Hashable, Sendable {
  /// Rates in (0, 1), not equal.
  case rates(control: Double, treatment: Double)
  /// Means in the unit of the metric; the difference is not 0, the standard deviation above 0.
  case means(difference: Double, standardDeviation: Double)
  /// The rate of both arms, and the margin, above 0.
  case nonInferiority(rate: Double, margin: Double)
}

/// The question of how many users a test needs.
public struct SampleSizeQuestion: Sendable {
  public var effect: PlannedEffect
  /// The level in (0, 1): two-sided, but one-sided for a margin.
  public var alpha: Double
  /// In (0, 1).
  public var power: Double
  /// Treatment users per control user; above 0. Rates only.
  public var ratio: Double
  /// Planned looks, 1 or more.
  public var looks: Int

  public init(effect: PlannedEffect, alpha: Double, power: Double, ratio: Double, looks: Int) {
    (self.effect, self.alpha, self.power, self.ratio, self.looks) = (effect, alpha, power, ratio, looks)
  }

  var size: PlannedSize { PlannedSize(self) }

  public var answer: Answer {
    let size = size
    var rows = [
      ["control", NumberText.count(size.control), "users"],
      ["treatment", NumberText.count(size.treatment), "users"],
      ["together", NumberText.count(size.total), "users"],
    ]
    if looks > 1 {
      rows.append([
        "of these", "\(NumberText.fixed(100 * (size.inflation - 1), 1))",
        "% are the cost of \(looks) looks (Lan–DeMets, O'Brien–Fleming)",
      ])
    }
    return Answer(
      title: size.title, blocks: [AlignedBlock(alignments: [.left, .right], rows: rows)], reading: size.reading,
      fields: size.fields)
  }
}
