internal import EventModel
internal import Lifecycle
internal import Store

/// An event of a user, or a fact at the instant of the event that makes it.
struct PathMoment {
  /// A place in event order (definitions 1.2), shared by an event and the facts that it makes.
  struct Position: Comparable {
    var ts: Int64
    var kind: EventKind
    /// The place among events of one kind at one instant.
    var tie: Int32 = 0

    static func < (left: Position, right: Position) -> Bool {
      EventOrder.precedes((left.ts, left.kind), (right.ts, right.kind)) ?? (left.tie < right.tie)
    }
  }

  /// The trial that a fact starts or ends.
  struct Trial: Equatable {
    /// The place among the user's trials.
    var number: Int
    var start: Int64
    var deadline: Int64
  }

  enum Content {
    case event(ScannedEvent)
    case fact(Fact)
  }

  struct Fact {
    var kind: PathPlan.Fact
    var key: UnitKey
    var trial: Trial?
    /// Of a conversion: its place among all conversions at its instant, and their number.
    var tie: (place: Int, count: Int)?
    /// The number of equal units before it at its instant.
    var twins = 0
    /// The event that makes it; `nil` if it has been pruned.
    var event: ScannedEvent?
  }

  var person: Int32
  var position: Position
  var content: Content

  var trial: Trial? { if case .fact(let fact) = content { fact.trial } else { nil } }
}

/// The events and facts that conditions ask for, user by user, and their dimensions.
struct PathMoments {
  private let query: ReportQuery
  private let events: ScannedDimensions
  private let units: DimensionCodes
  /// The cell keys of facts, by number.
  private var cellKeys: [Int32: CellKey] = [:]
  /// By user.
  private var facts: [PathMoment] = []
  private let kinds: [EventKind]

  init(_ query: ReportQuery, _ conditions: [PathPlan.Condition]) throws {
    let asked = conditions.flatMap { $0.same + $0.filters.map(\.dimension) }
    self.query = query
    events = try ScannedDimensions(query, and: asked + [.plan])
    units = try DimensionCodes(query, asked + query.by + query.options.filters.map(\.dimension))
    let wanted = Set(conditions.compactMap(\.fact))
    kinds = EventKind.allCases.filter { kind in
      conditions.contains { $0.events.contains(kind) } || wanted.contains { $0.kinds.contains(kind) }
    }
    if wanted.isEmpty { return }
    let renewals = wanted.contains(.renewal) ? try Self.secondPayments(query) : [:]
    var facts: [PathMoment] = []
    var cellKeys: [Int32: CellKey] = [:]
    try query.facts.forEachPersonWithCredits { person, units, cellKey in
      func add(
        _ kind: PathPlan.Fact, _ ts: Int64, _ key: UnitKey, _ trial: PathMoment.Trial? = nil,
        conversion: (PersonUnits.Conversion) -> Bool = { _ in false }
      ) {
        guard wanted.contains(kind) else { return }
        if cellKeys[key.cellKey] == nil { cellKeys[key.cellKey] = cellKey(key.cellKey) }
        let same = units.conversions.filter { $0.ts == ts }
        var fact = PathMoment.Fact(kind: kind, key: key, trial: trial)
        fact.tie = same.firstIndex(where: conversion).map { (place: $0, count: same.count) }
        for earlier in facts.reversed() {
          guard earlier.person == person else { break }
          if earlier.position.ts == ts, case .fact(let other) = earlier.content, other.kind == kind, other.key == key {
            fact.twins += 1
          }
        }
        facts.append(
          PathMoment(
            person: person, position: .init(ts: ts, kind: kind.kinds[0]), content: .fact(fact)))
      }
      for (number, trial) in units.trials.enumerated() {
        let own = PathMoment.Trial(number: number, start: trial.unit.start, deadline: trial.unit.deadline)
        if trial.isIntroductory { add(.trial, own.start, trial.key, own) }
        add(.trialAny, own.start, trial.key, own)
        if let converted = trial.unit.convertedAt {
          add(.trialPaid, converted, trial.key, own) { $0.trialStart == own.start }
        }
      }
      for conversion in units.conversions where conversion.trialStart == nil {
        let cellKey = units.credits[conversion.credits].first ?? 0
        add(.direct, conversion.ts, UnitKey(cellKey: cellKey, client: 0, properties: 0)) {
          $0.credits == conversion.credits
        }
      }
      for purchase in units.purchases {
        add(.purchase, purchase.unit.start, purchase.key)
        if let second = renewals[Spell(person: person, start: purchase.unit.start)] {
          add(.renewal, second, purchase.key)
        }
      }
    }
    self.facts = sortedByKey(facts) { Int64($0.person) }
    self.cellKeys = cellKeys
  }

  private struct Spell: Hashable {
    var person: Int32
    var start: Int64
  }

  /// Returns the instants of the second payments of purchases.
  private static func secondPayments(_ query: ReportQuery) throws -> [Spell: Int64] {
    var seconds: [Spell: Int64] = [:]
    try PaymentHistoryReader(query.facts).forEachPerson { money in
      for spell in money.spells where spell.isPurchase {
        let later = money.payments[spell.payments].lazy.map(\.ts).filter { $0 > spell.start }
        let key = Spell(person: money.person, start: spell.start)
        if let next = later.min() { seconds[key] = min(seconds[key] ?? .max, next) }
      }
    }
    return seconds
  }

  /// Calls `body` with the moments of each user that has any, in event order.
  func forEachPerson(_ body: ([PathMoment]) throws -> Void) throws {
    var next = 0
    var moments: [PathMoment] = []
    func takeFacts(of person: Int32) {
      let first = moments.count
      while next < facts.count, facts[next].person == person {
        var fact = facts[next]
        align(&fact, with: moments[..<first])
        moments.append(fact)
        next += 1
      }
      if moments.count > first { moments.sort { $0.position < $1.position } }
    }
    func takeFacts(before person: Int32) throws {
      while next < facts.count, facts[next].person < person {
        moments.removeAll(keepingCapacity: true)
        takeFacts(of: facts[next].person)
        try body(moments)
      }
    }
    if !kinds.isEmpty {
      try query.facts.forEachPerson(withEvents: kinds) { person, events in
        try takeFacts(before: person)
        moments.removeAll(keepingCapacity: true)
        for event in events {
          var position = PathMoment.Position(ts: event.ts, kind: event.kind)
          if let last = moments.last?.position, (last.ts, last.kind) == (position.ts, position.kind) {
            position.tie = last.tie + 1
          }
          moments.append(PathMoment(person: person, position: position, content: .event(event)))
        }
        takeFacts(of: person)
        try body(moments)
      }
    }
    try takeFacts(before: .max)
  }

  /// Gives a fact its event, and its place.
  private func align(_ moment: inout PathMoment, with events: ArraySlice<PathMoment>) {
    guard case .fact(var fact) = moment.content else { return }
    var same: [(event: ScannedEvent, position: PathMoment.Position)] = []
    for other in events where other.position.ts == moment.position.ts {
      if case .event(let event) = other.content, fact.kind.kinds.contains(event.kind) {
        same.append((event, other.position))
      }
    }
    if let tie = fact.tie, tie.count != same.count {
      // Some are no conversions: grants, or renewals.
      let conversions = same.filter { $0.event.kind == .conversion }
      if conversions.count == tie.count { same = conversions }
    }
    if same.isEmpty { return }
    var place = 0
    if let tie = fact.tie, tie.count == same.count {
      place = tie.place
    } else if same.count > 1 {
      let made = fact.kind.kinds.flatMap { kind in
        same.indices.filter { same[$0].event.kind == kind && isMade(fact, by: same[$0].event) }
      }
      place = made.isEmpty ? 0 : made[min(fact.twins, made.count - 1)]
    }
    fact.event = same[place].event
    moment.position = same[place].position
    moment.content = .fact(fact)
  }

  /// Returns whether an event has what a unit has from its own event.
  private func isMade(_ fact: PathMoment.Fact, by event: ScannedEvent) -> Bool {
    fact.key.client == event.client && fact.key.properties == event.properties
      && events.code(.plan, event) == cellKeys[fact.key.cellKey].map { Int64($0.plan) }
  }

  func app(of moment: PathMoment) -> NameID {
    switch moment.content {
    case .event(let event): event.app
    case .fact(let fact): cellKeys[fact.key.cellKey]?.app ?? 0
    }
  }

  /// Returns the code of a dimension: a fact has the context that it is credited to, and all else
  /// from its own event, as events have.
  func code(_ dimension: Dimension, _ moment: PathMoment) -> Int64 {
    switch moment.content {
    case .event(let event): return events.code(dimension, event)
    case .fact(let fact):
      if let event = fact.event, !dimension.isContext, dimension != .trialKind { return events.code(dimension, event) }
      guard let cellKey = cellKeys[fact.key.cellKey] else { return 0 }
      return units.code(
        dimension,
        UnitFacet(
          credits: [cellKey], client: fact.key.client, properties: fact.key.properties, person: moment.person))
    }
  }
}

extension PathPlan.Fact {
  /// The kinds of events that can make it, the most usual first.
  fileprivate var kinds: [EventKind] {
    switch self {
    case .trial, .trialAny: [.trialStart]
    case .direct, .purchase, .trialPaid: [.conversion, .payment, .renewal]
    case .renewal: [.renewal, .payment, .conversion, .planChange]
    }
  }
}
