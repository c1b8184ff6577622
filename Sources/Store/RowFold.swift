internal import GRDB
internal import Lifecycle

/// Folds the stored events of persons, one after the other.
struct RowFold {
  private let dictionaries: EventDictionaries
  private var fold: PersonFold
  private var events = PersonEvents()

  init(options: FoldOptions, dictionaries: EventDictionaries) {
    self.dictionaries = dictionaries
    fold = PersonFold(options: options)
  }

  /// What the last person's events came to; not copied.
  var facts: PersonFacts { _read { yield fold.facts } }

  /// The app that the events of a person up to a place are of.
  func app(of rows: borrowing EventRows, upTo end: Int) throws -> NameID {
    try requireEntries(rows, end - 1..<end)
    return dictionaries.clientApp[Int(rows.rows[end - 1].client)]
  }

  /// - Throws: Where an event has the number of an entry that its dictionary lacks, as when the last ones are lost.
  func requireEntries(_ rows: borrowing EventRows, _ places: Range<Int>) throws {
    let (contexts, clients, terms) = (
      Int32(dictionaries.contexts.count), Int32(dictionaries.clientApp.count), Int32(dictionaries.terms.count)
    )
    let missing = rows.rows.withUnsafeBufferPointer { rows -> (table: String, number: Int32)? in
      for place in places where rows[place].client >= clients { return ("client", rows[place].client) }
      for place in places where rows[place].context >= contexts { return ("context", rows[place].context) }
      for place in places where rows[place].terms >= terms { return ("terms", rows[place].terms) }
      return nil
    }
    if let (table, number) = missing {
      throw DatabaseError(
        resultCode: .SQLITE_CORRUPT, message: "entry \(number) of \(table), which an event has, is not there")
    }
  }

  /// Folds the events of a person as of an instant.
  ///
  /// - Parameters:
  ///   - places: Those of all events of the person, in the order of definitions 1.2; at least one.
  ///   - asOf: Default: that of the options.
  mutating func fold(_ rows: borrowing EventRows, _ places: Range<Int>, asOf: Int64? = nil) throws {
    try requireEntries(rows, places)
    if let asOf { fold.options.asOf = asOf }
    events.read(rows, places)
    fold.fold(events.events, dictionaries: dictionaries)
  }

  /// Adds the last person's facts, if there are any, to rows; in place, as nothing is to be copied for each person.
  mutating func append(
    _ person: Int32, _ events: borrowing EventRows, to rows: inout FactRows, _ origins: OriginNumbers
  ) throws {
    if fold.facts.isEmpty { return }
    let app = try app(of: events, upTo: events.rows.count)
    rows.append(person, app: app, fold.facts, subscriptionIDs: subscriptionIDs(events), origins)
  }

  /// The ids of the last person's subscriptions, in order of ``SpellFact/subscription``, from 1.
  func subscriptionIDs(_ rows: borrowing EventRows) -> [CodedID] {
    fold.facts.spells.isEmpty ? [] : events.subscriptionIDs(rows)
  }
}
