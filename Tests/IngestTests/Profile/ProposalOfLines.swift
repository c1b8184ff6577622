import EventModel

@testable import Ingest

/// Tests that read the proposal for the lines of a table.
protocol ProposalOfLines {}

extension ProposalOfLines {
  static func proposal(
    _ lines: [String], _ change: (inout ProposalAnswers) -> Void = { _ in }
  ) throws -> Proposal { try ProposalTests.proposal(lines, change) }

  static func path(_ field: String, _ proposal: Proposal) -> String? {
    proposal.fields.first { $0.name == field }?.path
  }

  static func kind(_ name: String, _ proposal: Proposal) -> EventKind? {
    proposal.names.first { $0.name == name && $0.confidence >= 0.6 }?.kind
  }
}
