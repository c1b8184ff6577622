/// The events of several persons, which one thread reads and another folds; one thread uses them at a time.
final class PersonPortion: @unchecked Sendable {
  /// The number of events that are handed on together.
  static let events = 4096

  /// The person, the end of its events in `rows`, and whether no more of its events follow.
  private(set) var persons: [(person: Int32, end: Int, isLast: Bool)] = []
  private(set) var rows = EventRows()
  /// The merged blocks that were read with them.
  var blocks: [EventBlock] = []

  var isFull: Bool { rows.rows.count >= Self.events }

  /// Adds events of a person, in event order.
  func append(_ person: Int32, _ own: borrowing EventRows, isLast: Bool = true) {
    rows.append(contentsOf: own, own.rows.indices)
    persons.append((person, rows.rows.count, isLast))
  }

  func removeAll() {
    persons.removeAll(keepingCapacity: true)
    rows.removeAll()
  }
}
