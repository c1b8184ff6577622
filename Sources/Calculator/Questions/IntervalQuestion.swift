internal import Statistics

/// The question of the confidence intervals of one rate.
public struct IntervalQuestion: Sendable {
  public var sample: SuccessCount
  /// In (0, 1).
  public var confidence: Double

  public init(sample: SuccessCount, confidence: Double) {
    (self.sample, self.confidence) = (sample, confidence)
  }

  public var answer: Answer {
    let proportion = sample.proportion
    let z = NormalDistribution.criticalValue(confidence: confidence)
    let rate = sample.successes / sample.trials
    let level = NumberText.level(confidence)
    let methods: [(name: String, key: String, interval: Interval?)] = [
      (
        "Wilson (default)", "wilson",
        wilsonInterval(successes: proportion.successes, trials: proportion.trials, z: z)
      ),
      ("Jeffreys, with the Brown–Cai–DasGupta ends", "jeffreys", jeffreysInterval(proportion, confidence: confidence)),
      (
        "Clopper–Pearson: covers at least \(level)", "clopper_pearson",
        clopperPearsonInterval(proportion, confidence: confidence)
      ),
    ]
    var fields: Values = sample.fields
    fields["rate"] = rate
    fields["confidence"] = confidence
    var rows: [[String]] = []
    for method in methods {
      guard let interval = method.interval else { continue }
      fields[method.key] = bounds(interval)
      rows.append([NumberText.rate(rate, interval), method.name])
    }
    let shown = methods[0].interval ?? Interval(low: 0, high: 1)
    let digits = NumberText.decimals(for: 50 * (shown.high - shown.low))
    return Answer(
      title: "A rate of \(sample.text), \(level) interval", blocks: [AlignedBlock(alignments: [.right], rows: rows)],
      reading: "The rate is \(NumberText.fixed(100 * rate, digits))%, and the true rate is probably between "
        + "\(NumberText.fixed(100 * shown.low, digits))% and \(NumberText.fixed(100 * shown.high, digits))%.",
      fields: fields)
  }
}

extension NumberText {
  /// Returns `95%`, `99.9%`.
  static func level(_ confidence: Double) -> String {
    var digits = 0
    while digits < 6, abs(Double(fixed(100 * confidence, digits))! - 100 * confidence) > 1e-9 { digits += 1 }
    return fixed(100 * confidence, digits) + "%"
  }
}
