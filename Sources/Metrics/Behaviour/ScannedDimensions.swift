internal import Lifecycle
internal import Store

/// The dimensions of scanned events as the codes that queries use (definitions 2.11).
struct ScannedDimensions {
  private let localTime: LocalTime
  private let codes: DimensionCodes
  private var contexts: [Int32: Context] = [:]
  /// By terms, without an app and a context.
  private var cellKeys: [Int32: CellKey] = [:]
  private let filters: [CodeFilter]

  /// - Parameters:
  ///   - others: Dimensions that are asked for besides those of rows and filters.
  ///   - isRead: Returns whether a filter applies to the event.
  init(
    _ query: ReportQuery, and others: [Dimension] = [], filters isRead: (Dimension) -> Bool = { _ in true }
  ) throws {
    localTime = query.localTime
    filters = query.options.filters.filter { isRead($0.dimension) }.map(query.codeFilter)
    let used = query.by + filters.map(\.dimension) + others
    codes = try DimensionCodes(query, used)
    if used.contains(where: \.isContext) {
      var found: [Int32: Context] = [:]
      try query.facts.forEachRow("SELECT id, experiment, variant, paywall, entry_point FROM context") { row in
        found[row.int32(0)] = Context(
          experiment: row.int32(1), variant: row.int32(2), paywall: row.int32(3), entryPoint: row.int32(4))
      }
      contexts = found
    }
    if used.contains(where: \.isOfTerms) {
      var found: [Int32: CellKey] = [:]
      try query.facts.forEachRow(
        """
        SELECT id, COALESCE(plan, -1), is_family_tier, product, offering, offer_type, offer_code, trial_kind FROM terms
        """
      ) { row in
        var cellKey = CellKey(app: 0, context: .none)
        cellKey.plan = Int8(truncatingIfNeeded: row[1])
        cellKey.isFamilyTier = row[2] != 0
        // A trial's start has its kind, be it the default (events.md, trial_kind).
        if row[7] != 0 {
          cellKey.trialKind = (query.facts.name(row.int(7)) == "app" ? TrialKind.app : .introductory).rawValue
        }
        cellKey.offer = Offer(product: row.int32(3), offering: row.int32(4), type: row.int32(5), code: row.int32(6))
        found[row.int32(0)] = cellKey
      }
      cellKeys = found
    }
  }

  func passes(_ event: ScannedEvent) -> Bool {
    filters.allSatisfy { $0.accepts(code($0.dimension, event)) }
  }

  func code(_ dimension: Dimension, _ event: ScannedEvent) -> Int64 {
    if dimension.isPeriod { return dimension.code(ofDay: localTime.day(of: event.ts)) }
    var cellKey = cellKeys[event.terms] ?? CellKey(app: event.app, context: .none)
    cellKey.context = contexts[event.context] ?? cellKey.context
    return codes.code(
      dimension,
      UnitFacet(cellKey, client: event.client, properties: event.properties, person: event.person))
  }
}

/// Returns whole days since 1970, rounded down.
func floorDays(_ milliseconds: Int64) -> Int64 {
  let (quotient, remainder) = milliseconds.quotientAndRemainder(dividingBy: day)
  return remainder < 0 ? quotient - 1 : quotient
}
