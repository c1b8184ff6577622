internal import Statistics

/// A difference as seen by one daily look.
struct DifferenceLook {
  /// Days before the as-of.
  var daysBefore: Int
  var estimate: Double
  var standardError: Double
  /// The fixed test's statistic; `nil` without variation.
  var z: Double?
  var treatmentUsers: Double
  var controlUsers: Double
  /// Users with an outcome other than 0.
  var treatmentEvents: Double
  var controlEvents: Double

  var users: Double { treatmentUsers + controlUsers }
}

/// The rule by which looks may end an experiment (Methods.md, "Defaults").
struct SequentialRule {
  enum Kind {
    case alwaysValid
    case groupSequential
    case once
    /// One look, which is still to come: nothing is read (D4.3).
    case notYet
  }

  var kind: Kind
  /// α of one comparison's interval, adjusted for the family (D2.4).
  var alpha: Double
  /// The plan's α, on which ρ² and p are based (D2.4).
  var planAlpha: Double
  /// Planned users of the two arms together, frozen at the start; 5,000 without a plan.
  var plannedUnits: Double
  /// Returns the share of the planned information at a look, from the look's users and days; a fraction of 1.
  var informationFraction: (DifferenceLook) -> Double?
  /// The planned shares of control and treatment.
  var allocation: [Double]
  /// Whether users with an outcome arrive one by one, so that the arm of each is a coin toss.
  var countsConversions: Bool

  /// Planned conversions without a plan: 10% of 5,000 users.
  private static let plannedConversions = 500.0
  /// The least new information of a look; looks with less are skipped. Daily looks over four weeks all count.
  private static let leastStep = 1 / 32.0

  /// - Parameters:
  ///   - looks: Oldest first; the last is now.
  ///   - interval: Returns the interval of the last look's difference at a critical value.
  ///   - fixedP: p of the last look alone.
  func reading(
    _ looks: [DifferenceLook], fixedP: Double?, interval: (Double) -> Interval?
  ) -> SequentialReading {
    guard let last = looks.last else {
      var reading = SequentialReading(method: .none)
      reading.reason = "no analysed user in one of the variants"
      return reading
    }
    switch kind {
    case .once: return single(fixedP: fixedP, interval: interval)
    case .notYet:
      var reading = SequentialReading(method: .none)
      reading.reason = "planned for one look at a size that is not reached"
      return reading
    case .groupSequential: return groupSequential(looks, interval: interval)
    case .alwaysValid:
      if isLargeEnough(last) { return asymptotic(looks) }
      return countsConversions ? conversionShare(looks) : tooSmall(.asymptoticSequence)
    }
  }

  /// Returns whether both arms of a look are ready by `AsymptoticSequence.isReady`.
  private func isLargeEnough(_ look: DifferenceLook) -> Bool {
    func isReady(_ users: Double, _ events: Double) -> Bool {
      AsymptoticSequence.isReady(users: users, with: events, without: countsConversions ? users - events : nil)
    }
    return isReady(look.treatmentUsers, look.treatmentEvents) && isReady(look.controlUsers, look.controlEvents)
  }

  private func tooSmall(_ method: SequentialReading.Method) -> SequentialReading {
    var reading = SequentialReading(method: method)
    reading.isWithheld = true
    reading.reason = Self.tooFew
    return reading
  }

  static let tooFew = "fewer than 50 users, or fewer than 10 with or without the outcome, in a variant"

  private func single(fixedP: Double?, interval: (Double) -> Interval?) -> SequentialReading {
    var reading = SequentialReading(method: .once)
    let critical = NormalDistribution.upperQuantile(alpha / 2)
    reading.interval = interval(critical)
    reading.criticalValue = critical
    reading.p = fixedP
    reading.isSignificant = fixedP.map { $0 < alpha } ?? false
    if fixedP == nil { reading.reason = "nothing varies" }
    return reading
  }

  /// Returns the reading of a confidence sequence. Looks at which it was withheld use the share of conversions, so that
  /// p never rises.
  private func asymptotic(_ looks: [DifferenceLook]) -> SequentialReading {
    let sequence = AsymptoticSequence(plannedUnits: plannedUnits, alpha: planAlpha)
    let process = countsConversions ? conversionProcess : nil
    var reading = SequentialReading(method: .asymptoticSequence)
    var p = AlwaysValidP()
    // A bound stays crossed only in its own direction (D1.3), so that of now has a p of its own.
    let isUp = (looks.last?.estimate ?? 0) > 0
    var (own, ownEstimate) = (AlwaysValidP(), Double?.none)
    func add(_ look: DifferenceLook, logEValue: Double) {
      if p.look(logEValue: logEValue) { reading.decidingEstimate = look.estimate }
      if (look.estimate > 0) == isUp, own.look(logEValue: logEValue) { ownEstimate = look.estimate }
    }
    for look in looks {
      guard isLargeEnough(look) else {
        if let process { add(look, logEValue: process.logEValue([look.controlEvents, look.treatmentEvents])) }
        continue
      }
      guard
        let found = sequence.look(estimate: look.estimate, standardError: look.standardError, units: look.users)
      else { continue }
      add(look, logEValue: found.logEValue)
      let critical = sequence.criticalValue(units: look.users, alpha: alpha)
      reading.criticalValue = critical
      reading.interval = Interval(around: look.estimate, half: critical * look.standardError)
      reading.p = p.value
    }
    if own.value < alpha, let ownEstimate, reading.p != nil {
      (p, reading.p, reading.decidingEstimate) = (own, own.value, ownEstimate)
    }
    reading.isSignificant = p.value < alpha
    if reading.interval == nil {
      reading.isWithheld = true
      reading.reason = "nothing varies"
    }
    return reading
  }

  private var conversionProcess: ConversionShare {
    ConversionShare(
      allocation: allocation,
      concentration: ConversionShare.tunedConcentration(plannedConversions: Self.plannedConversions, alpha: planAlpha))
  }

  private func conversionShare(_ looks: [DifferenceLook]) -> SequentialReading {
    var reading = tooSmall(.conversionShare)
    guard let last = looks.last, last.treatmentEvents + last.controlEvents > 0 else {
      reading.reason = "no user has the outcome"
      return reading
    }
    let process = conversionProcess
    var p = AlwaysValidP()
    for look in looks {
      // Compares with the expected coin toss of the planned shares.
      if p.look(logEValue: process.logEValue([look.controlEvents, look.treatmentEvents])) {
        reading.decidingEstimate = look.treatmentEvents * allocation[0] - look.controlEvents * allocation[1]
      }
    }
    reading.p = p.value
    reading.isSignificant = p.value < alpha
    return reading
  }

  /// Returns the information fraction of each look that counts: looks with enough new information, up to the first that
  /// reaches the plan. Later looks decide nothing.
  func informationTimes(_ looks: [DifferenceLook]) -> [Double?] {
    var before = 0.0
    return looks.map { look in
      guard before < 1, look.z != nil, let time = informationFraction(look),
        time - before >= Self.leastStep || time >= 1
      else { return nil }
      before = time
      return time
    }
  }

  private func groupSequential(_ looks: [DifferenceLook], interval: (Double) -> Interval?) -> SequentialReading {
    var reading = SequentialReading(method: .groupSequential)
    let kept = zip(looks, informationTimes(looks)).compactMap { look, time in
      time.flatMap { time in look.z.map { z in (look: look, time: time, z: z) } }
    }
    guard let now = kept.last else { return tooSmall(.groupSequential) }
    let design = GroupSequentialDesign(looks: kept.map(\.time), alpha: alpha)
    reading.informationFraction = now.time
    reading.criticalValue = design.bounds[kept.count - 1]
    let crossed = kept.indices.first { abs(kept[$0].z) >= design.bounds[$0] }
    let stop = crossed ?? (now.time >= 1 ? kept.count - 1 : nil)
    if let stop {
      let (look, z) = (kept[stop].look, kept[stop].z)
      let error = z == 0 ? look.standardError : look.estimate / z
      let inference = design.inferenceAfterStopping(
        look: stop, z: z, standardError: error, confidence: 1 - alpha)
      reading.p = inference.twoSidedP
      reading.interval = inference.interval
      reading.medianUnbiasedEstimate = inference.medianUnbiasedEstimate
      reading.stoppedDaysBefore = look.daysBefore
      reading.stoppedInformationFraction = kept[stop].time
      reading.decidingEstimate = look.estimate
      reading.isSignificant = crossed != nil
    } else {
      reading.interval = interval(design.bounds[kept.count - 1])
      reading.reason = "the planned size is not reached"
    }
    return reading
  }
}
