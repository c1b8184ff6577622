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
    code(dimension, facet.cellKey, client: facet.client, properties: facet.properties, person: facet.person)
  }

  /// Returns the code of a dimension of an event.
  func code(
    _ dimension: Dimension, _ cellKey: CellKey, client: Int32, properties set: Int32, person: Int32
  ) -> Int64 {
    switch dimension {
    case .experiment: name(cellKey.context.experiment)
    case .variant: name(cellKey.context.variant)
    case .paywall: name(cellKey.context.paywall)
    case .entryPoint: name(cellKey.context.entryPoint)
    case .plan: Int64(cellKey.plan)
    case .tier: cellKey.isFamilyTier ? 1 : 0
    case .trialKind: Int64(cellKey.trialKind)
    case .product: name(cellKey.offer.product)
    case .offering: name(cellKey.offer.offering)
    case .offerType: name(cellKey.offer.type)
    case .offerCode: name(cellKey.offer.code)
    case .country: name(clients[Int(client)].country)
    case .platform: name(clients[Int(client)].platform)
    case .store: name(clients[Int(client)].store)
    case .appVersion: name(clients[Int(client)].appVersion)
    case .property(let property): name(properties[property]?[set] ?? 0)
    case .person: Int64(person)
    // UnitRows knows the payment, the spell and the instant.
    case .stage, .renewing, .day, .week, .month, .quarter, .year: 0
    }
  }

  private func name(_ id: NameID) -> Int64 { id == literalNone ? 0 : Int64(id) }
}

/// The columns of a table of facts that dimensions are read from.
struct FacetColumns {
  private enum Column: Int, CaseIterable {
    case app, person, client, properties, experiment, variant, paywall, entryPoint, plan, tier, trialKind
    case product, offering, offerType, offerCode
  }

  /// The columns that some dimension asks for, as not each table has each.
  let names: [String]
  /// The place in a row of the first of them.
  private let first: Int
  /// By column, its place among ``names``.
  private let places: [Int?]

  /// - Parameter first: The place in a row of the first of these columns.
  init(_ used: [Dimension], after first: Int) {
    self.first = first
    var names: [String] = []
    places = Column.allCases.map { column in
      guard let name = Self.name(column, used) else { return nil }
      names.append(name)
      return names.count - 1
    }
    self.names = names
  }

  private static func name(_ column: Column, _ used: [Dimension]) -> String? {
    func name(_ name: String, _ dimension: Dimension) -> String? { used.contains(dimension) ? name : nil }
    return switch column {
    case .app: "app"
    case .person: name("person", .person)
    case .client: used.contains(where: \.isOfClient) ? "client" : nil
    case .properties: used.contains(where: \.isProperty) ? "properties" : nil
    case .experiment: name("experiment", .experiment)
    case .variant: name("variant", .variant)
    case .paywall: name("paywall", .paywall)
    case .entryPoint: name("entry_point", .entryPoint)
    case .plan: name("COALESCE(plan, -1)", .plan)
    case .tier: name("is_family_tier", .tier)
    case .trialKind: name("trial_kind", .trialKind)
    case .product: name("own_product", .product)
    case .offering: name("offering", .offering)
    case .offerType: name("offer_type", .offerType)
    case .offerCode: name("offer_code", .offerCode)
    }
  }

  /// Reads the columns of a row in the order of ``names``, of which there must be as many numbers.
  func read(_ row: FactRow, into numbers: inout [Int64]) {
    for place in numbers.indices { numbers[place] = row[first + place] }
  }

  /// - Throws: `DatabaseError` if the store has no client of a row's number.
  func facet(_ row: FactRow) throws -> UnitFacet {
    func place(_ column: Column) -> Int? { places[column.rawValue].map { first + $0 } }
    func id(_ column: Column) -> NameID { place(column).map { row.int32($0) } ?? 0 }
    var cellKey = CellKey(
      app: id(.app),
      context: Context(
        experiment: id(.experiment), variant: id(.variant), paywall: id(.paywall), entryPoint: id(.entryPoint)))
    cellKey.plan = place(.plan).map { Int8(truncatingIfNeeded: row[$0]) } ?? -1
    cellKey.isFamilyTier = id(.tier) != 0
    cellKey.trialKind = UInt8(truncatingIfNeeded: id(.trialKind))
    cellKey.offer = Offer(
      product: id(.product), offering: id(.offering), type: id(.offerType), code: id(.offerCode))
    return UnitFacet(
      credits: [cellKey], client: try place(.client).map(row.client) ?? 0, properties: id(.properties),
      person: id(.person))
  }
}
