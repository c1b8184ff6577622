public import Lifecycle

/// A failed charge of a person with what it is credited to.
public struct StoredFailedCharge {
  public let person: Int32
  public let app: NameID
  public let charge: FailedChargeFact
  /// One or, with `--attribution all`, at least one.
  public let credits: [UnitKey]
}

extension FactSource {
  /// Calls `body` with each failed charge (definitions 12.1), person by person. No stored fact has them, so persons with
  /// a `billing_issue` are folded again.
  ///
  /// - Parameter body: Also receives a function that returns the segment with a number.
  public func forEachFailedCharge(
    _ body: (StoredFailedCharge, _ segment: (Int32) -> Segment) throws -> Void
  ) throws {
    var concerned = UserSet()
    try forEachEvent([.billingIssue]) { concerned.insert($0.person) }
    let persons = concerned.users.sorted()
    if persons.isEmpty { return }
    var options = options
    options.takesFailedCharges = true
    var fold = try RowFold(options: options, dictionaries: dictionaries())
    let segments = try SegmentNumbers(db, schema: "main")
    try PersonScan(graph: identities(), old: SortedRuns.cursors(db), new: []).forEach(persons) { person, rows in
      let app = try fold.app(of: rows, upTo: rows.rows.count)
      guard let instant = asOf[app] else { return }
      try fold.fold(rows, rows.rows.indices, asOf: instant)
      for charge in fold.facts.failedCharges {
        let credits = fold.facts.contexts[charge.contexts].map { context in
          let segment = Segment(app: app, context: context, charge.dimensions)
          return UnitKey(segments.number(of: segment), charge.dimensions)
        }
        try body(StoredFailedCharge(person: person, app: app, charge: charge, credits: credits)) {
          segments.segment($0)
        }
      }
    }
  }
}
