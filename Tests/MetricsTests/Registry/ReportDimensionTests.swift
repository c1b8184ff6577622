import Store
import Testing

@testable import Metrics

/// Menus and links of pages offer a dimension if and only if the report takes it.
@Suite struct ReportDimensionTests {
  /// Reports that need no more than dimensions.
  private static let names = ReportKind.all.map(\.name).filter { name in
    !["experiment", "reconcile", "aa-replay"].contains(name)
  }
  private static let values = [
    "plan": "monthly", "tier": "individual", "trial_kind": "introductory", "stage": "1", "day": "2026-01-05",
    "week": "2026-01-05", "month": "2026-01", "quarter": "2026-Q1", "year": "2026",
  ]

  private static func isMade(_ kind: ReportKind, _ given: [(String, String)], _ store: TestStore) -> Bool {
    do {
      let request = try ReportRequest(kind, given.map { ReportRequest.Given($0.0, [$0.1]) })
      _ = try store.store.read { try request.run($0) }
      return true
    } catch {
      return false
    }
  }

  @Test(arguments: names)
  func reportsTakeWhatTheyOffer(name: String) throws {
    let kind = try #require(ReportKind.named(name))
    let store = try TestStore(lines: [
      Behaviour.line("trial_start", "2026-01-05T12:00:00", "u", Behaviour.trial),
      Behaviour.line("conversion", "2026-01-12T12:00:00", "u", Behaviour.sale),
      Behaviour.line("activity", "2026-03-01T10:00:00", "z"),
    ])
    for name in Dimension.plainNames {
      let dimension = try Dimension(name: name)
      let choice = kind.rowChoices.first { $0.name == name }
      #expect((choice != nil) == kind.splits(by: dimension), "\(kind.name) by \(name)")
      #expect(Self.isMade(kind, [("by", choice?.by ?? name)], store) == (choice != nil), "\(kind.name) by \(name)")
      let filter = "\(name)=\(Self.values[name] ?? "x")"
      #expect(
        Self.isMade(kind, [("where", filter)], store) == kind.filters(by: dimension), "\(kind.name) where \(filter)")
    }
    for choice in kind.rowChoices { #expect(Self.isMade(kind, [("by", choice.by)], store), "\(kind.name) \(choice)") }
  }

  @Test func filesAreSortedByTheirOwnColumns() {
    #expect(ReportKind.funnel.sorts(by: "paid_rate:desc") && ReportKind.funnel.sorts(by: "paid_rate_low"))
    #expect(ReportKind.retention.sorts(by: "survival_35:asc") && ReportKind.winback.sorts(by: "reason"))
    #expect(ReportKind.experiments.sorts(by: "persons") && !ReportKind.experiments.sorts(by: "verdict:desc"))
  }
}
