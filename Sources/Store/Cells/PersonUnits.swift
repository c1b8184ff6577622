internal import Lifecycle

/// What a unit is described by: the numbers of its origin, client and set of properties.
public struct UnitKey: Hashable, Sendable {
  public var origin: Int32
  public var client: Int32
  public var properties: Int32

  public init(origin: Int32, client: Int32, properties: Int32) {
    self.origin = origin
    self.client = client
    self.properties = properties
  }

  init(_ origin: Int32, _ dimensions: UnitDimensions) {
    self.init(origin: origin, client: dimensions.client, properties: dimensions.properties)
  }
}

/// What one person's facts put into cells: a pure function of the facts with the stored rules (one context a unit).
struct PersonUnits {
  /// A conversion, as far as the funnel looks at it (definitions 3.2).
  struct Conversion {
    var ts: Int64
    /// Of the introductory trial that it belongs to; `nil` for none.
    var introductoryStart: Int64?
  }

  var entry: (unit: EntryUnit, key: UnitKey)?
  var trials: [(unit: TrialUnit, key: UnitKey, app: NameID, isIntroductory: Bool)] = []
  var conversions: [Conversion] = []
  var purchases: [(unit: PurchaseUnit, key: UnitKey)] = []
  /// In any order until they are complete; then one an experiment.
  var exposures: [Exposure] = []

  /// The first sight of a variant.
  struct Exposure {
    var experiment: NameID
    var variant: NameID
    var origin: Int32
    var ts: Int64
    var client: Int32
    var outcome: ExposureOutcome
    /// Another variant of the experiment was seen, too.
    var isCrossed = false
  }

  /// How long after the entry a trial or purchase is of the funnel (definitions 3.2).
  private static let funnelWindow = 7 * day

  mutating func removeAll() {
    entry = nil
    trials.removeAll(keepingCapacity: true)
    conversions.removeAll(keepingCapacity: true)
    purchases.removeAll(keepingCapacity: true)
    exposures.removeAll(keepingCapacity: true)
  }

  /// Replaces the units by those of facts that were just folded.
  mutating func set(_ facts: borrowing PersonFacts, app: NameID, _ numbers: OriginNumbers) {
    removeAll()
    if let fact = facts.entry {
      let origin = Origin(app: app, context: fact.context, fact.dimensions)
      entry = (EntryUnit(ts: fact.ts), UnitKey(numbers.number(of: origin), fact.dimensions))
    }
    for fact in facts.trials {
      let unit = TrialUnit(
        start: fact.start, end: fact.end, deadline: fact.deadline, convertedAt: fact.convertedAt,
        isCancelled: fact.isCancelled)
      let origin = Origin(app: app, context: facts.contexts[fact.contexts.lowerBound], fact.dimensions)
      let key = UnitKey(numbers.number(of: origin), fact.dimensions)
      trials.append((unit, key, app, fact.dimensions.trialKind == .introductory))
    }
    for fact in facts.conversions {
      conversions.append(
        Conversion(ts: fact.ts, introductoryStart: fact.trialKind == .introductory ? fact.trialStart : nil))
    }
    for fact in facts.spells {
      guard let unit = PurchaseUnit(fact) else { continue }
      let origin = Origin(app: app, context: facts.contexts[fact.contexts.lowerBound], fact.dimensions)
      purchases.append((unit, UnitKey(numbers.number(of: origin), fact.dimensions)))
    }
    for fact in facts.exposures {
      let origin = numbers.number(of: Origin(app: app, fact))
      exposures.append(
        Exposure(
          experiment: fact.experiment, variant: fact.variant, origin: origin, ts: fact.ts, client: fact.client,
          outcome: fact.outcome))
    }
    complete()
  }

  mutating func complete() {
    completeEntry()
    if exposures.count > 1 { completeExposures() }
  }

  /// Definitions 8.1: of the variants of an experiment the one that was seen first stands, and is crossed.
  private mutating func completeExposures() {
    exposures.sort { ($0.experiment, $0.ts, $0.variant) < ($1.experiment, $1.ts, $1.variant) }
    var kept: [Exposure] = []
    for exposure in exposures {
      if kept.last?.experiment == exposure.experiment {
        kept[kept.count - 1].isCrossed = true
        kept[kept.count - 1].outcome = ExposureOutcome()
      } else {
        kept.append(exposure)
      }
    }
    exposures = kept
  }

  /// Definitions 3.2 and 3.4: what the person came to after the entry.
  private mutating func completeEntry() {
    guard var unit = entry?.unit else { return }
    let window = unit.ts..<unit.ts + Self.funnelWindow
    for trial in trials where trial.isIntroductory && window.contains(trial.unit.start) {
      unit.hasTrial = true
      if trial.unit.convertedAt != nil { unit.hasTrialPaid = true }
    }
    for conversion in conversions where window.contains(conversion.ts) {
      if conversion.introductoryStart.map({ $0 < unit.ts }) ?? true { unit.hasDirect = true }
    }
    for purchase in purchases where purchase.unit.start >= unit.ts { unit.hasPurchase = true }
    entry?.unit = unit
  }
}

/// What persons put into cells: family by family the row of the cell, then the fields of the unit.
struct CellRows: Sendable {
  /// By place in ``CellFamily/allCases``.
  private(set) var families = CellFamily.allCases.map { _ in [Int64]() }

  /// Of each introductory trial.
  private(set) var lengths: [(app: NameID, length: Int64)] = []

  /// How many numbers there are.
  var count: Int { families.reduce(0) { $0 + $1.count } }

  mutating func removeAll() {
    for index in families.indices { families[index].removeAll(keepingCapacity: true) }
    lengths.removeAll(keepingCapacity: true)
  }

  mutating func append(contentsOf other: borrowing CellRows) {
    for index in families.indices { families[index].append(contentsOf: other.families[index]) }
    lengths.append(contentsOf: other.lengths)
  }

  mutating func append(_ units: borrowing PersonUnits) {
    if let (unit, key) = units.entry { append(.entry, key.origin, instant: unit.ts, unit.append) }
    for (unit, key, app, isIntroductory) in units.trials {
      append(.trial, key.origin, instant: unit.start, unit.append)
      if isIntroductory { append(length: unit.end - unit.start, of: app) }
    }
    for (unit, key) in units.purchases { append(.purchase, key.origin, instant: unit.start, unit.append) }
    for exposure in units.exposures {
      let (origin, ts, outcome) = (exposure.origin, exposure.ts, exposure.outcome)
      var unit = ExposureUnit(ts: ts, client: exposure.client, outcome)
      unit.isCrossed = exposure.isCrossed
      append(.exposure, origin, instant: ts, unit.append)
      if let trial = outcome.trial {
        append(.exposedTrial, origin, instant: ts, ExposedTrialUnit(exposedAt: ts, trial).append)
      }
      for revenue in outcome.revenues {
        append(.exposedRevenue, origin, instant: ts, ExposedRevenueUnit(exposedAt: ts, revenue).append)
      }
    }
  }

  /// Adds the length of an introductory trial.
  mutating func append(length: Int64, of app: NameID) { lengths.append((app, length)) }

  /// Adds a unit to the cell of its day.
  @inline(__always)
  mutating func append(
    _ family: CellFamily, _ origin: Int32, instant: Int64, _ fields: (inout [Int64]) -> Void
  ) {
    families[family.rawValue].append(CellFamily.rowID(origin: origin, day: instant / day))
    fields(&families[family.rawValue])
  }
}
