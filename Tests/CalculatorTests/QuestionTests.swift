import Calculator
import Testing

struct QuestionTests {
  private func proportions(
    _ control: String, _ treatment: String, margin: Double? = nil
  ) throws -> Answer {
    try ProportionsQuestion(
      control: SuccessCount(control), treatment: SuccessCount(treatment), confidence: 0.95, margin: margin,
      plannedUsers: 5_000
    ).answer
  }

  /// Cookie Cats, day-7 retention: the published two-sided z test has p = 0.001554.
  @Test func cookieCats() throws {
    let answer = try proportions("8502/44700", "8279/45489")
    #expect(
      answer.text().hasPrefix(
        """
        Conversion of two arms, 95% intervals

        control    8,502  of  44,700  19.02% [18.66–19.39]  Wilson
        treatment  8,279  of  45,489  18.20% [17.85–18.56]  Wilson

        difference   −0.82 [−1.33 to −0.31]  points  Miettinen–Nurminen
        lift            −4.3 [−6.9 to −1.7]  %       Miettinen–Nurminen ratio
        p                          0.001554          two-sided score test of no difference
        """))
    #expect(answer.reading.hasPrefix("The treatment converts less than the control, by 0.82 percentage points"))
    #expect(answer.json.contains(#""p_two_sided": 0.00155"#) && answer.json.hasSuffix("}\n"))
  }

  @Test func whatCannotBeToldIsSaid() throws {
    let answer = try proportions("0/50", "0/50")
    #expect(answer.reading.hasPrefix("All outcomes are equal"))
    #expect(answer.json.contains(#""p_two_sided": null"#) && answer.json.contains("not estimable"))
    #expect(answer.text().contains("withheld until each arm has 50 users, 10 converted and 10 not"))
  }

  @Test(arguments: [
    ("500/1000", "505/1000", 0.1, "A loss of 10 points is ruled out"),
    ("500/1000", "300/1000", 0.1, "inferior by more than 10 points"),
    ("50/100", "48/100", 0.02, "undecided"),
  ])
  func aMarginHasThreeVerdicts(control: String, treatment: String, margin: Double, words: String) throws {
    #expect(try proportions(control, treatment, margin: margin).reading.contains(words))
  }

  @Test(arguments: ["5", "5/3", "1/0", "-1/3", "1/2/3", "a/b", "1.5/3", "/", "5/9999999999999"])
  func countsAreWholeAndInRange(text: String) {
    #expect(throws: CalculatorError.self) { try SuccessCount(text) }
  }

  /// SciPy 1.17: `binomtest(42, 180).proportion_ci(method=…)`: Wilson 0.17751 to 0.30030, exact 0.17364 to 0.30203.
  @Test func intervalsOfOneRate() throws {
    let answer = try IntervalQuestion(sample: SuccessCount("42/180"), confidence: 0.95).answer
    #expect(answer.text().contains("23.3% [17.8–30.0]  Wilson") && answer.text().contains("23.3% [17.4–30.2]  Clopper"))
  }

  /// Methods 2.12: 10% to 12% needs 3,841 users an arm; 28 O'Brien–Fleming looks need a few per cent more.
  @Test func sampleSizes() {
    let effect = PlannedEffect.rates(control: 0.1, treatment: 0.12)
    let once = SampleSizeQuestion(effect: effect, alpha: 0.05, power: 0.8, ratio: 1, looks: 1).answer
    #expect(once.text().contains("control    3,841  users") && once.text().contains("together   7,682  users"))
    let daily = SampleSizeQuestion(effect: effect, alpha: 0.05, power: 0.8, ratio: 1, looks: 28).answer
    #expect(daily.text().contains("% are the cost of 28 looks") && daily.json.contains(#""looks": 28"#))
  }

  @Test func durationCountsArrivalAndMaturity() {
    let answer = DurationQuestion(size: .users(7_682), usersPerDay: 400, maturity: 10).answer
    #expect(answer.json.contains(#""recruiting_days": 20"#) && answer.json.contains(#""total_days": 30"#))
    #expect(answer.reading.contains("round up to 35"))
  }

  /// Cookie Cats: χ² = 6.90, p = 0.0086, no alarm at 0.001.
  @Test func sampleRatios() {
    let fair = SampleRatioQuestion(observed: [44_700, 45_489], weights: [1, 1], alpha: 0.001).answer
    #expect(fair.text().contains("6.902  1 df, p = 0.008608") && fair.json.contains(#""alarm": false"#))
    let off = SampleRatioQuestion(observed: [4_000, 5_000], weights: [1, 1], alpha: 0.001).answer
    #expect(off.reading.hasPrefix("Users were not split as planned"))
    let leak = SampleRatioQuestion(observed: [3, 9, 1], weights: [1, 1, 0], alpha: 0.001).answer
    #expect(leak.json.contains(#""leak": true"#) && leak.json.contains(#""alarm": true"#))
    let few = SampleRatioQuestion(observed: [0, 8], weights: [1, 1], alpha: 0.001).answer
    // 2·(1/2)⁸.
    #expect(few.json.contains(#""p_exact": 0.0078125"#))
    let none = SampleRatioQuestion(observed: [0, 0], weights: [1, 1], alpha: 0.001).answer
    #expect(none.reading == "There are no users, so nothing can be said.")
  }
}
