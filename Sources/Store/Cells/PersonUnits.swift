internal import Lifecycle

/// What one person's facts put into cells: a pure function of the facts with the stored rules (one context a unit).
struct PersonUnits {
  /// A conversion, as far as the funnel looks at it (definitions 3.2).
  struct Conversion {
    var ts: Int64
    /// Of the introductory trial that it belongs to; `nil` for none.
    var introductoryStart: Int64?
  }

  var entry: (unit: EntryUnit, dimensions: CellDimensions)?
  var trials: [(unit: TrialUnit, dimensions: CellDimensions)] = []
  var conversions: [Conversion] = []
  var purchases: [(unit: PurchaseUnit, dimensions: CellDimensions)] = []

  /// How long after the entry a trial or purchase is of the funnel (definitions 3.2).
  private static let funnelWindow = 7 * day

  mutating func removeAll() {
    entry = nil
    trials.removeAll(keepingCapacity: true)
    conversions.removeAll(keepingCapacity: true)
    purchases.removeAll(keepingCapacity: true)
  }

  var isEmpty: Bool { entry == nil && trials.isEmpty && purchases.isEmpty }

  /// Replaces the units by those of facts that were just folded.
  mutating func set(_ facts: PersonFacts, app: NameID) {
    removeAll()
    func dimensions(_ contexts: Range<Int>, _ own: UnitDimensions) -> CellDimensions {
      CellDimensions(app: app, context: facts.contexts[contexts.lowerBound], own)
    }
    entry = facts.entry.map {
      (EntryUnit(ts: $0.ts), CellDimensions(app: app, context: $0.context, $0.dimensions))
    }
    for fact in facts.trials {
      trials.append(
        (
          TrialUnit(
            start: fact.start, end: fact.end, deadline: fact.deadline, convertedAt: fact.convertedAt,
            isCancelled: fact.isCancelled), dimensions(fact.contexts, fact.dimensions)
        ))
    }
    for fact in facts.conversions {
      conversions.append(
        Conversion(ts: fact.ts, introductoryStart: fact.trialKind == .introductory ? fact.trialStart : nil))
    }
    for fact in facts.spells {
      if let unit = PurchaseUnit(fact) { purchases.append((unit, dimensions(fact.contexts, fact.dimensions))) }
    }
    complete()
  }

  /// Definitions 3.2 and 3.4: what the person came to after the entry.
  mutating func complete() {
    guard var unit = entry?.unit else { return }
    let window = unit.ts..<unit.ts + Self.funnelWindow
    for trial in trials
    where trial.dimensions.trialKind == TrialKind.introductory.rawValue && window.contains(trial.unit.start) {
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
