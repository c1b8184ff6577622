internal import Statistics

/// The question of how long it takes until an event, and whether groups differ.
public struct SurvivalQuestion: Sendable {
  public var table: SurvivalTable
  /// In (0, 1).
  public var confidence: Double
  /// The horizon in the unit of the times, 0 or more; by default the smallest of the groups' last times.
  public var horizon: Double?

  public init(table: SurvivalTable, confidence: Double, horizon: Double?) {
    (self.table, self.confidence, self.horizon) = (table, confidence, horizon)
  }

  public var answer: Answer { table.causes == 1 ? SurvivalAnswer(self).answer : IncidenceAnswer(self).answer }

  /// One entry per group.
  var members: [[SurvivalRecord]] {
    table.groups.indices.map { group in table.records.filter { $0.group == group } }
  }

  var horizonUsed: Double {
    horizon ?? members.compactMap { $0.lazy.map(\.time).max() }.min() ?? 0
  }

  var z: Double { NormalDistribution.criticalValue(confidence: confidence) }

  /// Returns a group's name; "all" if the table has no groups.
  func name(_ group: Int) -> String { table.groups.count == 1 && table.groups[0] == "" ? "all" : table.groups[group] }

  func text(ofTime time: Double) -> String { NumberText.plain(time) }
}
