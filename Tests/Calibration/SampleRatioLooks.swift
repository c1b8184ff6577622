import Statistics

/// Checks on 1,000 users a day, planned half and half, with a look after each of 28 days.
func sampleRatioChecks(repetitions: Int) -> [Check] {
  let fair = sampleRatioLooks(share: 0.5, concentrations: [500], repetitions)
  let biased = sampleRatioLooks(share: 0.48, concentrations: [2, 500, 10_000], repetitions)
  let slight = sampleRatioLooks(share: 0.49, concentrations: [100, 10_000], repetitions)
  func share(_ name: String, _ setting: String, _ hits: Int, _ anchor: Double, _ anchored: Double) -> Check {
    Check(
      name: name, setting: setting, outcome: .share(hits: hits, of: repetitions, anchor: anchor, anchored: anchored))
  }
  func range(_ name: String, _ value: Double, _ low: Double, _ high: Double) -> Check {
    Check(name: name, setting: "48/52, 28 looks", outcome: .range(value, low: low, high: high))
  }
  let days = biased.alarmDays.sorted()
  return [
    share("chi-square p < 0.001, every look", "50/50, 28 looks", fair.tally["0.001"], 0.00936, 100_000),
    share("chi-square p < 0.01, every look", "50/50, 28 looks", fair.tally["0.01"], 0.07394, 100_000),
    Check(
      name: "sequential, alpha 0.001, k = 500", setting: "50/50, 28 looks",
      outcome: .atMost(hits: fair.tally["500.0"], of: repetitions, limit: 0.0005)),
    share("chi-square p < 0.001, last look", "48/52, 28 looks", biased.tally["last"], 0.999, 20_000),
    share("sequential, k = 100", "49/51, 28 looks", slight.tally["100.0"], 0.18945, 20_000),
    share("sequential, k = 10,000", "49/51, 28 looks", slight.tally["10000.0"], 0.14225, 20_000),
    share("sequential, k = 2", "48/52, 28 looks", biased.tally["2.0"], 0.973, 20_000),
    range("sequential, k = 500: share detected", Double(biased.tally["500.0"]) / Double(repetitions), 0.973, 1),
    range("sequential, k = 500: median day of the alarm", days.isEmpty ? 0 : Double(days[days.count / 2]), 11, 14),
  ]
}

private func sampleRatioLooks(
  share: Double, concentrations: [Double], _ repetitions: Int
) -> (tally: Tally, alarmDays: [Int]) {
  let day = BinomialSampler(trials: 1_000, rate: share)
  var (draws, tally, alarmDays) = (Draws(name: "sample ratio \(share)"), Tally(), [Int]())
  for _ in 0..<repetitions {
    var checks = concentrations.map { SequentialSampleRatio(weights: [1, 1], concentration: $0) }
    var isKnown = false
    for look in 1...28 {
      let first = day.draw(&draws)
      for place in checks.indices {
        checks[place].add([first, 1_000 - first])
        let isAlarmed = checks[place].isAlarmed
        tally.alarm("\(concentrations[place])", if: isAlarmed)
        if isAlarmed, concentrations[place] == 500, !isKnown {
          alarmDays.append(look)
          isKnown = true
        }
      }
      let p = sampleRatioTest(observed: checks[0].counts, weights: [1, 1]).p ?? 1
      tally.alarm("0.001", if: p < 0.001)
      tally.alarm("0.01", if: p < 0.01)
      tally.alarm("last", if: look == 28 && p < 0.001)
    }
    tally.endRepetition()
  }
  return (tally, alarmDays)
}
