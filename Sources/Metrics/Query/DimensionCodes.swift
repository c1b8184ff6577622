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
