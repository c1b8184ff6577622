public import EventModel
internal import GRDB

extension Store {
  /// Stores spend, all or nothing; a row replaces an earlier one of the same app, day and slice.
  ///
  /// - Parameter removed: Stored rows to take out first.
  /// - Returns: The number of rows that were not already stored with the same values.
  public func importSpend(
    _ rows: [(app: String, row: SpendRow)], removing removed: [(app: String, row: SpendRow)] = [],
    lockTimeout: Double = 30
  ) throws -> Int {
    try importRows(
      rows, into: Schema.spendTable,
      sql: """
        INSERT INTO spend VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        ON CONFLICT DO UPDATE SET currency = excluded.currency, spend = excluded.spend,
          installs = excluded.installs, impressions = excluded.impressions, clicks = excluded.clicks
        WHERE (currency, spend) <> (excluded.currency, excluded.spend) OR installs IS NOT excluded.installs
          OR impressions IS NOT excluded.impressions OR clicks IS NOT excluded.clicks
        """, lockTimeout: lockTimeout,
      before: { db in
        for (app, row) in removed {
          try db.execute(
            sql: """
              DELETE FROM spend WHERE app = ? AND day = ? AND source = ? AND campaign = ? AND ad_group = ?
                AND country = ? AND platform = ?
              """,
            arguments: [
              app, row.day.description, row.slice.source, row.slice.campaign, row.slice.adGroup, row.slice.country,
              row.slice.platform,
            ])
        }
      }
    ) { app, row in
      [
        app, row.day.description, row.slice.source, row.slice.campaign, row.slice.adGroup, row.slice.country,
        row.slice.platform, row.currency, row.spend, row.installs, row.impressions, row.clicks,
      ]
    }
  }

  /// Removes the spend of some days, all of it or of some apps.
  ///
  /// - Parameters:
  ///   - days: From the first day to before the second.
  ///   - apps: Empty for all apps.
  /// - Returns: The number of rows removed.
  public func removeSpend(of days: Range<CivilDate>, apps: [String], lockTimeout: Double = 30) throws -> Int {
    let apps = try read { try $0.appsWithSpend() }.filter { apps.isEmpty || apps.contains($0) }
    if apps.isEmpty { return 0 }
    return try importRows(
      apps, into: Schema.spendTable, sql: "DELETE FROM spend WHERE app = ? AND day >= ? AND day < ?",
      lockTimeout: lockTimeout
    ) { [$0, days.lowerBound.description, days.upperBound.description] }
  }
}

extension StoreSnapshot {
  /// Returns the apps whose spend is stored, in byte order.
  public func appsWithSpend() throws -> [String] {
    guard try db.tableExists("spend") else { return [] }
    return try String.fetchAll(db, sql: "SELECT DISTINCT app FROM spend ORDER BY app")
  }

  /// Returns the spend of an app, by day and slice in byte order.
  public func spend(ofApp app: String) throws -> [SpendRow] {
    guard try db.tableExists("spend") else { return [] }
    return try Row.fetchAll(
      db,
      sql: """
        SELECT day, source, campaign, ad_group, country, platform, currency, spend, installs, impressions, clicks
        FROM spend WHERE app = ? ORDER BY day, source, campaign, ad_group, country, platform
        """, arguments: [app]
    ).map { row in
      let text: String = try row.required(0)
      guard let day = CivilDate(text) else {
        throw StoreError.beyondRepair(path: "spend", reason: "\(text) is not a day")
      }
      var slice = SpendRow.Slice()
      (slice.source, slice.campaign, slice.adGroup) = try (row.required(1), row.required(2), row.required(3))
      (slice.country, slice.platform) = try (row.required(4), row.required(5))
      var spend = try SpendRow(day: day, slice: slice, currency: row.required(6), spend: row.required(7))
      (spend.installs, spend.impressions, spend.clicks) = try (row.optional(8), row.optional(9), row.optional(10))
      return spend
    }
  }
}
