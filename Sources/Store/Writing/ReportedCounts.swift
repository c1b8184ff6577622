internal import EventModel
internal import GRDB

/// The counts from a store's own aggregated reports, which are separate from events and persons.
enum ReportedCounts {
  /// Stores the counts from a part of a file. They replace those of an earlier file for the same day, because reports
  /// are restated.
  static func insert(
    _ counts: [ReportedCount: Int], file: Int64, _ db: Database, replacesDays: Bool = true
  ) throws {
    if counts.isEmpty { return }
    if replacesDays { try forgetDays(of: counts, but: file, db) }
    let insert = try SQLiteStatement(db, "INSERT INTO reported_count VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
    func key(_ count: ReportedCount) -> [String] {
      [
        count.report.rawValue, count.app, String(count.day), count.event, count.offerType, count.product,
        count.productID, count.plan?.name ?? "", count.country,
      ]
    }
    let ordered = counts.map { (key: key($0.key), count: $0.key, quantity: $0.value) }
      .sorted { $0.key.lexicographicallyPrecedes($1.key) }
    for (_, count, quantity) in ordered {
      try insert.run(
        binding: count.report.rawValue, count.app, Int64(count.day), count.event, count.offerType, count.product,
        count.productID, count.plan.map { Int64($0.rawValue) }, count.country, Int64(quantity), file)
    }
  }

  private static func forgetDays(of counts: [ReportedCount: Int], but file: Int64, _ db: Database) throws {
    let delete = try SQLiteStatement(
      db, "DELETE FROM reported_count WHERE report = ? AND app = ? AND day = ? AND file <> ?")
    for days in Dictionary(grouping: counts.keys, by: { [$0.report.rawValue, $0.app, String($0.day)] }).values {
      try delete.run(binding: days[0].report.rawValue, days[0].app, Int64(days[0].day), file)
    }
  }
}
