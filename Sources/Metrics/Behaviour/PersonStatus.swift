internal import EventModel
internal import Lifecycle
internal import Store

/// Whether persons were in a trial or paid at an instant.
struct PersonStatus {
  /// In byte order of their names.
  enum Status: Int, CaseIterable {
    case free
    case paid
    case trial

    var name: String {
      switch self {
      case .free: "free"
      case .paid: "paid"
      case .trial: "trial"
      }
    }
  }

  private var covers: [Int32: [Range<Int64>]] = [:]
  private var trials: [Int32: [Range<Int64>]] = [:]

  init(_ query: ReportQuery) throws {
    let list = query.apps.map { String($0.id) }.joined(separator: ", ")
    func read(_ sql: String) throws -> [Int32: [Range<Int64>]] {
      var spans: [Int32: [Range<Int64>]] = [:]
      try query.facts.forEachRow(sql) { row in
        if row[1] < row[2] { spans[Int32(row[0]), default: []].append(row[1]..<row[2]) }
      }
      return spans
    }
    covers = try read(
      "SELECT person, ts, cover_end FROM \(query.facts.table(.payment)) AS p WHERE app IN (\(list))")
    trials = try read(
      """
      SELECT person, start, CASE WHEN converted_at < trial_end THEN converted_at ELSE trial_end END
      FROM \(query.facts.table(.trial)) AS t WHERE app IN (\(list)) AND credit = 0
      """)
  }

  /// Covered by a payment (definitions 2.7), else in a trial that has not converted.
  func status(_ person: Int32, at ts: Int64) -> Status {
    if covers[person]?.contains(where: { $0.contains(ts) }) ?? false { return .paid }
    return trials[person]?.contains { $0.contains(ts) } ?? false ? .trial : .free
  }
}
