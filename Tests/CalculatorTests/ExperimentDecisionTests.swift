import Calculator
import Foundation
import Testing

/// Tests `experiment_decision` and related methods on worked examples, and on properties of every decision.
///
/// Interval ends were computed by mpmath at 40 digits from D2.1 and D2.2.
/// `Tests/Acceptance/Oracle/decisions.py` compares random requests.
struct ExperimentDecisionTests {
  private static func object(_ text: String) throws -> JSONValue {
    try JSONDecoder().decode(DecodedJSON.self, from: Data(text.utf8)).value
  }

  private static func decide(_ input: String) throws -> Decided {
    Decided(fields: try Calculator.result(method: "experiment_decision", input: object(input)))
  }

  private struct Decided {
    var fields: [String: JSONValue]

    func text(_ name: String) -> String? {
      if case .string(let text)? = fields[name] { text } else { nil }
    }

    var summary: [String?] { [text("decision"), text("variant"), text("reason"), text("next")] }

    func number(_ name: String) -> Double? {
      if case .number(let value)? = fields[name] { value } else { nil }
    }

    /// Ends of one treatment's intervals, in the order of the fields below.
    func ends(_ place: Int = 0) -> [Double?] {
      guard case .array(let arms)? = fields["arms"], case .object(let arm) = arms[place] else { return [] }
      return ["difference_low", "difference_high", "lift_low", "lift_high"].map { name in
        if case .number(let value)? = arm[name] { value } else { nil }
      }
    }
  }

  private func expect(
    _ ends: [Double?], _ expected: [Double], sourceLocation: SourceLocation = #_sourceLocation
  ) {
    #expect(
      ends.count == expected.count && zip(ends, expected).allSatisfy { abs(($0 ?? .infinity) - $1) < 1e-12 },
      "\(ends)", sourceLocation: sourceLocation)
  }

  /// Worked example 1: +4.4 pp (+2.0 to +6.8); revenue +0.44 (+0.20 to +0.67).
  @Test func clearWinner() throws {
    let found = try Self.decide(
      """
      {"control": {"n": 3000, "x": 240}, "treatments": [{"name": "b", "n": 3000, "x": 372}],
       "money": {"b": {"difference": 0.44, "se": 0.0774, "n": 6000}}}
      """)
    #expect(found.summary == ["ship", "b", "primary", nil] && found.fields["days_more"] == nil)
    expect(found.ends(), [0.020333225787131581, 0.067666774212868419, 0.22555772835180012, 0.98803790258478666])
  }

  /// Worked example 2: −4.0 pp (−6.2 to −1.8).
  @Test func clearLoser() throws {
    let found = try Self.decide(
      #"{"control": {"n": 3000, "x": 330}, "treatments": [{"name": "b", "n": 3000, "x": 210}]}"#)
    #expect(found.summary == ["do_not_ship", "b", "primary", "keep_control"])
    expect(found.ends(), [-0.062383607506332387, -0.017616392493667613, -0.51339047596393352, -0.18142269620013624])
  }

  /// Worked example 3: −6.6 pp (−10.2 to −3.0); 52% and 82% of trials cancelled, +22 to +48 pp.
  @Test func winsTrialsAndLosesPaid() throws {
    let found = try Self.decide(
      #"{"control": {"n": 1400, "x": 200}, "treatments": [{"name": "free_week", "n": 1400, "x": 108}]}"#)
    #expect(found.summary == ["do_not_ship", "free_week", "primary", "keep_control"])
    expect(found.ends(), [-0.10180164642576872, -0.029626925002802707, -0.63022916560952757, -0.2443582351788361])
    let trials = Decided(
      fields: try Calculator.result(
        method: "trial_conditional",
        input: Self.object(
          """
          {"control": {"n": 1400, "trials": 290, "cancelled": 150},
           "treatment": {"n": 1400, "trials": 412, "cancelled": 337}}
          """)))
    expect(
      ["rate_control", "rate_treatment", "composition_low", "composition_high"].map(trials.number),
      [150.0 / 290, 337.0 / 412, 65.0 / 290, 140.0 / 290])
  }

  /// Worked example 4: −7.2 to +8.8%.
  @Test func equivalence() throws {
    let found = try Self.decide(
      #"{"control": {"n": 7000, "x": 2100}, "treatments": [{"name": "b", "n": 7000, "x": 2110}]}"#)
    #expect(found.summary == ["no_difference", "b", "primary", "keep_control"])
    expect(found.ends(), [-0.022522174921618742, 0.025379317778761599, -0.072247858182427475, 0.08818752595928308])
  }

  /// Worked example 5: −26 to +89%, 131,054 users; ⌈(131,054 − 3,000) ÷ 54⌉ + 14 days. Without traffic there is no
  /// duration.
  @Test func underpowered() throws {
    let input =
      #"{"control": {"n": 1507, "x": 81}, "treatments": [{"name": "b", "n": 1493, "x": 94}], "persons_a_day": TRAFFIC}"#
    let found = try Self.decide(input.replacing("TRAFFIC", with: "54"))
    #expect(found.summary == ["undecided", "b", "primary", "stop"])
    #expect(found.number("persons_needed") == 131_054 && found.number("days_more") == 2_386)
    expect(found.ends(), [-0.016987873856532871, 0.035410497282554149, -0.26194195463188568, 0.89261150158708015])
    let timeless = try Self.decide(input.replacing("TRAFFIC", with: "null"))
    #expect(timeless.text("next") == nil && timeless.fields["days_more"] == nil)
    #expect(try Self.decide(input.replacing("TRAFFIC", with: "9000")).text("next") == "wait")
  }

  /// Worked example 6.
  @Test(arguments: ["true", #""failed""#, "1e-12"])
  func sampleRatioMismatch(check: String) throws {
    let found = try Self.decide(
      """
      {"control": {"n": 2700, "x": 270}, "treatments": [{"name": "b", "n": 2200, "x": 330}], "sample_ratio": \(check)}
      """)
    #expect(found.summary == ["none", nil, "sample_ratio", "fix"] && found.fields["variant"] == .null)
  }

  /// Worked example 7: +3.6 pp (+1.3 to +6.0), at α/2 each.
  @Test func threeArms() throws {
    let found = try Self.decide(
      """
      {"control": {"n": 4000, "x": 400},
       "treatments": [{"name": "b", "n": 4000, "x": 545}, {"name": "c", "n": 4000, "x": 430}]}
      """)
    #expect(found.summary == ["ship", "b", "primary", nil] && found.number("persons_needed") == 106_009)
    expect(found.ends(0), [0.012589386178917386, 0.059910613821082614, 0.11386078707281095, 0.67889084267939763])
    expect(found.ends(1), [-0.014887894631636076, 0.029887894631636076, -0.13481326556456688, 0.33826867986447457])
  }

  /// Worked example 8: N* is the planned size; 74,712 users take 250 days, too long to start again.
  @Test func endedEarly() throws {
    let found = try Self.decide(
      """
      {"control": {"n": 1500, "x": 120}, "treatments": [{"name": "b", "n": 1500, "x": 150}], "n_star": 24000,
       "persons_a_day": 300, "ended": true}
      """)
    #expect(found.summary == ["undecided", "b", "primary", "stop"] && found.number("persons_needed") == 74_712)
    expect(found.ends(), [-0.018250833049885319, 0.058250833049885319, -0.18965976245222609, 0.9762559254131287])
  }

  /// D1.4, D1.6: c(6,000) = 3.0367 (mpmath) times se against the estimate.
  @Test(arguments: [
    (-0.31, 0.1, "do_not_ship", "watched:revenue", "keep_control"),
    (-0.30, 0.1, "undecided", "watched_open:revenue", "keep_control"), (0.001, 0.1, "ship", "primary", nil),
    (-5, 0, "ship", "primary", nil),
  ])
  func moneyWatches(difference: Double, error: Double, decision: String, reason: String, next: String?) throws {
    let found = try Self.decide(
      """
      {"control": {"n": 3000, "x": 240}, "treatments": [{"name": "b", "n": 3000, "x": 372}], "persons_a_day": 10,
       "money": {"b": {"difference": \(difference), "se": \(error), "n": 6000}}}
      """)
    #expect(found.summary == [decision, "b", reason, next])
  }

  /// D2.3: no interval, no p value, and no claim of equality.
  @Test(arguments: [
    (#"{"n": 49, "x": 20}"#, #""n": 100, "x": 20"#), (#"{"n": 900, "x": 30}"#, #""n": 900, "x": 9"#),
    (#"{"n": 900, "x": 891}"#, #""n": 900, "x": 800"#), (#"{"n": 900, "x": 0}"#, #""n": 900, "x": 0"#),
    (#"{"n": 0, "x": 0}"#, #""n": 900, "x": 90"#),
    (#"{"n": 900, "mean": 2, "variance": 30, "payers": 9}"#, #""n": 900, "mean": 3, "variance": 30, "payers": 40"#),
    (#"{"n": 900, "mean": 2, "variance": 0, "payers": 900}"#, #""n": 900, "mean": 2, "variance": 0, "payers": 900"#),
  ])
  func withheldIsTooFew(control: String, treatment: String) throws {
    let found = try Self.decide(#"{"control": \#(control), "treatments": [{"name": "b", \#(treatment)}]}"#)
    #expect(found.summary == ["undecided", "b", "too_few", nil] && found.ends() == [nil, nil, nil, nil])
  }

  @Test func lessIsBetterWhereItIsSaid() throws {
    let found = try Self.decide(
      """
      {"control": {"n": 3000, "x": 330}, "treatments": [{"name": "b", "n": 3000, "x": 210}], "direction": "down"}
      """)
    #expect(found.summary == ["ship", "b", "primary", nil])
    expect(found.ends(), [-0.062383607506332387, -0.017616392493667613, -0.51339047596393352, -0.18142269620013624])
  }

  /// A larger `minimum_lift` never reopens a settled question, and `no_difference` has both ends within the margin.
  @Test(arguments: [100.0, 2_100, 3_500, 6_800])
  func aWiderMarginKeepsNoDifference(control: Double) throws {
    for treatment in stride(from: control * 0.9, through: control * 1.1, by: control / 50) {
      var wasSame = false
      for margin in [0.01, 0.03, 0.07, 0.08, 0.09, 0.1, 0.2, 0.5, 0.9] {
        let found = try Self.decide(
          """
          {"control": {"n": 7000, "x": \(control)}, "minimum_lift": \(margin),
           "treatments": [{"name": "b", "n": 7000, "x": \(min(7_000, treatment.rounded()))}]}
          """)
        let isSame = found.text("decision") == "no_difference"
        #expect(isSame || !wasSame, "\(control) \(treatment) \(margin)")
        if isSame { #expect(found.ends()[2]! > -margin && found.ends()[3]! < margin) }
        wasSame = isSame
      }
    }
  }

  @Test func renamingArmsChangesNoNumber() throws {
    let input =
      """
      {"control": {"n": 4000, "x": 400}, "persons_a_day": 40,
       "treatments": [{"name": "FIRST", "n": 4000, "x": 421}, {"name": "SECOND", "n": 4000, "x": 445}]}
      """
    func text(_ first: String, _ second: String) throws -> String {
      JSONValue.object(
        try Self.decide(input.replacing("FIRST", with: first).replacing("SECOND", with: second)).fields
      ).text.replacing("\"\(first)\"", with: "\"1\"").replacing("\"\(second)\"", with: "\"2\"")
    }
    #expect(try text("b", "c") == text("zulu", "alpha"))
  }

  @Test func nothingToCompare() throws {
    let found = try Self.decide(#"{"control": {"n": 4000, "x": 400}, "treatments": []}"#)
    #expect(found.summary == ["none", nil, "nothing_to_compare", "fix"])
  }

  @Test(arguments: [
    (#"{"control": {"n": 9}, "treatments": []}"#, "input.control must have x, or mean and variance"),
    (#"{"control": {"n": 9, "x": 10}, "treatments": []}"#, "input.control.x is 10, but must be at most"),
    (#"{"control": {"n": 9, "x": 1}}"#, "input.treatments is missing, but must be a list of objects"),
    (#"{"control": {"n": 9, "x": 1}, "treatments": [{"n": 9, "x": 1}]}"#, "treatments[0].name is missing"),
    (
      #"{"control": {"n": 9, "x": 1}, "treatments": [{"name": "b", "n": 9, "mean": 1, "variance": 1}]}"#,
      "arms must all have x, or all have mean and variance"
    ),
    (
      #"{"control": {"n": 9, "x": 1, "share": 0.5}, "treatments": [{"name": "b", "n": 9, "x": 1}]}"#,
      "arms must all have a share, or none"
    ),
    (
      #"{"control": {"n": 9, "x": 1}, "treatments": [{"name": "b", "n": 9, "x": 1}, {"name": "b", "n": 9, "x": 1}]}"#,
      "must have names of their own"
    ),
    (#"{"control": {"n": 9, "x": 1}, "treatments": [], "direction": "left"}"#, #"must be "up" or "down""#),
    (#"{"control": {"n": 9, "x": 1}, "treatments": [], "money": {"b": {}}}"#, #""b", which is not a treatment"#),
    (#"{"control": {"n": 9, "x": 1}, "treatments": [], "sample_ratio": 3}"#, "input.sample_ratio is 3"),
    (#"{"control": {"n": 9, "x": 1}, "treatments": [], "minimum_lift": 0}"#, "input.minimum_lift is 0"),
    (#"{"control": {"n": 9, "x": 1}, "treatments": [], "ended": 1}"#, "input.ended is 1, but must be true or false"),
  ])
  func wrongInputIsNamed(input: String, words: String) {
    #expect {
      try Self.decide(input)
    } throws: {
      "\($0)".contains(words)
    }
  }

  /// A request for each method in Methods.md, "Decisions".
  @Test(arguments: [
    #"{"method":"experiment_decision","input":{"control":{"n":1507,"x":81},"treatments":[{"name":"b","n":1493,"x":94}],"persons_a_day":54}}"#,
    #"{"method":"trial_conditional","input":{"control":{"n":1400,"trials":290,"cancelled":150},"treatment":{"n":1400,"trials":412,"cancelled":337}}}"#,
    #"{"method":"annual_impact","input":{"difference":0.44,"se":0.08,"critical":3.04,"persons_by_day":[131,140,128,150,171,160,118,139,137,125,148,168,172,121]}}"#,
    #"{"method":"interaction","input":{"segments":[{"n0":1000,"x0":80,"n1":1000,"x1":131},{"n0":2000,"x0":160,"n1":2000,"x1":241}]}}"#,
    #"{"method":"cohort_trend","input":{"weeks":[{"n0":500,"x0":40,"n1":510,"x1":70},{"n0":480,"x0":41,"n1":470,"x1":55},{"n0":505,"x0":39,"n1":520,"x1":52}]}}"#,
    #"{"method":"shrunken_effects","input":{"log_lift":[0.2,-0.05,0.4],"se":[0.1,0.08,0.15],"shipped":[true,false,true]}}"#,
    #"{"method":"chance_best","input":{"arms":[{"n":4000,"x":400},{"n":4000,"x":545},{"n":4000,"x":430}]}}"#,
  ])
  func methodsAnswer(line: String) {
    #expect(Calculator.answer(line: line).contains(#""result""#))
  }
}
