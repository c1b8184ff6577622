internal import EventModel
public import Lifecycle

/// A fact that no store keeps, with the person and what it is credited to.
public struct UnstoredFact<Fact: Sendable>: Sendable {
  public let person: Int32
  public let app: NameID
  public let fact: Fact
  /// One or, with `--attribution all`, at least one.
  public internal(set) var credits: [UnitKey]
}

/// Facts that no store keeps, and the cell keys that their credits refer to.
struct UnstoredFacts<Fact: Sendable>: Sendable {
  let cellKeys: CellKeyNumbers
  var facts: [UnstoredFact<Fact>] = []

  func forEach(_ body: (UnstoredFact<Fact>, _ cellKey: (Int32) -> CellKey) throws -> Void) rethrows {
    for fact in facts { try body(fact) { cellKeys.cellKey($0) } }
  }
}

extension FactSource {
  /// Calls `body` with each failed charge, person by person; they are folded once.
  ///
  /// - Parameter body: Also receives a function that returns the cell key with a number.
  public func forEachFailedCharge(
    _ body: (UnstoredFact<FailedChargeFact>, _ cellKey: (Int32) -> CellKey) throws -> Void
  ) throws {
    try foldOnce(\.readFailedCharges, .billingIssue, { $0.takesFailedCharges = true }, { $0.failedCharges }) {
      ($0.contexts, $0.dimensions)
    }.forEach(body)
  }

  /// Calls `body` with each cancellation, person by person; they are folded once.
  ///
  /// - Parameter body: Also receives a function that returns the cell key with a number.
  public func forEachCancellation(
    _ body: (UnstoredFact<CancellationFact>, _ cellKey: (Int32) -> CellKey) throws -> Void
  ) throws {
    try foldOnce(\.readCancellations, .cancellation, { $0.takesCancellations = true }, { $0.cancellations }) {
      ($0.contexts, $0.dimensions)
    }.forEach(body)
  }

  /// Folds the persons with an event of a kind again, if that was not done yet.
  ///
  /// - Parameters:
  ///   - read: Where the facts are kept.
  ///   - unit: Returns what a fact is credited to.
  private func foldOnce<Fact: Sendable>(
    _ read: ReferenceWritableKeyPath<FactSource, UnstoredFacts<Fact>?>, _ kind: EventKind,
    _ take: (inout FoldOptions) -> Void, _ facts: @escaping @Sendable (borrowing PersonFacts) -> [Fact],
    _ unit: @escaping @Sendable (Fact) -> (contexts: Range<Int>, dimensions: UnitDimensions)
  ) throws -> UnstoredFacts<Fact> {
    if let known = self[keyPath: read] { return known }
    var concerned = UserSet()
    try forEachEvent([kind]) { concerned.insert($0.person) }
    let plan = RecomputePlan(
      stale: concerned, users: concerned.users.sorted().map { ($0, $0) }, graph: try identities())
    var folded = try UnstoredFacts<Fact>(cellKeys: CellKeyNumbers(db, schema: "main"))
    let (known, first) = (folded.cellKeys.cellKeys.count, CellKeyNumbers(copying: folded.cellKeys))
    try recompute.forEachPortion(
      plan, dictionaries(), taking: take,
      from: { UnstoredFacts<Fact>(cellKeys: CellKeyNumbers(copying: first)) },
      adding: { portion, person, app, own in
        for fact in facts(own) {
          let (contexts, dimensions) = unit(fact)
          let credits = own.contexts[contexts].map { context in
            UnitKey(portion.cellKeys.number(of: CellKey(app: app, context: context, dimensions)), dimensions)
          }
          portion.facts.append(UnstoredFact(person: person, app: app, fact: fact, credits: credits))
        }
      }
    ) { portion in
      let number = folded.cellKeys.adopt(portion.cellKeys, after: known)
      for var fact in portion.facts {
        if let number {
          for place in fact.credits.indices { fact.credits[place].cellKey = number(fact.credits[place].cellKey) }
        }
        folded.facts.append(fact)
      }
    }
    self[keyPath: read] = folded
    return folded
  }
}
