internal import EventModel
public import Lifecycle

/// A fact that no store keeps, with the person and what it is credited to.
public struct UnstoredFact<Fact> {
  public let person: Int32
  public let app: NameID
  public let fact: Fact
  /// One or, with `--attribution all`, at least one.
  public let credits: [UnitKey]
}

extension FactSource {
  /// Calls `body` with each failed charge, person by person.
  ///
  /// - Parameter body: Also receives a function that returns the segment with a number.
  public func forEachFailedCharge(
    _ body: (UnstoredFact<FailedChargeFact>, _ segment: (Int32) -> Segment) throws -> Void
  ) throws {
    try foldAgain(
      .billingIssue, { $0.takesFailedCharges = true }, \.failedCharges, { ($0.contexts, $0.dimensions) }, body)
  }

  /// Calls `body` with each cancellation, person by person.
  ///
  /// - Parameter body: Also receives a function that returns the segment with a number.
  public func forEachCancellation(
    _ body: (UnstoredFact<CancellationFact>, _ segment: (Int32) -> Segment) throws -> Void
  ) throws {
    try foldAgain(
      .cancellation, { $0.takesCancellations = true }, \.cancellations, { ($0.contexts, $0.dimensions) }, body)
  }

  /// Folds the persons with an event of a kind again.
  ///
  /// - Parameter unit: Returns what a fact is credited to.
  private func foldAgain<Fact>(
    _ kind: EventKind, _ take: (inout FoldOptions) -> Void, _ facts: (PersonFacts) -> [Fact],
    _ unit: (Fact) -> (contexts: Range<Int>, dimensions: UnitDimensions),
    _ body: (UnstoredFact<Fact>, _ segment: (Int32) -> Segment) throws -> Void
  ) throws {
    var concerned = UserSet()
    try forEachEvent([kind]) { concerned.insert($0.person) }
    let persons = concerned.users.sorted()
    if persons.isEmpty { return }
    var options = options
    take(&options)
    var fold = try RowFold(options: options, dictionaries: dictionaries())
    let segments = try SegmentNumbers(db, schema: "main")
    try PersonScan(graph: identities(), old: SortedRuns.cursors(db), new: []).forEach(persons) { person, rows in
      let app = try fold.app(of: rows, upTo: rows.rows.count)
      guard let instant = asOf[app] else { return }
      try fold.fold(rows, rows.rows.indices, asOf: instant)
      for fact in facts(fold.facts) {
        let (contexts, dimensions) = unit(fact)
        let credits = fold.facts.contexts[contexts].map { context in
          UnitKey(segments.number(of: Segment(app: app, context: context, dimensions)), dimensions)
        }
        try body(UnstoredFact(person: person, app: app, fact: fact, credits: credits)) { segments.segment($0) }
      }
    }
  }
}
