internal import GRDB
public import Lifecycle

extension FactSource {
  /// Folds persons again, each as it was at an instant of its own: for what a fact tells only of its end.
  ///
  /// - Parameters:
  ///   - instants: By person, in ms; not after the as-of.
  ///   - grace: Milliseconds.
  ///   - body: Takes each person's facts, in order of the persons.
  public func fold(
    _ instants: [Int32: Int64], grace: Int64, _ body: (_ person: Int32, PersonFacts) throws -> Void
  ) throws {
    if instants.isEmpty { return }
    let dictionaries = try StoredDictionaries(db).forFold
    let asOf = asOf
    let graph = try isRefolded ? IdentityGraph(db) { asOf[$0] ?? .min } : IdentityGraph(stored: db)
    var fold = PersonFold(options: FoldOptions(asOf: .max, grace: grace, attribution: .last))
    var events = PersonEvents()
    try PersonScan(graph: graph, old: EventRuns.cursors(db), new: []).forEach(instants.keys.sorted()) { person, rows in
      fold.options.asOf = instants[person] ?? .max
      events.read(rows)
      fold.fold(events.events, dictionaries: dictionaries)
      try body(person, fold.facts)
    }
  }
}
