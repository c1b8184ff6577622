internal import Basics
internal import EventModel
internal import Store

extension ReportRequest {
  /// The events of which a report without rows has none.
  private var ownEvents: [EventKind] {
    let ofViews: [ReportKind] = [.funnel, .savings, .value, .cadence]
    let ofPayments: [ReportKind] = [.revenue, .mrr, .subscriptions, .retention, .refunds, .winback]
    if ofViews.contains(kind) { return [.paywallImpression] }
    if ofPayments.contains(kind) { return [.conversion, .renewal, .payment] }
    if kind == .trials { return [.trialStart] }
    return kind == .cancellations ? [.trialStart, .conversion, .renewal, .payment] : []
  }

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
    let rejected = try rejectedNotes(snapshot)
    if !rejected.isEmpty { return rejected.joined(separator: " ") }
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
    guard ownEvents.contains(.payment), try !hasRows(.revenue) else { return nil }
    return (kind == .cancellations ? "No trials or payments yet." : "No payments yet.") + (try coverage(snapshot))
  }

  /// Names the report's own events of which every line was rejected.
  private func rejectedNotes(_ snapshot: StoreSnapshot) throws -> [String] {
    try Health.rejectedKinds(snapshot).filter { rejected in
      ownEvents.contains(rejected.kind) && (options.apps.isEmpty || options.apps.contains(rejected.app))
    }.map { "\($0.sentence.prefix(1).uppercased())\($0.sentence.dropFirst())." }
  }

  /// Says of dimensions of `--by` why all rows are `(none)`: no event has the property, or what is counted has no plan.
  private func splitNotes(_ table: Report, _ snapshot: StoreSnapshot) throws -> [String] {
    guard isOfTable else { return [] }
    let ofPurchases: [Dimension] = [.plan, .tier, .trialKind, .product, .offering, .offerType, .offerCode]
    return try (options.by ?? []).compactMap { dimension -> String? in
      if case .property(let name) = dimension { return try Self.unknownProperty(name, snapshot) }
      guard ofPurchases.contains(dimension), !options.filters.contains(where: { $0.dimension == dimension }),
        let place = table.columns.firstIndex(where: { $0.name == dimension.name }),
        table.rows.allSatisfy({ $0[place] == .text(Dimension.absent) })
      else { return nil }
      let isOfViews = ownEvents == [.paywallImpression]
      return "\(dimension.name) is (none) in every row, because "
        + (isOfViews
          ? "paywall views have none: `tollgate revenue --by \(dimension.name)` counts purchases."
          : "nothing that this report counts has one.")
    }
  }

  /// Returns a sentence about a property that no event has, with those that there are; `nil` if an event has it.
  static func unknownProperty(_ name: String, _ snapshot: StoreSnapshot) throws -> String? {
    if try snapshot.hasProperty(name) { return nil }
    let known = try snapshot.propertyNames(atMost: 20)
    let near = NearName.meant(by: name, in: known).map { " Did you mean property:\($0)?" } ?? ""
    return "No event has the property \(name)"
      + (known.isEmpty ? "." : ", only \(known.joined(separator: ", ")).\(near)")
  }

  /// Adds notes to a table on what its rows do not show: values of filters that match nothing, and trials that were
  /// rejected.
  func noting(_ table: Report, _ snapshot: StoreSnapshot) throws -> Report {
    var table = table
    table.notes = try unmatchedNotes(snapshot) + splitNotes(table, snapshot)
    if kind == .funnel, isOfTable, let trials = table.columns.firstIndex(where: { $0.name == "trial_users" }),
      Self.sum(table.rows, trials) == 0
    {
      var request = self
      request.kind = .trials
      let rejected = try request.rejectedNotes(snapshot)
      table.notes += rejected
      table.hasRejectedTrials = !rejected.isEmpty
    }
    return table
  }
}
