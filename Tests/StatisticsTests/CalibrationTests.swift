import Foundation
import Statistics
import Testing

/// Error rates against the anchors of statistics.md, "Calibration".
///
/// With `TOLLGATE_CALIBRATE` set, 20,000 repetitions each and 3 standard errors; else a few hundred and 4. The rates
/// that have a theory are checked without simulation in ``GroupSequentialTests``.
struct CalibrationTests {
  static let isFull = ProcessInfo.processInfo.environment["TOLLGATE_CALIBRATE"] != nil
  static let repetitions = isFull ? 20_000 : 400

  /// Whether a simulated rate agrees with its anchor, itself simulated `anchored` times.
  static func agrees(_ hits: Int, _ anchor: Double, anchored: Double = 20_000) -> Bool {
    let (rate, count) = (Double(hits) / Double(repetitions), Double(repetitions))
    let error = (anchor * (1 - anchor) * (1 / count + 1 / anchored)).squareRoot()
    return abs(rate - anchor) <= (isFull ? 3 : 4) * error
  }

  /// 28 daily looks at 200 users an arm, p = 5 % in both: each method's rate of ever alarming.
  @Test func dailyLooksAtTwoEqualArms() {
    let day = BinomialSampler(trials: 200, rate: 0.05)
    let design = GroupSequentialDesign(looks: (1...28).map { Double($0) / 28 })
    let (sequence, share) = (AsymptoticSequence(), ConversionShare(allocation: [1, 1], concentration: 20))
    var (last, ever, bayes, group, always, process) = (0, 0, 0, 0, 0, 0)
    var draws = Draws(name: "daily looks")
    for _ in 0..<Self.repetitions {
      var (one, two) = (Proportion(successes: 0, trials: 0), Proportion(successes: 0, trials: 0))
      var alarmed = (ever: false, bayes: false, group: false, always: false, process: false)
      for look in 0..<28 {
        one = Proportion(successes: one.successes + day.draw(&draws), trials: one.trials + 200)
        two = Proportion(successes: two.successes + day.draw(&draws), trials: two.trials + 200)
        guard let test = pooledZTest(one, two) else { continue }
        let fixed = abs(test.z) > normalQuantile975
        if look == 27, fixed { last += 1 }
        alarmed.ever = alarmed.ever || fixed
        alarmed.bayes = alarmed.bayes || test.z > 1.6448536269514722
        alarmed.group = alarmed.group || abs(test.z) >= design.bounds[look]
        alarmed.always = alarmed.always || (sequence.look(one, two)?.p ?? 1) < 0.05
        alarmed.process = alarmed.process || share.logEValue([one.successes, two.successes]) > log(20)
      }
      ever += alarmed.ever ? 1 : 0
      bayes += alarmed.bayes ? 1 : 0
      group += alarmed.group ? 1 : 0
      always += alarmed.always ? 1 : 0
      process += alarmed.process ? 1 : 0
    }
    #expect(Self.agrees(last, 0.0505), "fixed z, last look: \(last)")
    #expect(Self.agrees(ever, 0.27615), "fixed z, every look: \(ever)")
    #expect(Self.agrees(bayes, 0.2344), "chance to win above 95 %: \(bayes)")
    #expect(Self.agrees(group, 0.0518), "group sequential: \(group)")
    #expect(Self.agrees(always, 0.0163), "asymptotic sequence: \(always)")
    #expect(Self.agrees(process, 0.01465), "conversion share: \(process)")
  }

  /// 28 daily looks at a fair split of 1,000 users a day.
  @Test func dailySampleRatioChecks() {
    let day = BinomialSampler(trials: 1_000, rate: 0.5)
    var (thousandth, hundredth, sequential) = (0, 0, 0)
    var draws = Draws(name: "sample ratio")
    for _ in 0..<Self.repetitions {
      var check = SequentialSampleRatio(weights: [1, 1])
      var least = 1.0
      for _ in 0..<28 {
        let first = day.draw(&draws)
        check.add([first, 1_000 - first])
        least = min(least, sampleRatioTest(observed: check.counts, weights: [1, 1]).p ?? 1)
      }
      thousandth += least < 0.001 ? 1 : 0
      hundredth += least < 0.01 ? 1 : 0
      sequential += check.isAlarmed() ? 1 : 0
    }
    #expect(Self.agrees(thousandth, 0.00936, anchored: 100_000), "p < 0.001: \(thousandth)")
    #expect(Self.agrees(hundredth, 0.07394, anchored: 100_000), "p < 0.01: \(hundredth)")
    #expect(Self.agrees(sequential, 0.00045, anchored: 40_000), "sequential: \(sequential)")
  }

  /// Trials of 7 days, 40 an arm started on each of 10 days, looked at on day 10: 40 % pay in both arms, and who does
  /// not cancels on days 1 to 2 in one of them, on days 1 to 6 in the other.
  @Test func cancellationTimingDoesNotFoolAalenJohansen() {
    var draws = Draws(name: "cancellations")
    var (hits, resolved, covered, sum) = (0, 0, 0, 0.0)
    for _ in 0..<Self.repetitions {
      func arm(early: Bool) -> [SurvivalRecord] {
        (0..<400).map { index in
          let followed = Double(1 + index / 40)
          let pays = draws.uniform() < 0.4
          let u = draws.uniform()
          let time = pays ? 7 : 1 + (u * (early ? 2 : 6)).rounded(.down)
          return followed < time
            ? SurvivalRecord(time: followed, cause: 0) : SurvivalRecord(time: time, cause: pays ? 1 : 2)
        }
      }
      let (control, treatment) = (arm(early: false), arm(early: true))
      let result = fixedHorizonDifference(treatment: treatment, control: control, at: 7)
      hits += (result.pLinear ?? 1) < 0.05 ? 1 : 0
      sum += result.control
      let variance = cumulativeIncidence(control, causes: 2, at: 7).variances[0]
      covered += abs(result.control - 0.4) <= normalQuantile975 * variance.squareRoot() ? 1 : 0
      func naive(_ records: [SurvivalRecord]) -> Proportion {
        let ended = records.filter { $0.cause > 0 }
        return Proportion(successes: Double(ended.count { $0.cause == 1 }), trials: Double(ended.count))
      }
      resolved += (pooledZTest(naive(treatment), naive(control))?.twoSidedP ?? 1) < 0.05 ? 1 : 0
    }
    #expect(Self.agrees(hits, 0.0513, anchored: 10_000), "Aalen-Johansen: \(hits)")
    #expect(Self.agrees(covered, 0.9478, anchored: 10_000), "interval: \(covered)")
    #expect(isClose(sum / Double(Self.repetitions), 0.4, within: 0.005))
    // The negative control: what is paid and resolved so far "finds" a difference far more often than 5 %.
    #expect(Double(resolved) > 0.15 * Double(Self.repetitions), "paid of resolved: \(resolved)")
  }

  /// Discrete daily hazards, 100 subjects, uniform censoring over 60 days: coverage of S(30), undefined a miss.
  @Test(arguments: [(0.004, 0.956), (0.02, 0.951), (0.1, 0.88215)])
  func logLogIntervalOfSurvival(hazard: Double, anchor: Double) {
    var draws = Draws(name: "hazard \(hazard)")
    let truth = pow(1 - hazard, 30)
    var covered = 0
    for _ in 0..<Self.repetitions {
      let records = (0..<100).map { _ in
        let event = 1 + (log(1 - draws.uniform()) / log(1 - hazard)).rounded(.down)
        let censored = 1 + (draws.uniform() * 60).rounded(.down)
        return event <= censored ? SurvivalRecord(time: event, cause: 1) : SurvivalRecord(time: censored, cause: 0)
      }
      let interval = KaplanMeier(records).step(at: 30)?.logLogInterval()
      covered += interval?.contains(truth) == true ? 1 : 0
    }
    #expect(Self.agrees(covered, anchor), "\(covered)")
  }

  /// Ten independent true nulls.
  @Test func familywiseErrorOfHolm() {
    var draws = Draws(name: "holm")
    var (holm, discoveries, plain) = (0, 0, 0)
    for _ in 0..<Self.repetitions {
      let values = (0..<10).map { _ -> Double? in draws.uniform() }
      func rejects(_ adjusted: [Double?]) -> Int { adjusted.contains { ($0 ?? 1) < 0.05 } ? 1 : 0 }
      holm += rejects(Adjustment.holm.adjusted(values))
      discoveries += rejects(Adjustment.benjaminiHochberg.adjusted(values))
      plain += rejects(values)
    }
    #expect(Self.agrees(holm, 0.0493, anchored: 200_000), "Holm: \(holm)")
    #expect(Self.agrees(discoveries, 0.0504, anchored: 200_000), "BH: \(discoveries)")
    #expect(Self.agrees(plain, 0.4001, anchored: 200_000), "unadjusted: \(plain)")
  }

  /// 200 users an arm, history and outcome correlated by ρ: size, and se′/se ≈ √(1 − ρ²).
  @Test(arguments: [(0.0, 0.051, 0.998), (0.5, 0.048, 0.864), (0.9, 0.052, 0.435)])
  func cupedHoldsItsSize(rho: Double, size: Double, ratio: Double) throws {
    var draws = Draws(name: "cuped \(rho)")
    var (hits, sum) = (0, 0.0)
    for _ in 0..<Self.repetitions {
      let users = (0..<400).map { _ in
        let before = draws.normal()
        return BeforeAfter(before: before, after: rho * before + (1 - rho * rho).squareRoot() * draws.normal())
      }
      let result = try #require(cupedTest(treatment: Array(users[..<200]), control: Array(users[200...])))
      hits += result.adjusted.twoSidedP < 0.05 ? 1 : 0
      sum += result.adjusted.standardError / result.unadjusted.standardError
    }
    #expect(Self.agrees(hits, size), "\(hits)")
    #expect(isClose(sum / Double(Self.repetitions), ratio, within: Self.isFull ? 0.002 : 0.005))
  }

  /// 3 % payers, lognormal(3, 1.2), 5,600 users an arm: Welch's size, and the one-arm interval that misses too often.
  @Test func welchOnRevenue() throws {
    let payers = BinomialSampler(trials: 5_600, rate: 0.03)
    let truth = 0.03 * exp(3 + 1.2 * 1.2 / 2)
    var draws = Draws(name: "revenue")
    var (hits, covered) = (0, 0)
    for _ in 0..<Self.repetitions {
      func arm() -> Moments {
        let count = Int(payers.draw(&draws))
        var moments = Moments(count: Double(5_600 - count), sum: 0, sumOfSquares: 0)
        moments.merge(Moments((0..<count).map { _ in exp(3 + 1.2 * draws.normal()) }))
        return moments
      }
      let (one, two) = (try #require(MeanArm(arm())), try #require(MeanArm(arm())))
      hits += try #require(welchTest(one, two)).twoSidedP < 0.05 ? 1 : 0
      covered += abs(one.mean - truth) <= normalQuantile975 * one.variance.squareRoot() ? 1 : 0
    }
    #expect(Self.agrees(hits, 0.04412, anchored: 8_000), "Welch: \(hits)")
    #expect(Self.agrees(covered, 0.91487, anchored: 8_000), "one arm: \(covered)")
  }
}

/// Draws one after the other from a counter-based generator.
struct Draws {
  private let generator: CounterGenerator
  private var place: UInt64 = 0

  init(name: String) { generator = CounterGenerator(name: name) }

  mutating func uniform() -> Double {
    place += 1
    return generator.uniform(at: place)
  }

  /// Box & Muller; one of the two is thrown away.
  mutating func normal() -> Double {
    let radius = (-2 * log(1 - uniform())).squareRoot()
    return radius * cos(2 * .pi * uniform())
  }
}

/// Binomial draws by inversion of a table.
struct BinomialSampler {
  private let cumulated: [Double]

  init(trials: Int, rate: Double) {
    let law = BinomialDistribution(trials: Double(trials), probability: rate)
    var sum = 0.0
    cumulated = (0...trials).map { count in
      sum += law.probability(of: Double(count))
      return sum
    }
  }

  func draw(_ draws: inout Draws) -> Double {
    let u = draws.uniform()
    var (low, high) = (0, cumulated.count - 1)
    while low < high {
      let middle = (low + high) / 2
      if cumulated[middle] > u { high = middle } else { low = middle + 1 }
    }
    return Double(low)
  }
}
