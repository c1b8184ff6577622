import Testing

@testable import Calculator

struct CalculatorTests {
  @Test func answersARequestWithItsId() {
    let line = #"{"id": "a-1", "method": "wilson", "input": {"x": 0, "n": 0}}"#
    #expect(
      Calculator.answer(line: line)
        == #"{"id": "a-1", "result": {"lower": null, "reason": "not estimable: no trials", "upper": null}}"#)
    #expect(
      Calculator.answer(
        line: #"{"id": 7, "method": "exact_binomial", "input": {"observed": [0, 10], "weights": [1, 1]}}"#
      )
      .hasPrefix(#"{"id": 7, "result": {"p": 0.00195312"#))
  }

  @Test func saysThatAnUnknownMethodIsNotOffered() {
    #expect(
      Calculator.answer(line: #"{"id": 1, "method": "guess", "input": {}}"#)
        == #"{"id": 1, "error": "method \"guess\" is unknown; `tollgate calc --help` lists the methods"}"#)
  }

  @Test(arguments: ["", "nonsense", "[1", #"{"id": 1"#, "[]", "3", #"{"method": 4}"#, #"{"method": "wilson"}"#])
  func answersWhatIsNoRequestWithAnError(line: String) {
    #expect(Calculator.answer(line: line).hasPrefix(#"{"id": null, "error": ""#))
  }

  @Test(arguments: Calculator.methods.keys)
  func refusesAnEmptyInput(method: String) {
    #expect(throws: CalculatorError.self) { try Calculator.result(method: method, input: .object([:])) }
  }

  @Test func namesTheFieldAndItsRange() {
    let line = #"{"id": 1, "method": "wilson", "input": {"x": 5, "n": 3}}"#
    #expect(Calculator.answer(line: line) == #"{"id": 1, "error": "input.x is 5, but must be at most input.n, 3.0"}"#)
    let missing = #"{"id": 1, "method": "wilson", "input": {"n": 3}}"#
    #expect(Calculator.answer(line: missing) == #"{"id": 1, "error": "input.x is missing, but must be a number"}"#)
  }

  @Test func writesAnInfiniteBoundAsAWord() throws {
    let input: JSONValue = .object(["x1": .number(20), "n1": .number(100), "x2": .number(0), "n2": .number(100)])
    let result = try Calculator.result(method: "miettinen_nurminen_ratio", input: input)
    #expect(result["ratio_upper"] == .string("inf"))
  }

  @Test func nobodyEndedIsAnAnswerToo() throws {
    let input = #"{"time": [1, 2], "status": [0, 0], "group": [1, 2], "times": [1], "tau": 1}"#
    for method in ["aalen_johansen", "gray_test", "fixed_horizon_difference_cause1", "logrank", "kaplan_meier_log_log"]
    {
      let answer = Calculator.answer(line: #"{"id": 1, "method": "\#(method)", "input": \#(input)}"#)
      #expect(answer.hasPrefix(#"{"id": 1, "result": {"#), "\(answer)")
    }
    let flat = Calculator.answer(line: #"{"id": 1, "method": "moments_skewness", "input": {"data": [2, 2]}}"#)
    #expect(flat.contains("not estimable from this input: kohavi_min_n_355s2, skewness_g1"), "\(flat)")
  }

  @Test func readsAndWritesEscapes() {
    let line = #"{"id": "a\"\\\n\u00e9\ud83d\ude00", "method": "x", "input": {}}"#
    #expect(Calculator.answer(line: line).hasPrefix(#"{"id": "a\"\\\né😀", "error""#))
  }

  /// Numbers outside a method's range are refused with the name of the field.
  @Test(arguments: ["1e308", "-1e308", "5e-324", "null", "\"x\"", "[]", "{}", "true"])
  func refusesOrAnswersAnyValue(value: String) {
    for method in Calculator.methods.keys {
      let fields = ["x", "n", "a", "b", "p", "df", "t", "x1", "n1", "x2", "n2", "alpha", "tau", "n_star", "k"]
      let input = fields.map { #""\#($0)": \#(value)"# }.joined(separator: ", ")
      let answer = Calculator.answer(line: #"{"id": 1, "method": "\#(method)", "input": {\#(input)}}"#)
      #expect(answer.hasPrefix(#"{"id": 1, "#))
    }
  }
}
