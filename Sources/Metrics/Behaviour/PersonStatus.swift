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
    spans = [:]
    try query.facts.forEachPersonWithCredits(withPurchases: false) { person, units, _ in
      spans[person] = units.trials.lazy.map(\.unit).filter { $0.start < min($0.end, $0.convertedAt ?? .max) }
        .map { $0.start..<min($0.end, $0.convertedAt ?? .max) }
    }
    trials = spans
  }

  /// Returns `paid` while a payment covers the user, as `PersonFold.endCovers` has it, or else `trial` while an
  /// unconverted trial runs, or else `free`.
  func status(_ person: Int32, at ts: Int64) -> Status {
    if covers[person]?.contains(where: { $0.contains(ts) }) ?? false { return .paid }
    return trials[person]?.contains { $0.contains(ts) } ?? false ? .trial : .free
  }
}
