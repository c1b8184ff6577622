import EventModel
import Foundation
import Metrics
import Statistics

/// A program of tests in sentences, the most important first.
struct ProgramText {
  let report: ProgramReport

  init(_ report: ProgramReport) { self.report = report }

  var sentences: [String] { [sum] + money + limits + rates + kinds + next }

  /// The total of the shipped tests (Program.md, "The correction").
  private var sum: String {
    guard let shipped = report.shipped else {
      return report.tests.contains(where: \.isShipped)
        ? "No effect of a shipped test is known yet, so there is nothing to add up."
        : "No test is recorded as shipped: add the day to the plan of a shipped test (shipped_on)."
    }
    let bounds = "\(Self.lift(shipped.interval.low, unit: "")) to \(Self.lift(shipped.interval.high))"
    let rest =
      shipped.withoutEffect == 0
      ? ""
      : " The effect of \(shipped.withoutEffect) of \(shipped.tests) shipped tests is not known, so it is left out."
    return "Shipped lifts add up to \(Self.lift(shipped.measured)) as measured, \(Self.lift(shipped.corrected)) "
      + "(\(bounds)) after correction.\(rest)"
  }

  private var money: [String] {
    guard let shipped = report.shipped, !shipped.annual.isEmpty else { return [] }
    let amounts = shipped.annual.map { "\(Self.amount($0.value)) \(visible($0.currency))" }
    return [
      "A year, after correction: \(amounts.joined(separator: " and ")) of first-30-day revenue of a year's new users."
    ]
  }

  /// The limits of the total (Program.md, "Pitfalls"); empty without a total.
  private var limits: [String] {
    report.shipped == nil
      ? [] : ["This sum assumes that effects last and that tests do not interact; only a holdout group can check that."]
  }

  /// The win rate and the learning rate (Program.md, "Rates").
  private var rates: [String] {
    [rate("Win rate", report.wins, "shipped"), rate("Learning rate", report.learned, "ship or do not ship")]
  }

  private func rate(_ name: String, _ rate: ProgramReport.Rate, _ what: String) -> String {
    guard let value = rate.value, let interval = rate.interval else {
      return "\(name): not known; no test has ended with a verdict yet."
    }
    return "\(name): \(rate.count) of \(rate.of) ended tests \(what), \(Self.share(value)) "
      + "(\(Self.decimal(100 * interval.low)) to \(Self.share(interval.high)))."
  }

  private var kinds: [String] {
    if report.kinds.isEmpty { return [] }
    let read = report.kinds.filter(\.isReadable).map { kind in
      let bounds = kind.wins.interval.map { " (\(Self.decimal(100 * $0.low)) to \(Self.share($0.high)))" } ?? ""
      return "\(kind.change.rawValue) \(kind.wins.count) of \(kind.wins.of)\(bounds)"
    }
    let few = report.kinds.filter { !$0.isReadable }.map { "\($0.change.rawValue) (\($0.wins.of))" }
    let parts =
      (read.isEmpty ? [] : [read.joined(separator: ", ")])
      + (few.isEmpty ? [] : ["too few ended tests of \(few.joined(separator: ", "))"])
    return ["Win rate by kind of change: \(parts.joined(separator: "; "))."]
  }

  /// Sentences about the next test (Program.md, "The next test").
  private var next: [String] {
    guard let next = report.next else { return [] }
    let chances = next.chances.lengths.map { "\(Self.share($0.chance)) in \($0.days / 7) weeks" }
    let worthwhile = next.chances.worthwhile
    let basis =
      next.chances.usesPriorAlone
      ? [
        "With results of fewer than \(NextTest.leastTests) tests, these chances come from tests in general, not from this app."
      ] : []
    return [
      "If the next test is like \(visible(next.experiment)) (two variants, \(dailyText(next.usersPerDay)) users a day, "
        + "\(Self.share(next.controlRate)) of control pay), its chance to show a gain is \(chances.joined(separator: ", ")). "
        + "Running it longer than \(worthwhile.days) days adds little: by then the chance is \(Self.share(worthwhile.chance))."
    ] + basis
  }

  // MARK: Numbers

  /// Returns a log lift as a lift: whole percents, one decimal below 10.
  static func lift(_ logLift: Double, unit: String = "%") -> String { signed(100 * (exp(logLift) - 1), unit) }

  static func share(_ share: Double) -> String { "\(decimal(100 * share))%" }

  /// Returns an amount with three significant digits.
  static func amount(_ value: Double) -> String {
    let size = value.magnitude
    let digits = size > 0 ? Int(log10(size).rounded(.down)) - 2 : 0
    let step = pow(10, Double(max(0, digits)))
    return signedText((value / step).rounded() * step, decimals: 0) ?? undefinedMark
  }

  static func count(_ value: Double) -> String { grouped(Int(min(value.rounded(), 1e18))) }

  private static func signed(_ value: Double, _ unit: String) -> String {
    (signedText(value, decimals: value.magnitude < 9.95 ? 1 : 0) ?? undefinedMark) + unit
  }

  private static func decimal(_ value: Double) -> String {
    value < 9.95 ? String(format: "%.1f", value) : count(value)
  }
}
