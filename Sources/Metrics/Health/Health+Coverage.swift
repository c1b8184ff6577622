internal import EventModel
internal import Lifecycle
internal import Store

extension Health {
  /// Counts how many purchases, trials and exposures have matching impressions.
  struct Coverage {
    private struct Share {
      var cases = 0
      var of = 0

      mutating func add(isCase: Bool) {
        of += 1
        if isCase { cases += 1 }
      }
    }

    /// The key that first spells are counted by.
    private struct FirstSpell: Hashable {
      var app: NameID
      var context: Context
      var product: NameID
      /// -1 for no plan.
      var plan: Int64
      var isPurchase: Bool
    }

    private struct Variant: Hashable {
      var experiment: NameID
      var variant: NameID
    }

    private struct Key: Hashable {
      var check: PersonCheck
      var app: NameID
    }

    private let query: ReportQuery
    private let trace: Trace?
    private var shares: [Key: Share] = [:]
    private var exposed: [NameID: Int] = [:]
    private var variants: [NameID: Set<Variant>] = [:]
    /// Users who started a trial, paid or have another id.
    private var known = UserSet()

    init(_ query: ReportQuery, trace: Trace? = nil) throws {
      self.query = query
      self.trace = trace
      try readSpells()
      try readTrials()
      try readExposures()
      try readIdentities()
      try readSharedIDs()
    }

    /// Returns the number of users of an app who were exposed to an experiment.
    func exposedPersons(of app: StoreSnapshot.App) -> Int { exposed[app.id] ?? 0 }

    // MARK: Facts

    /// Counts possible cases, each with whether it is one.
    private mutating func count(_ check: PersonCheck, _ app: NameID, _ count: Int = 1, isCase: Bool) {
      shares[Key(check: check, app: app), default: Share()].of += count
      if isCase { shares[Key(check: check, app: app), default: Share()].cases += count }
    }

    /// Counts a possible case of each row of a query on `person, app, …`.
    private mutating func count(_ check: PersonCheck, _ sql: String, isCase: (FactRow) throws -> Bool) throws {
      var ofApps: [NameID: Share] = [:]
      try query.facts.forEachRow(sql) { row in
        let isCase = try isCase(row)
        ofApps[row.int32(1), default: Share()].add(isCase: isCase)
        if isCase { trace?.add(check, row.int32(1), row[0]) }
      }
      for (app, share) in ofApps { shares[Key(check: check, app: app)] = share }
    }

    /// Reads the subscription ids that users share. Ids are stored as numbers, text or bytes, so SQLite compares them.
    private mutating func readSharedIDs() throws {
      let shared = """
        SELECT app, subscription_id, MIN(person) AS least FROM \(query.facts.table(.spell)) AS s
        WHERE credit = 0 AND subscription_id IS NOT NULL
        GROUP BY app, subscription_id HAVING MIN(person) <> MAX(person)
        """
      try query.facts.forEachRow("SELECT app, COUNT(*) FROM (\(shared)) AS shared GROUP BY app") { row in
        count(.sharedIDs, row.int32(0), row.int(1), isCase: true)
      }
      guard let trace, trace.check == .sharedIDs else { return }
      // A shared id counts as a case of the first of its users.
      try query.facts.forEachRow(
        """
        SELECT f.person, f.app, COUNT(DISTINCT CASE WHEN f.person = shared.least THEN f.subscription_id END)
        FROM \(query.facts.table(.spell)) AS f
        JOIN (\(shared)) AS shared ON shared.app = f.app AND shared.subscription_id = f.subscription_id
        WHERE f.credit = 0
        GROUP BY f.person, f.app
        """
      ) { row in trace.add(.sharedIDs, row.int32(1), row[0], cases: row.int(2)) }
    }

    private mutating func readSpells() throws {
      let shown = try Dictionary(
        uniqueKeysWithValues: query.apps.map { app in
          (app.id, try ShownProducts(query.snapshot.shownPlans(of: app.id)))
        })
      var counts: [FirstSpell: Int] = [:]
      try query.facts.forEachRow(
        """
        SELECT person, app, ordinal, is_purchase, experiment, variant, paywall, entry_point, product, COALESCE(plan, -1)
        FROM \(query.facts.table(.spell)) AS s WHERE credit = 0
        """
      ) { row in
        known.insert(try row.person(0))
        guard row[2] == 1 else { return }
        let context = Context(
          experiment: row.int32(4), variant: row.int32(5), paywall: row.int32(6), entryPoint: row.int32(7))
        let spell = FirstSpell(
          app: row.int32(1), context: context, product: row.int32(8), plan: row[9], isPurchase: row[3] != 0)
        counts[spell, default: 0] += 1
        if let trace {
          for (check, isCase) in Self.judged(spell, shown) where isCase { trace.add(check, spell.app, row[0]) }
        }
      }
      for (spell, count) in counts {
        for (check, isCase) in Self.judged(spell, shown) { self.count(check, spell.app, count, isCase: isCase) }
      }
    }

    /// Returns the checks that apply to a first spell, each with whether the spell is a case.
    private static func judged(
      _ spell: FirstSpell, _ shown: [NameID: ShownProducts]
    ) -> [(check: PersonCheck, isCase: Bool)] {
      if !spell.isPurchase { return [(.truncated, true)] }
      let isLost = spell.context.entryPoint == 1
      let plan = Plan(rawValue: UInt8(truncatingIfNeeded: spell.plan))
      let isShown = isLost ? nil : shown[spell.app]?.showed(spell.product, plan, in: spell.context)
      return [(.truncated, false), (.purchasesWithoutImpression, isLost)] + (isShown.map { [(.offPaywall, !$0)] } ?? [])
    }

    private mutating func readTrials() throws {
      var known = UserSet()
      swap(&known, &self.known)
      try count(
        .trialsWithoutImpression,
        "SELECT person, app, entry_point FROM \(query.facts.table(.trial)) AS t WHERE credit = 0"
      ) { row in
        known.insert(try row.person(0))
        return row[2] == 1
      }
      swap(&known, &self.known)
    }

    /// Stored facts come in order of the user; facts folded again are sorted into that order.
    private mutating func readExposures() throws {
      var person = Int64(-1)
      /// The variants of the person by experiment.
      var met: [NameID: Int] = [:]
      var ofApps: [NameID: Share] = [:]
      try query.facts.forEachRow(
        """
        SELECT person, app, experiment, variant FROM \(query.facts.table(.exposure)) AS x
        \(query.facts.isRecomputed ? "ORDER BY person" : "")
        """
      ) { row in
        let app = row.int32(1)
        let variant = Variant(experiment: row.int32(2), variant: row.int32(3))
        if row[0] != person {
          person = row[0]
          met.removeAll(keepingCapacity: met.count < 16)
          exposed[app, default: 0] += 1
        }
        let before = met[variant.experiment] ?? 0
        if before == 0 { ofApps[app, default: Share()].of += 1 }
        if before == 1 {
          ofApps[app, default: Share()].cases += 1
          trace?.add(.crossed, app, person)
        }
        met[variant.experiment] = before + 1
        variants[app, default: []].insert(variant)
      }
      for (app, share) in ofApps { shares[Key(check: .crossed, app: app)] = share }
    }

    /// Reads the users who saw a paywall, and those of them without any later trace: no other id, no trial, no payment.
    private mutating func readIdentities() throws {
      for person in try query.facts.joinedPersons() { known.insert(person) }
      let traced = known
      try count(.unseenAgain, "SELECT person, app FROM \(query.facts.table(.entry)) AS e") { row in
        !traced.contains(row.int32(0))
      }
    }

    // MARK: Checks

    func checks(_ app: StoreSnapshot.App) throws -> [HealthCheck] {
      func share(_ check: PersonCheck) -> Share { shares[Key(check: check, app: app.id)] ?? Share() }
      func check(
        _ check: PersonCheck, _ share: Share, warnAbove limit: Double = 0, affects: [String], _ meaning: String
      ) -> HealthCheck {
        HealthCheck(
          app.name, check.rawValue, share.cases, of: share.of, warnAbove: limit, affects: affects, meaning)
      }
      let impressions = try query.snapshot.impressionCounts(of: app.id)
      let (purchases, trials) = (share(.purchasesWithoutImpression), share(.trialsWithoutImpression))
      let lost = purchases.cases + trials.cases
      var unseen = check(
        .unseenAgain, share(.unseenAgain), warnAbove: 1, affects: HealthCheck.byContext,
        lost == 0
          ? "no other id, trial or payment follows, but all purchases and trials have a paywall view before"
          : "no other id, trial or payment follows; some may be the users whose purchases have no paywall view before: "
            + "send identify events")
      // Users who see a paywall and never buy are normal; they are a fault only if purchases have lost their
      // impressions.
      let isMuch = Double(lost) > 0.05 * Double(purchases.of + trials.of)
      unseen.severity = lost == 0 || unseen.cases == 0 ? .ok : isMuch ? .warning : .notice
      var checks = [
        check(
          .purchasesWithoutImpression, purchases, warnAbove: 0.05,
          affects: ["savings", "cancellations", "value"],
          "no paywall view in the 7 days before: they count under (unattributed)"),
        check(
          .trialsWithoutImpression, trials, warnAbove: 0.05, affects: ["trials", "cancellations"],
          "no paywall view in the 7 days before: they count under (unattributed)"),
        check(
          .impressionsWithoutEntryPoint, Share(cases: impressions.withoutEntryPoint, of: impressions.all),
          affects: HealthCheck.byContext, "reports by entry point count them under (none)"),
        unseen,
        try variantsWithoutImpressions(app),
        check(
          .offPaywall, share(.offPaywall), warnAbove: 0.05,
          affects: ["savings", "value"],
          "the paywall views of their context show prices or products, but not theirs: bought elsewhere, or credited "
            + "wrongly"),
        check(
          .crossed, share(.crossed), warnAbove: 0.01, affects: ["experiment"],
          "an experiment leaves them out as crossed (8.1)"),
        check(
          .truncated, share(.truncated), warnAbove: 0.2,
          affects: ["retention", "cancellations", "ltv"],
          "their start is unknown: they count in revenue and as active, but not in cohorts (2.9)"),
      ]
      checks.append(
        HealthCheck(
          app.name, PersonCheck.sharedIDs.rawValue, share(.sharedIDs).cases, of: nil,
          affects: ["subscriptions", "retention", "ltv"],
          "they join no users: each user has a separate subscription (1.3)"))
      return checks
    }

    private func variantsWithoutImpressions(_ app: StoreSnapshot.App) throws -> HealthCheck {
      let shown = Set(
        try query.snapshot.shownPlans(of: app.id).map {
          Variant(experiment: $0.context.experiment, variant: $0.context.variant)
        })
      let all = variants[app.id] ?? []
      let missing = all.subtracting(shown).map {
        "\(query.facts.name(Int($0.experiment)))/\(query.facts.name(Int($0.variant)))"
      }.sorted(by: precedesInBytes)
      let names = missing.prefix(5).joined(separator: ", ") + (missing.count > 5 ? ", ..." : "")
      return HealthCheck(
        app.name, "variants without impressions", missing.count, of: all.count, warnAbove: 0.99,
        affects: ["funnel", "experiment"],
        missing.isEmpty
          ? "every variant that users were assigned to has a paywall view"
          : "\(names): no row in the funnel; fine if the variant shows no paywall by design")
    }
  }
}

/// The products and plans that the impressions of each context showed.
private struct ShownProducts {
  private struct Shown {
    var products: Set<NameID> = []
    var plans: Set<Plan> = []
  }

  private var contexts: [Context: Shown] = [:]

  init(_ rows: [StoreSnapshot.ShownPlans]) {
    for row in rows {
      var shown = contexts[row.context] ?? Shown()
      if row.product != 0 { shown.products.insert(row.product) }
      if row.weekly { shown.plans.insert(.weekly) }
      if row.monthly { shown.plans.insert(.monthly) }
      if row.yearly { shown.plans.insert(.yearly) }
      if row.lifetime { shown.plans.insert(.lifetime) }
      contexts[row.context] = shown
    }
  }

  /// - Returns: `nil` if the impressions do not say.
  func showed(_ product: NameID, _ plan: Plan?, in context: Context) -> Bool? {
    guard let shown = contexts[context] else { return nil }
    if shown.products.contains(product) { return true }
    if shown.plans.isEmpty { return shown.products.isEmpty ? nil : false }
    switch plan {
    // Impressions carry prices of four plans only.
    case .weekly, .monthly, .yearly, .lifetime: return plan.map(shown.plans.contains)
    default: return nil
    }
  }
}
