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
  /// As records in milliseconds, the instants of the curves.
  func survivalRecords(asOf: Int64, group: Int) -> [SurvivalRecord] {
    map { record in
      guard let time = record.time else {
        return SurvivalRecord(time: Double(asOf - record.start), cause: 0, group: group)
      }
      return SurvivalRecord(time: Double(time), cause: record.cause + 1, group: group)
    }
  }
}
