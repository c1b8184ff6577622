internal import Lifecycle
internal import Store

extension Health {
  /// Checks the effects of `identify` events (definitions 1.3).
  struct Identity {
    private let effects: [NameID: JoinEffects]
    private var conversions: [NameID: Int] = [:]
    private var persons: [NameID: Int] = [:]

    init(_ query: ReportQuery, trace: Trace? = nil) throws {
      effects = try query.facts.joinEffects { person, app, own in
        guard let trace else { return }
        for (check, cases) in [
          (PersonCheck.joined, own.persons), (.variantsChanged, own.personsOfOtherVariants),
          (.crossedByJoin, own.personsCrossed), (.conversionsChanged, own.conversions),
        ] where cases > 0 { trace.add(check, app, Int64(person), cases: cases) }
      }
      if effects.isEmpty { return }
      // Counted here, as SQLite would sort the rows to group them.
      try query.facts.forEachRow("SELECT app FROM \(query.facts.table(.conversion)) AS c WHERE credit = 0") { row in
        conversions[row.int32(0), default: 0] += 1
      }
      try query.facts.forEachRow("SELECT app FROM user WHERE person = id") { persons[$0.int32(0), default: 0] += 1 }
    }

    /// - Parameter persons: Users of the app who were exposed to an experiment.
    func checks(_ app: StoreSnapshot.App, persons exposed: Int) -> [HealthCheck] {
      guard let effect = effects[app.id] else {
        return [
          HealthCheck(
            app.name, PersonCheck.joined.rawValue, 0, of: nil, affects: [], "no identify event joins ids of this app")
        ]
      }
      /// Returns a check of an effect of joins with severity ok; only removing users from experiments is a fault.
      func check(_ check: PersonCheck, _ cases: Int, of: Int, affects: [String], _ meaning: String) -> HealthCheck {
        var check = HealthCheck(app.name, check.rawValue, cases, of: of, affects: affects, meaning)
        check.severity = .ok
        return check
      }
      return [
        check(
          .joined, effect.persons, of: persons[app.id] ?? 0, affects: HealthCheck.all,
          "identify events join their ids: each counts as one user in every report (1.3)"),
        check(
          .variantsChanged, effect.personsOfOtherVariants, of: exposed,
          affects: ["experiment", "funnel"], "on its own, one of their ids would have another variant, or none"),
        HealthCheck(
          app.name, PersonCheck.crossedByJoin.rawValue, effect.personsCrossed, of: exposed, warnAbove: 0.01,
          affects: ["experiment"],
          "each id saw one variant of an experiment, but the user saw two: left out of it (8.1)"),
        check(
          .conversionsChanged, effect.conversions, of: conversions[app.id] ?? 0,
          affects: HealthCheck.byContext + ["experiment"],
          "without the join they would have another trial, or none, or other credit (2.3, 2.10)"),
      ]
    }
  }
}
