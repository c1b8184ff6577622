internal import EventModel

/// Sentences on spend that ``Payback`` cannot compare with its users.
extension Payback {
  static func notes(_ query: ReportQuery, _ cohorts: [[String]: PaybackCohort]) -> [String] {
    query.apps.flatMap { app in
      let own = cohorts.filter { $0.key[0] == app.name }
      let prefix = query.apps.count > 1 ? "\(app.name): " : ""
      return ([missingDays(own.values)] + query.by.indices.map { missingPart(query, own, $0) })
        .compactMap { $0.map { prefix + $0 } }
    }
  }

  /// Says that users of days before or after all spend count. A last day without spend is no fault: its bill is to
  /// come.
  private static func missingDays(_ cohorts: some Collection<PaybackCohort>) -> String? {
    let spend = cohorts.flatMap(\.spendDays)
    let users = cohorts.lazy.flatMap(\.persons).map(\.day)
    guard let first = spend.min(), let last = spend.max(), let begin = users.min(), let end = users.max(),
      begin < first || end > last + 1
    else { return nil }
    func days(_ first: Int32, _ last: Int32) -> String {
      let days = [first, last].map { CivilDate(daysSince1970: Int($0)).description }
      return first == last ? days[0] : "\(days[0]) to \(days[1])"
    }
    return "The spend is of \(days(first, last)), but users of \(days(begin, end)) count: choose days that have both."
  }

  /// Says that all spend lacks a part, such as the country, that rows are by.
  private static func missingPart(_ query: ReportQuery, _ cohorts: [[String]: PaybackCohort], _ place: Int) -> String? {
    let dimension = query.by[place]
    let bought = cohorts.filter { $0.value.spend > 0 }
    let none = query.facts.name(0)
    guard !dimension.isPeriod, !bought.isEmpty, bought.allSatisfy({ $0.key[place + 1] == none }),
      cohorts.contains(where: { $0.key[place + 1] != none })
    else { return nil }
    let name = label(of: dimension).split(separator: "_").joined(separator: " ")
    return "The spend has no \(name), so no row has both spend and users. Import spend by \(name), or leave the "
      + "\(name) out of the rows."
  }
}
