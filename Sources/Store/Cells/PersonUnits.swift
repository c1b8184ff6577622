public import Lifecycle

/// The numbers of a unit's cell key, client and property set.
public struct UnitKey: Hashable, Sendable {
  public var cellKey: Int32
  public var client: Int32
  public var properties: Int32

  public init(cellKey: Int32, client: Int32, properties: Int32) {
    self.cellKey = cellKey
    self.client = client
    self.properties = properties
  }

  init(_ cellKey: Int32, _ dimensions: UnitDimensions) {
    self.cellKey = cellKey
    client = dimensions.client
    properties = dimensions.properties
  }
}

/// The units of one person: a pure function of the person's facts.
///
/// A unit's key has the first context that the unit is credited to. Unless only those are read, `credits` has the cell
/// keys of all contexts.
public struct PersonUnits: Sendable {
  public struct Trial: Sendable {
    public var unit: TrialUnit
    public var key: UnitKey
    public var app: NameID
    public var isIntroductory: Bool
    public var credits = 0..<0
  }

  /// A conversion, reduced to the fields that ``FunnelSteps`` reads.
  public struct Conversion: Sendable {
    public var ts: Int64
    /// The start of the introductory trial that it belongs to; `nil` if there is none.
    public var introductoryStart: Int64?
    /// The start of the trial of any kind that it belongs to; `nil` if it is direct (definitions 2.3).
    public var trialStart: Int64?
    public var credits = 0..<0
  }

  public struct Purchase: Sendable {
    public var unit: PurchaseUnit
    public var key: UnitKey
    public var credits = 0..<0
  }

  public internal(set) var entry: (unit: EntryUnit, key: UnitKey)?
  public internal(set) var trials: [Trial] = []
  public internal(set) var conversions: [Conversion] = []
  public internal(set) var purchases: [Purchase] = []
  /// The cell keys that units are credited to, unit by unit; those of conversions have no dimensions from an event.
  public internal(set) var credits: [Int32] = []
  /// Unordered until ``complete()``; after it, one per experiment.
  var exposures: [Exposure] = []

  struct Exposure {
    var fact: ExposureFact
    var cellKey: Int32
    /// Whether the user saw another variant of the experiment as well.
    var isCrossed = false
  }

  mutating func removeAll() {
    entry = nil
    credits.removeAll(keepingCapacity: true)
    trials.removeAll(keepingCapacity: true)
    conversions.removeAll(keepingCapacity: true)
    purchases.removeAll(keepingCapacity: true)
    exposures.removeAll(keepingCapacity: true)
  }

  /// Replaces the units with those of newly folded facts, with all their credits.
  ///
  /// - Parameter withExposures: Whether to take exposures.
  mutating func set(
    _ facts: borrowing PersonFacts, app: NameID, _ numbers: CellKeyNumbers, withExposures: Bool = true
  ) {
    removeAll()
    if let fact = facts.entry {
      let cellKey = CellKey(app: app, context: fact.context, fact.dimensions)
      entry = (EntryUnit(ts: fact.ts), UnitKey(numbers.number(of: cellKey), fact.dimensions))
    }
    for fact in facts.trials {
      let unit = TrialUnit(
        start: fact.start, end: fact.end, deadline: fact.deadline, convertedAt: fact.convertedAt,
        isCancelled: fact.isCancelled)
      let places = credit(facts.contexts[fact.contexts], app, fact.dimensions, numbers)
      trials.append(
        Trial(
          unit: unit, key: UnitKey(credits[places.lowerBound], fact.dimensions), app: app,
          isIntroductory: fact.dimensions.trialKind == .introductory, credits: places))
    }
    for fact in facts.conversions {
      conversions.append(
        Conversion(
          ts: fact.ts, introductoryStart: fact.trialKind == .introductory ? fact.trialStart : nil,
          trialStart: fact.trialStart, credits: credit(facts.contexts[fact.contexts], app, nil, numbers)))
    }
    for fact in facts.spells {
      guard let unit = PurchaseUnit(fact) else { continue }
      let places = credit(facts.contexts[fact.contexts], app, fact.dimensions, numbers)
      purchases.append(
        Purchase(unit: unit, key: UnitKey(credits[places.lowerBound], fact.dimensions), credits: places))
    }
    if withExposures { for fact in facts.exposures { append(fact, app, numbers) } }
    complete()
  }

  private mutating func append(_ fact: ExposureFact, _ app: NameID, _ numbers: CellKeyNumbers) {
    exposures.append(Exposure(fact: fact, cellKey: numbers.number(of: CellKey(app: app, fact))))
  }

  /// The number of exposures that makes a part.
  static let mostExposures = 16_384

  /// Calls `body` with the units of a person's exposures in parts, each of whole experiments.
  static func forEachPart(
    ofExposures facts: borrowing PersonFacts, app: NameID, _ numbers: CellKeyNumbers,
    _ body: (borrowing PersonUnits) throws -> Void
  ) rethrows {
    var units = PersonUnits()
    let exposures = facts.exposures
    let order = exposures.indices.map { Int32($0) }.sorted {
      exposures[Int($0)].experiment < exposures[Int($1)].experiment
    }
    for (place, next) in order.enumerated() {
      let fact = exposures[Int(next)]
      if units.exposures.count >= mostExposures, exposures[Int(order[place - 1])].experiment != fact.experiment {
        units.complete()
        try body(units)
        units.removeAll()
      }
      units.append(fact, app, numbers)
    }
    units.complete()
    try body(units)
  }

  /// Appends the cell keys that a unit is credited to and returns their places in ``credits``.
  mutating func credit(
    _ contexts: ArraySlice<Context>, _ app: NameID, _ dimensions: UnitDimensions?, _ numbers: CellKeyNumbers
  ) -> Range<Int> {
    let first = credits.count
    for context in contexts {
      credits.append(numbers.number(of: CellKey(app: app, context: context, dimensions)))
    }
    return first..<credits.count
  }

  /// Replaces the numbers of cell keys.
  mutating func renumber(_ number: (Int32) -> Int32) {
    if let cellKey = entry?.key.cellKey { entry?.key.cellKey = number(cellKey) }
    for place in trials.indices { trials[place].key.cellKey = number(trials[place].key.cellKey) }
    for place in purchases.indices { purchases[place].key.cellKey = number(purchases[place].key.cellKey) }
    for place in exposures.indices { exposures[place].cellKey = number(exposures[place].cellKey) }
    credits = credits.map(number)
  }

  mutating func complete() {
    completeEntry()
    if exposures.count > 1 { completeExposures() }
  }

  /// Keeps only the exposure to the variant seen first of each experiment, and marks it crossed if there was another;
  /// implements definitions 8.1.
  private mutating func completeExposures() {
    exposures.sort {
      ($0.fact.experiment, $0.fact.ts, $0.fact.variant) < ($1.fact.experiment, $1.fact.ts, $1.fact.variant)
    }
    var kept = 0
    for place in exposures.indices {
      if kept > 0, exposures[kept - 1].fact.experiment == exposures[place].fact.experiment {
        exposures[kept - 1].isCrossed = true
        exposures[kept - 1].fact.outcome = ExposureOutcome()
      } else {
        exposures.swapAt(kept, place)
        kept += 1
      }
    }
    exposures.removeLast(exposures.count - kept)
  }

  /// Fills in the ``FunnelSteps`` that the user reached after the funnel entry.
  private mutating func completeEntry() {
    guard var unit = entry?.unit else { return }
    unit.steps = steps(behind: unit.ts)
    entry?.unit = unit
  }

  /// Adds the steps behind the entry to those of earlier parts of the person's facts; only the last part keeps the
  /// entry, which then has them all.
  mutating func gather(_ steps: inout FunnelSteps, isLast: Bool) {
    if let entry { steps.formUnion(entry.unit.steps) }
    if isLast {
      entry?.unit.steps = steps
      steps = FunnelSteps()
    } else {
      entry = nil
    }
  }

  /// Returns the steps that the user reached after an entry.
  ///
  /// - Parameter isCredited: Returns whether units with these credits count.
  @inline(__always)
  public func steps(behind entry: Int64, where isCredited: (Range<Int>) -> Bool = { _ in true }) -> FunnelSteps {
    var steps = FunnelSteps()
    for trial in trials where trial.isIntroductory && isCredited(trial.credits) {
      steps.add(trialAt: trial.unit.start, isConverted: trial.unit.convertedAt != nil, entry: entry)
    }
    for conversion in conversions where isCredited(conversion.credits) {
      steps.add(conversionAt: conversion.ts, introductoryStart: conversion.introductoryStart, entry: entry)
    }
    for purchase in purchases where isCredited(purchase.credits) {
      steps.add(purchaseAt: purchase.unit.start, entry: entry)
    }
    return steps
  }
}

/// The cell rows of persons, by family: for each unit the cell's row, then the unit's fields.
struct CellRows: Sendable {
  /// The numbers by place in ``CellFamily/allCases``.
  private(set) var families = CellFamily.allCases.map { _ in [Int64]() }

  /// The length of each introductory trial.
  private(set) var lengths: [(app: NameID, length: Int64)] = []

  /// The number of numbers in ``families``.
  var count: Int { families.reduce(0) { $0 + $1.count } }

  mutating func removeAll() {
    // A user with many leaves more room than all others need.
    if count > CellWriter.pendingLimit * 3 / 2 { self = CellRows() }
    for index in families.indices { families[index].removeAll(keepingCapacity: true) }
    lengths.removeAll(keepingCapacity: true)
  }

  mutating func append(contentsOf other: borrowing CellRows) {
    for index in families.indices { families[index].append(contentsOf: other.families[index]) }
    lengths.append(contentsOf: other.lengths)
  }

  /// Adds a person's units to the cells of their days, trials on the day of their start; implements definitions 4.1.
  mutating func append(_ units: borrowing PersonUnits) {
    if let (unit, key) = units.entry { append(.entry, key.cellKey, instant: unit.ts, unit.append) }
    for trial in units.trials {
      let unit = trial.unit
      append(.trial, trial.key.cellKey, instant: unit.start, unit.append)
      if trial.isIntroductory { append(length: unit.end - unit.start, of: trial.app) }
    }
    for purchase in units.purchases {
      append(.purchase, purchase.key.cellKey, instant: purchase.unit.start, purchase.unit.append)
    }
    for exposure in units.exposures {
      let (cellKey, ts, outcome) = (exposure.cellKey, exposure.fact.ts, exposure.fact.outcome)
      var unit = ExposureUnit(ts: ts, client: exposure.fact.client, outcome)
      unit.isCrossed = exposure.isCrossed
      append(.exposure, cellKey, instant: ts, unit.append)
      if let trial = outcome.trial {
        append(.exposedTrial, cellKey, instant: ts, ExposedTrialUnit(exposedAt: ts, trial).append)
      }
      for revenue in outcome.revenues {
        append(.exposedRevenue, cellKey, instant: ts, ExposedRevenueUnit(exposedAt: ts, revenue).append)
      }
    }
  }

  /// Adds the length of an introductory trial.
  mutating func append(length: Int64, of app: NameID) { lengths.append((app, length)) }

  /// Adds a unit to the cell of its day.
  @inline(__always)
  mutating func append(
    _ family: CellFamily, _ cellKey: Int32, instant: Int64, _ fields: (inout [Int64]) -> Void
  ) {
    families[family.rawValue].append(CellFamily.rowID(cellKey: cellKey, day: instant / day))
    fields(&families[family.rawValue])
  }
}

/// The units of recomputed persons without exposures, kept so that several readers share one fold.
struct RecomputedUnits: Sendable {
  let cellKeys: CellKeyNumbers
  private(set) var persons: [(person: Int32, units: PersonUnits)] = []

  init(cellKeys: CellKeyNumbers) { self.cellKeys = cellKeys }

  /// Adds the units of newly folded facts.
  mutating func add(_ person: Int32, _ facts: borrowing PersonFacts, app: NameID) {
    var units = PersonUnits()
    units.set(facts, app: app, cellKeys, withExposures: false)
    persons.append((person, units))
  }

  mutating func add(_ person: Int32, _ units: PersonUnits) { persons.append((person, units)) }
}
