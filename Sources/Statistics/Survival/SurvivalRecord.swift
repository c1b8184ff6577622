/// One subject's time, and the cause of its end.
public struct SurvivalRecord: Hashable, Sendable {
  /// In the stored unit; ties are normal.
  public var time: Double
  /// 0 is censored; 1, 2, … is the cause.
  public var cause: Int
  /// From 0.
  public var group: Int
  /// From 0.
  public var stratum: Int

  public init(time: Double, cause: Int, group: Int = 0, stratum: Int = 0) {
    self.time = time
    self.cause = cause
    self.group = group
    self.stratum = stratum
  }
}

/// The ends and censorings at one time, by group and cause.
struct SurvivalTime {
  var time: Double
  /// By group, then cause − 1.
  var ends: [[Int]]
  var censored: [Int]

  func ends(group: Int) -> Int { ends[group].reduce(0, +) }

  /// Returns the distinct times of the records, ascending.
  static func table(_ records: some Collection<SurvivalRecord>, groups: Int, causes: Int) -> [SurvivalTime] {
    var table: [SurvivalTime] = []
    for record in records.sorted(by: { $0.time < $1.time }) {
      if table.last?.time != record.time {
        table.append(
          SurvivalTime(
            time: record.time,
            ends: [[Int]](repeating: [Int](repeating: 0, count: causes), count: groups),
            censored: [Int](repeating: 0, count: groups)))
      }
      let last = table.count - 1
      if record.cause == 0 {
        table[last].censored[record.group] += 1
      } else {
        table[last].ends[record.group][record.cause - 1] += 1
      }
    }
    return table
  }
}

extension KaplanMeier where Time == Double {
  /// Any cause above 0 is the event.
  public init(_ records: [SurvivalRecord]) {
    let causes = max(1, records.lazy.map(\.cause).max() ?? 1)
    let groups = 1 + (records.lazy.map(\.group).max() ?? 0)
    let table = SurvivalTime.table(records, groups: groups, causes: causes)
    self.init(
      times: table.map(\.time), events: table.map { $0.ends.joined().reduce(0, +) },
      censored: table.map { $0.censored.reduce(0, +) })
  }
}
