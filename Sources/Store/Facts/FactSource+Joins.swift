public import Lifecycle

/// The effects of `identify` events in an app: the facts of joined persons compared with those of each of their ids
/// alone.
public struct JoinEffects: Sendable {
  /// The number of persons with several ids.
  public var persons = 0
  /// The number of persons with an id that alone has seen other variants than the person, or none.
  public var personsOfOtherVariants = 0
  /// The number of persons who have seen two variants of an experiment although none of their ids has.
  public var personsCrossed = 0
  /// The number of conversions that no id alone has with the same trial and context.
  public var conversions = 0

  fileprivate mutating func add(_ other: JoinEffects) {
    persons += other.persons
    personsOfOtherVariants += other.personsOfOtherVariants
    personsCrossed += other.personsCrossed
    conversions += other.conversions
  }
}

extension FactSource {
  /// Returns the effects of joins at the as-of, by app; apps without joined persons are left out.
  ///
  /// Only joined persons are folded, as a whole and each id alone.
  ///
  /// - Parameter visit: Called with the effects for each joined person.
  public func joinEffects(
    _ visit: (_ person: Int32, _ app: NameID, JoinEffects) -> Void = { _, _, _ in }
  ) throws -> [NameID: JoinEffects] {
    let graph = try identities()
    var persons = UserSet()
    var users = UserSet()
    for (user, person) in graph.joined {
      users.insert(user)
      persons.insert(person)
    }
    let plan = RecomputePlan(stale: persons, users: users.users.map { ($0, graph.person(of: $0)) }, graph: graph)
    var effects: [NameID: JoinEffects] = [:]
    func compare(_ person: Int32, _ app: NameID, _ whole: Trace, _ parts: [Trace]) {
      var own = JoinEffects(persons: 1)
      if parts.contains(where: { $0.variants != whole.variants }) { own.personsOfOtherVariants = 1 }
      if whole.isCrossed, !parts.contains(where: \.isCrossed) { own.personsCrossed = 1 }
      var left: [Trace.Conversion: Int] = [:]
      for conversion in parts.flatMap(\.conversions) { left[conversion, default: 0] += 1 }
      for conversion in whole.conversions {
        if let count = left[conversion], count > 0 {
          left[conversion] = count - 1
        } else {
          own.conversions += 1
        }
      }
      effects[app, default: JoinEffects()].add(own)
      visit(person, app, own)
    }
    // Each person comes before its ids.
    var last: (person: Int32, app: NameID, trace: Trace)?
    var parts: [Trace] = []
    try recompute.forEachPortion(
      plan, dictionaries(), splitsJoined: true, from: { [(person: Int32, app: NameID, trace: Trace)]() },
      adding: { $0.append(($1, $2, Trace($3))) }
    ) { portion in
      for found in portion {
        if found.person < 0 {
          if last?.person == graph.person(of: -found.person) { parts.append(found.trace) }
          continue
        }
        if let last { compare(last.person, last.app, last.trace, parts) }
        last = found
        parts.removeAll(keepingCapacity: true)
      }
    }
    if let last { compare(last.person, last.app, last.trace, parts) }
    return effects
  }
}

/// The parts of a person's facts that a join can change and a report would show.
private struct Trace: Sendable {
  struct Variant: Hashable, Sendable {
    var experiment: NameID
    var variant: NameID
  }

  struct Conversion: Hashable, Sendable {
    var ts: Int64
    var trialStart: Int64?
    var contexts: [Context]
  }

  var variants: Set<Variant>
  var conversions: [Conversion]

  init(_ facts: borrowing PersonFacts) {
    variants = []
    for exposure in facts.exposures {
      variants.insert(Variant(experiment: exposure.experiment, variant: exposure.variant))
    }
    conversions = []
    for conversion in facts.conversions {
      conversions.append(
        Conversion(
          ts: conversion.ts, trialStart: conversion.trialStart, contexts: Array(facts.contexts[conversion.contexts])))
    }
  }

  /// Whether the person has seen two variants of one experiment.
  var isCrossed: Bool { Set(variants.map(\.experiment)).count < variants.count }
}
