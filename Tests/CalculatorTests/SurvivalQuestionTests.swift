import Calculator
import Testing

struct SurvivalQuestionTests {
  /// Remission of leukaemia, in weeks (Freireich 1963).
  private static let freireich: String = {
    let treated: [(Int, Int)] = [
      (6, 1), (6, 1), (6, 1), (6, 0), (7, 1), (9, 0), (10, 1), (10, 0), (11, 0), (13, 1), (16, 1), (17, 0), (19, 0),
      (20, 0), (22, 1), (23, 1), (25, 0), (32, 0), (32, 0), (34, 0), (35, 0),
    ]
    let placebo = [1, 1, 2, 2, 3, 4, 4, 5, 5, 8, 8, 8, 8, 11, 11, 12, 12, 15, 17, 22, 23]
    let lines = treated.map { "\($0.0),\($0.1),6-MP" } + placebo.map { "\($0),1,placebo" }
    return (["time,event,group"] + lines).joined(separator: "\n") + "\n"
  }()

  private func answer(_ csv: String, horizon: Double? = nil) throws -> Answer {
    SurvivalQuestion(table: try SurvivalTable(csv: csv), confidence: 0.95, horizon: horizon).answer
  }

  /// R `survival`: log-rank 16.79 (p = 4.17e-5); medians 23 and 8 with log-log intervals 13 to none and 4 to 11.
  @Test func freireichsTrial() throws {
    let text = try answer(Self.freireich, horizon: 10).text()
    #expect(text.contains("log-rank   16.79  chi-square, 1 df, p = 4.169e-5"), "\(text)")
    #expect(text.contains("23 [13–not reached]") && text.contains("8 [4–11]"), "\(text)")
    // ∏ over 6, 7, 10: 18/21 · 16/17 · 14/15 = 0.7529.
    #expect(text.contains("75.3% ["), "\(text)")
  }

  @Test func severalCausesAreCompetingRisks() throws {
    let csv = "time,event\n1,1\n2,2\n3,1\n4,0\n"
    let answer = try answer(csv, horizon: 3)
    // Nothing is censored by 3: 2 of 4 and 1 of 4.
    #expect(answer.text().contains("all           4      1       2  50.0% ["), "\(answer.text())")
    #expect(answer.json.contains(#""cause": 2"#) && answer.json.contains(#""incidence": 0.25"#))
  }

  @Test func columnsComeInAnyOrderAndQuoted() throws {
    let csv = "\u{FEFF}Group,\"note\",Event,Time\r\n\"a, \"\"b\"\"\",x,1,2.5\r\n\r\nc,\"two\nlines\",0,3\r\n"
    let json = try answer(csv).json
    #expect(json.contains(#""group": "a, \"b\"""#) && json.contains(#""group": "c""#))
  }

  @Test(arguments: [
    ("", "line 1: is empty"), ("a,b\n1,2\n", "line 1: has the columns a,b"), ("time,event\n", "line 2: is missing"),
    ("time,event\n1,1\nsoon,1\n", "line 3: time is \"soon\""), ("time,event\n-1,1\n", "line 2: time is \"-1\""),
    ("time,event\n1,yes\n", "line 2: event is \"yes\""), ("time,event\n1,1\n1\n", "line 3: has 1 cells"),
    ("time,event\nnan,1\n", "line 2: time is \"nan\""),
  ])
  func wrongLinesAreNamed(csv: String, words: String) {
    let error = #expect(throws: CalculatorError.self) { try SurvivalTable(csv: csv) }
    #expect(error?.description.hasPrefix(words) == true, "\(String(describing: error))")
  }
}
