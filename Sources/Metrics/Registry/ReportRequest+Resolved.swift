internal import EventModel
public import Store

/// Days of a request that depend on the data.
public struct RelativeDays: Sendable, Equatable {
  var from: DayWord?
  var to: DayWord?
  var asOf: DayWord?
  var last: DayCount?
  /// The last full week, month, quarter or year, of `--last month`.
  var lastPeriod: DayWord?

  public var isUsed: Bool { from != nil || to != nil || asOf != nil || hasLast }
  /// Whether both ends depend on the data.
  var hasLast: Bool { last != nil || lastPeriod != nil }
  /// Whether the as-of depends on the data.
  public var hasAsOf: Bool { asOf != nil }
}

extension ReportRequest {
  /// Returns the request with the apps and days of a store in place of lists and words.
  ///
  /// Words are relative to the newest event of the apps asked for, before the as-of if there is one.
  public func resolved(_ snapshot: StoreSnapshot) throws -> ReportRequest {
    var request = self
    let apps = try snapshot.apps()
    request.options.apps = options.apps.flatMap { text in
      apps.contains { $0.name.utf8.elementsEqual(text.utf8) }
        ? [text] : text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    }
    guard relative.isUsed else { return request }
    let asked = apps.filter { request.options.apps.isEmpty || request.options.apps.contains($0.name) }
    guard let newest = asked.compactMap({ options.asOfs[$0.name] ?? $0.newestAsOf }).max() else { return request }
    func lastDay(before instant: Int64) throws -> CivilDate {
      let last = max(0, instant - 1)
      return CivilDate(
        daysSince1970: Int(try LocalTime(timeZone: options.timeZone, instants: last...last).day(of: last)))
    }
    request.relative = RelativeDays()
    if let word = relative.asOf {
      request.options.asOf = Instant(startOf: word.first(newest: try lastDay(before: newest))).millisecondsSince1970
    }
    let end = min(newest, request.options.asOf ?? newest)
    let day = try lastDay(before: end)
    let local = try LocalTime(timeZone: options.timeZone, instants: end...end).local(end)
    // A week is the last one as soon as its Sunday is over (definitions 9.1).
    let unfinished = CivilDate(daysSince1970: CoveredDays.daysOver(at: local))
    func reference(_ word: DayWord) -> CivilDate { word.isOver ? unfinished : day }
    if let last = relative.last {
      let next = CivilDate(daysSince1970: day.daysSince1970 + 1)
      (request.options.from, request.options.to) = (last.first(before: next), next)
    }
    if let word = relative.lastPeriod {
      let newest = reference(word)
      (request.options.from, request.options.to) = (word.first(newest: newest), word.end(newest: newest))
    }
    if let word = relative.from { request.options.from = word.first(newest: reference(word)) }
    if let word = relative.to { request.options.to = word.end(newest: reference(word)) }
    try request.checkDays()
    return request
  }

  /// - Throws: ``OptionError`` for days in the wrong order.
  func checkDays() throws {
    if let from = options.from, let to = options.to, to <= from {
      throw OptionError("--to is \(to), but must be after --from, \(from)")
    }
  }
}
