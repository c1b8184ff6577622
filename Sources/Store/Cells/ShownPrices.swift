internal import GRDB
public import Lifecycle

/// The impressions that showed the same monthly and yearly price, with the dimensions that they share (definitions
/// 5.1).
public struct ShownPrices {
  public var facet: UnitFacet
  public var currency: NameID
  /// The monthly price, in micro-units.
  public var monthly: Int64
  public var yearly: Int64
  /// Days since 1970; 0 if days are not kept apart.
  public var day: Int64 = 0
  public var impressions = 0
  /// The instant of the newest impression; `nil` if unknown.
  public var newest: Int64?

  /// The contexts, terms and prices by their numbers.
  struct Dictionary {
    private let contexts: [Context]
    private let terms: [Terms]
    /// Both prices, by number of the terms; `nil` unless both were shown.
    private var prices: [(monthly: Int64, yearly: Int64)?]

    init(_ db: Database, _ dictionaries: EventDictionaries) throws {
      contexts = dictionaries.contexts
      terms = dictionaries.terms
      prices = terms.map { _ in nil }
      let row = try SQLiteStatement(
        db,
        "SELECT id, price_monthly, price_yearly FROM terms "
          + "WHERE price_monthly IS NOT NULL AND price_yearly IS NOT NULL")
      while try row.step() {
        guard prices.indices.contains(Int(row.int64(0))) else { throw Self.malformed }
        let pair = (monthly: row.int64(1), yearly: row.int64(2))
        guard StoredRange.prices.contains(pair.monthly), StoredRange.prices.contains(pair.yearly) else {
          throw Self.malformed
        }
        prices[Int(row.int64(0))] = pair
      }
    }

    private static var malformed: DatabaseError {
      StoredDamage.error("impressions have numbers that their dictionaries lack")
    }

    /// Returns the entry for an impression, without counts.
    ///
    /// - Returns: `nil` if the terms lack a price.
    func shown(
      app: NameID, context: Int32, terms number: Int32, client: Int32, properties: Int32, person: Int32
    ) throws -> ShownPrices? {
      guard prices.indices.contains(Int(number)), contexts.indices.contains(Int(context)) else { throw Self.malformed }
      guard let pair = prices[Int(number)] else { return nil }
      let facet = UnitFacet(
        credits: [CellKey(app: app, context: contexts[Int(context)], ofImpression: terms[Int(number)])], client: client,
        properties: properties, person: person)
      return ShownPrices(
        facet: facet, currency: terms[Int(number)].currency, monthly: pair.monthly, yearly: pair.yearly)
    }
  }
}

extension CellKey {
  /// Creates the cell key of an impression.
  init(app: NameID, context: Context, ofImpression terms: Terms) {
    self.init(app: app, context: context)
    plan = terms.plan.map { Int8($0.rawValue) } ?? -1
    isFamilyTier = terms.isFamilyTier
    trialKind = terms.trialKind.rawValue
    offer = terms.offer
  }
}
