/// A condition of a path or a cohort, with the codes of its values.
struct CodeCondition {
  private let events: UInt64
  private let fact: PathPlan.Fact?
  private let filters: [CodeFilter]
  private let same: [Dimension]

  init(_ query: ReportQuery, _ condition: PathPlan.Condition) {
    events = condition.events.reduce(0) { $0 | 1 << UInt64($1.rawValue) }
    fact = condition.fact
    filters = condition.filters.map(query.codeFilter)
    same = condition.same
  }

  func accepts(_ moment: PathMoment, entry: PathMoment?, _ moments: PathMoments) -> Bool {
    switch moment.content {
    case .event(let event): if events >> UInt64(event.kind.rawValue) & 1 == 0 { return false }
    case .fact(let fact): if fact.kind != self.fact { return false }
    }
    if !filters.allSatisfy({ $0.accepts(moments.code($0.dimension, moment)) }) { return false }
    guard let entry else { return true }
    return same.allSatisfy { moments.code($0, moment) == moments.code($0, entry) }
  }
}
