internal import EventModel
internal import GRDB

/// Stores the rejected lines of files.
enum RejectedRows {
  /// - Parameter counts: The lines by reason; those of the part are added.
  static func insert(_ part: FilePart, file: Int64, _ db: Database, _ counts: inout [String: Int]) throws {
    try insert(part.rejected, file: file, db, &counts)
    try count(part.unkept, file: file, db, &counts)
  }

  static func removeAll(of file: Int64, _ db: Database) throws {
    try db.execute(sql: "DELETE FROM rejected_line WHERE file = ?", arguments: [file])
    try db.execute(sql: "DELETE FROM unkept_line WHERE file = ?", arguments: [file])
    try db.execute(sql: "DELETE FROM left_out WHERE file = ?", arguments: [file])
  }

  private static func insert(
    _ lines: [RejectedLine], file: Int64, _ db: Database, _ counts: inout [String: Int]
  ) throws {
    if lines.isEmpty { return }
    let insert = try SQLiteStatement(
      db, "INSERT INTO rejected_line (file, line, reason, field, raw, app, event) VALUES (?, ?, ?, ?, ?, ?, ?)")
    for line in lines {
      counts[line.reason, default: 0] += 1
      insert.bind(all: file, Int64(line.line), line.reason, line.field)
      try line.raw.withUnsafeBytes { raw in
        if String(validating: raw, as: UTF8.self) != nil { insert.bindText(5, raw) } else { insert.bindBlob(5, raw) }
        insert.bind(6, line.app)
        insert.bind(7, line.event)
        try insert.run()
      }
    }
  }

  /// Counts rejected lines that are not kept.
  private static func count(
    _ unkept: [String: Int], file: Int64, _ db: Database, _ counts: inout [String: Int]
  ) throws {
    for (reason, count) in unkept.sorted(by: { $0.key < $1.key }) {
      counts[reason, default: 0] += count
      try db.execute(
        sql: "INSERT INTO unkept_line VALUES (?1, ?2, ?3) ON CONFLICT DO UPDATE SET lines = lines + ?3",
        arguments: [file, reason, count])
    }
  }
}
