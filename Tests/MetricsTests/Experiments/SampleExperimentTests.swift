import FolderSupport
import Foundation
import Metrics
import Reports
import Simulation
import Statistics
import Testing
import TruthSupport

/// The four experiments of the simulator, whose truth is unknown to the metrics.
@Suite(.serialized)
struct SampleExperimentTests {
  private static let store = Result {
    try TestStore(paths: [Fixtures.package.appendingPathComponent("SampleData/events").path])
  }

  /// Reports by experiment, with the effect by day.
  private static let reports = Result {
    try Dictionary(
      uniqueKeysWithValues: Truth.standard.apps.map { app in
        (app.experiment.name, try store.get().experiment(app.experiment.name, overTime: true))
      })
  }

  private static func report(_ name: String) throws -> ExperimentReport { try #require(reports.get()[name]) }

  @Test(arguments: Truth.standard.apps.map(\.experiment))
  func theTruthIsFound(_ truth: ExperimentTruth) throws {
    let report = try Self.report(truth.name)
    let readout = try #require(report.readouts.first)
    #expect(!readout.health.isSampleRatioOff && readout.health.alarmedSlices.isEmpty)
    #expect(readout.arms.map(\.variant) == truth.variants)
    let sentence = try Self.store.get().sentence(report)
    switch truth.verdict {
    case .winner:
      #expect(readout.decision == ExperimentDecision(outcome: .ship, reason: "primary", treatment: 0))
      #expect(sentence.hasPrefix("Ship \(truth.treatmentName): paid is "))
    case .loser:
      #expect(readout.decision == ExperimentDecision(outcome: .doNotShip, reason: "primary", treatment: 0))
      #expect(sentence.hasPrefix("Do not ship \(truth.treatmentName): paid is "))
    case .null:
      #expect(readout.decision.outcome == .undecided || readout.decision.outcome == .noDifference)
      #expect(!sentence.contains("no difference"))
    case .trap:
      #expect(readout.decision == ExperimentDecision(outcome: .doNotShip, reason: "primary", treatment: 0))
      #expect(sentence.hasPrefix("Do not ship \(truth.treatmentName): it wins trials ("))
      #expect(sentence.contains("but loses paid"))
    }
  }

  /// A reader who takes trials as the goal still learns that they are lost again.
  @Test func theTrapIsNotShippedByItsTrials() throws {
    let readout = try Self.store.get().readout("techniq_headline", yaml: "primary: trial_start")
    #expect(readout.comparison("trial_start")?.sequential.isSignificant == true)
    // `paid` does not guard trials; revenue does, and it is lower, if not yet shown to be (D1.4).
    #expect(readout.decision.outcome != .ship)
  }

  /// Within 4 standard errors of the simulator's closed forms, as `SampleTruthTests` has them.
  @Test func ratesAreThoseOfTheTruth() throws {
    for app in Truth.standard.apps {
      let readout = try #require(try Self.report(app.experiment.name).readouts.first)
      for (place, variant) in app.experiment.variants.enumerated() {
        let truth = app.exposureRates(variant: variant)
        for (name, rate) in [
          ("trial_start", truth.trialStart), ("paid", truth.paid),
          ("trial_cancelled_per_exposed", truth.trialCancelled),
        ] {
          let arm = try #require(readout.metrics.first { $0.metric.name == name }?.arms[place])
          let bound = 4 * (rate * (1 - rate) / Double(arm.persons)).squareRoot()
          #expect(abs((arm.estimate ?? -1) - rate) <= bound, "\(app.name) \(variant) \(name)")
        }
      }
    }
  }

  /// No format prints a non-finite number.
  @Test(arguments: ReportFormat.allCases)
  func nothingIsPrintedThatIsNotANumber(_ format: ReportFormat) throws {
    for truth in Truth.standard.apps.map(\.experiment) {
      let text = try render(Self.report(truth.name), as: format)
      for word in ["nan", "inf,", "infinity", "-inf"] {
        #expect(!text.lowercased().contains(word), "\(truth.name) \(word)")
      }
    }
  }

  @Test func programsReadOneRowAValue() throws {
    let report = try Self.report("techniq_headline")
    let table = try Table(csv: render(report, as: .csv).replacing(/"[^"]*"/, with: "text"))
    #expect(
      table.columns.joined(separator: " ")
        == "app experiment section metric variant slice measure value low high unit text method level n events at_risk "
        + "information_fraction always_valid margin family_size reason golden role direction conditional_on")
    let rows = table.rows.filter { $0[2] == "metrics" && $0[3] == "paid" && $0[4] == "free_week" }
    #expect(
      rows.map { $0[6] } == [
        "rate", "immature", "chance_best", "expected_loss", "difference", "difference_always_valid", "lift",
        "lift_always_valid", "p", "p_always_valid", "chance_to_beat", "expected_loss_against_control",
        "difference_cuped",
      ])
    let json = try JSONSerialization.jsonObject(with: Data(render(report, as: .json).utf8)) as? [String: Any]
    #expect(json?.keys.sorted() == ["as_of", "definition", "parameters", "report", "rows"])
    #expect((json?["rows"] as? [Any])?.count == table.rows.count)
  }

  /// A copy without 5% of the treatment's users, at 60,000 users: χ² is expected at 60,000 · 0.0256² = 39. Exposures
  /// alone are enough, because missing users are missing in them.
  @Test(arguments: Truth.standard.apps.map(\.name))
  func deletingATwentiethOfAnArmAlarmsFirst(app: String) throws {
    let truth = try #require(Truth.standard.apps.first { $0.name == app }?.experiment)
    let (experiment, treatment) = (truth.name, truth.treatmentName)
    var exposures = try withTemporaryDirectory { (folder: URL) throws -> [String] in
      var options = SampleOptions(seed: 7, size: .persons(60_000), days: 40, apps: [app])
      options.compression = .none
      try SampleWriter(options: options).write(to: folder.path)
      var lines: [String] = []
      for file in try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
      where file.hasPrefix("paywall-impressions") {
        let text = try String(contentsOf: folder.appendingPathComponent(file), encoding: .utf8)
        lines += text.split(separator: "\n").filter { $0.contains(#""event":"exposure""#) }.map(String.init)
      }
      return lines
    }
    var number = 0
    exposures.removeAll { line in
      guard line.contains(#""variant":"\#(treatment)""#) else { return false }
      number += 1
      return number % 20 == 0
    }
    let store = try TestStore(lines: exposures)
    let report = try store.experiment(experiment)
    let decision = try #require(report.readouts.first?.decision)
    #expect(decision.outcome == .none && decision.reason == "sample_ratio")
    #expect(try store.sentence(report).hasPrefix("No verdict: "))
    let text = try render(report, as: .table)
    #expect(text.contains("\nNO VERDICT: "))
  }
}
