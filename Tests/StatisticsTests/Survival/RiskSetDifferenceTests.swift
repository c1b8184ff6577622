import Statistics
import Testing

/// Expected values: `pooled` of Tests/Acceptance/Oracle/behaviour.py, which leaves out one member after the other; 1e-9
/// because it adds in another order.
struct RiskSetDifferenceTests {
  /// Deaths under tolbutamide and placebo by age (University Group Diabetes Program; Rothman, Greenland & Lash, Modern
  /// Epidemiology, chapter 15): 8 of 106 and 5 of 120, 22 of 98 and 16 of 85. Every member is its own cluster.
  @Test func largeSetsAgreeWithTheOracle() throws {
    let sets = [
      RiskSetDifference.RiskSet(exposed: 106, exposedOutcomes: 8, others: 120, otherOutcomes: 5),
      RiskSetDifference.RiskSet(exposed: 98, exposedOutcomes: 22, others: 85, otherOutcomes: 16),
    ]
    var difference = RiskSetDifference()
    for set in sets { difference.add(set) }
    for set in sets {
      for (isExposed, outcomes, members) in [
        (true, set.exposedOutcomes, set.exposed), (false, set.otherOutcomes, set.others),
      ] {
        for member in 0..<members {
          difference.addCluster(
            difference.influence(of: set, isExposed: isExposed, hasOutcome: member < outcomes))
        }
      }
    }
    let interval = try #require(difference.interval())
    #expect(abs((difference.estimate ?? .nan) - 0.03490026933691816) < 1e-9)
    #expect(abs(interval.low - -0.02794290233554697) < 1e-9)
    #expect(abs(interval.high - 0.09774344100938329) < 1e-9)
    // Greenland & Robins's variance for sets without common members, 0.0010175, is 1% smaller.
    #expect(abs((interval.high - interval.low) / (2 * 1.959964 * 0.0010175.squareRoot()) - 1.005) < 0.005)
  }

  /// Of four members, 0 and 3 have the outcome. The event first happens to 0, with 1, 2 and 3 at risk; then to 1, with
  /// 2 and 3 at risk.
  @Test func aMemberOfSeveralSetsIsOneCluster() throws {
    let first = RiskSetDifference.RiskSet(exposed: 1, exposedOutcomes: 1, others: 3, otherOutcomes: 1)
    let second = RiskSetDifference.RiskSet(exposed: 1, exposedOutcomes: 0, others: 2, otherOutcomes: 1)
    var difference = RiskSetDifference()
    difference.add(first)
    difference.add(second)
    func other(_ set: RiskSetDifference.RiskSet, _ hasOutcome: Bool) -> Double {
      difference.influence(of: set, isExposed: false, hasOutcome: hasOutcome)
    }
    let clusters = [
      difference.influence(of: first, isExposed: true, hasOutcome: true),
      other(first, false) + difference.influence(of: second, isExposed: true, hasOutcome: false),
      other(first, false) + other(second, false), other(first, true) + other(second, true),
    ]
    for cluster in clusters { difference.addCluster(cluster) }
    let interval = try #require(difference.interval())
    #expect(abs((difference.estimate ?? .nan) - 0.11764705882352944) < 1e-9)
    #expect(abs(interval.low - -0.9603949443771682) < 1e-9)
    #expect(interval.high == 1)
  }

  @Test func withoutBothGroupsThereIsNoDifference() {
    var difference = RiskSetDifference()
    difference.add(RiskSetDifference.RiskSet(exposed: 2_224, exposedOutcomes: 183))
    #expect(difference.estimate == nil && difference.exposedShare == nil && difference.otherShare == nil)
    #expect(difference.interval() == nil)
  }
}
