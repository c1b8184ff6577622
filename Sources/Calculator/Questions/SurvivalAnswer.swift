internal import Statistics

/// The answer for one kind of event: Kaplan–Meier by group, and the log-rank test.
struct SurvivalAnswer {
  let question: SurvivalQuestion

  init(_ question: SurvivalQuestion) { self.question = question }

  private struct Group {
    var name: String
    var subjects: Int
    var events: Int
    var median: Double?
    var medianInterval: (low: Double?, high: Double?)
    /// The step at the horizon; `nil` before the first time.
    var step: KaplanMeier<Double>.Step?
    var restricted: (mean: Double, standardError: Double)
  }

  private func group(_ place: Int, _ members: [SurvivalRecord]) -> Group {
    let curve = KaplanMeier(members)
    let intervals = curve.steps.map { $0.logLogInterval(z: question.z) }
    func median(_ bound: (Interval) -> Double) -> Double? {
      KaplanMeier.median(of: zip(curve.steps, intervals).map { ($0.time, $1.map(bound)) })
    }
    return Group(
      name: question.name(place), subjects: members.count, events: members.count { $0.cause > 0 },
      median: curve.midpointMedian, medianInterval: (median(\.low), median(\.high)),
      step: curve.step(at: question.horizonUsed), restricted: curve.restrictedMean(horizon: question.horizonUsed))
  }

  var answer: Answer {
    let groups = question.members.enumerated().map { group($0, $1) }
    let horizon = question.text(ofTime: question.horizonUsed)
    var rows = [["group", "subjects", "events", "median", "S(\(horizon))", "mean within \(horizon)"]]
    rows += groups.map { group in
      [
        group.name, NumberText.count(Double(group.subjects)), NumberText.count(Double(group.events)),
        medianText(group), survivalText(group),
        NumberText.significant(group.restricted.mean, 4) + " ± "
          + NumberText.significant(question.z * group.restricted.standardError, 2),
      ]
    }
    var blocks = [AlignedBlock(alignments: [.left, .right, .right, .right, .right, .right], rows: rows)]
    let isCompared = groups.count >= 2
    let equal = isCompared ? logRankTest(question.table.records) : nil
    let petoPeto = isCompared ? logRankTest(question.table.records, weight: .petoPeto) : nil
    let testRows = [("log-rank", equal), ("Peto–Peto", petoPeto)].compactMap { name, test in test.map { row(name, $0) }
    }
    if !testRows.isEmpty { blocks.append(AlignedBlock(alignments: [.left, .right], rows: testRows)) }
    var fields: [String: JSONValue] = [
      "horizon": .number(question.horizonUsed), "confidence": .number(question.confidence),
      "groups": .array(groups.map(field)),
    ]
    if isCompared {
      fields["logrank"] = testField(equal)
      fields["peto_peto"] = testField(petoPeto)
    }
    return Answer(
      title: "Time to the event (Kaplan–Meier, log-log \(NumberText.level(question.confidence)) intervals)",
      blocks: blocks, reading: reading(groups, equal), fields: fields)
  }

  private func medianText(_ group: Group) -> String {
    func text(_ value: Double?) -> String { value.map(question.text) ?? "not reached" }
    return "\(text(group.median)) [\(text(group.medianInterval.low))–\(text(group.medianInterval.high))]"
  }

  private func survivalText(_ group: Group) -> String {
    let survival = group.step?.survival ?? 1
    let mark = group.step?.isSparse == true ? "*" : ""
    guard let interval = group.step?.logLogInterval(z: question.z) else {
      return NumberText.fixed(100 * survival, 1) + "%" + mark
    }
    return NumberText.rate(survival, interval) + mark
  }

  private func row(_ name: String, _ test: LogRankTest) -> [String] {
    [name, NumberText.significant(test.chiSquare, 4), "chi-square, \(test.degrees) df, p = \(NumberText.p(test.p))"]
  }

  private func testField(_ test: LogRankTest?) -> JSONValue {
    guard let test else { return .object(["reason": .string("not estimable: fewer than two groups are at risk")]) }
    return .object([
      "chi2": .number(test.chiSquare), "df": .number(Double(test.degrees)), "p": JSONValue(test.p),
      "observed": JSONValue(test.observed), "expected": JSONValue(test.expected),
    ])
  }

  private func field(_ group: Group) -> JSONValue {
    let interval = group.step?.logLogInterval(z: question.z)
    return .object([
      "group": .string(group.name), "subjects": .number(Double(group.subjects)),
      "events": .number(Double(group.events)), "median": JSONValue(group.median),
      "median_lower": JSONValue(group.medianInterval.low), "median_upper": JSONValue(group.medianInterval.high),
      "survival": .number(group.step?.survival ?? 1), "survival_lower": JSONValue(interval?.low),
      "survival_upper": JSONValue(interval?.high),
      "at_risk": .number(Double(group.step?.atRisk ?? group.subjects)),
      "restricted_mean": .number(group.restricted.mean), "restricted_mean_se": .number(group.restricted.standardError),
    ])
  }

  private func reading(_ groups: [Group], _ test: LogRankTest?) -> String {
    var sentences: [String] = []
    if groups.count < 2 {
      sentences.append(
        groups[0].median.map { "Half have had the event by \(question.text(ofTime: $0))." }
          ?? "Fewer than half have had the event within the time observed.")
    } else if let test {
      let isShown = test.p < 1 - question.confidence
      sentences.append(
        isShown
          ? "The groups differ in how soon the event comes (log-rank p = \(NumberText.p(test.p)))."
          : "No difference between the groups is shown (log-rank p = \(NumberText.p(test.p))).")
    } else {
      sentences.append("The groups cannot be compared: fewer than two are at risk of an event.")
    }
    if groups.contains(where: { $0.step?.isSparse == true }) {
      sentences.append("* Fewer than 10 were still at risk: the interval covers less than it claims.")
    }
    return sentences.joined(separator: " ")
  }
}
