internal import EventModel
public import Lifecycle

/// Units with every dimension that a report asks for, grouped in memory; used when the stored cells lack a dimension or
/// the stored facts do not hold.
public final class UnitGroups: UnitSource {
  private let facets: [UnitFacet]
  private let entries: Grouped<EntryUnit>
  private let trials: Grouped<TrialUnit>
  private let purchases: Grouped<PurchaseUnit>
  private let lengths: [NameID: [Int64: Int]]

  /// Units in one array, ordered by facet.
  private struct Grouped<Unit> {
    private let units: [Unit]
    /// Whether a facet's units are in time order so that they can be split by day.
    private let byDay: Bool
    /// The index of each facet's first unit; one more element than there are facets.
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
      // While this runs, `starts` holds the place of each facet's next unit; afterwards it holds the end of each facet.
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

    /// Calls `body` with the units of each day, or with all units at once if they are not kept apart by day.
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

  /// Units in the order in which they were added.
  fileprivate struct Collected<Unit> {
    fileprivate var units: [Unit] = []
    /// The facet of each unit, by place in `units`.
    fileprivate var facets: [Int32] = []

    mutating func append(_ unit: Unit, facet: Int32) {
      units.append(unit)
      facets.append(facet)
    }
  }

  fileprivate init(_ collector: Collector) {
    facets = collector.facets
    let byDay = collector.split.byDay
    entries = Grouped(collector.entries, facets: facets.count, byDay: byDay, start: \.ts)
    trials = Grouped(collector.trials, facets: facets.count, byDay: byDay, start: \.start)
    purchases = Grouped(collector.purchases, facets: facets.count, byDay: byDay, start: \.start)
    lengths = collector.lengths
  }

  public func facets(of family: CellFamily) -> [(place: Int, facet: UnitFacet)] {
    facets.enumerated().map { ($0.offset, $0.element) }
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
    // Exposures have none of the dimensions that units are grouped by; their units are read from cells or facts.
    case .exposure, .exposedTrial, .exposedRevenue: break
    }
  }

  public func trialLengths() -> [NameID: [(length: Int64, count: Int)]] {
    lengths.mapValues { counts in counts.sorted { $0.key < $1.key }.map { (length: $0.key, count: $0.value) } }
  }

  /// Collects the units of persons, in any order.
  struct Collector {
    /// The dimensions that units share. `credits` is the cellKey that is their only credit, or below 0 for a list in
    /// ``lists``.
    private struct Key: Hashable, Sendable {
      var credits: Int32
      var client: Int32
      var properties: Int32
      var person: Int32
    }

    private let cellKeys: CellKeyNumbers
    private let takes: (entries: Bool, trials: Bool, purchases: Bool)
    fileprivate let split: UnitSplit
    private let isAsked: ((UnitFacet) -> Bool)?
    private var keys = RowInterner<Key>()
    private var lists = RowInterner<[Int32]>()
    /// The results of ``isAsked``, by key without the person.
    private var asked: [Key: Bool] = [:]
    fileprivate private(set) var facets: [UnitFacet] = []
    fileprivate var entries = Collected<EntryUnit>()
    fileprivate var trials = Collected<TrialUnit>()
    fileprivate var purchases = Collected<PurchaseUnit>()
    fileprivate var lengths: [NameID: [Int64: Int]] = [:]

    /// - Parameter isAsked: Returns whether units of a facet are wanted; the facet's person is 0. `nil` means all units.
    init(
      _ cellKeys: CellKeyNumbers, _ families: Set<CellFamily>, by split: UnitSplit, isAsked: ((UnitFacet) -> Bool)?
    ) {
      self.cellKeys = cellKeys
      takes = (families.contains(.entry), families.contains(.trial), families.contains(.purchase))
      self.split = split
      self.isAsked = isAsked
    }

    mutating func append(_ person: Int32, _ units: borrowing PersonUnits) {
      if takes.entries, let (unit, key) = units.entry, let facet = facet(person, key, []) {
        entries.append(unit, facet: facet)
      }
      for trial in units.trials {
        let unit = trial.unit
        if takes.trials, let facet = facet(person, trial.key, units.credits[trial.credits]) {
          trials.append(unit, facet: facet)
        }
        if trial.isIntroductory { lengths[trial.app, default: [:]][unit.end - unit.start, default: 0] += 1 }
      }
      if takes.purchases {
        for purchase in units.purchases {
          if let facet = facet(person, purchase.key, units.credits[purchase.credits]) {
            purchases.append(purchase.unit, facet: facet)
          }
        }
      }
    }

    /// Returns the place of a unit's facet in ``facets``; `nil` if the unit is not wanted.
    ///
    /// - Parameter credits: The cell keys credited; empty if the key has the only one.
    private mutating func facet(_ person: Int32, _ own: UnitKey, _ credits: ArraySlice<Int32>) -> Int32? {
      let number = credits.count < 2 ? own.cellKey : -1 - Int32(lists.intern(Array(credits)))
      var key = Key(
        credits: number, client: split.byClient ? own.client : 0, properties: split.byProperties ? own.properties : 0,
        person: 0)
      if let isAsked {
        let isWanted = asked[key] ?? isAsked(facet(of: key))
        asked[key] = isWanted
        if !isWanted { return nil }
      }
      if split.byPerson { key.person = person }
      let facet = Int32(keys.intern(key))
      if Int(facet) == facets.count { facets.append(self.facet(of: key)) }
      return facet
    }

    private func facet(of key: Key) -> UnitFacet {
      let credits = key.credits < 0 ? lists.rows[Int(-1 - key.credits)] : [key.credits]
      return UnitFacet(
        credits: credits.map { cellKeys.cellKey($0) }, client: key.client, properties: key.properties,
        person: key.person)
    }

    consuming func groups() -> UnitGroups { UnitGroups(self) }
  }
}
