internal import Statistics

/// The question of whether users were split between the arms as planned.
public struct SampleRatioQuestion: Sendable {
  /// Users per arm, two arms or more.
  public var observed: [Double]
  /// Planned weights per arm, 0 or more, on any scale; at least two above 0.
  public var weights: [Double]
  /// The level of the alarm, in (0, 1).
  public var alpha: Double

  public init(observed: [Double], weights: [Double], alpha: Double) {
    (self.observed, self.weights, self.alpha) = (observed, weights, alpha)
  }

  public var answer: Answer {
    let test = sampleRatioTest(observed: observed, weights: weights)
    let live = weights.indices.filter { weights[$0] > 0 }
    var check = SequentialSampleRatio(weights: live.map { weights[$0] })
    check.add(live.map { observed[$0] })
    let exact = exactP(live)
    let p = exact ?? test.p
    let shares = armShares(observed: observed, weights: weights)
    let isAlarmed = test.isLeaking || (p ?? 1) < alpha
    let armRows = observed.indices.map { arm -> [String] in
      let count = NumberText.count(observed[arm])
      guard let share = shares?[arm] else {
        return ["arm \(arm + 1)", count, "users", "–", "no users are planned here"]
      }
      let planned = NumberText.plain(100 * share.planned, 4)
      return ["arm \(arm + 1)", count, "users", NumberText.rate(share.observed, share.interval), "planned \(planned)%"]
    }
    var rows: [[String]] = []
    if let chiSquare = test.chiSquare, let p = test.p {
      rows.append(["chi-square", NumberText.significant(chiSquare, 4), "\(test.degrees) df, p = \(NumberText.p(p))"])
    }
    if let exact { rows.append(["exact p", NumberText.p(exact), "multinomial, as an expected count is below 5"]) }
    let factor = check.bayesFactor
    rows.append([
      "Bayes factor", factor > 1e6 ? "over 1,000,000" : NumberText.significant(factor, 3),
      "for a mismatch; alarm above \(NumberText.plain(1 / alpha, 3)), even if checked daily",
    ])
    let fields: Values = [
      "observed": observed, "weights": weights, "chi2": test.chiSquare,
      "df": test.degrees, "p": test.p, "p_exact": exact,
      "log_bayes_factor": check.logBayesFactor, "leak": test.isLeaking, "alarm": isAlarmed,
      "alpha": alpha, "observed_shares": observed.indices.map { shares?[$0]?.observed },
      "planned_shares": observed.indices.map { shares?[$0]?.planned },
    ]
    return Answer(
      title: "Sample ratio of \(NumberText.count(observed.reduce(0, +))) users in \(observed.count) arms",
      blocks: [
        AlignedBlock(alignments: [.left, .right, .left, .right], rows: armRows),
        AlignedBlock(alignments: [.left, .right], rows: rows),
      ],
      reading: reading(isLeaking: test.isLeaking, p: p), fields: fields)
  }

  /// Returns the exact p value if an expected count is below 5, where χ² is not reliable.
  private func exactP(_ live: [Int]) -> Double? {
    let (users, total) = (live.reduce(0) { $0 + observed[$1] }, live.reduce(0) { $0 + weights[$1] })
    guard users > 0, live.contains(where: { users * weights[$0] / total < 5 }) else { return nil }
    return exactMultinomialTest(observed: live.map { observed[$0] }, shares: live.map { weights[$0] / total })
  }

  private func reading(isLeaking: Bool, p: Double?) -> String {
    let level = NumberText.plain(alpha, 2)
    if isLeaking {
      return "An arm without a planned share has users: an assignment error, whatever p says. Fix it before reading "
        + "the experiment."
    }
    guard let p else { return "There are no users, so nothing can be said." }
    if p < alpha {
      return "Users were not split as planned (p = \(NumberText.p(p)), below \(level)): do not read the "
        + "experiment until you have found the cause."
    }
    return "No mismatch is shown (p = \(NumberText.p(p)), not below \(level))."
  }
}
