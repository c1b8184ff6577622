internal import Lifecycle
internal import Store

/// The codes of the dimensions of units and events.
struct DimensionCodes {
  /// A name in the data that literally reads `(none)`, like an absent one.
  private let literalNone: NameID?
  /// The client fields by client number.
  private let clients: [FactSource.Client]
  /// The number of a property's value in each set that has it, by name of the property.
  private let properties: [String: [Int32: NameID]]

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
    let (cellKey, client) = (facet.cellKey, facet.client)
    let name: NameID
    switch dimension {
    case .experiment: name = cellKey.context.experiment
    case .variant: name = cellKey.context.variant
    case .paywall: name = cellKey.context.paywall
    case .entryPoint: name = cellKey.context.entryPoint
    case .plan: return Int64(cellKey.plan)
    case .tier: return cellKey.isFamilyTier ? 1 : 0
    case .trialKind: return Int64(cellKey.trialKind)
    case .product: name = cellKey.offer.product
    case .offering: name = cellKey.offer.offering
    case .offerType: name = cellKey.offer.type
    case .offerCode: name = cellKey.offer.code
    case .country: name = clients[Int(client)].country
    case .platform: name = clients[Int(client)].platform
    case .store: name = clients[Int(client)].store
    case .appVersion: name = clients[Int(client)].appVersion
    case .property(let property): name = properties[property]?[facet.properties] ?? 0
    case .person: return Int64(facet.person)
    // UnitRows knows the payment, the spell and the instant.
    case .stage, .renewing, .day, .week, .month, .quarter, .year: return 0
    }
    return name == literalNone ? 0 : Int64(name)
  }
}
