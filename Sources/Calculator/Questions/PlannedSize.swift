internal import Statistics

/// The users that a planned test needs, as whole numbers.
struct PlannedSize {
  let question: SampleSizeQuestion
  let control: Double
  let treatment: Double
  /// The factor over a test with one look.
  let inflation: Double
  let method: String

  var total: Double { control + treatment }

  init(_ question: SampleSizeQuestion) {
    self.question = question
    let errors = TestErrors(alpha: question.alpha, power: question.power)
    let (users, ratio, method): (Double, Double, String)
    switch question.effect {
    case .rates(let control, let treatment):
      // The rates are unequal, so a size exists.
      users =
        proportionSampleSize(control: control, treatment: treatment, errors: errors, ratio: question.ratio)?.pooledNull
        ?? .infinity
      (ratio, method) = (question.ratio, "pooled-null score test of two rates (Fleiss)")
    case .means(let difference, let deviation):
      users = tTestSampleSize(difference: difference, standardDeviation: deviation, errors: errors)
      (ratio, method) = (1, "Welch's test of two means")
    case .nonInferiority(let rate, let margin):
      users = nonInferioritySampleSize(rate: rate, margin: margin, errors: errors)
      (ratio, method) = (1, "one-sided test against a margin")
    }
    inflation = question.looks > 1 ? Self.inflation(looks: question.looks, errors: errors) : 1
    control = (users * inflation).rounded(.up)
    treatment = (users * inflation * ratio).rounded(.up)
    self.method = method
  }

  private static func inflation(looks: Int, errors: TestErrors) -> Double {
    let shares = (1...looks).map { Double($0) / Double(looks) }
    // The last look has all the information, so the factor exists.
    return GroupSequentialDesign(looks: shares, alpha: errors.alpha).inflation(errors: errors) ?? 1
  }

  private var effect: String {
    switch question.effect {
    case .rates(let control, let treatment):
      "\(percent(control)) against \(percent(treatment))"
    case .means(let difference, let deviation):
      "a difference of \(NumberText.plain(difference, 3)) with standard deviation "
        + NumberText.plain(deviation, 3)
    case .nonInferiority(let rate, let margin):
      "a rate of \(percent(rate)) not worse by \(NumberText.plain(100 * margin, 3)) points"
    }
  }

  private func percent(_ share: Double) -> String { NumberText.plain(100 * share, 3) + "%" }

  var title: String {
    "Users for \(effect), alpha \(NumberText.plain(question.alpha, 2)), power "
      + "\(NumberText.level(question.power)) (\(method))"
  }

  var reading: String {
    let looks = question.looks > 1 ? " and \(question.looks) looks" : ""
    return "With \(NumberText.count(total)) users\(looks), the chance of detecting \(effect) is "
      + "\(NumberText.level(question.power)) if it is true."
  }

  var fields: Values {
    var fields: Values = [
      "n_control": control, "n_treatment": treatment, "n_total": total,
      "alpha": question.alpha, "power": question.power, "looks": question.looks,
      "inflation": inflation, "method": method,
    ]
    switch question.effect {
    case .rates(let control, let treatment):
      fields["p_control"] = control
      fields["p_treatment"] = treatment
    case .means(let difference, let deviation):
      fields["difference"] = difference
      fields["standard_deviation"] = deviation
    case .nonInferiority(let rate, let margin):
      fields["p_both"] = rate
      fields["margin"] = margin
    }
    return fields
  }
}
