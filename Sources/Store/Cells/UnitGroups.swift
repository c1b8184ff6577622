internal import EventModel
public import Lifecycle

/// Units with every dimension that a report asks for, in memory: what answers where stored cells do not know the
/// dimension, or where the stored facts do not hold.
public final class UnitGroups: UnitSource {
  public let facets: [UnitFacet]
  private let entries: Grouped<EntryUnit>
  private let trials: Grouped<TrialUnit>
  private let purchases: Grouped<PurchaseUnit>
  private let lengths: [NameID: [Int64: Int]]
  private let sumImpressions: (_ byDay: Bool) throws -> String?

  /// Units one behind the other, facet by facet.
  private struct Grouped<Unit> {
    private let units: [Unit]
    /// Whether a facet's units are in order of time, to be told apart by day.
    private let byDay: Bool
    /// Where each facet's units begin; one more than there are facets.
    private let starts: [Int]

    init(_ collected: Collected<Unit>, facets: Int, byDay: Bool, start: (Unit) -> Int64) {
      self.byDay = byDay
      var starts = [Int](repeating: 0, count: facets + 1)
      for facet in collected.facets { starts[Int(facet) + 1] += 1 }
      for facet in 0..<facets { starts[facet + 1] += starts[facet] }
      self.starts = starts
      if collected.units.isEmpty {
        units = []
        return
      }
      // From here on, where the next unit of each facet goes; in the end, where each facet ends.
      units = [Unit](unsafeUninitializedCapacity: collected.units.count) { units, count in
        for place in collected.units.indices {
          let facet = Int(collected.facets[place])
          (units.baseAddress! + starts[facet]).initialize(to: collected.units[place])
          starts[facet] += 1
        }
        count = collected.units.count
        if !byDay { return }
        var first = 0
        for facet in 0..<facets {
          let end = starts[facet]
          if end - first > 1 {
            var group = UnsafeMutableBufferPointer(rebasing: units[first..<end])
            group.sort { start($0) < start($1) }
          }
          first = end
        }
      }
    }

    /// Calls `body` with the units of each day, or with all of them.
    func forEachDay(
      of facet: Int, _ days: ClosedRange<Int64>, start: (Unit) -> Int64,
      _ body: (_ day: Int64, UnsafeBufferPointer<Unit>) throws -> Void
    ) throws {
      try units.withUnsafeBufferPointer { units in
        var first = starts[facet]
        if !byDay {
          if first < starts[facet + 1] { try body(0, UnsafeBufferPointer(rebasing: units[first..<starts[facet + 1]])) }
          return
        }
        while first < starts[facet + 1] {
          let number = start(units[first]) / day
          var end = first + 1
          while end < starts[facet + 1], start(units[end]) / day == number { end += 1 }
          if days.contains(number) { try body(number, UnsafeBufferPointer(rebasing: units[first..<end])) }
          first = end
        }
      }
    }
  }

  /// Units as they come.
  fileprivate struct Collected<Unit> {
    fileprivate var units: [Unit] = []
    /// By place in `units`.
    fileprivate var facets: [Int32] = []

    mutating func append(_ unit: Unit, facet: Int32) {
      units.append(unit)
      facets.append(facet)
    }
  }

  fileprivate init(_ collector: Collector, sumImpressions: @escaping (_ byDay: Bool) throws -> String?) {
    facets = collector.keys.rows.map {
      UnitFacet(origin: collector.origins.origin($0.origin), client: $0.client, properties: $0.properties)
    }
    entries = Grouped(collector.entries, facets: facets.count, byDay: collector.byDay, start: \.ts)
    trials = Grouped(collector.trials, facets: facets.count, byDay: collector.byDay, start: \.start)
    purchases = Grouped(collector.purchases, facets: facets.count, byDay: collector.byDay, start: \.start)
    lengths = collector.lengths
    self.sumImpressions = sumImpressions
  }

  public func forEachCell(
    _ family: CellFamily, facet: Int, days: ClosedRange<Int64>, _ body: (UnitCell) throws -> Void
  ) throws {
    switch family {
    case .entry:
      try entries.forEachDay(of: facet, days, start: \.ts) { try body(UnitCell(day: $0, content: .entries($1))) }
    case .trial:
      try trials.forEachDay(of: facet, days, start: \.start) { try body(UnitCell(day: $0, content: .trials($1))) }
    case .purchase:
      try purchases.forEachDay(of: facet, days, start: \.start) { try body(UnitCell(day: $0, content: .purchases($1))) }
    // An exposure has none of the dimensions that units are grouped by: its units are read from cells or facts.
    case .exposure, .exposedTrial, .exposedRevenue: break
    }
  }

  public func trialLengths() -> [NameID: [(length: Int64, count: Int)]] {
    lengths.mapValues { counts in counts.sorted { $0.key < $1.key }.map { (length: $0.key, count: $0.value) } }
  }

  public func impressions(byDay: Bool) throws -> String? { try sumImpressions(byDay) }

  /// Takes the units of persons, in any order.
  struct Collector {
    let origins: OriginNumbers
    private let hasEntries: Bool
    private let hasTrials: Bool
    private let hasPurchases: Bool
    private let byClient: Bool
    private let byProperties: Bool
    fileprivate let byDay: Bool
    fileprivate var keys = RowInterner<UnitKey>()
    fileprivate var entries = Collected<EntryUnit>()
    fileprivate var trials = Collected<TrialUnit>()
    fileprivate var purchases = Collected<PurchaseUnit>()
    fileprivate var lengths: [NameID: [Int64: Int]] = [:]

    /// - Parameters:
    ///   - families: Those that are asked for.
    ///   - byClient: Whether units of different clients are kept apart.
    ///   - byProperties: Whether units of different properties are.
    ///   - byDay: Whether units of different days are.
    init(_ origins: OriginNumbers, _ families: Set<CellFamily>, byClient: Bool, byProperties: Bool, byDay: Bool) {
      self.origins = origins
      hasEntries = families.contains(.entry)
      hasTrials = families.contains(.trial)
      hasPurchases = families.contains(.purchase)
      self.byClient = byClient
      self.byProperties = byProperties
      self.byDay = byDay
    }

    mutating func append(_ units: borrowing PersonUnits) {
      if hasEntries, let (unit, key) = units.entry { entries.append(unit, facet: facet(key)) }
      for (unit, key, app, isIntroductory) in units.trials {
        if hasTrials { trials.append(unit, facet: facet(key)) }
        if isIntroductory { lengths[app, default: [:]][unit.end - unit.start, default: 0] += 1 }
      }
      if hasPurchases {
        for (unit, key) in units.purchases { purchases.append(unit, facet: facet(key)) }
      }
    }

    private mutating func facet(_ key: UnitKey) -> Int32 {
      let asked = UnitKey(
        origin: key.origin, client: byClient ? key.client : 0, properties: byProperties ? key.properties : 0)
      return Int32(keys.intern(asked))
    }

    consuming func groups(sumImpressions: @escaping (_ byDay: Bool) throws -> String?) -> UnitGroups {
      UnitGroups(self, sumImpressions: sumImpressions)
    }
  }
}
