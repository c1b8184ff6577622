internal import Lifecycle
internal import Store

/// The codes of units' dimensions.
struct DimensionCodes {
  /// A name in the data that literally reads `(none)`, like an absent one.
  private let literalNone: NameID?
  /// The client fields by client number.
  private let clients: [FactSource.Client]
  /// The number of a property's value in each set that has it, by name of the property.
  private let properties: [String: [Int32: NameID]]

  /// - Parameter used: The dimensions whose codes are needed.
  init(_ query: ReportQuery, _ used: [Dimension]) throws {
    let facts = query.facts
    literalNone = facts.literalNone.map(NameID.init)
    clients = used.contains(where: \.isOfClient) ? try facts.clients() : []
    let names = Set(used.compactMap { if case .property(let name) = $0 { name } else { nil } })
    properties = try Dictionary(uniqueKeysWithValues: names.map { ($0, try facts.values(ofProperty: $0)) })
  }

  /// Returns the code of a dimension; 0 for days, stages and auto-renew, which depend on the unit's instant, payment
  /// and spell.
  func code(_ dimension: Dimension, _ facet: UnitFacet) -> Int64 {
    switch dimension {
    case .experiment: name(facet.segment.context.experiment)
    case .variant: name(facet.segment.context.variant)
    case .paywall: name(facet.segment.context.paywall)
    case .entryPoint: name(facet.segment.context.entryPoint)
    case .plan: Int64(facet.segment.plan)
    case .tier: facet.segment.isFamilyTier ? 1 : 0
    case .trialKind: Int64(facet.segment.trialKind)
    case .product: name(facet.segment.offer.product)
    case .offering: name(facet.segment.offer.offering)
    case .offerType: name(facet.segment.offer.type)
    case .offerCode: name(facet.segment.offer.code)
    case .country: name(clients[Int(facet.client)].country)
    case .platform: name(clients[Int(facet.client)].platform)
    case .store: name(clients[Int(facet.client)].store)
    case .appVersion: name(clients[Int(facet.client)].appVersion)
    case .property(let property): name(properties[property]?[facet.properties] ?? 0)
    case .person: Int64(facet.person)
    // UnitRows knows the payment, the spell and the instant.
    case .stage, .renewing, .day, .week, .month, .quarter, .year: 0
    }
  }

  private func name(_ id: NameID) -> Int64 { id == literalNone ? 0 : Int64(id) }
}

/// The columns of a table of facts that dimensions are read from.
struct FacetColumns {
  /// In the order of ``facet(_:)``; a constant where no dimension asks for the column, as not each table has each.
  let names: [String]
  private let first: Int
  private let readsClients: Bool

  /// - Parameter first: The place in a row of the first of these columns.
  init(_ used: [Dimension], after first: Int) {
    self.first = first
    readsClients = used.contains(where: \.isOfClient)
    func column(_ name: String, _ dimension: Dimension, none: String = "0") -> String {
      used.contains(dimension) ? name : none
    }
    let readsProperties = used.contains { if case .property = $0 { true } else { false } }
    names = [
      "app", column("person", .person), readsClients ? "client" : "0", readsProperties ? "properties" : "0",
      column("experiment", .experiment), column("variant", .variant), column("paywall", .paywall),
      column("entry_point", .entryPoint), column("COALESCE(plan, -1)", .plan, none: "-1"),
      column("is_family_tier", .tier), column("trial_kind", .trialKind), column("own_product", .product),
      column("offering", .offering), column("offer_type", .offerType), column("offer_code", .offerCode),
    ]
  }

  /// - Throws: `DatabaseError` if the store has no client of a row's number.
  func facet(_ row: FactRow) throws -> UnitFacet {
    func id(_ place: Int) -> NameID { row.int32(first + place) }
    var segment = Segment(
      app: id(0), context: Context(experiment: id(4), variant: id(5), paywall: id(6), entryPoint: id(7)))
    segment.plan = Int8(truncatingIfNeeded: row[first + 8])
    segment.isFamilyTier = row[first + 9] != 0
    segment.trialKind = UInt8(truncatingIfNeeded: row[first + 10])
    segment.offer = Offer(product: id(11), offering: id(12), type: id(13), code: id(14))
    return UnitFacet(
      credits: [segment], client: readsClients ? try row.client(first + 2) : 0, properties: id(3), person: id(1))
  }
}
