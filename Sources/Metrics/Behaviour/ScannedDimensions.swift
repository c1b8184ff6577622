internal import Lifecycle
internal import Store

/// The dimensions of scanned events as the codes that queries use (definitions 2.11).
struct ScannedDimensions {
  private struct Terms {
    var plan: Int64 = -1
    var isFamilyTier: Int64 = 0
    var offer = Offer()
  }

  private let query: ReportQuery
  private var contexts: [Int32: Context] = [:]
  private var terms: [Int32: Terms] = [:]
  private var clients: [FactSource.Client] = []
  private var properties: [String: [Int32: NameID]] = [:]
  private let filters: [CodeFilter]

  /// - Parameters:
  ///   - others: Dimensions that are asked for besides those of rows and filters.
  ///   - isRead: Returns whether a filter applies to the event.
  init(
    _ query: ReportQuery, and others: [Dimension] = [], filters isRead: (Dimension) -> Bool = { _ in true }
  ) throws {
    self.query = query
    filters = query.options.filters.filter { isRead($0.dimension) }.map(query.codeFilter)
    let used = query.by + filters.map(\.dimension) + others
    if used.contains(where: \.isContext) {
      var found: [Int32: Context] = [:]
      try query.facts.forEachRow("SELECT id, experiment, variant, paywall, entry_point FROM context") { row in
        found[row.int32(0)] = Context(
          experiment: row.int32(1), variant: row.int32(2), paywall: row.int32(3), entryPoint: row.int32(4))
      }
      contexts = found
    }
    if used.contains(where: \.isOfTerms) {
      var found: [Int32: Terms] = [:]
      try query.facts.forEachRow(
        "SELECT id, COALESCE(plan, -1), is_family_tier, product, offering, offer_type, offer_code FROM terms"
      ) { row in
        let offer = Offer(product: row.int32(3), offering: row.int32(4), type: row.int32(5), code: row.int32(6))
        found[row.int32(0)] = Terms(plan: row[1], isFamilyTier: row[2], offer: offer)
      }
      terms = found
    }
    if used.contains(where: \.isOfClient) { clients = try query.facts.clients() }
    for case .property(let name) in used { properties[name] = try query.facts.values(ofProperty: name) }
  }

  func passes(_ event: ScannedEvent) -> Bool {
    filters.allSatisfy { $0.accepts(code($0.dimension, event)) }
  }

  func code(_ dimension: Dimension, _ event: ScannedEvent) -> Int64 {
    switch dimension {
    case .experiment: name(contexts[event.context]?.experiment)
    case .variant: name(contexts[event.context]?.variant)
    case .paywall: name(contexts[event.context]?.paywall)
    case .entryPoint: name(contexts[event.context]?.entryPoint)
    case .plan: terms[event.terms]?.plan ?? -1
    case .tier: terms[event.terms]?.isFamilyTier ?? 0
    case .trialKind, .stage, .renewing: 0
    case .product: name(terms[event.terms]?.offer.product)
    case .offering: name(terms[event.terms]?.offer.offering)
    case .offerType: name(terms[event.terms]?.offer.type)
    case .offerCode: name(terms[event.terms]?.offer.code)
    case .country: name(clients[Int(event.client)].country)
    case .platform: name(clients[Int(event.client)].platform)
    case .store: name(clients[Int(event.client)].store)
    case .appVersion: name(clients[Int(event.client)].appVersion)
    case .property(let property): name(properties[property]?[event.properties])
    case .person: Int64(event.person)
    case .day, .week, .month, .quarter, .year: dimension.code(ofDay: floorDays(query.localTime.local(event.ts)))
    }
  }

  /// Returns the code of a name. A name that literally reads `(none)` gets the code for none.
  private func name(_ id: NameID?) -> Int64 {
    guard let id, !query.facts.isLiteralNone(id) else { return 0 }
    return Int64(id)
  }
}

/// Returns whole days since 1970, rounded down.
func floorDays(_ milliseconds: Int64) -> Int64 {
  let (quotient, remainder) = milliseconds.quotientAndRemainder(dividingBy: day)
  return remainder < 0 ? quotient - 1 : quotient
}
