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
    var alone = self
    alone.comparison = nil
    guard alone.isOfTable, let first = apps.map(\.firstDay).min() else { return nil }
    if let asOf = options.asOf, asOf <= first {
      return "The data begin on \(Instant(millisecondsSince1970: first).date), after --as-of."
    }
    let rejected = try rejectedNotes(snapshot, ownEvents)
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
    let days = try coverage(snapshot)
    if kind == .cancellations {
      let hasTrials = try hasRows(.trials)
      return (hasTrials ? "Every trial is still open, and there are no payments yet." : "No trials or payments yet.")
        + days
    }
    let names = options.apps.isEmpty ? try snapshot.apps().map(\.name) : options.apps
    let hasRefunds = try Health.hasEvents(of: [.refund], names, snapshot)
    return (hasRefunds ? "No payments yet, only refunds: load the payments that they give back." : "No payments yet.")
      + days
  }

  /// The events that a report counts besides its own.
  private var furtherEvents: [EventKind] {
    switch kind {
    case .funnel: [.trialStart, .conversion, .payment]
    case .trials: [.conversion, .payment]
    default: []
    }
  }

  /// Names the report's events of which every line was rejected, or many, or that were left out.
  private func rejectedNotes(_ snapshot: StoreSnapshot, _ kinds: [EventKind]) throws -> [String] {
    if kinds.isEmpty { return [] }
    return try Health.sentences(of: Health.rejectedKinds(snapshot, of: kinds, apps: options.apps)).map {
      "\($0.prefix(1).uppercased())\($0.dropFirst())."
    }
  }

  /// Says of dimensions of `--by` why all rows are `(none)`: no event has the property, or what is counted has no plan.
  private func splitNotes(_ table: Report, _ snapshot: StoreSnapshot) throws -> [String] {
    guard isOfTable else { return [] }
    return try (options.by ?? []).compactMap { dimension -> String? in
      if case .property(let name) = dimension {
        let read = kind == .payback && name == "campaign" ? options.campaignProperty : name
        return try Self.unknownProperty(read, snapshot)
      }
      guard dimension.isOfTerms, !options.filters.contains(where: { $0.dimension == dimension }),
        let place = table.place(dimension.name),
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

  /// Says that a share of 0 is not known, as the data have no event of the kinds that it counts, and marks the rates.
  private func markUnknown(_ table: inout Report, _ snapshot: StoreSnapshot) throws {
    typealias Outcome = (
      of: ReportKind, all: String, counted: [String], rates: [String], events: [EventKind], what: String
    )
    let payments: [EventKind] = [.conversion, .renewal, .payment]
    let outcomes: [Outcome] = [
      (.trials, "trials", ["cancelled"], ["cancel_rate"], [.cancellation], "cancellations, so how many were cancelled"),
      (
        .trials, "trials", ["converted"], ["trial_to_paid_rate", "floor_rate", "ceiling_rate"], payments,
        "payments, so how many paid"
      ),
      (
        .funnel, "users", ["paid_users", "trial_paid_users", "direct_paid_users"],
        ["trial_to_paid_rate", "direct_rate", "paid_rate"], payments, "payments, so how many paid"
      ),
      (
        .paths, "users", ["paid"], ["paid_rate", "paid_step_rate", "paid_incidence"], payments,
        "payments, so how many paid"
      ),
      (
        .paths, "users", ["started"], ["started_rate", "started_step_rate", "started_incidence"],
        [.trialStart] + payments, "trials or payments, so how many started"
      ),
      (
        .paths, "users", ["sheet"],
        ["sheet_rate", "sheet_step_rate", "sheet_incidence", "abandonment_rate", "bounce_rate"], [.purchaseStarted],
        "purchase_started events, so how many opened the payment sheet"
      ),
      (.cadence, "views", ["paid_views"], ["paid_rate"], payments, "payments, so how many paid"),
      (.value, "users", ColumnInfo.purchasesOfPlans, ["paid_rate"], payments, "payments, so how many paid"),
    ]
    func sum(_ name: String) -> Int { table.place(name).map { Self.sum(table.rows, $0) } ?? 0 }
    for outcome in outcomes
    where outcome.of == kind && sum(outcome.all) >= 10 && outcome.counted.allSatisfy({ sum($0) == 0 }) {
      // Of trials that are all open, no share is shown.
      if kind == .trials, sum("matured") == 0 { continue }
      // Where no row has the number, as with other steps, there is nothing to mark.
      guard let place = table.place(outcome.counted[0]), table.rows.contains(where: { $0[place] == .count(0) })
      else { continue }
      let apps = options.apps.isEmpty ? try snapshot.apps().map(\.name) : options.apps
      if try Health.hasEvents(of: outcome.events, apps, snapshot) { continue }
      table.notes.append("\(apps.count == 1 ? "\(apps[0]) has" : "The data have") no \(outcome.what) is not known.")
      table.unknownRates.formUnion(outcome.rates)
      table.unknownCounts.formUnion(outcome.counted)
    }
  }

  /// Adds notes to a table on what its rows do not show: values of filters that match nothing, and events that were
  /// rejected or left out.
  func noting(_ table: Report, _ snapshot: StoreSnapshot) throws -> Report {
    var table = table
    table.notes += try unmatchedNotes(snapshot) + splitNotes(table, snapshot)
    guard isOfTable, !table.rows.isEmpty else { return table }
    let rejected = try rejectedNotes(snapshot, ownEvents + furtherEvents)
    table.notes += rejected
    if rejected.isEmpty { try markUnknown(&table, snapshot) }
    if kind == .funnel, let trials = table.place("trial_users"),
      Self.sum(table.rows, trials) == 0
    {
      table.hasRejectedTrials = try !rejectedNotes(snapshot, [.trialStart]).isEmpty
    }
    return table
  }
}
