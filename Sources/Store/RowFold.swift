internal import Lifecycle

/// Folds the stored events of persons, one after the other.
struct RowFold {
  private let dictionaries: EventDictionaries
  private let origins: OriginNumbers
  private var fold: PersonFold
  private var events = PersonEvents()

  init(options: FoldOptions, dictionaries: EventDictionaries, origins: OriginNumbers) {
    self.dictionaries = dictionaries
    self.origins = origins
    fold = PersonFold(options: options)
  }

  /// The app that a person's events are of.
  func app(of rows: EventRows) -> NameID { dictionaries.clientApp[Int(rows.rows[rows.rows.count - 1].client)] }

  /// Adds the facts of a person as of an instant.
  ///
  /// - Parameters:
  ///   - rows: All events of the person, in the order of definitions 1.2; at least one.
  ///   - asOf: Default: that of the options.
  mutating func fold(_ person: Int32, _ rows: EventRows, asOf: Int64? = nil, into facts: inout FactRows) {
    if let asOf { fold.options.asOf = asOf }
    events.read(rows)
    fold.fold(events.events, dictionaries: dictionaries)
    if fold.facts.isEmpty { return }
    let ids = fold.facts.spells.isEmpty ? [] : events.subscriptionIDs(rows)
    facts.append(person, app: app(of: rows), fold.facts, subscriptionIDs: ids, origins)
  }
}
