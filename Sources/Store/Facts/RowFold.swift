internal import GRDB
internal import Lifecycle

/// Folds the stored events of persons, one person after another.
struct RowFold {
  private let dictionaries: EventDictionaries
  private var fold: PersonFold
  private var events = PersonEvents()

  init(options: FoldOptions, dictionaries: EventDictionaries) {
    self.dictionaries = dictionaries
    fold = PersonFold(options: options)
  }

  /// The facts of the last person, without a copy.
  var facts: PersonFacts { _read { yield fold.facts } }

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
  mutating func fold(_ rows: borrowing EventRows, _ places: Range<Int>, asOf: Int64? = nil) throws {
    if let asOf { fold.options.asOf = asOf }
    events.read(rows, places)
    try requireEntries(of: events)
    fold.fold(events.events, dictionaries: dictionaries)
    if fold.isMalformed { throw StoredDamage.error("an event lacks what its kind requires") }
  }

  /// Returns the ids of the last person's subscriptions, in the order of ``SpellFact/subscription``, from 1.
  func subscriptionIDs(_ rows: borrowing EventRows) -> [CodedID] {
    fold.facts.spells.isEmpty ? [] : events.subscriptionIDs(rows)
  }
}
