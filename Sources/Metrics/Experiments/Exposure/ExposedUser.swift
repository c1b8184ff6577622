internal import Lifecycle
internal import Store

/// A user of an experiment, without the outcome of the exposure.
struct ExposedUser {
  var person: Int32
  var variant: NameID
  var exposedAt: Int64
  var client: Int32
  /// Whether the user saw two variants.
  var isCrossed = false
  /// An index into ``ExposureSource/slices``.
  var slice = 0
}

extension ExposedUser {
  private init(_ sight: VariantSight) {
    self.init(person: sight.person, variant: sight.variant, exposedAt: sight.ts, client: sight.client)
  }

  private mutating func add(_ sight: VariantSight) {
    variant = min(variant, sight.variant)
    exposedAt = min(exposedAt, sight.ts)
    client = min(client, sight.client)
    isCrossed = true
  }

  /// Calls `body` with each user of an experiment in one app, in order, and with the outcome of the exposure.
  ///
  /// - Parameters:
  ///   - end: Exposures at or after this instant do not count.
  ///   - withOutcomes: Whether outcomes are needed; those of crossed users are empty.
  static func forEach(
    of experiment: NameID, app: NameID, before end: Int64, withOutcomes: Bool, _ facts: FactSource,
    _ body: (ExposedUser, ExposureOutcome) -> Void
  ) throws {
    var last: (user: ExposedUser, outcome: ExposureOutcome)?
    try facts.forEachSight(of: experiment, app: app, withOutcomes: withOutcomes) { sight in
      if sight.ts >= end { return }
      if last?.user.person == sight.person {
        last?.user.add(sight)
        last?.outcome = ExposureOutcome()
        return
      }
      if let last { body(last.user, last.outcome) }
      last = (ExposedUser(sight), sight.outcome)
    }
    if let last { body(last.user, last.outcome) }
  }
}
