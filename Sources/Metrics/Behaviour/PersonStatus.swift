internal import Store

/// Tells whether a user was free, in a trial or paying at an instant.
struct PersonStatus {
  /// The statuses, in byte order of their names.
  enum Status: Int, CaseIterable {
    case free
    case paid
    case trial

    var name: String { "\(self)" }
  }

  private var covers: [Int32: [Range<Int64>]] = [:]
  private var trials: [Int32: [Range<Int64>]] = [:]

  init(_ query: ReportQuery) throws {
    var spans: [Int32: [Range<Int64>]] = [:]
    try PaymentHistoryReader(query.facts).forEachPerson { money in
      spans[money.person] = money.payments.lazy.filter { $0.ts < $0.coverEnd }.map { $0.ts..<$0.coverEnd }
    }
    covers = spans
    let list = query.apps.map { String($0.id) }.joined(separator: ", ")
    spans = [:]
    try query.facts.forEachRow(
      """
      SELECT person, start, CASE WHEN converted_at < trial_end THEN converted_at ELSE trial_end END
      FROM \(query.facts.table(.trial)) AS t WHERE app IN (\(list)) AND credit = 0
      """
    ) { row in
      if row[1] < row[2] { spans[row.int32(0), default: []].append(row[1]..<row[2]) }
    }
    trials = spans
  }

  /// Returns a function from an instant to a user's status: `paid` while a payment covers the user, as
  /// `PersonFold.endCovers` has it, or else `trial` while an unconverted trial runs, or else `free`.
  func status(of person: Int32) -> (Int64) -> Status {
    let (covers, trials) = (covers[person] ?? [], trials[person] ?? [])
    return { ts in
      covers.contains { $0.contains(ts) } ? .paid : trials.contains { $0.contains(ts) } ? .trial : .free
    }
  }
}
