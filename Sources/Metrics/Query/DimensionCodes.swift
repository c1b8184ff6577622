internal import EventModel
internal import Lifecycle
internal import Store

/// The codes that dimensions of units have.
struct DimensionCodes {
  /// A name of the data that reads `(none)`, as the absent one does.
  private let literalNone: NameID?
  /// By client, what ``Dimension``s of clients are.
  private let clients: [FactSource.Client]
  /// By name of a property, the number of its value in each set that has it.
  private let properties: [String: [Int32: NameID]]

  /// - Parameter used: Those that codes will be asked of.
  init(_ query: ReportQuery, _ used: [Dimension]) throws {
    let facts = query.facts
    literalNone = facts.literalNone.map(NameID.init)
    clients = used.contains(where: \.isOfClient) ? try facts.clients() : []
    let names = Set(used.compactMap { if case .property(let name) = $0 { name } else { nil } })
    properties = try Dictionary(uniqueKeysWithValues: names.map { ($0, try facts.values(ofProperty: $0)) })
  }

  /// The code of a dimension; 0 for days, which are of an instant.
  func code(_ dimension: Dimension, _ facet: UnitFacet) -> Int64 {
    switch dimension {
    case .experiment: name(facet.segment.context.experiment)
    case .variant: name(facet.segment.context.variant)
    case .paywall: name(facet.segment.context.paywall)
    case .entryPoint: name(facet.segment.context.entryPoint)
    case .plan: Int64(facet.segment.plan)
    case .tier: facet.segment.isFamilyTier ? 1 : 0
    case .trialKind: Int64(facet.segment.trialKind)
    case .country: name(clients[Int(facet.client)].country)
    case .platform: name(clients[Int(facet.client)].platform)
    case .store: name(clients[Int(facet.client)].store)
    case .appVersion: name(clients[Int(facet.client)].appVersion)
    case .property(let property): name(properties[property]?[facet.properties] ?? 0)
    case .person: Int64(facet.person)
    case .day, .week, .month: 0
    }
  }

  /// The codes of dimensions, none of them of a day.
  func codes(_ dimensions: [Dimension], _ facet: UnitFacet) -> [Int64] { dimensions.map { code($0, facet) } }

  private func name(_ id: NameID) -> Int64 { id == literalNone ? 0 : Int64(id) }
}

extension Dimension {
  /// The code that a UTC or local day has as a day, or as the week or month that it lies in.
  func code(ofDay number: Int64) -> Int64 {
    switch self {
    case .week: return Int64(CivilDate.monday(ofDay: Int(number))) * Lifecycle.day
    case .month:
      let date = CivilDate(daysSince1970: Int(number))
      return Instant(startOf: CivilDate(year: date.year, month: date.month, day: 1)).millisecondsSince1970
    default: return number * Lifecycle.day
    }
  }
}
