internal import GRDB

extension StoreSnapshot {
  /// The counts of files and lines read, over all files.
  public struct InputTotals: Sendable {
    public var files = 0
    public var failedFiles = 0
    public var lines = 0
    public var events = 0
    public var duplicates = 0
    public var conflicts = 0
    /// The number of quarantined lines by reason, in byte order, without conflicts.
    public var quarantined: [(reason: String, count: Int)] = []
  }

  public func inputTotals() throws -> InputTotals {
    var totals = InputTotals()
    let row = try Row.fetchOne(
      db,
      sql: """
        SELECT
          COALESCE(SUM(failure IS NULL), 0), COALESCE(SUM(failure IS NOT NULL), 0), COALESCE(SUM(lines), 0),
          COALESCE(SUM(events), 0), COALESCE(SUM(duplicates), 0)
        FROM file
        """)
    if let row {
      totals.files = try row.required(0)
      totals.failedFiles = try row.required(1)
      totals.lines = try row.required(2)
      totals.events = try row.required(3)
      totals.duplicates = try row.required(4)
    }
    totals.conflicts = try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM conflict") ?? 0
    totals.quarantined = try Row.fetchAll(
      db,
      sql: """
        SELECT kind, SUM(lines) FROM (
          SELECT CASE WHEN reason = 'not mapped' THEN reason || ': ' || field ELSE reason END AS kind, 1 AS lines
          FROM rejected_line
          UNION ALL SELECT reason, lines FROM unkept_line
        ) GROUP BY kind ORDER BY kind
        """
    ).map { (reason: try $0.required(0), count: try $0.required(1)) }
    return totals
  }

  /// Lines of one app, event name and reason that are kept in quarantine, or that `init` left out.
  public struct RejectedEvents: Sendable {
    public var app: String
    public var event: String
    public var reason: String
    public var lines: Int
    /// The file of those that were left out.
    public var leftOutOf: String?
  }

  /// Returns the numbers of records that `init` left out of files, by file, app and event name.
  public func leftOutEvents() throws -> [RejectedEvents] {
    try Row.fetchAll(
      db,
      sql: """
        SELECT left_out.app, left_out.event, left_out.lines, file.path
        FROM left_out JOIN file ON file.id = left_out.file
        ORDER BY file.id, left_out.app, left_out.event
        """
    ).map {
      try RejectedEvents(
        app: $0.required(0), event: $0.required(1), reason: "left out", lines: $0.required(2), leftOutOf: $0.required(3)
      )
    }
  }

  /// Returns the number of rejected lines by app, event name and reason, in this order; lines whose app or event is not
  /// known are left out.
  public func rejectedEvents() throws -> [RejectedEvents] {
    try Row.fetchAll(
      db,
      sql: """
        SELECT app, event, reason, COUNT(*) FROM (
          SELECT
            reason,
            CASE WHEN event IS NOT NULL THEN app WHEN json_valid(raw) THEN json_extract(raw, '$.app') END AS app,
            CASE WHEN event IS NOT NULL THEN event WHEN json_valid(raw) THEN json_extract(raw, '$.event') END AS event
          FROM rejected_line WHERE typeof(raw) = 'text' OR event IS NOT NULL
        ) WHERE typeof(app) = 'text' AND typeof(event) = 'text'
        GROUP BY app, event, reason ORDER BY app, event, reason
        """
    ).map {
      try RejectedEvents(app: $0.required(0), event: $0.required(1), reason: $0.required(2), lines: $0.required(3))
    }
  }

  public struct QuarantinedLine: Sendable {
    /// The line's number in quarantine; `nil` for conflicts, which no retry can fix.
    public var id: Int64?
    public var file: String
    /// The line's number in its file; `nil` if the content was in the store and was replaced by another.
    public var line: Int?
    public var reason: String
    public var field: String?
    /// The line as in the file; bytes that are not valid UTF-8 read as replacement characters.
    public var raw: String
  }

  /// Returns quarantined lines, in the order of file and line.
  ///
  /// - Parameter reason: Limits the lines to one reason, such as `missing:ts`.
  public func quarantine(id: Int64? = nil, reason: String? = nil, limit: Int? = nil) throws -> [QuarantinedLine] {
    var lines: [QuarantinedLine] = []
    let statement = try SQLiteStatement(
      db,
      """
      SELECT id, file, line, reason, field, raw FROM quarantine
      WHERE (?1 IS NULL OR id = ?1) AND (?2 IS NULL OR reason = ?2)
      ORDER BY file, line, id LIMIT ?3
      """)
    statement.bind(all: id, reason, Int64(limit ?? -1))
    while try statement.step() {
      lines.append(
        QuarantinedLine(
          id: statement.optionalInt64(0), file: statement.string(1), line: statement.optionalInt64(2).map { Int($0) },
          reason: statement.string(3), field: statement.optionalString(4), raw: statement.string(5)))
    }
    return lines
  }
}
