internal import Statistics

/// The answer for competing causes: Aalen–Johansen by group and cause at the horizon, and Gray's tests.
struct IncidenceAnswer {
  let question: SurvivalQuestion

  init(_ question: SurvivalQuestion) { self.question = question }

  var answer: Answer {
    let (horizon, causes) = (question.horizonUsed, question.table.causes)
    var rows = [["group", "subjects", "cause", "events", "F(\(question.text(ofTime: horizon)))"]]
    var groups: [JSONValue] = []
    for (place, members) in question.members.enumerated() {
      let incidence = cumulativeIncidence(members, causes: causes, at: horizon)
      for cause in 1...causes {
        let (estimate, variance) = (incidence.estimates[cause - 1], incidence.variances[cause - 1])
        let interval = cloglogInterval(incidence: estimate, variance: variance, z: question.z)
        let events = Double(members.count { $0.cause == cause })
        rows.append([
          question.name(place), NumberText.count(Double(members.count)), "\(cause)", NumberText.count(events),
          interval.map { NumberText.rate(estimate, $0) } ?? NumberText.fixed(100 * estimate, 1) + "%",
        ])
        groups.append(
          .object(
            [
              "group": .string(question.name(place)), "subjects": .number(Double(members.count)),
              "cause": .number(Double(cause)), "events": .number(events), "incidence": .number(estimate),
              "variance": .number(variance),
            ].merging(JSONValue.bounds(interval)) { one, _ in one }))
      }
    }
    var blocks = [AlignedBlock(alignments: [.left, .right, .right, .right, .right], rows: rows)]
    var fields: [String: JSONValue] = [
      "horizon": .number(horizon), "confidence": .number(question.confidence), "incidences": .array(groups),
    ]
    var tests: [GrayTest?] = []
    if question.table.groups.count >= 2 {
      tests = (1...causes).map { grayTest(question.table.records, cause: $0) }
      fields["gray"] = .array(
        tests.map { test in
          guard let test else { return .null }
          return .object([
            "chi2": .number(test.chiSquare), "df": .number(Double(test.degrees)), "p": JSONValue(test.p),
          ])
        })
      let testRows = tests.enumerated().map { place, test -> [String] in
        guard let test else { return ["Gray, cause \(place + 1)", "–", "not estimable"] }
        return [
          "Gray, cause \(place + 1)", NumberText.significant(test.chiSquare, 4),
          "chi-square, \(test.degrees) df, p = \(NumberText.p(test.p))",
        ]
      }
      blocks.append(AlignedBlock(alignments: [.left, .right], rows: testRows))
    }
    return Answer(
      title: "Cumulative incidence of competing causes (Aalen–Johansen, cloglog "
        + "\(NumberText.level(question.confidence)) intervals)",
      blocks: blocks, reading: reading(tests), fields: fields)
  }

  private func reading(_ tests: [GrayTest?]) -> String {
    let known = tests.enumerated().compactMap { place, test in test.map { (cause: place + 1, p: $0.p) } }
    let shown = known.filter { $0.p < 1 - question.confidence }.map { "\($0.cause)" }
    if question.table.groups.count < 2 {
      return "F is the share ended by the cause by then; subjects last seen earlier are not counted as survivors."
    }
    if known.isEmpty { return "The groups cannot be compared: no cause has enough events." }
    if shown.isEmpty { return "No difference between the groups is shown for any cause (Gray's test)." }
    return "The groups differ in cause \(shown.joined(separator: ", ")) (Gray's test)."
  }
}
