internal import Lifecycle
internal import Statistics

/// The effect by day of data, each day with the interval that holds under daily looks.
enum OverTime {
  /// - Parameters:
  ///   - looks: Looks by treatment, oldest first.
  ///   - estimates: Returns the estimates of control and treatment at a look, by treatment and days before the as-of.
  static func points(
    asOf: Int64, treatments: [String], looks: [[DifferenceLook]], rules: ComparisonRules
  ) -> [OverTimePoint] {
    let readings = looks.enumerated().map { place, looks in self.readings(looks, rules.sequential(place + 1)) }
    let days = Set(looks.joined().map(\.daysBefore)).sorted(by: >)
    return days.map { day in
      OverTimePoint(
        instant: asOf - Int64(day) * Lifecycle.day,
        comparisons: treatments.indices.compactMap { place in
          guard let index = looks[place].lastIndex(where: { $0.daysBefore >= day }) else { return nil }
          let look = looks[place][index]
          return OverTimePoint.Comparison(
            variant: treatments[place], controlPersons: Int(look.controlUsers),
            treatmentPersons: Int(look.treatmentUsers), difference: look.estimate, sequential: readings[place][index])
        })
    }
  }

  private static func readings(_ looks: [DifferenceLook], _ rule: SequentialRule) -> [SequentialReading] {
    if rule.kind == .groupSequential { return rule.repeatedReadings(looks) }
    return looks.indices.map { index in
      let look = looks[index]
      return rule.reading(
        Array(looks[...index]), fixedP: look.z.map { NormalDistribution.twoSidedP($0) }
      ) { critical in
        Interval(around: look.estimate, half: critical * look.standardError)
      }
    }
  }
}

extension SequentialRule {
  /// Returns the repeated interval of each look of a group-sequential test.
  func repeatedReadings(_ looks: [DifferenceLook]) -> [SequentialReading] {
    let times = informationTimes(looks)
    let kept = looks.indices.filter { times[$0] != nil }
    let design = GroupSequentialDesign(looks: kept.compactMap { times[$0] }, alpha: alpha)
    return looks.indices.map { index in
      var reading = SequentialReading(method: .groupSequential)
      guard let place = kept.firstIndex(of: index) else {
        reading.reason = "no new information, or past the planned size"
        return reading
      }
      reading.informationFraction = times[index] ?? nil
      reading.interval = design.repeatedInterval(
        look: place, estimate: looks[index].estimate, standardError: looks[index].standardError)
      reading.isSignificant = abs(looks[index].z ?? 0) >= design.bounds[place]
      return reading
    }
  }
}
