public import EventModel
internal import GRDB

extension Store {
  /// Stores exchange rates, all or none; a rate replaces an earlier one for the same day and currency.
  ///
  /// - Returns: The number of rates that were not already stored with the same text.
  public func importRates(_ rates: [ExchangeRate], lockTimeout: Double = 30) throws -> Int {
    try importRows(
      rates, into: Schema.rateTable,
      sql: """
        INSERT INTO rate (currency, date, usd_per_unit) VALUES (?, ?, ?)
        ON CONFLICT DO UPDATE SET usd_per_unit = excluded.usd_per_unit
        WHERE usd_per_unit <> excluded.usd_per_unit
        """, lockTimeout: lockTimeout
    ) { [$0.currency, $0.date.description, $0.usdPerUnit.description] }
  }

  /// Writes rows in one transaction, after which no report is cached: amounts depend on these rows.
  ///
  /// - Parameters:
  ///   - table: The statement that creates the table if it is not there.
  ///   - sql: The statement that inserts a row.
  /// - Returns: The number of rows that changed the table.
  func importRows<Element>(
    _ rows: [Element], into table: String, sql: String, lockTimeout: Double,
    before: (Database) throws -> Void = { _ in }, arguments: (Element) -> StatementArguments
  ) throws -> Int {
    try write(lockTimeout: lockTimeout) { db in
      var changed = 0
      try db.inTransaction(.immediate) {
        try db.execute(sql: table)
        try before(db)
        let insert = try db.makeStatement(sql: sql)
        for row in rows {
          try insert.execute(arguments: arguments(row))
          changed += db.changesCount
        }
        try CachedReports.clear(db)
        return .commit
      }
      return changed
    }
  }
}

extension StoreSnapshot {
  /// Returns whether any rate was imported.
  public func hasRates() throws -> Bool {
    guard try db.tableExists("rate") else { return false }
    return try Bool.fetchOne(db, sql: "SELECT EXISTS (SELECT 1 FROM rate)") ?? false
  }

  /// Returns whether there is any rate: an imported one, or a payment that also has its price in US dollars.
  public func tellsRates() throws -> Bool {
    try hasRates() || tellsPaymentRates()
  }

  /// Returns whether any payment has a price in US dollars in addition to its own.
  public func tellsPaymentRates() throws -> Bool {
    try Bool.fetchOne(db, sql: "SELECT EXISTS (SELECT 1 FROM terms WHERE price_usd > 0 AND price > 0)") ?? false
  }

  /// Returns the currencies of prices paid.
  public func paymentCurrencies() throws -> Set<String> {
    Set(
      try String.fetchAll(
        db,
        sql: "SELECT text FROM name WHERE id IN (SELECT currency FROM terms WHERE price > 0 AND currency <> 0)"))
  }

  /// Returns the rates of a currency, or of all currencies, by currency in byte order, then by day.
  public func rates(of currency: String? = nil) throws -> [ExchangeRate] {
    guard try db.tableExists("rate") else { return [] }
    return try Row.fetchAll(
      db,
      sql: "SELECT currency, date, usd_per_unit FROM rate WHERE ?1 IS NULL OR currency = ?1 ORDER BY currency, date",
      arguments: [currency]
    ).map { row in
      let (currency, day): (String, String) = try (row.required(0), row.required(1))
      guard let date = CivilDate(day), let usdPerUnit = ExchangeRate.Decimal(try row.required(2)) else {
        throw StoreError.beyondRepair(path: "rate", reason: "\(currency) of \(day) is not an exchange rate")
      }
      return ExchangeRate(date: date, currency: currency, usdPerUnit: usdPerUnit)
    }
  }
}
