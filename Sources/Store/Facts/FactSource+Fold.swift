internal import GRDB
public import Lifecycle

extension FactSource {
  /// Folds persons again, each as of an instant of its own.
  ///
  /// - Parameters:
  ///   - instants: The instants by person, in ms; none may be after the as-of.
  ///   - grace: In milliseconds; the next four are those of ``FoldOptions``.
  ///   - body: Called in the order of the persons.
  public func fold(
    _ instants: [Int32: Int64], grace: Int64, exposuresSince: Int64 = .min, erasesRefunded: Bool = false,
    takesEventTimes: Bool = false, renewalAt: Int64 = .max,
    _ body: (_ person: Int32, PersonFacts) throws -> Void
  ) throws {
    if instants.isEmpty { return }
    var options = FoldOptions(asOf: .max, grace: grace, attribution: .last)
    options.exposuresSince = exposuresSince
    options.erasesRefunded = erasesRefunded
    options.takesEventTimes = takesEventTimes
    options.renewalAt = renewalAt
    var rowFold = try RowFold(options: options, dictionaries: dictionaries())
    try PersonScan(graph: identities(), old: SortedRuns.cursors(db), new: []).forEach(instants.keys) {
      person, rows in
      try rowFold.fold(rows, rows.rows.indices, asOf: instants[person] ?? .max)
      try body(person, rowFold.facts)
    }
  }
}
