import EventModel
import Ingest
import Metrics
import Store

/// Says what is missing of trials and payments, without which the shares of the funnel are too low.
extension InitCommand {
  /// The kinds without which shares of users are too low.
  private static let needed: [EventKind] = [.trialStart, .conversion, .payment]

  /// Returns the trials and payments that the mappings leave out, or of which many were rejected.
  static func leftOut(of parts: [Part], _ ingested: [IngestSummary]) -> [String] {
    var names = parts.flatMap { $0.proposal?.leftOut ?? [] }.filter { needed.contains($0.kind) }.map(\.name)
    let hasPayments = ingested.contains { $0.kinds["conversion"] != nil || $0.kinds["payment"] != nil }
    if !hasPayments, ingested.contains(where: { !$0.kinds.isEmpty }) {
      names += parts.flatMap { $0.proposal?.paymentsOfOthers ?? [] }
    }
    let rejected = needed.compactMap { kind -> String? in
      let lost = ingested.reduce(0) { $0 + ($1.rejectedKinds[kind.name] ?? 0) }
      let stored = ingested.reduce(0) { $0 + ($1.kinds[kind.name] ?? 0) }
      return Health.areMany(lost, beside: stored)
        ? "\(grouped(lost)) of \(grouped(lost + stored)) \(kind.name) (rejected)" : nil
    }
    return names + rejected
  }

  /// Remembers in the store what was left out, so that later reports say so.
  func noteLeftOut(_ part: Part, _ summary: IngestSummary, _ store: Store) throws {
    guard let proposal = part.proposal, let app = proposal.app, let path = part.group.files.first?.path else { return }
    let isRead = summary.files > 0 || !summary.readAgain.isEmpty
    guard isRead else { return }
    let entries = proposal.leftOut.map { Store.LeftOut(path: path, app: app, kind: $0.kind, lines: $0.count) }
    try store.note(entries, of: part.group.files.map(\.path))
  }
}
