extension EventBlock {
  /// The view with a row for each event in the blocks, as numbers. The views for people build on it; the program itself
  /// reads the blocks.
  static let rowViewSQL = """
    CREATE VIEW event_row AS
    SELECT
      b.first_user + \(number(.user)) AS user,
      b.first_time + \(number(.time)) * b.unit + \(number(.timeRest)) AS ts,
      CASE b.is_wide WHEN 0 THEN coalesce(unicode(substr(b.kind, b.n, 1)) - 1, 0) ELSE \(number(.kind)) END AS kind,
      \(IDColumn.sql("b.event_id", "b.n")) AS event_id,
      b.first_file + \(number(.file)) AS file,
      b.first_received + (nullif(\(number(.received)), 0) - 1) * b.received_unit + \(number(.receivedRest))
        - (b.first_time + \(number(.timeRest))) % 1000 AS received_after,
      \(number(.client)) AS client,
      \(number(.context)) AS context,
      \(number(.terms)) AS terms,
      \(number(.properties)) AS properties,
      \(detail(IDColumn.sql("b.subscription_id", "b.d"))) AS subscription_id,
      \(detail(IDColumn.sql("b.transaction_id", "b.d"))) AS transaction_id,
      \(detail(end(.expires, .expiresRest, "first_expires"))) AS expires_after,
      \(detail(end(.trialEnd, .trialEndRest, "first_trial_end"))) AS trial_ends_after,
      \(detail(end(.graceEnd, .graceEndRest, "first_grace_end"))) AS grace_ends_after,
      \(detail(end(.started, .startedRest, "first_started"))) AS started_after,
      \(detail("nullif(\(number(.previousHigh, at: "b.d")) * \(previousUnit) + \(number(.previousLow, at: "b.d")), 0)"))
        AS previous_user
    FROM (
      SELECT b.*, p.n AS n,
        CASE b.is_wide WHEN 0 THEN coalesce(unicode(substr(b.detail, p.n, 1)) - 1, 0)
          ELSE \(number(.detail, at: "p.n")) END AS d
      FROM event_block AS b
      JOIN place AS p ON p.n <= b.events
    ) AS b
    """

  private static func number(_ column: Column, at place: String = "b.n") -> String {
    let name = "b.\"\(column.name)\""
    return """
      CASE b.is_wide WHEN 0 THEN \(ColumnText.sql(name, place))
        ELSE coalesce(json_extract(\(name), '$[' || (\(place) - 1) || ']'), 0) END
      """
  }

  private static func detail(_ sql: String) -> String { "CASE WHEN b.d > 0 THEN \(sql) END" }

  private static func end(_ column: Column, _ rest: Column, _ base: String) -> String {
    "b.\(base) + (nullif(\(number(column, at: "b.d")), 0) - 1) * b.unit + \(number(rest, at: "b.d"))"
  }
}
