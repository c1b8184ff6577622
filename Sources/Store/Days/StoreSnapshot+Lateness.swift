public import EventModel
internal import GRDB
public import Lifecycle

extension StoreSnapshot {
  /// The delays of one source's production events, over all days.
  public struct SourceLateness: Sendable {
    /// A vendor, or the file family usual for native events.
    public var source: String
    /// The UTC days with events, as their first milliseconds, oldest first.
    public var days: [Int64] = []
    public var eventsOfDays: [Int] = []
    public var events = 0
    /// The number of events with `received_at`.
    public var stamped = 0
    /// The number of events received before they happened, by more than a minute and up to a day.
    public var ahead = 0
    /// The number of events received more than a day before they happened.
    public var farAhead = 0
    /// The number of events received more than 1 d and up to 2 d after they happened; the next fields continue from
    /// there.
    public var overOneDay = 0
    public var overTwoDays = 0
    public var overSevenDays = 0
    public var overThirtyDays = 0

    /// The number of events received more than 1 d after they happened.
    public var late: Int { overOneDay + overTwoDays + overSevenDays + overThirtyDays }
  }

  /// Returns the sources of an app, in byte order.
  ///
  /// - Parameters:
  ///   - start: Days that start before it are left out.
  ///   - asOf: Days that start at or after it are left out.
  public func arrivals(
    of app: NameID, from start: Int64 = .min, before asOf: Int64
  ) throws -> [SourceLateness] {
    var sources: [SourceLateness] = []
    let columns = Lateness.Delay.allCases.map(\.column).joined(separator: ", ")
    let row = try SQLiteStatement(
      db, "SELECT source, day, \(columns) FROM arrival WHERE app = ? AND day >= ? AND day < ? ORDER BY source, day")
    row.bind(all: app, start, asOf)
    while try row.step() {
      let name = row.string(0)
      if sources.last?.source != name { sources.append(SourceLateness(source: name)) }
      var source = sources.removeLast()
      func count(_ delay: Lateness.Delay) -> Int { Int(row.int64(Int32(2 + delay.rawValue))) }
      guard StoredRange.instants.contains(row.int64(1)),
        Lateness.Delay.allCases.allSatisfy({ StoredRange.totals.contains(Int64(count($0))) })
      else { throw StoredDamage.error("arrival is malformed") }
      let events = Lateness.Delay.allCases.map(count).reduce(0, +)
      source.days.append(row.int64(1))
      source.eventsOfDays.append(events)
      source.events += events
      source.stamped += events - count(.unstamped)
      source.ahead += count(.ahead)
      source.farAhead += count(.farAhead)
      source.overOneDay += count(.overOneDay)
      source.overTwoDays += count(.overTwoDays)
      source.overSevenDays += count(.overSevenDays)
      source.overThirtyDays += count(.overThirtyDays)
      sources.append(source)
    }
    return sources
  }

  /// Returns the apps with events on days that start at an instant or later, in byte order: how many, and the last day's
  /// first millisecond. Those received over a day before they happened are left out.
  public func eventsAhead(from start: Int64) throws -> [(app: String, events: Int, last: Int64)] {
    let counted = Lateness.Delay.allCases.filter { $0 != .farAhead }.map(\.column).joined(separator: " + ")
    return try Row.fetchAll(
      db,
      sql: """
        SELECT name.text, SUM(\(counted)) AS events, MAX(day) FROM arrival JOIN name ON name.id = arrival.app
        WHERE day >= ? GROUP BY arrival.app HAVING events > 0 ORDER BY name.text
        """, arguments: [start]
    ).map { (app: try $0.required(0), events: try $0.required(1), last: try $0.required(2)) }
  }

  /// Returns the counts of aggregated reports, summed over countries, in the order of report, app, day, product and
  /// event.
  public func reportedCounts() throws -> [(of: ReportedCount, quantity: Int)] {
    try Row.fetchAll(
      db,
      sql: """
        SELECT report, app, day, event, offer_type, product, product_id, plan, SUM(quantity)
        FROM reported_count
        GROUP BY report, app, day, product, product_id, plan, event, offer_type
        ORDER BY report, app, day, product, product_id, event, offer_type
        """
    ).compactMap { row in
      guard let report = ReportedCount.Report(rawValue: try row.required(0)) else { return nil }
      let plan = (try row.optional(7) as UInt8?).flatMap { Plan(rawValue: $0) }
      let count = try ReportedCount(
        report: report, app: row.required(1), day: row.required(2), event: row.required(3),
        offerType: row.required(4), product: row.required(5), productID: row.required(6), plan: plan, country: "")
      return (count, try row.required(8))
    }
  }

  /// Returns the number of an app's stored impressions and of those without an entry point; sandbox and family-shared
  /// ones are left out.
  public func impressionCounts(of app: NameID) throws -> (all: Int, withoutEntryPoint: Int) {
    let row = try Row.fetchOne(
      db,
      sql: """
        SELECT COALESCE(SUM(impressions), 0), COALESCE(SUM(CASE WHEN context.entry_point = 0 THEN impressions ELSE 0 END), 0)
        FROM impression_cell JOIN context ON context.id = impression_cell.context
        WHERE day = \(ImpressionCells.allDays) AND app = ?
        """, arguments: [app])
    return (try row?.required(0) ?? 0, try row?.required(1) ?? 0)
  }

  /// The context of an app's impressions, with the product or the plans that they show a price for.
  public struct ShownPlans: Sendable {
    public var context: Context
    /// The product's name; 0 if there is none.
    public var product: NameID
    public var weekly: Bool
    public var monthly: Bool
    public var yearly: Bool
    public var lifetime: Bool
  }

  /// Returns each distinct combination once.
  public func shownPlans(of app: NameID) throws -> [ShownPlans] {
    try Row.fetchAll(
      db,
      sql: """
        SELECT DISTINCT experiment, variant, paywall, entry_point, product, price_weekly IS NOT NULL,
          price_monthly IS NOT NULL, price_yearly IS NOT NULL, price_lifetime IS NOT NULL
        FROM impression_cell
        JOIN context ON context.id = impression_cell.context
        JOIN terms ON terms.id = impression_cell.terms
        WHERE day = \(ImpressionCells.allDays) AND app = ?
        """, arguments: [app]
    ).map { row in
      try ShownPlans(
        context: Context(
          experiment: row.required(0), variant: row.required(1), paywall: row.required(2), entryPoint: row.required(3)),
        product: row.required(4), weekly: row.required(5), monthly: row.required(6), yearly: row.required(7),
        lifetime: row.required(8))
    }
  }
}
