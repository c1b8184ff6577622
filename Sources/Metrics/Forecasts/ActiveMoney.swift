internal import Statistics

/// The money that active purchases of a plan are expected to bring within each horizon: by the fit of definitions 7.6 given
/// the renewals that they have made, and by what earlier purchases in their state did at the next renewal.
struct ActiveMoney {
  /// Micro-units.
  struct Estimate {
    var money: Double
    /// By the fit alone.
    var stateless: Double
  }

  /// By horizon: 95% intervals of the estimate, each for another cause; `nil` without a fit.
  private(set) var bounds: [[Interval]?] = []

  private let tally: (RenewalState) -> RenewalStates.Tally?
  private let amounts: Amounts
  /// By horizon: the chance of renewal 1, 2, …; `nil` if it cannot be estimated.
  private var chances: [((Int) -> Double)?] = []

  /// The money of a renewal, in micro-units.
  private struct Amounts {
    /// The mean later payment.
    var again: Double
    /// The payments of changes of plan, for each renewal that purchases come to.
    var change: Double
  }

  /// A part of the purchases.
  private struct Part {
    var due: DueTable
    var tally: RenewalStates.Tally?
  }

  /// - Parameters:
  ///   - own: The runs of the row's purchases for the plan.
  ///   - counts: The renewals to fit.
  ///   - tally: Returns what earlier purchases in a state did.
  init(
    _ active: OriginLedger.Active, _ own: PlanRuns, _ counts: RenewalCounts,
    tally: @escaping (RenewalState) -> RenewalStates.Tally?
  ) {
    let fit = shiftedBetaGeometricFit(counts)
    let amounts = Amounts(
      again: own.purchases.laterAmount(parts: ReportCurrency.parts),
      change: own.changeAmount(parts: ReportCurrency.parts))
    (self.tally, self.amounts) = (tally, amounts)
    let parts = Self.parts(active, tally)
    let last = DueTable.horizons.indices.map(active.lastRenewal).max() ?? 0
    // Outcomes of the same state may be of purchases with more payments.
    let through = ([last] + parts.flatMap { $0.tally?.known.keys.map(\.self) ?? [] }).max() ?? last
    let survival = fit.survival(through: through)
    // Given renewals made, a share is still monotonic: the product of later renewals' chances.
    let ranges =
      last == 0
      ? nil
      : retentionRanges(counts, through: through) { curve in Self.money(parts, amounts, Self.chance(curve)).total }
    for place in DueTable.horizons.indices {
      let renewal = active.lastRenewal(at: place)
      if renewal == 0 {
        add({ _ in 0 }, bounds: [])
      } else if let survival, let ranges {
        let chance = Self.chance(survival)
        add(chance, bounds: [ranges[place]] + Self.money(parts, amounts, chance).bounds[place])
      } else if let chances = counts.chances, active.counts.values.allSatisfy({ $0.mostRenewals(at: place) <= 1 }) {
        // The next renewal needs no model.
        let ends = wilsonInterval(successes: counts.kept[0], trials: counts.kept[0] + counts.lost[0]).map { share in
          [share.low, share.high].map { share in Self.money(parts, amounts) { _ in share }.total[place] }.sorted()
        }
        let bounds = Self.money(parts, amounts, chances).bounds[place]
        add(chances, bounds: renewal == 1 ? ends.map { [Interval(low: $0[0], high: $0[1])] + bounds } : nil)
      } else {
        add(nil, bounds: nil)
      }
    }
  }

  private mutating func add(_ chance: ((Int) -> Double)?, bounds: [Interval]?) {
    chances.append(chance)
    self.bounds.append(bounds)
  }

  /// Returns what all or some of the purchases bring within a horizon; `nil` if it cannot be estimated.
  func estimate(of active: OriginLedger.Active, at place: Int) -> Estimate? {
    guard let chance = chances[place] else { return nil }
    let parts = Self.parts(active, tally)
    return Estimate(
      money: Self.money(parts, amounts, chance).total[place],
      stateless: Self.money(parts.map { Part(due: $0.due) }, amounts, chance).total[place])
  }

  private static func parts(_ active: OriginLedger.Active, _ tally: (RenewalState) -> RenewalStates.Tally?) -> [Part] {
    active.counts.sorted { $0.key < $1.key }.map { Part(due: $0.value, tally: tally($0.key)) }
  }

  /// Returns the chance of renewal 1, 2, … by the shares S(0), S(1), … that make each.
  private static func chance(_ survival: [Double]) -> (Int) -> Double {
    { $0 < survival.count && survival[$0 - 1] > 0 ? survival[$0] / survival[$0 - 1] : 0 }
  }

  /// Returns the money by horizon, and its intervals for the chance in the outcomes of each state.
  private static func money(
    _ parts: [Part], _ amounts: Amounts, _ chance: (Int) -> Double
  ) -> (total: [Double], bounds: [[Interval]]) {
    var total = DueTable.horizons.map { _ in 0.0 }
    var ofParts: [(money: [Double], tally: RenewalStates.Tally)] = []
    for part in parts {
      let scaled = part.tally.map { $0.scale(chance) }
      let money = part.due.reached { renewal, isFirst in
        let own = chance(renewal)
        return isFirst ? scaled?(own) ?? own : own
      }.map {
        amounts.again * $0.renewing + amounts.change * $0.reaching
      }
      for place in total.indices { total[place] += money[place] }
      if let tally = part.tally, tally.kept > 0 { ofParts.append((money, tally)) }
    }
    let bounds = total.indices.map { place in
      ofParts.compactMap { part -> Interval? in
        guard let share = wilsonInterval(successes: Double(part.tally.kept), trials: Double(part.tally.count)) else {
          return nil
        }
        // All that comes of the part is in proportion to the share that makes the next renewal.
        let each = part.money[place] * Double(part.tally.count) / Double(part.tally.kept)
        let rest = total[place] - part.money[place]
        let ends = [rest + each * share.low, rest + each * share.high]
        return Interval(low: ends.min() ?? 0, high: ends.max() ?? 0)
      }
    }
    return (total, bounds)
  }
}

extension RenewalStates.Tally {
  /// Returns the chance of the next renewal from that of the fit: renewals or losses are scaled so that as many purchases in
  /// this state renewed as did.
  func scale(_ fit: (Int) -> Double) -> (Double) -> Double {
    let expected = known.sorted { $0.key < $1.key }.reduce(0) { $0 + Double($1.value) * fit($1.key) }
    let (kept, lost) = (Double(kept), Double(count - kept))
    if kept <= expected { return { expected > 0 ? $0 * kept / expected : 0 } }
    let left = Double(count) - expected
    return { left > 0 ? 1 - (1 - $0) * lost / left : 1 }
  }
}

extension RenewalState: Comparable {
  /// In order, so that sums are the same each time.
  static func < (left: Self, right: Self) -> Bool {
    (left.isOff ? 1 : 0, left.soon) < (right.isOff ? 1 : 0, right.soon)
  }
}

extension OriginLedger.Active {
  /// The greatest renewal that a purchase comes to within a horizon; 0 for none.
  func lastRenewal(at place: Int) -> Int { counts.values.map { $0.lastRenewal(at: place) }.max() ?? 0 }
}
