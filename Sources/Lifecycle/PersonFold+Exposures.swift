internal import Basics

extension PersonFold {
  /// A view of a variant.
  struct View {
    var ts: Int64
    var context: Int32
    var client: Int32
  }

  /// Records the first view of each variant of each experiment, for `PersonUnits.completeExposures`, with its outcomes;
  /// implements D5.1. All other facts must be recorded first.
  mutating func recordExposures(_ dictionaries: borrowing EventDictionaries) {
    if !hasViews { return }
    views.removeAll(keepingCapacity: true)
    for event in events where event.kind == .paywallImpression || event.kind == .exposure {
      let isSeen = dictionaries.contexts[Int(event.context)].experiment != 0 && event.ts >= options.exposuresSince
      if !isSeen && !options.takesFirstSight { continue }
      views.append(View(ts: event.ts, context: event.context, client: event.client))
      if options.takesFirstSight { break }
    }
    if views.isEmpty { return }
    let times = (all: events.map(\.ts), usage: Array(events.lazy.filter { $0.kind == .activity }.map(\.ts)))
    let money =
      payments.isEmpty
      ? nil
      : MoneyTimes(payments, refunds, purchases: purchases) { dictionaries.terms[Int(events[$0.place].terms)] }
    if events.count > Self.manyEvents {
      // Growing step by step takes up to three times the memory.
      removeScratch()
      facts.exposures.reserveCapacity(views.count)
    }
    if let view = views.first, options.takesFirstSight {
      facts.exposures = [ExposureFact(experiment: 0, variant: 0, ts: view.ts, client: view.client)]
    } else {
      recordFirst(dictionaries)
    }
    for place in facts.exposures.indices {
      let exposedAt = facts.exposures[place].ts
      var outcome = ExposureOutcome()
      if !times.usage.isEmpty { outcome.flags.insert(.hasUsage) }
      let retained = exposedAt + ExposureOutcome.retainedHorizon / 2..<exposedAt + ExposureOutcome.retainedHorizon
      if times.usage.hasAny(in: retained) { outcome.flags.insert(.isRetained) }
      if times.usage.hasAny(in: exposedAt..<exposedAt + day) { outcome.flags.insert(.isUsedOnFirstDay) }
      let before = exposedAt - ExposureOutcome.revenueHorizon..<exposedAt
      if times.all.hasAny(in: before) { outcome.flags.insert(.wasActiveBefore) }
      if !facts.trials.isEmpty { readTrials(since: exposedAt, &outcome) }
      money?.read(since: exposedAt, &outcome)
      facts.exposures[place].outcome = outcome
    }
  }

  /// Adds the first of the views of each variant.
  private mutating func recordFirst(_ dictionaries: borrowing EventDictionaries) {
    // Of users with many, the experiments and variants seen.
    var seen: Set<UInt64> = []
    func key(_ experiment: NameID, _ variant: NameID) -> UInt64 {
      UInt64(UInt32(bitPattern: experiment)) << 32 | UInt64(UInt32(bitPattern: variant))
    }
    let few = 8
    for view in views {
      let context = dictionaries.contexts[Int(view.context)]
      if facts.exposures.count <= few {
        if facts.exposures.contains(where: { $0.experiment == context.experiment && $0.variant == context.variant }) {
          continue
        }
      } else {
        if seen.isEmpty { seen = Set(facts.exposures.map { key($0.experiment, $0.variant) }) }
        if !seen.insert(key(context.experiment, context.variant)).inserted { continue }
      }
      facts.exposures.append(
        ExposureFact(experiment: context.experiment, variant: context.variant, ts: view.ts, client: view.client))
    }
  }

  /// Reads the first trials within ``ExposureOutcome/trialHorizon``; implements D5.3.
  private func readTrials(since exposedAt: Int64, _ outcome: inout ExposureOutcome) {
    let first = facts.trials.firstPlace { $0.start >= exposedAt }
    for trial in facts.trials[first...] {
      let hasIntroductory = outcome.flags.contains(.hasTrial)
      if trial.start >= exposedAt + ExposureOutcome.trialHorizon || outcome.trial != nil && hasIntroductory { break }
      if outcome.trial == nil {
        outcome.trial = ExposureOutcome.Trial(
          start: trial.start, end: trial.end, deadline: trial.deadline, convertedAt: trial.convertedAt)
      }
      if trial.dimensions.trialKind == .introductory && !hasIntroductory {
        outcome.flags.formUnion(trial.isCancelled ? [.hasTrial, .isTrialCancelled] : .hasTrial)
      }
    }
  }
}

/// The payments and refunds of a user, to be summed over many windows.
private struct MoneyTimes {
  /// Amounts in order of time, with the sum of those before each.
  private struct Ledger {
    var times: [Int64] = []
    var sums: [Int128] = [0]

    /// Adds an amount, no earlier than the last.
    mutating func add(_ ts: Int64, _ amount: Int64) {
      times.append(ts)
      sums.append(sums[sums.count - 1] + Int128(amount))
    }

    /// Returns the sum of the amounts in a range.
    func sum(in range: Range<Int64>) -> Int128 {
      let first = times.firstPlace { $0 >= range.lowerBound }
      return sums[times.firstPlace { $0 >= range.upperBound }] - sums[first]
    }
  }

  private let purchases: [Int64]
  private let fullRefunds: [Int64]
  private var paid: [NameID: Ledger] = [:]
  private var refunded: [NameID: Ledger] = [:]
  private let currencies: [NameID]

  /// - Parameters:
  ///   - payments: In time order, like `refunds`.
  ///   - purchases: The starts of the purchases.
  ///   - terms: Returns the terms of a payment.
  init(_ payments: [Payment], _ refunds: [Refund], purchases: [Int64], terms: (Payment) -> Terms) {
    self.purchases = purchases.sorted()
    fullRefunds = payments.compactMap(\.refundedAt).sorted()
    for payment in payments {
      let terms = terms(payment)
      if let price = terms.price, price > 0 { paid[terms.currency, default: Ledger()].add(payment.ts, price) }
    }
    for refund in refunds { refunded[refund.currency, default: Ledger()].add(refund.ts, refund.amount) }
    currencies = Set(paid.keys).union(refunded.keys).sorted()
  }

  func read(since exposedAt: Int64, _ outcome: inout ExposureOutcome) {
    let window = exposedAt..<exposedAt + ExposureOutcome.revenueHorizon
    let before = exposedAt - ExposureOutcome.revenueHorizon..<exposedAt
    if purchases.hasAny(in: exposedAt..<exposedAt + ExposureOutcome.paidHorizon) { outcome.flags.insert(.hasPaid) }
    if fullRefunds.hasAny(in: window) { outcome.flags.insert(.isRefunded) }
    for currency in currencies {
      func net(in range: Range<Int64>) -> Int64 {
        Int64(clamping: (paid[currency]?.sum(in: range) ?? 0) - (refunded[currency]?.sum(in: range) ?? 0))
      }
      var revenue = ExposureOutcome.Revenue(currency: currency)
      revenue.net = net(in: window)
      revenue.netBefore = net(in: before)
      revenue.hasPaid = paid[currency]?.times.hasAny(in: window) ?? false
      revenue.hadPaidBefore = paid[currency]?.times.hasAny(in: before) ?? false
      if !revenue.isNothing { outcome.revenues.append(revenue) }
    }
  }
}

extension [Int64] {
  /// Returns whether any of these ascending instants lies in a range.
  fileprivate func hasAny(in range: Range<Int64>) -> Bool {
    let place = firstPlace { $0 >= range.lowerBound }
    return place < count && self[place] < range.upperBound
  }
}
