internal import EventModel
internal import Store

extension ReportRequest {
  /// Whether the report itself is asked for, not an explanation, comparison or the like.
  private var isOfTable: Bool {
    explained == nil && kind.table != nil && comparison == nil && drivers == nil && definedBy == nil && !showsPairs
      && options.backtest == nil
  }

  /// Says why a report has no rows where no condition is at fault; `nil` if nothing is known about it.
  func missingNote(_ snapshot: StoreSnapshot) throws -> String? {
    let apps = try snapshot.apps().filter { options.apps.isEmpty || options.apps.contains($0.name) }
    guard isOfTable, let first = apps.map(\.firstDay).min() else { return nil }
    if let asOf = options.asOf, asOf <= first {
      return "The data begin on \(Instant(millisecondsSince1970: first).date), after --as-of."
    }
    var plain = ReportRequest(kind)
    (plain.options.apps, plain.options.asOf, plain.options.asOfs) = (options.apps, options.asOf, options.asOfs)
    plain.options.by = []
    func hasRows(_ kind: ReportKind) throws -> Bool {
      var request = plain
      request.kind = kind
      return try request.counted(snapshot)?.rows.isEmpty == false
    }
    if kind == .savings {
      plain.kind = .funnel
      guard let funnel = try plain.counted(snapshot) else { return nil }
      let places = funnel.columns.indices.filter { ["users", "immature"].contains(funnel.columns[$0].name) }
      let viewers = places.reduce(0) { $0 + Self.sum(funnel.rows, $1) }
      return viewers == 0 ? nil : "\(grouped(viewers)) saw a paywall, but no paywall view has a price."
    }
    let ofPayments: [ReportKind] = [.revenue, .mrr, .subscriptions, .retention, .refunds, .winback, .cancellations]
    guard ofPayments.contains(kind), try !hasRows(.revenue) else { return nil }
    return (kind == .cancellations ? "No trials or payments yet." : "No payments yet.") + (try coverage(snapshot))
  }

  /// Adds to a table what its rows do not say, such as values of filters that match nothing.
  func noting(_ table: Report, _ snapshot: StoreSnapshot) throws -> Report {
    var table = table
    table.notes = try unmatchedNotes(snapshot)
    return table
  }
}
