internal import EventModel

/// Separates repeated deliveries of stored events from those that the ``ConflictResolver`` has to decide about.
final class DuplicateResolver {
  private let finder: EventFinder

  init(finder: EventFinder) { self.finder = finder }

  /// Finds the records that are stored with the same content under the same user, in one walk through the runs.
  ///
  /// - Parameters:
  ///   - known: The records whose ids may be known.
  ///   - repeated: Called for each repeated record, with whether it was received earlier than the stored event (for a
  ///     mutable row: later).
  /// - Returns: The other records, in order.
  func countRepeated(
    _ prepared: PreparedBatch, _ resolved: ResolvedBatch, known: [Int: Set<Int32>],
    _ repeated: (_ record: Int, _ isEarlier: Bool) -> Void
  ) throws -> [Int] {
    let batch = prepared.batch
    struct UserInstant: Hashable {
      var user: Int32
      var ts: Int64
    }
    var users: Set<Int32> = []
    var byInstant: [UserInstant: [Int]] = [:]
    for record in known.keys {
      let user = resolved.users[Int(batch.records[record].user)]
      users.insert(user)
      byInstant[UserInstant(user: user, ts: batch.records[record].ts), default: []].append(record)
    }
    var rest = Set(known.keys)
    // The new time of receipt of each stored event that has to change, with the event's location.
    var receptions: [(location: EventFinder.Location, receivedAfter: Int64)] = []
    try batch.text.withUnsafeBytes { text in
      try finder.visit(users.sorted()) { rows, index, location in
        let stored = rows.rows[index]
        rows.text.withUnsafeBytes { storedText in
          var received = EventRow.optional(stored.receivedAfter)
          var isChanged = false
          for record in byInstant[UserInstant(user: stored.user, ts: stored.ts)] ?? [] where rest.contains(record) {
            guard RowID.areEqual(prepared.ids[record], in: text, stored.eventID, in: storedText) else { continue }
            let row = EventRow(batch.records[record], id: prepared.ids[record], resolved, text: text, file: 0)
            guard row.hasContent(of: stored, text, storedText) else { continue }
            rest.remove(record)
            var isEarlier = Reception.precedes(EventRow.optional(row.receivedAfter), received)
            let id = prepared.ids[record]
            if id.form == .text, Reception.isOfMutableRow(id.bytes(in: text)) {
              isEarlier = Reception.precedes(received, EventRow.optional(row.receivedAfter))
            }
            if isEarlier { received = EventRow.optional(row.receivedAfter) }
            isChanged = isChanged || isEarlier
            repeated(record, isEarlier)
          }
          if isChanged { receptions.append((location, received ?? EventRow.absent)) }
        }
      }
    }
    try finder.setReceptions(receptions)
    return rest.sorted()
  }
}
