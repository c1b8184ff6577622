internal import EventModel
internal import Lifecycle

/// The events of the current person.
struct PersonBuffer {
  private(set) var events: [PersonEvent] = []
  /// In order of ``PersonEvent/subscription``, from 1.
  private(set) var subscriptionIDs: [[UInt8]] = []
  private var subscriptions: [[UInt8]: Int32] = [:]
  private var transactions: [[UInt8]: Int32] = [:]
  private var lastID: [UInt8] = []

  mutating func removeAll() {
    events.removeAll(keepingCapacity: events.count < 1 << 16)
    subscriptionIDs.removeAll(keepingCapacity: true)
    subscriptions.removeAll(keepingCapacity: true)
    transactions.removeAll(keepingCapacity: true)
  }

  mutating func append(_ batch: EventBatch, _ records: Range<Int>, _ numbers: PartitionDictionaries.Numbers) throws {
    try batch.withRecordContents { contents in
      for record in batch.records[records] {
        // How it reads depends on the app's first payment, which no worker knows.
        if record.kind == .payment {
          throw WorkerFault(.data, "row \(record.line): is a payment, which only a store reads: use `tollgate ingest`")
        }
        guard let id = contents.text(record.eventID) else { preconditionFailure("an event has an id") }
        if let last = events.last {
          let isBehind =
            EventOrder.precedes((last.ts, last.kind), (record.ts, record.kind)) ?? lastID.lexicographicallyPrecedes(id)
          guard isBehind else {
            throw WorkerFault(
              .data,
              "row \(record.line): the events of one user are out of order; expected order of ts, kind and event_id, "
                + "each event once")
          }
        }
        lastID.removeAll(keepingCapacity: true)
        lastID.append(contentsOf: id)
        var event = PersonEvent(ts: record.ts, kind: record.kind)
        event.context = numbers.contexts[Int(record.context)]
        event.client = numbers.clients[Int(record.client)]
        event.terms = numbers.terms[Int(record.terms)]
        event.properties = numbers.properties[Int(record.properties)]
        if let id = contents.text(record.subscriptionID) { event.subscription = subscription([UInt8](id)) }
        if let id = contents.text(record.transactionID).map({ [UInt8]($0) }) {
          let number = transactions[id] ?? Int32(transactions.count + 1)
          transactions[id] = number
          event.transaction = number
        }
        event.expiresAt = record.expiresAt
        event.trialEndsAt = record.trialEndsAt
        event.graceEndsAt = record.graceEndsAt
        events.append(event)
      }
    }
  }

  private mutating func subscription(_ id: [UInt8]) -> Int32 {
    if let number = subscriptions[id] { return number }
    subscriptionIDs.append(id)
    let number = Int32(subscriptionIDs.count)
    subscriptions[id] = number
    return number
  }
}
