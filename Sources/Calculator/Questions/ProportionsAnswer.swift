internal import Statistics

/// The numbers and table rows behind the answer to a ``ProportionsQuestion``.
struct ProportionsAnswer {
  let question: ProportionsQuestion
  let estimate: Double
  let difference: Interval
  let ratio: Interval
  /// `nil` when all outcomes are equal.
  let test: ScoreTest?
  let marginTest: ScoreTest?
  let sequential: AsymptoticLook?
  /// The posterior comparison of control and treatment with flat priors; `nil` above a billion users.
  let decision: ArmsDecision?

  init(_ question: ProportionsQuestion) {
    let (own, other) = (question.treatment.proportion, question.control.proportion)
    let z = NormalDistribution.criticalValue(confidence: question.confidence)
    self.question = question
    estimate = own.successes / own.trials - other.successes / other.trials
    // Both arms have trials.
    difference = miettinenNurminenDifference(own, other, z: z) ?? Interval(low: -1, high: 1)
    ratio = scoreRatio(own, other, z: z) ?? Interval(low: 0, high: .infinity)
    test = miettinenNurminenTest(own, other)
    marginTest = question.margin.flatMap { miettinenNurminenTest(own, other, margin: -$0) }
    let isReady = AsymptoticSequence.isReady(own, other)
    sequential =
      isReady
      ? AsymptoticSequence(plannedUnits: question.plannedUsers, alpha: 1 - question.confidence).look(own, other) : nil
    decision =
      own.trials + other.trials > 1e9
      ? nil
      : betaDecision([other, own].map { BetaDistribution(a: 1 + $0.successes, b: 1 + $0.failures) })
  }

  private func wilson(_ sample: SuccessCount) -> Interval {
    wilsonInterval(
      successes: sample.successes, trials: sample.trials,
      z: NormalDistribution.criticalValue(confidence: question.confidence)) ?? Interval(low: 0, high: 1)
  }

  func arm(_ sample: SuccessCount) -> Values {
    sample.fields.with(bounds(wilson(sample))).with(["rate": sample.successes / sample.trials])
  }

  private var lift: Double? {
    let base = question.control.successes / question.control.trials
    return base == 0 ? nil : estimate / base
  }

  private var liftInterval: Interval { Interval(low: ratio.low - 1, high: ratio.high - 1) }

  var differenceField: Values { bounds(difference).with(["estimate": estimate]) }
  var liftField: Values { bounds(liftInterval).with(["estimate": lift]) }

  var alwaysValidField: Values {
    guard let sequential else { return ["reason": Self.withheld] }
    return bounds(sequential.interval).with(["p": sequential.p])
  }

  private static let withheld = "withheld until each arm has 50 users, 10 converted and 10 not"

  var armBlock: AlignedBlock {
    let rows = [("control", question.control), ("treatment", question.treatment)].map { name, sample in
      [
        name, NumberText.count(sample.successes), "of", NumberText.count(sample.trials),
        NumberText.rate(sample.successes / sample.trials, wilson(sample)), "Wilson",
      ]
    }
    return AlignedBlock(alignments: [.left, .right, .left, .right, .right], rows: rows)
  }

  var resultBlock: AlignedBlock {
    var rows = [
      ["difference", NumberText.signed(estimate, difference, scale: 100), "points", "Miettinen–Nurminen"],
      ["lift", NumberText.signed(lift, liftInterval, scale: 100), "%", "Miettinen–Nurminen ratio"],
      ["p", test.map { NumberText.p($0.twoSidedP) } ?? "–", "", "two-sided score test of no difference"],
    ]
    if let margin = question.margin, let marginTest {
      let points = NumberText.plain(100 * margin, 3)
      rows.append([
        "p, margin", NumberText.p(marginTest.greaterP), "", "one-sided, of a loss of \(points) points or more",
      ])
    }
    if let sequential {
      rows.append([
        "at any look", NumberText.signed(estimate, sequential.interval, scale: 100), "points",
        "asymptotic sequence, narrowest at \(NumberText.count(question.plannedUsers)) users",
      ])
    } else {
      rows.append(["at any look", "–", "", Self.withheld])
    }
    if let decision {
      rows.append([
        "chance", NumberText.fixed(100 * decision.bestProbabilities[1], 1), "%",
        "treatment is higher; flat prior, one look",
      ])
      rows.append([
        "loss", NumberText.significant(100 * decision.expectedLosses[1], 3), "points",
        "expected, by choosing the treatment",
      ])
    }
    return AlignedBlock(alignments: [.left, .right], rows: rows)
  }

  var reading: String {
    [
      verdict, marginVerdict,
      "p and the intervals hold for one look at a planned end. The interval \"at any look\" also holds for daily looks.",
    ].compactMap { $0 }.joined(separator: " ")
  }

  private var verdict: String {
    guard let test else { return "All outcomes are equal: the data cannot tell the arms apart." }
    let digits = NumberText.decimals(for: 50 * (difference.high - difference.low))
    func points(_ value: Double) -> String { NumberText.fixed(100 * abs(value), digits) }
    let isShown = test.twoSidedP < 1 - question.confidence
    if isShown {
      let (near, far) = estimate > 0 ? (difference.low, difference.high) : (difference.high, difference.low)
      return "The treatment converts \(estimate > 0 ? "more" : "less") than the control, by \(points(estimate)) "
        + "percentage points, \(points(near)) to \(points(far)) (p = \(NumberText.p(test.twoSidedP)))."
    }
    return "No difference is shown (p = \(NumberText.p(test.twoSidedP))): the treatment may convert "
      + "\(points(difference.low)) points less or \(points(difference.high)) points more."
  }

  private var marginVerdict: String? {
    guard let margin = question.margin else { return nil }
    let points = NumberText.plain(100 * margin, 3)
    if difference.low > -margin { return "A loss of \(points) points is ruled out: the treatment is not inferior." }
    if difference.high < -margin { return "The treatment is inferior by more than \(points) points." }
    return "Whether it loses \(points) points or more is undecided."
  }
}
