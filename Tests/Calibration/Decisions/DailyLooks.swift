import Foundation
import Statistics

/// Two arms of 200 users a day each, with a look after each of 28 days.
struct DailyLooks {
  /// Users per arm and day.
  static let users = 200
  static let days = 28

  private let treatment: BinomialSampler
  private let control: BinomialSampler
  private var draws: Draws

  init(name: String, treatment: Double, control: Double) {
    self.treatment = BinomialSampler(trials: Self.users, rate: treatment)
    self.control = BinomialSampler(trials: Self.users, rate: control)
    draws = Draws(name: name)
  }

  /// Runs one experiment and calls `look` after each day, counted from 0.
  mutating func run(_ look: (_ day: Int, _ treatment: Proportion, _ control: Proportion) -> Void) {
    var (one, two) = (Proportion(successes: 0, trials: 0), Proportion(successes: 0, trials: 0))
    for day in 0..<Self.days {
      one = Proportion(successes: one.successes + treatment.draw(&draws), trials: one.trials + Double(Self.users))
      two = Proportion(successes: two.successes + control.draw(&draws), trials: two.trials + Double(Self.users))
      look(day, one, two)
    }
  }
}

private let looks = (1...DailyLooks.days).map { Double($0) / Double(DailyLooks.days) }
/// Φ⁻¹(0.95): above this, the chance to win under a flat prior exceeds 95%.
private let normalQuantile95 = 1.6448536269514722

func dailyLookChecks(repetitions: Int) -> [Check] {
  let setting = "p = 5%, 5,600 an arm, 28 looks"
  var (simulation, tally) = (DailyLooks(name: "daily looks", treatment: 0.05, control: 0.05), Tally())
  let obrienFleming = GroupSequentialDesign(looks: looks)
  let pocock = GroupSequentialDesign(looks: looks, spending: .pocock)
  let (sequence, share) = (AsymptoticSequence(), ConversionShare(allocation: [1, 1], concentration: 20))
  let unplanned = UnplannedConversion()
  for _ in 0..<repetitions {
    simulation.run { day, one, two in
      guard let test = pooledZTest(one, two) else { return }
      let isFixed = abs(test.z) > normalQuantile975
      tally.alarm("fixed", if: isFixed)
      tally.alarm("last", if: isFixed && day == DailyLooks.days - 1)
      tally.alarm("bayes", if: test.z > normalQuantile95)
      tally.alarm("bayes either", if: abs(test.z) > normalQuantile95)
      tally.alarm("obrien", if: abs(test.z) >= obrienFleming.bounds[day])
      tally.alarm("pocock", if: abs(test.z) >= pocock.bounds[day])
      tally.alarm("sequence", if: (sequence.look(one, two)?.p ?? 1) < 0.05)
      tally.alarm("share", if: share.logEValue([one.successes, two.successes]) > log(20))
      tally.alarm("unplanned", if: (unplanned.logEValue(treatment: one, control: two) ?? 0) > log(20))
    }
    tally.endRepetition()
  }
  func check(_ name: String, _ key: String, _ anchor: Double) -> Check {
    Check(
      name: name, setting: setting,
      outcome: .share(hits: tally[key], of: repetitions, anchor: anchor, anchored: 20_000))
  }
  return [
    check("fixed z, last look", "last", 0.0505), check("fixed z, every look (negative control)", "fixed", 0.27615),
    check("chance to win > 95%, any look (negative control)", "bayes", 0.2344),
    check("chance to win > 95% or < 5% (negative control)", "bayes either", 0.45895),
    check("Lan–DeMets O'Brien–Fleming", "obrien", 0.0518), check("Lan–DeMets Pocock", "pocock", 0.0508),
    check("asymptotic sequence, N* 5,000", "sequence", 0.0163),
    check("conversion share, k = 20", "share", 0.01465),
    Check(
      name: "conversion share, k = 20", setting: setting,
      outcome: .atMost(hits: tally["share"], of: repetitions, limit: 0.05)),
    Check(
      name: unplannedName, setting: setting,
      outcome: .atMost(hits: tally["unplanned"], of: repetitions, limit: 0.05)),
  ] + rareConversions(repetitions)
}

/// The rule behind the verdict of `experiment` without a plan, which is the default.
private let unplannedName = "experiment's own rule without a plan"

private func rareConversions(_ repetitions: Int) -> [Check] {
  let setting = "p = 0.5%, 5,600 an arm, 28 looks"
  var (simulation, tally) = (DailyLooks(name: "rare conversions", treatment: 0.005, control: 0.005), Tally())
  let (sequence, unplanned) = (AsymptoticSequence(), UnplannedConversion())
  for _ in 0..<repetitions {
    simulation.run { _, one, two in
      tally.alarm("sequence", if: (sequence.look(one, two)?.p ?? 1) < 0.05)
      tally.alarm("unplanned", if: (unplanned.logEValue(treatment: one, control: two) ?? 0) > log(20))
    }
    tally.endRepetition()
  }
  return [("asymptotic sequence, N* 5,000", "sequence"), (unplannedName, "unplanned")].map { name, key in
    Check(name: name, setting: setting, outcome: .atMost(hits: tally[key], of: repetitions, limit: 0.05))
  }
}

func dailyPowerChecks(repetitions: Int) -> [Check] {
  let setting = "5% to 6%, 5,600 an arm, 28 looks"
  var (simulation, tally) = (DailyLooks(name: "daily power", treatment: 0.06, control: 0.05), Tally())
  let obrienFleming = GroupSequentialDesign(looks: looks)
  let pocock = GroupSequentialDesign(looks: looks, spending: .pocock)
  let sequence = AsymptoticSequence()
  let shares = [20.0, 70].map { ConversionShare(allocation: [1, 1], concentration: $0) }
  for _ in 0..<repetitions {
    simulation.run { day, one, two in
      guard let test = pooledZTest(one, two) else { return }
      tally.alarm("last", if: day == DailyLooks.days - 1 && abs(test.z) > normalQuantile975)
      tally.alarm("obrien", if: abs(test.z) >= obrienFleming.bounds[day])
      tally.alarm("pocock", if: abs(test.z) >= pocock.bounds[day])
      tally.alarm("sequence", if: (sequence.look(one, two)?.p ?? 1) < 0.05)
      for share in shares {
        tally.alarm("share \(share.concentration)", if: share.logEValue([one.successes, two.successes]) > log(20))
      }
    }
    tally.endRepetition()
  }
  return [
    ("power of fixed z, last look", "last", 0.642), ("power of Lan–DeMets O'Brien–Fleming", "obrien", 0.62005),
    ("power of Lan–DeMets Pocock", "pocock", 0.5189), ("power of asymptotic sequence, N* 5,000", "sequence", 0.33085),
    ("power of conversion share, k = 20", "share 20.0", 0.2858),
    ("power of conversion share, k = 70", "share 70.0", 0.295),
  ].map { name, key, anchor in
    Check(
      name: name, setting: setting,
      outcome: .share(hits: tally[key], of: repetitions, anchor: anchor, anchored: 20_000))
  }
}
