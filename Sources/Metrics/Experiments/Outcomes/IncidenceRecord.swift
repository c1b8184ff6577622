internal import Statistics

/// One subject from its start to its end, as known at the as-of.
struct IncidenceRecord: Equatable {
  /// Causes of an end.
  static let event = 0
  static let competing = 1

  /// Milliseconds since 1970.
  var start: Int64
  /// Milliseconds from the start; `nil` while under way.
  var time: Int64?
  /// ``event`` or ``competing``.
  var cause = Self.event
}

extension Array where Element == IncidenceRecord {
  private static let hour: Int64 = 3_600_000

  /// Returns records in whole hours, for tests over all times; ties are the normal case.
  func survivalRecords(asOf: Int64, group: Int) -> [SurvivalRecord] {
    map { record in
      guard let time = record.time else {
        return SurvivalRecord(time: Double((asOf - record.start) / Self.hour), cause: 0, group: group)
      }
      return SurvivalRecord(time: Double(time / Self.hour), cause: record.cause + 1, group: group)
    }
  }

  /// Returns the records with equal ones counted together, in order of time.
  func survivalCounts(asOf: Int64, group: Int) -> [SurvivalCount] {
    let kinds = 3
    // By hour, then censored, event and competing.
    var counts: [Int] = []
    for record in self {
      let hour = Int((record.time ?? asOf - record.start) / Self.hour)
      let place = hour * kinds + (record.time == nil ? 0 : record.cause + 1)
      if place >= counts.count { counts += repeatElement(0, count: (hour + 1) * kinds - counts.count) }
      counts[place] += 1
    }
    return counts.enumerated().compactMap { place, count in
      if count == 0 { return nil }
      let record = SurvivalRecord(time: Double(place / kinds), cause: place % kinds, group: group)
      return SurvivalCount(record, count: count)
    }
  }
}
