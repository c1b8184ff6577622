internal import Lifecycle
internal import Store

/// The units of a bridge that `--where` leaves, by the dimensions of reports (definitions 2.11).
struct BridgeFilter {
  private let rows: UnitRows
  private let app: NameID
  private let first: FirstEvents
  private let isOfUsers: Bool

  /// The units of a user that count.
  struct Kept {
    var user = true
    /// By place among the user's trials.
    var trials: [Bool] = []
    /// By place among the user's spells.
    var spells: [Bool] = []
  }

  /// Whether clients and property sets of first events are read for a filter.
  static func asksForFirstEvents(_ query: ReportQuery, _ metric: VendorMetric) -> Bool {
    metric.isOfFirstSeen && query.options.filters.contains { $0.dimension.isOfClient || $0.dimension.isProperty }
  }

  /// - Parameter first: With dimensions, if they are asked for.
  /// - Returns: `nil` without a filter.
  /// - Throws: ``OptionError`` for a dimension that the metric's units do not have.
  init?(_ query: ReportQuery, app: StoreSnapshot.App, _ metric: VendorMetric, _ first: FirstEvents) throws {
    if query.options.filters.isEmpty { return nil }
    try Self.check(query.options.filters, metric)
    rows = try UnitRows(query)
    self.app = app.id
    self.first = first
    isOfUsers = metric.isOfFirstSeen
  }

  private static func check(_ filters: [ReportOptions.Filter], _ metric: VendorMetric) throws {
    for dimension in filters.map(\.dimension) {
      let reason: String? =
        if dimension.isPeriod {
          "a vendor's days are in another time zone: use --from and --to"
        } else if dimension == .stage {
          "no vendor's dashboard filters by the number of a payment"
        } else if dimension == .renewing {
          "the rules of vendors do not say whether auto-renew is on"
        } else if dimension.isOfTerms, metric == .conversionToPaying || metric == .initialConversion {
          "users who have not paid have none, so all remaining users have paid"
        } else {
          nil
        }
      if let reason { throw OptionError("--where is on \(dimension.name), but \(reason)") }
    }
  }

  func kept(_ person: Int32, _ facts: PersonFacts) -> Kept {
    if isOfUsers { return Kept(user: accepts(user(person, facts))) }
    func isKept(_ contexts: Range<Int>, _ dimensions: UnitDimensions) -> Bool {
      accepts(
        UnitFacet(
          credits: [CellKey(app: app, context: facts.contexts[contexts.lowerBound], dimensions)],
          client: dimensions.client, properties: dimensions.properties))
    }
    return Kept(
      trials: facts.trials.map { isKept($0.contexts, $0.dimensions) },
      spells: facts.spells.map { isKept($0.contexts, $0.dimensions) })
  }

  private func accepts(_ facet: UnitFacet) -> Bool { rows.undatedRow(facet) != nil }

  /// As in ``LTVLedger``: the first event's client, the first impression's context, the first payment's terms.
  private func user(_ person: Int32, _ facts: PersonFacts) -> UnitFacet {
    let payment = facts.payments.min { ($0.ts, $0.spell) < ($1.ts, $1.spell) }
    return UnitFacet(
      credits: [
        CellKey(
          app: app, context: facts.entry?.context ?? .unattributed,
          payment.map { facts.spells[$0.spell].dimensions })
      ],
      client: first.clients.isEmpty ? 0 : first.clients[Int(person)],
      properties: first.properties.isEmpty ? 0 : first.properties[Int(person)])
  }
}
