import Basics
import EventModel
import Foundation
import Ingest
import Lifecycle
import Metrics
import Reports
import Testing

@testable import Store

/// Readouts from cells equal those from facts after every commit, for any options, and an exposure's row holds its
/// outcome as folded.
struct ExposureCellTests {
  private static let lines =
    sampleLines.map { String(decoding: $0, as: UTF8.self) } + MessyEvents.lines + MessyEvents.conflictsAcrossTime

  private static func options(_ random: inout SplitMix64) -> ReportOptions {
    var options = ReportOptions()
    if Bool.random(using: &random) {
      let from = Bool.random(using: &random) ? at(91) : at(-40)
      options.asOf = from + Int64.random(in: 0...200, using: &random) * day + Int64.random(in: -1...1, using: &random)
    }
    if Int.random(in: 0..<4, using: &random) == 0 { options.grace = Int64.random(in: 0...9, using: &random) * day }
    if Int.random(in: 0..<4, using: &random) == 0 { options.by = [.platform] }
    return options
  }

  private static func plan(_ random: inout SplitMix64) -> ExperimentPlan {
    var plan = ExperimentPlan()
    let middle = dayZero + Int64.random(in: -10...60, using: &random) * day + Int64.random(in: -1...1, using: &random)
    switch Int.random(in: 0..<5, using: &random) {
    case 0: plan.start = middle
    case 1: plan.end = middle
    case 2:
      plan.start = dayZero - 400 * day
      plan.end = dayZero + 4_000 * day
    default: break
    }
    return plan
  }

  private static func readout(
    _ store: TestStore, _ name: String, _ options: ReportOptions, _ plan: ExperimentPlan
  ) throws -> String {
    let wanted = ExperimentOptions(experiment: name, plan: plan, isOverTime: true)
    do {
      return try Store.open(readOnly: store.path).read { try render(Experiments.report($0, options, wanted), as: .csv) }
    } catch let error as ExperimentError {
      // The error's text lists the options, which include the days.
      if case .nobodyExposed = error { return "nobody" }
      return "\(error)"
    }
  }

  private static func list(_ store: TestStore, _ options: ReportOptions) throws -> String {
    try Store.open(readOnly: store.path).read { try render(ExperimentList.report($0, options), as: .csv) }
  }

  @Test(arguments: [41, 42])
  func afterEveryCommitCellsAndFactsGiveTheSameReadout(seed: Int) throws {
    var random = SplitMix64(seed: UInt64(seed))
    var lines = Self.lines.shuffled(using: &random)
    let names = ["e", "steps_yearly_anchor", "techniq_headline", "coach_gate_timing", "praxisen_limit_copy"]
    try withTestStore { store in
      var (rows, isFromCells) = (0, 0)
      while !lines.isEmpty {
        let count = min(lines.count, lines.count / Int.random(in: 2...3, using: &random) + 1)
        try store.ingest(Array(lines.prefix(count)), commitEvents: Int.random(in: 1...2000, using: &random))
        lines.removeFirst(count)
        for name in names.shuffled(using: &random).prefix(3) {
          var options = Self.options(&random)
          let plan = Self.plan(&random)
          let atBest = try Self.readout(store, name, options, plan)
          isFromCells += options.by == nil && options.grace == FoldOptions.stored.grace ? 1 : 0
          // Cells cannot answer for a range of days, so this range, which includes all days, forces facts.
          options.from = CivilDate(daysSince1970: 0)
          let fromFacts = try Self.readout(store, name, options, plan)
          #expect(atBest == fromFacts, "\(name), \(options), \(plan)")
          rows += atBest.split(separator: "\n").count - 1
          options.by = nil
          let slowList = try Self.list(store, options)
          options.from = nil
          #expect(try Self.list(store, options) == slowList, "\(options)")
        }
        #expect(try store.differencesFromRebuild() == [], "with \(lines.count) lines to come")
      }
      #expect(rows > 400 && isFromCells > 3)
    }
  }

  /// The check must be able to fail, or it proves nothing.
  @Test func anOutcomeThatWasTamperedWithIsReported() throws {
    try withTestStore { store in
      try store.ingest(Self.lines)
      try store.sqlite().execute(
        "DELETE FROM exposed_revenue_cell WHERE id = (SELECT MIN(id) FROM exposed_revenue_cell); "
          + "UPDATE exposure_row SET outcome = x'7f' WHERE outcome = x''")
      let found = try store.differencesFromRebuild()
      #expect(found.contains("exposed_revenue_cell 1") && found.contains { $0.hasPrefix("exposure ") }, "\(found)")
    }
  }

  @Test(arguments: 0..<200)
  func anOutcomeComesBackFromItsBytes(seed: Int) throws {
    var random = SplitMix64(seed: UInt64(seed))
    let exposedAt = dayZero + Int64.random(in: 0...day, using: &random)
    var outcome = ExposureOutcome()
    // Bit 64 is of the trial.
    outcome.flags = ExposureOutcome.Flags(rawValue: UInt16.random(in: 0..<512, using: &random) & ~64)
    if Bool.random(using: &random) {
      let start = exposedAt + Int64.random(in: 0...7 * day, using: &random)
      let end = start + Int64.random(in: 1...366 * day, using: &random)
      outcome.trial = ExposureOutcome.Trial(
        start: start, end: end, deadline: end + Int64.random(in: 0...30 * day, using: &random),
        convertedAt: Bool.random(using: &random) ? start + Int64.random(in: 0...9 * day, using: &random) : nil)
    }
    for currency in 0..<Int32.random(in: 0...3, using: &random) {
      var revenue = ExposureOutcome.Revenue(currency: currency * 1_000_003)
      revenue.net = Int64.random(in: -1_000_000_000_000_000_000...1_000_000_000_000_000_000, using: &random)
      revenue.netBefore = Int64.random(in: -5...5, using: &random)
      revenue.hasPaid = Bool.random(using: &random)
      revenue.hadPaidBefore = Bool.random(using: &random)
      outcome.revenues.append(revenue)
    }
    var bytes: [UInt8] = []
    outcome.encode(exposedAt: exposedAt, to: &bytes)
    let read = try bytes.withUnsafeBytes { try ExposureOutcome($0, exposedAt: exposedAt) }
    #expect(read == outcome)
    #expect(bytes.isEmpty == (outcome == ExposureOutcome()))
  }
}
