internal import EventModel

/// A batch with the sort orders in which it is stored.
struct PreparedBatch {
  let batch: EventBatch
  /// The records' event ids; their texts are in the batch's text.
  let ids: [RowID]
  /// The records in the order of their ``EventRecord/identityHash``, then of their places.
  let byHash: [UInt32]
  /// The records user by user, in the order of the batch's users, and each user's in event order (definitions 1.2).
  let byUser: [UInt32]
  /// The index in ``byUser`` of each user's first record; one more element than there are users.
  let userStarts: [UInt32]

  init(_ batch: EventBatch) {
    self.batch = batch
    (ids, byHash, byUser, userStarts) = batch.records.withUnsafeBufferPointer { records in
      batch.text.withUnsafeBytes { text in
        let ids = records.map { RowID($0.eventID, in: text) }
        let byHash = HashOrder.places(count: records.count) { records[$0].identityHash }
        let (byUser, starts) = Self.byUser(records, ids, text, users: batch.users.count)
        return (ids, byHash, byUser, starts)
      }
    }
  }

  private static func byUser(
    _ records: UnsafeBufferPointer<EventRecord>, _ ids: [RowID], _ text: UnsafeRawBufferPointer, users: Int
  ) -> (order: [UInt32], starts: [UInt32]) {
    var starts = [UInt32](repeating: 0, count: users + 1)
    for place in 0..<records.count { starts[Int(records[place].user) + 1] += 1 }
    for user in 0..<users { starts[user + 1] += starts[user] }
    var next = starts
    var order = [UInt32](repeating: 0, count: records.count)
    for place in 0..<records.count {
      let user = Int(records[place].user)
      order[Int(next[user])] = UInt32(place)
      next[user] += 1
    }
    for user in 0..<users where starts[user + 1] - starts[user] > 1 {
      order[Int(starts[user])..<Int(starts[user + 1])].sort { left, right in
        let (left, right) = (Int(left), Int(right))
        return EventOrder.precedes(
          (records[left].ts, records[left].kind), (records[right].ts, records[right].kind))
          ?? RowID.precedes(ids[left], in: text, ids[right], in: text)
      }
    }
    return (order, starts)
  }
}
