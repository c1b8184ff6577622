import Basics
import EventModel
import Ingest

/// Checks what options of `init` name.
extension InitCommand {
  /// Refuses `--set` and `--event` that name no field, column or event, and `--superwall-money` for other files.
  ///
  /// - Throws: ``UsageError`` with the nearest name, ``Onboarding/Failure``.
  func requireKnown(_ answers: ProposalAnswers, in groups: [FileGroup]) throws {
    if answers.fields.isEmpty, answers.events.isEmpty, answers.superwallMoney == .server { return }
    let fields = EventField.allCases.map(\.name)
    for field in answers.fields.keys.sorted() where !fields.contains(field) {
      throw UsageError(
        "--set \(field)=\(answers.fields[field] ?? ""): \(field) is not a field; use one of \(fields.joined(separator: ", "))"
          + NearName.hint(field, in: fields))
    }
    let proposals = try groups.compactMap { group -> Proposal? in
      if case .known = group.shape { return nil }
      return try Onboarding.proposal(of: group, answers, appName: nil)
    }
    if answers.superwallMoney == .sdk, !proposals.contains(where: \.includesSuperwall) {
      throw UsageError("--superwall-money sdk has no effect: no record is an event of Superwall's SDK")
    }
    if proposals.isEmpty {
      throw UsageError("--set and --event are for files that need a mapping; these files need none")
    }
    let columns = proposals.flatMap { $0.columns.map(\.path) }
    for (field, path) in answers.fields.sorted(by: { $0.key < $1.key })
    where !columns.contains(path) && !columns.contains("'\(path)'")
      && !(field == EventField.trialDays.name && Int(path) != nil)
    {
      throw UsageError(
        "--set \(field)=\(path): no record has a column \(path); there are \(columns.prefix(12).joined(separator: ", "))"
          + NearName.hint(path, in: columns))
    }
    let names = proposals.flatMap { $0.names.map(\.name) }
    for name in answers.events.keys.sorted() where !names.contains(name) {
      throw UsageError(
        "--event '\(name)=…': no record has an event \(name); there are \(names.prefix(12).joined(separator: ", "))"
          + NearName.hint(name, in: names))
    }
  }
}
