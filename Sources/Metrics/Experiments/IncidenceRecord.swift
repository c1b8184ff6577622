internal import Statistics

/// One subject from its start to its end, as far as it is known at the as-of.
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

extension Sequence where Element == IncidenceRecord {
  /// The Aalen–Johansen estimate at a horizon as it was at an instant: what began before it, ends before it, and the
  /// others censored at it. Ends at the horizon count.
  ///
  /// - Parameters:
  ///   - asOf: Milliseconds since 1970.
  ///   - horizon: Milliseconds from the start.
  func incidence(asOf: Int64, horizon: Int64) -> AalenJohansen {
    let moments = compactMap { record -> (time: Int64, cause: Int)? in
      guard record.start < asOf else { return nil }
      guard let time = record.time, isKnown(record, time, asOf) else { return (asOf - record.start, 2) }
      return (time, record.cause)
    }.sorted { ($0.time, $0.cause) < ($1.time, $1.cause) }
    var curve = AalenJohansen(atRisk: moments.count, causes: 2)
    for moment in moments {
      if moment.time > horizon { break }
      if moment.cause == 2 { curve.censor(1) } else { curve.end(1, cause: moment.cause) }
    }
    return curve
  }

  /// A lapse at a deadline is known at it, an event only after it.
  private func isKnown(_ record: IncidenceRecord, _ time: Int64, _ asOf: Int64) -> Bool {
    record.cause == IncidenceRecord.event ? record.start + time < asOf : record.start + time <= asOf
  }

  /// The same as records of whole hours, for tests over all times: ties are the normal case.
  func survivalRecords(asOf: Int64, group: Int) -> [SurvivalRecord] {
    map { record in
      let hour: Int64 = 3_600_000
      guard let time = record.time else {
        return SurvivalRecord(time: Double((asOf - record.start) / hour), cause: 0, group: group)
      }
      return SurvivalRecord(time: Double(time / hour), cause: record.cause + 1, group: group)
    }
  }
}
