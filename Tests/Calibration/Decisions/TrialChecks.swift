import Statistics

/// Trials of 7 days: 40 an arm start on each of 10 days, with a look on day 10.
///
/// 40% pay in both arms; the others cancel on days 1 to 7 in the control and on days 1 and 2 in the treatment.
private enum TrialArm {
  case control
  case treatment

  /// Cumulative shares of the cancellations by day 1, 2, ….
  private var cancelled: [Double] {
    self == .control ? [0.25, 0.375, 0.5, 0.625, 0.75, 0.875, 1] : [0.71, 1]
  }

  func records(_ draws: inout Draws) -> [SurvivalRecord] {
    let days = cancelled
    return (0..<400).map { index in
      let followed = Double(1 + index / 40)
      let pays = draws.uniform() < 0.4
      let u = draws.uniform()
      let time = pays ? 7 : Double(1 + days.prefix { $0 <= u }.count)
      return followed < time
        ? SurvivalRecord(time: followed, cause: 0) : SurvivalRecord(time: time, cause: pays ? 1 : 2)
    }
  }
}

func trialChecks(repetitions: Int) -> [Check] {
  let setting = "7-day trials, 40% pay, look at day 10, 400 an arm"
  var (draws, tally) = (Draws(name: "cancellations"), Tally())
  var (sum, ratios) = (0.0, 0.0)
  for _ in 0..<repetitions {
    let (control, treatment) = (TrialArm.control.records(&draws), TrialArm.treatment.records(&draws))
    let result = fixedHorizonDifference(treatment: treatment, control: control, at: 7)
    tally.alarm("aalen", if: (result.pLinear ?? 1) < 0.05)
    let error = cumulativeIncidence(control, causes: 2, at: 7).variances[0].squareRoot()
    tally.alarm("covered", if: abs(result.control - 0.4) <= normalQuantile975 * error)
    sum += result.control
    func paid(_ records: [SurvivalRecord]) -> Proportion {
      Proportion(successes: Double(records.count { $0.cause == 1 }), trials: Double(records.count))
    }
    func alarms(_ part: ([SurvivalRecord]) -> [SurvivalRecord]) -> Bool {
      (pooledZTest(paid(part(treatment)), paid(part(control)))?.twoSidedP ?? 1) < 0.05
    }
    tally.alarm("resolved", if: alarms { $0.filter { $0.cause > 0 } })
    // The first 240 of 400 started less than 7 days ago.
    tally.alarm("matured", if: alarms { Array($0[240...]) })
    let matured = paid(Array(control[240...]))
    let rate = matured.successes / matured.trials
    ratios += error / (rate * (1 - rate) / matured.trials).squareRoot()
    tally.endRepetition()
  }
  func share(_ name: String, _ key: String, _ anchor: Double) -> Check {
    Check(
      name: name, setting: setting, outcome: .share(hits: tally[key], of: repetitions, anchor: anchor, anchored: 10_000)
    )
  }
  func value(_ name: String, _ value: Double, _ anchor: Double, _ tolerance: Double) -> Check {
    Check(name: name, setting: setting, outcome: .value(value, anchor: anchor, within: tolerance))
  }
  // The mean of `repetitions` estimates, each with a standard error of 0.03.
  let drift = 3 * 0.03 / Double(repetitions).squareRoot() + 0.0005
  return [
    share("Aalen–Johansen at day 7", "aalen", 0.0513),
    value("mean Aalen–Johansen estimate", sum / Double(repetitions), 0.4, drift),
    share("coverage of its linear interval", "covered", 0.9478),
    value("its standard error / that of matured trials", ratios / Double(repetitions), 0.841, 0.01),
    share("matured trials only", "matured", 0.049),
    share("paid of paid and cancelled (negative control)", "resolved", 0.2581),
  ]
}
