internal import GRDB
internal import Lifecycle

/// Folds the stored events of persons, one person after another.
struct RowFold {
  private let dictionaries: EventDictionaries
  private var fold: PersonFold
  private var events = PersonEvents()
  /// Whether the events are those of a person that is done.
  private var isFolded = true

  init(options: FoldOptions, dictionaries: EventDictionaries) {
    self.dictionaries = dictionaries
    fold = PersonFold(options: options)
  }

  /// The facts of the last person.
  var facts: PersonFacts { fold.facts }

  /// Calls `body` with the facts and events of the last person, without a copy.
  func withFacts(_ body: (borrowing PersonFacts, PersonEvents) throws -> Void) rethrows {
    try body(fold.facts, events)
  }

  /// See ``PersonFold/churnedTrials``.
  var churnedTrials: [Int: Int64] { fold.churnedTrials }

  /// The app that the events of a person up to a place are of.
  func app(of rows: borrowing EventRows, upTo end: Int) throws -> NameID {
    let client = UInt32(bitPattern: rows.rows[end - 1].client)
    try Self.require(client, of: "client", count: dictionaries.clientApp.count)
    return dictionaries.clientApp[Int(client)]
  }

  /// Checks that dictionaries have the entries that events refer to.
  ///
  /// - Throws: `DatabaseError` if an entry is missing, for example because the last ones were lost.
  private func requireEntries(of events: borrowing PersonEvents) throws {
    try Self.require(events.greatest.client, of: "client", count: dictionaries.clientApp.count)
    try Self.require(events.greatest.context, of: "context", count: dictionaries.contexts.count)
    try Self.require(events.greatest.terms, of: "terms", count: dictionaries.terms.count)
  }

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
    events.removeAll()
    events.append(rows, places)
    try fold(most: .max) { _, _ in }
  }

  /// Adds events of the next person, in event order.
  mutating func add(_ rows: borrowing EventRows, _ places: Range<Int>) {
    if isFolded { events.removeAll() }
    isFolded = false
    events.append(rows, places)
  }

  /// The number of conversions or payments that makes a part.
  private static let most = 4_096

  /// Folds the person that has been added.
  ///
  /// - Parameter part: Called with all facts but the last, in parts, and a function from a ``SpellFact/subscription`` to
  ///   its id.
  mutating func foldInParts(_ part: (borrowing PersonFacts, _ id: (Int32) -> CodedID) throws -> Void) throws {
    isFolded = true
    try fold(most: Self.most, part)
  }

  private mutating func fold(
    most: Int, _ part: (borrowing PersonFacts, _ id: (Int32) -> CodedID) throws -> Void
  ) throws {
    events.end()
    try requireEntries(of: events)
    var own: [PersonEvent] = []
    swap(&own, &events.events)
    let ids = events
    try fold.fold(taking: &own, dictionaries: dictionaries, most: most) { try part($0) { ids.subscriptionID($0) } }
    swap(&own, &events.events)
    if fold.isMalformed { throw StoredDamage.error("an event lacks what its kind requires") }
  }

  /// The app of the person that has been added.
  func app() throws -> NameID {
    guard let client = events.lastClient else { return 0 }
    try Self.require(client, of: "client", count: dictionaries.clientApp.count)
    return dictionaries.clientApp[Int(client)]
  }
}
