public import EventModel
internal import GRDB

extension StoreSnapshot {
  /// A line in quarantine that says what happened, and when.
  public struct DatedRejection: Sendable {
    /// As the line names it; it need not be a known kind.
    public var event: String
    /// Such as `missing:plan`, or `conflict` for another content of a stored event.
    public var reason: String
    public var time: Instant
  }

  /// Returns an app's lines in quarantine. Only lines of tollgate's own format, and conflicts of any format, say what
  /// happened.
  ///
  /// Lines of which only the number is kept are left out, and so are earlier contents of rows that a service changes, which
  /// are no lost events.
  public func rejectedLines(of app: App) throws -> [DatedRejection] {
    // A time is text or a number of milliseconds.
    let time = """
      CASE WHEN typeof(ts) = 'text' THEN ts END, CASE WHEN typeof(ts) IN ('integer', 'real') THEN CAST(ts AS INTEGER) END
      """
    func instant(_ row: SQLiteStatement) -> Instant? {
      row.optionalInt64(2).map { Instant(millisecondsSince1970: $0) }
        ?? row.optionalString(1).flatMap { Instant(rfc3339: $0) }
    }
    var lines: [DatedRejection] = []
    func extract(_ member: String) -> String {
      "CASE WHEN json_valid(raw) THEN json_extract(raw, '$.\(member)') END AS \(member)"
    }
    let rejected = try SQLiteStatement(
      db,
      """
      SELECT event, \(time), reason FROM (
        SELECT reason, \(extract("app")), \(extract("event")), \(extract("ts"))
        FROM rejected_line WHERE typeof(raw) = 'text'
      ) WHERE app = ? AND typeof(event) = 'text'
      """)
    rejected.bind(1, app.name)
    while try rejected.step() {
      guard let time = instant(rejected) else { continue }
      lines.append(DatedRejection(event: rejected.string(0), reason: rejected.string(3), time: time))
    }
    let conflicts = try SQLiteStatement(
      db,
      """
      SELECT event, \(time), event_id FROM (
        SELECT event_id, content ->> '$.event' AS event, content ->> '$.ts' AS ts FROM conflict WHERE app = ?
      )
      """)
    conflicts.bind(1, app.id)
    while try conflicts.step() {
      guard !Reception.isOfMutableRow(conflicts.bytes(3)), let time = instant(conflicts) else { continue }
      lines.append(DatedRejection(event: conflicts.string(0), reason: "conflict", time: time))
    }
    return lines
  }
}
