internal import EventModel
internal import GRDB
internal import Lifecycle

/// The events that a report counts by themselves, not as facts: read from the blocks once, into tables of memory.
extension FactSource {
  /// The impressions that exist at the as-of, with the columns of a fact and the prices that they showed.
  public func impressions() throws -> String {
    if !hasImpressions {
      try fill("impression") { row in row.kind == .paywallImpression }
      hasImpressions = true
    }
    return """
      (SELECT
         \(person) AS person,
         i.app AS app,
         i.ts AS ts,
         \(CodedText.sql("i.event_id")) AS event_id,
         i.client AS client,
         i.properties AS properties,
         \(ImpressionCells.columns)
       FROM temp.impression AS i
       \(joinPerson)
       \(ImpressionCells.joins(to: "i")))
      """
  }

  /// The conversions and renewals that exist at the as-of, with person, instant, product, price and id.
  public func paymentEvents() throws -> String {
    if !hasPaymentEvents {
      try fill("payment_event") { row in row.kind == .conversion || row.kind == .renewal }
      hasPaymentEvents = true
    }
    return """
      (SELECT \(person) AS person, i.ts AS ts, terms.product AS product, terms.price AS price,
         \(CodedText.sql("i.event_id")) AS event_id
       FROM temp.payment_event AS i
       \(joinPerson)
       JOIN terms ON terms.id = i.terms)
      """
  }

  private var person: String { isRefolded ? "COALESCE(refolded_user.person, user.person)" : "user.person" }

  /// Left joins, so that SQLite leaves them out where nobody asks for the person.
  private var joinPerson: String {
    "LEFT JOIN user ON user.id = i.user"
      + (isRefolded ? " LEFT JOIN temp.refolded_user ON refolded_user.user = i.user" : "")
  }

  /// Puts the events that count, exist at the as-of and are wanted into a table of memory.
  private func fill(_ table: String, _ isWanted: (borrowing EventRow) -> Bool) throws {
    try db.execute(
      sql: """
        DROP TABLE IF EXISTS temp.\(table);
        CREATE TABLE temp.\(table) (
          user INTEGER, app INTEGER, ts INTEGER, event_id ANY, context INTEGER, client INTEGER, properties INTEGER,
          terms INTEGER
        ) STRICT
        """)
    let insert = try SQLiteStatement(db, "INSERT INTO temp.\(table) VALUES (?, ?, ?, ?, ?, ?, ?, ?)")
    let dictionaries = try StoredDictionaries(db).forFold
    try EventRuns.forEachBlock(db) { events in
      try events.text.withUnsafeBytes { text in
        for row in events.rows where isWanted(row) {
          let app = dictionaries.clientApp[Int(row.client)]
          guard let instant = asOf[app], row.ts < instant, !dictionaries.clientIsSandbox[Int(row.client)],
            !dictionaries.terms[Int(row.terms)].isFamilyShared
          else { continue }
          insert.bind(1, row.user)
          insert.bind(2, app)
          insert.bind(3, row.ts)
          insert.bindCoded(4, row.eventID, in: text)
          insert.bind(5, row.context)
          insert.bind(6, row.client)
          insert.bind(7, row.properties)
          insert.bind(8, row.terms)
          try insert.run()
        }
      }
    }
  }
}
