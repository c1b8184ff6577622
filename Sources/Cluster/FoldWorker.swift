internal import EventModel
internal import Ingest
public import Lifecycle

/// Folds the persons of a partition, one after the other, and writes their facts.
///
/// The input is sorted by app and person as bytes, and each person's events as definitions 1.2 say; memory is bounded by
/// the largest person.
public struct FoldWorker {
  /// Lines that are decoded together.
  private static let batchEvents = 4096
  /// Entries of the dictionaries from which on they are begun anew.
  private static let dictionaryLimit = 1 << 20

  private let input: RowInput
  private let output: RowOutput
  private var fold: PersonFold
  private var dictionaries = PartitionDictionaries()
  private let decoder: EventDecoder

  public init(input: RowInput, output: RowOutput, options: FoldOptions) {
    self.input = input
    self.output = output
    fold = PersonFold(options: options)
    guard let decoder = EventDecoder() else { preconditionFailure("JSON needs no header") }
    self.decoder = decoder
  }

  public mutating func run() throws {
    var person: (app: [UInt8], name: [UInt8])?
    var events = PersonBuffer()
    var pending = 0
    var persons = 0
    while try input.next(columns: WorkerInput.eventColumns) {
      let app = try input.required(input.bytes(0), 0)
      let name = try input.required(input.bytes(1), 1)
      if person?.app != app || person?.name != name {
        if let person {
          guard Self.precedes(person, (app, name)) else {
            throw WorkerFault(
              .data,
              "row \(input.count): app \(String(decoding: app, as: UTF8.self)), person "
                + "\(String(decoding: name, as: UTF8.self)) comes behind a later one; expected order of app and person")
          }
          try take(&events, &pending)
          try write(person, &events)
        }
        person = (app, name)
        persons += 1
      }
      let line = input.count
      let rejected = try input.withBytes(2) { content in
        try decoder.decode(input.required(content, 2), number: line)
      }
      if let rejected { throw WorkerFault(.data, "row \(line): is no event: \(rejected.reason)") }
      pending += 1
      if pending == Self.batchEvents { try take(&events, &pending) }
    }
    if let person {
      try take(&events, &pending)
      try write(person, &events)
    }
    output.append(WorkerProtocol.Tag.end.rawValue)
    output.append(WorkerProtocol.version)
    output.append(input.count)
    output.append(persons)
    output.append(output.count)
    try output.endRow()
    try output.flush()
  }

  private static func precedes(_ left: (app: [UInt8], name: [UInt8]), _ right: (app: [UInt8], name: [UInt8])) -> Bool {
    left.app == right.app
      ? left.name.lexicographicallyPrecedes(right.name) : left.app.lexicographicallyPrecedes(right.app)
  }

  /// Takes what has been decoded: all of one person.
  private mutating func take(_ events: inout PersonBuffer, _ pending: inout Int) throws {
    if pending == 0 { return }
    let batch = decoder.takeBatch()
    try events.append(batch, dictionaries.resolve(batch))
    pending = 0
  }

  /// Folds a person and writes what comes of it.
  private mutating func write(_ person: (app: [UInt8], name: [UInt8]), _ events: inout PersonBuffer) throws {
    defer {
      events.removeAll()
      if dictionaries.count > Self.dictionaryLimit { dictionaries = PartitionDictionaries() }
    }
    fold.fold(events.events, dictionaries: dictionaries.forFold)
    if fold.facts.isEmpty { return }
    var rows = FactRowWriter(person, events.subscriptionIDs, output)
    try rows.write(fold.facts, &dictionaries)
  }
}

/// The events of the person at hand.
private struct PersonBuffer {
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

  mutating func append(_ batch: EventBatch, _ numbers: PartitionDictionaries.Numbers) throws {
    try batch.text.withUnsafeBytes { text in
      func bytes(_ slice: TextSlice) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: text[Int(slice.offset)..<Int(slice.offset) + Int(slice.length)])
      }
      for record in batch.records {
        let id = bytes(record.eventID)
        if let last = events.last {
          let isBehind =
            last.ts != record.ts
            ? last.ts < record.ts
            : last.kind != record.kind
              ? last.kind.rawValue < record.kind.rawValue : lastID.lexicographicallyPrecedes(id)
          guard isBehind else {
            throw WorkerFault(
              .data,
              "row \(record.line): the events of one person are out of order; expected order of ts, kind and event_id, "
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
        if record.subscriptionID.length > 0 { event.subscription = subscription([UInt8](bytes(record.subscriptionID))) }
        if record.transactionID.length > 0 {
          let id = [UInt8](bytes(record.transactionID))
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
