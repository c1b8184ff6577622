import ArgumentParser
import Calculator

/// The effect that a planned test is to find, and its error rates.
struct EffectArguments: ParsableArguments {
  @Option(help: ArgumentHelp("Rate of the control. Needs --lift, --difference or --margin.", valueName: "share"))
  var baseline: Share?

  @Option(help: ArgumentHelp("Mean of the control, instead of --baseline. Needs --sd.", valueName: "number"))
  var mean: Double?

  @Option(
    help: ArgumentHelp(
      "Standard deviation per user in your own history, including users with 0.", valueName: "number"))
  var sd: Double?

  @Option(help: ArgumentHelp("Lift to detect, relative to the control.", valueName: "share"))
  var lift: Share?

  @Option(
    help: ArgumentHelp("Difference to detect, in percentage points (2%) or the unit of the mean.", valueName: "share"))
  var difference: Share?

  @Option(
    help: ArgumentHelp("Plan to show that the rate is at most this much worse (one-sided).", valueName: "share"))
  var margin: Share?

  @Option(help: ArgumentHelp("Significance level: chance of a false alarm.", valueName: "share"))
  var alpha: Share?

  @Option(help: ArgumentHelp("Power: chance to detect the effect.", valueName: "share"))
  var power = Share(value: 0.8)

  @Option(help: ArgumentHelp("Treatment users per control user.", valueName: "number"))
  var ratio = 1.0

  @Option(help: ArgumentHelp("Number of evenly spaced looks at the test.", valueName: "n"))
  var looks = 1

  var isGiven: Bool { baseline != nil || mean != nil }

  func validate() throws {
    try alpha?.requireInside("--alpha")
    try power.requireInside("--power")
    try require("--ratio", ratio, in: 0.001...1000)
    try require("--looks", looks, in: 1...200)
    if isGiven { _ = try effect() }
  }

  func question() throws -> SampleSizeQuestion {
    let isOneSided = margin != nil
    return SampleSizeQuestion(
      effect: try effect(), alpha: alpha?.value ?? (isOneSided ? 0.025 : 0.05), power: power.value, ratio: ratio,
      looks: looks)
  }

  private func effect() throws -> PlannedEffect {
    let goals = [lift, difference, margin].compactMap { $0 }
    guard goals.count == 1, let goal = goals.first, goal.value != 0 else {
      throw ValidationError("give --lift, --difference or --margin, not 0")
    }
    if let mean {
      guard baseline == nil, margin == nil else {
        throw ValidationError("--mean cannot be combined with --baseline or --margin")
      }
      guard let sd, sd > 0, sd <= 1e100 else { throw ValidationError("--mean needs --sd, a number above 0") }
      guard mean.isFinite, lift == nil || mean != 0 else {
        throw ValidationError("--mean is \(mean), but must be other than 0 for --lift")
      }
      guard ratio == 1 else { throw ValidationError("--ratio needs --baseline") }
      return .means(difference: lift.map { $0.value * mean } ?? goal.value, standardDeviation: sd)
    }
    guard let baseline else { throw ValidationError("give --baseline (a rate) or --mean") }
    guard sd == nil else { throw ValidationError("--sd needs --mean") }
    try baseline.requireInside("--baseline")
    if let margin {
      try margin.requireInside("--margin")
      guard ratio == 1, looks == 1 else {
        throw ValidationError("--ratio and --looks cannot be combined with --margin")
      }
      return .nonInferiority(rate: baseline.value, margin: margin.value)
    }
    let treatment = lift.map { baseline.value * (1 + $0.value) } ?? baseline.value + goal.value
    guard treatment > 0, treatment < 1, treatment != baseline.value else {
      throw ValidationError(
        "the treatment's rate would be \(treatment), but must be between 0 and 1; "
          + "--lift is relative to --baseline, --difference in points")
    }
    return .rates(control: baseline.value, treatment: treatment)
  }
}
