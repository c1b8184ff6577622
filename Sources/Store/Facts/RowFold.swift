internal import GRDB
internal import Lifecycle

/// Folds the stored events of persons, one person after another.
struct RowFold {
  private let dictionaries: EventDictionaries
  private var fold: PersonFold
  /// The events of a person, in event order.
  private var events: [PersonEvent] = []
  private var ids = PersonIDs()
  /// The greatest dictionary numbers that the events refer to.
  private var greatest: (client: UInt32, context: UInt32, terms: UInt32) = (0, 0, 0)
  /// Whether the events are those of a person that is done.
  private var isFolded = true

  init(options: FoldOptions, dictionaries: EventDictionaries) {
    self.dictionaries = dictionaries
    fold = PersonFold(options: options)
  }

  /// The facts of the last person.
  var facts: PersonFacts { fold.facts }

  /// Calls `body` with the facts and ids of the last person, without a copy.
  func withFacts(_ body: (borrowing PersonFacts, PersonIDs) throws -> Void) rethrows { try body(fold.facts, ids) }

  /// See ``PersonFold/churnedTrials``.
  var churnedTrials: [Int: Int64] { fold.churnedTrials }

  /// The app that the events of a person up to a place are of.
  func app(of rows: borrowing EventRows, upTo end: Int) throws -> NameID {
    try app(ofClient: rows.rows[end - 1].client)
  }

  private func app(ofClient client: Int32) throws -> NameID {
    try Self.require(UInt32(bitPattern: client), of: "client", count: dictionaries.clientApp.count)
    return dictionaries.clientApp[Int(client)]
  }

  /// - Throws: `DatabaseError` if an entry is missing, for example because the last ones were lost.
  private static func require(_ number: UInt32, of table: String, count: Int) throws {
    if Int(number) < count { return }
    throw StoredDamage.lacks(number, of: table, had: "an event")
  }

  /// Folds the events of a person as of an instant.
  ///
  /// - Parameters:
  ///   - places: The places of all events of the person, in event order; at least one.
  ///   - asOf: The instant in ms; by default that of the options.
  ///   - laterEnd: See ``FoldOptions/laterEnd``.
  mutating func fold(
    _ rows: borrowing EventRows, _ places: Range<Int>, asOf: Int64? = nil, laterEnd: Int64 = .min
  ) throws {
    if let asOf { fold.options.asOf = asOf }
    fold.options.laterEnd = laterEnd
    isFolded = true
    add(rows, places)
    try fold(most: .max) { _, _ in }
  }

  /// Adds events of the next person, in event order.
  mutating func add(_ rows: borrowing EventRows, _ places: Range<Int>) {
    if isFolded {
      events.removeAll(keepingCapacity: events.capacity <= PersonFold.manyEvents)
      ids.removeAll()
      greatest = (0, 0, 0)
    }
    isFolded = false
    var greatest = greatest
    rows.text.withUnsafeBytes { text in
      rows.rows.withUnsafeBufferPointer { rows in
        for place in places {
          let row = rows[place]
          var event = PersonEvent(ts: row.ts, kind: row.kind)
          event.context = row.context
          event.client = row.client
          event.terms = row.terms
          event.properties = row.properties
          greatest.client = max(greatest.client, UInt32(bitPattern: row.client))
          greatest.context = max(greatest.context, UInt32(bitPattern: row.context))
          greatest.terms = max(greatest.terms, UInt32(bitPattern: row.terms))
          if row.hasDetail {
            event.subscription = ids.numberOfSubscription(row.subscriptionID, in: text)
            event.transaction = ids.numberOfTransaction(row.transactionID, in: text)
            event.expiresAt = EventRow.optional(row.expiresAt)
            event.trialEndsAt = EventRow.optional(row.trialEndsAt)
            event.graceEndsAt = EventRow.optional(row.graceEndsAt)
            event.setStart(EventRow.optional(row.startedAt))
          }
          events.append(event)
        }
      }
    }
    self.greatest = greatest
  }

  /// The number of conversions or payments that makes a part.
  private static let most = 4_096

  /// Folds the person that has been added.
  ///
  /// - Parameter part: Called with all facts but the last, in parts, and a function from a ``SpellFact/subscription`` to
  ///   its id.
  mutating func foldInParts(_ part: (borrowing PersonFacts, _ id: (Int32) -> CodedID) throws -> Void) throws {
    try fold(most: Self.most, part)
  }

  private mutating func fold(
    most: Int, _ part: (borrowing PersonFacts, _ id: (Int32) -> CodedID) throws -> Void
  ) throws {
    isFolded = true
    if events.count > PersonFold.manyEvents { ids.end() }
    try Self.require(greatest.client, of: "client", count: dictionaries.clientApp.count)
    try Self.require(greatest.context, of: "context", count: dictionaries.contexts.count)
    try Self.require(greatest.terms, of: "terms", count: dictionaries.terms.count)
    let ids = ids
    try fold.fold(taking: &events, dictionaries: dictionaries, most: most) { try part($0) { ids.subscription($0) } }
    if fold.isMalformed { throw StoredDamage.error("an event lacks what its kind requires") }
  }

  /// The app of the person that has been added.
  func app() throws -> NameID {
    guard let client = events.last?.client else { return 0 }
    return try app(ofClient: client)
  }
}
