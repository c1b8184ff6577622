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

  /// The impressions that exist at the as-of, counted by what they have in common, with the columns that
  /// ``CellSource/impressions(byDay:)`` has, and those of the client and the properties where they are asked for.
  func impressionSums(byClient: Bool, byProperties: Bool, byDay: Bool) throws -> String {
    struct Key: Hashable, Sendable {
      var contextAndTerms: UInt64
      var clientAndProperties: UInt64
      var appAndDay: UInt64
    }
    let dictionaries = try dictionaries()
    // By client; an app that is not asked for has none before its as-of.
    let limits = dictionaries.clientApp.indices.map { client in
      dictionaries.clientIsSandbox[client] ? Int64.min : asOf[dictionaries.clientApp[client]] ?? .min
    }
    func pair(_ high: Int64, _ low: Int64) -> UInt64 {
      UInt64(truncatingIfNeeded: high) << 32 | UInt64(UInt32(truncatingIfNeeded: low))
    }
    var keys = RowInterner<Key>()
    var sums: [(count: Int64, newest: Int64)] = []
    var numbers = BlockNumbers()
    let kind = Int64(EventKind.paywallImpression.rawValue)
    try EventRuns.forEachView(db) { view in
      guard try numbers.readEvents(view, ofKind: kind) else { return }
      for place in numbers.kinds.indices where numbers.kinds[place] == kind {
        let (client, terms, ts) = (Int(numbers.clients[place]), Int(numbers.terms[place]), numbers.instants[place])
        guard ts < limits[client], !dictionaries.terms[terms].isFamilyShared else { continue }
        let key = Key(
          contextAndTerms: pair(numbers.contexts[place], numbers.terms[place]),
          clientAndProperties: pair(
            byClient ? numbers.clients[place] : 0, byProperties ? numbers.properties[place] : 0),
          appAndDay: pair(Int64(dictionaries.clientApp[client]), byDay ? ts / day : 0))
        let sum = Int(keys.intern(key))
        if sum == sums.count { sums.append((0, .min)) }
        sums[sum].count += 1
        sums[sum].newest = max(sums[sum].newest, ts)
      }
    }
    try db.execute(
      sql: """
        DROP TABLE IF EXISTS temp.impression_sum;
        CREATE TABLE temp.impression_sum (
          app INTEGER, ts INTEGER, context INTEGER, terms INTEGER, client INTEGER, properties INTEGER,
          impressions INTEGER, newest INTEGER
        ) STRICT
        """)
    let insert = try SQLiteStatement(db, "INSERT INTO temp.impression_sum VALUES (?, ?, ?, ?, ?, ?, ?, ?)")
    for (key, (count, newest)) in zip(keys.rows, sums) {
      insert.bind(1, Int64(key.appAndDay >> 32))
      insert.bind(2, Int64(key.appAndDay & 0xFFFF_FFFF) * day)
      insert.bind(3, Int64(key.contextAndTerms >> 32))
      insert.bind(4, Int64(key.contextAndTerms & 0xFFFF_FFFF))
      insert.bind(5, Int64(key.clientAndProperties >> 32))
      insert.bind(6, Int64(key.clientAndProperties & 0xFFFF_FFFF))
      insert.bind(7, count)
      insert.bind(8, newest)
      try insert.run()
    }
    return """
      (SELECT i.app AS app, i.ts AS ts, i.client AS client, i.properties AS properties,
         \(ImpressionCells.columns), i.impressions AS impressions, i.newest AS newest
       FROM temp.impression_sum AS i
       \(ImpressionCells.joins(to: "i")))
      """
  }

  private var person: String { isRefolded ? "COALESCE(refolded_user.person, user.person)" : "user.person" }

  /// Left joins, so that SQLite leaves them out where nobody asks for the person.
  private var joinPerson: String {
    readsTables = true
    return "LEFT JOIN user ON user.id = i.user"
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
    let dictionaries = try dictionaries()
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
