internal import Lifecycle

/// A person's facts, on their way to the tables.
struct FoldedPerson: Sendable {
  var person: Int32
  var app: NameID
  var facts: PersonFacts
  /// In order of ``SpellFact/subscription``, from 1.
  var subscriptionIDs: [CodedID]

  /// So many are handed on together.
  static let portion = 2048
}

/// Folds the stored events of persons, one after the other.
struct RowFold {
  private let dictionaries: EventDictionaries
  private var fold: PersonFold
  private var events = PersonEvents()

  init(options: FoldOptions, dictionaries: EventDictionaries) {
    self.dictionaries = dictionaries
    fold = PersonFold(options: options)
  }

  /// The app that a person's events are of.
  func app(of rows: EventRows) -> NameID { dictionaries.clientApp[Int(rows.rows[rows.rows.count - 1].client)] }

  /// The facts of a person as of an instant; `nil` where there are none.
  ///
  /// - Parameters:
  ///   - rows: All events of the person, in the order of definitions 1.2; at least one.
  ///   - asOf: Default: that of the options.
  mutating func folded(_ person: Int32, _ rows: EventRows, asOf: Int64? = nil) -> FoldedPerson? {
    if let asOf { fold.options.asOf = asOf }
    events.read(rows)
    fold.fold(events.events, dictionaries: dictionaries)
    if fold.facts.isEmpty { return nil }
    let ids = fold.facts.spells.isEmpty ? [] : events.subscriptionIDs(rows)
    return FoldedPerson(person: person, app: app(of: rows), facts: fold.facts.compact, subscriptionIDs: ids)
  }
}
