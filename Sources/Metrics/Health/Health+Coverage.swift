internal import EventModel
internal import Lifecycle
internal import Store

extension Health {
  /// How well purchases, trials and exposures meet impressions.
  struct Coverage {
    private struct Share {
      var cases = 0
      var of = 0
    }

    /// What first spells are counted by.
    private struct FirstSpell: Hashable {
      var app: NameID
      var context: Context
      var product: NameID
      /// -1 for none.
      var plan: Int64
      var isPurchase: Bool
    }

    private struct Variant: Hashable {
      var experiment: NameID
      var variant: NameID
    }

    private let query: ReportQuery
    private var purchases: [NameID: Share] = [:]
    private var trials: [NameID: Share] = [:]
    private var offPaywall: [NameID: Share] = [:]
    private var crossed: [NameID: Share] = [:]
    private var exposed: [NameID: Int] = [:]
    private var variants: [NameID: Set<Variant>] = [:]
    private var seen: [NameID: Share] = [:]
    private var truncated: [NameID: Share] = [:]
    private var sharedIDs: [NameID: Int] = [:]
    /// Who began a trial, paid, or has another id.
    private var known = UserSet()

    init(_ query: ReportQuery) throws {
      self.query = query
      try readSpells()
      try readTrials()
      try readExposures()
      try readIdentities()
      // Ids are numbers, texts or bytes, as they were stored: left to SQLite.
      try query.facts.forEachRow(
        """
        SELECT app, COUNT(*) FROM (
          SELECT app, subscription_id FROM \(query.facts.table(.spell)) AS s
          WHERE credit = 0 AND subscription_id IS NOT NULL
          GROUP BY app, subscription_id HAVING MIN(person) <> MAX(person)
        ) AS shared
        GROUP BY app
        """
      ) { row in sharedIDs[NameID(row[0])] = row.int(1) }
    }

    /// Persons of an app who met a variant of an experiment.
    func exposedPersons(of app: StoreSnapshot.App) -> Int { exposed[app.id] ?? 0 }

    // MARK: Facts

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
        known.insert(Int32(row[0]))
        guard row[2] == 1 else { return }
        let context = Context(
          experiment: NameID(row[4]), variant: NameID(row[5]), paywall: NameID(row[6]), entryPoint: NameID(row[7]))
        let spell = FirstSpell(
          app: NameID(row[1]), context: context, product: NameID(row[8]), plan: row[9], isPurchase: row[3] != 0)
        counts[spell, default: 0] += 1
      }
      for (spell, count) in counts {
        let app = spell.app
        truncated[app, default: Share()].of += count
        guard spell.isPurchase else {
          truncated[app, default: Share()].cases += count
          continue
        }
        purchases[app, default: Share()].of += count
        if spell.context.entryPoint == 1 {
          purchases[app, default: Share()].cases += count
          continue
        }
        let plan = Plan(rawValue: UInt8(truncatingIfNeeded: spell.plan))
        if let isShown = shown[app]?.showed(spell.product, plan, in: spell.context) {
          offPaywall[app, default: Share()].of += count
          if !isShown { offPaywall[app, default: Share()].cases += count }
        }
      }
    }

    private mutating func readTrials() throws {
      try query.facts.forEachRow(
        "SELECT person, app, entry_point FROM \(query.facts.table(.trial)) AS t WHERE credit = 0"
      ) { row in
        known.insert(Int32(row[0]))
        trials[NameID(row[1]), default: Share()].of += 1
        if row[2] == 1 { trials[NameID(row[1]), default: Share()].cases += 1 }
      }
    }

    /// Stored facts come in order of the person; those folded again have to be put in it.
    private mutating func readExposures() throws {
      var person = Int64(-1)
      var met: [Variant] = []
      try query.facts.forEachRow(
        """
        SELECT person, app, experiment, variant FROM \(query.facts.table(.exposure)) AS x
        \(query.facts.isRefolded ? "ORDER BY person" : "")
        """
      ) { row in
        let app = NameID(row[1])
        let variant = Variant(experiment: NameID(row[2]), variant: NameID(row[3]))
        if row[0] != person {
          person = row[0]
          met.removeAll(keepingCapacity: true)
          exposed[app, default: 0] += 1
        }
        let before = met.count { $0.experiment == variant.experiment }
        if before == 0 { crossed[app, default: Share()].of += 1 }
        if before == 1 { crossed[app, default: Share()].cases += 1 }
        met.append(variant)
        variants[app, default: []].insert(variant)
      }
    }

    /// Who has seen a paywall, and who of them was never heard of again: no other id, no trial, no payment.
    private mutating func readIdentities() throws {
      try query.facts.forEachRow("SELECT person FROM user WHERE person <> id") { row in known.insert(Int32(row[0])) }
      try query.facts.forEachRow("SELECT person, app FROM \(query.facts.table(.entry)) AS e") { row in
        seen[NameID(row[1]), default: Share()].of += 1
        if !known.contains(Int32(row[0])) { seen[NameID(row[1]), default: Share()].cases += 1 }
      }
    }

    // MARK: Checks

    func checks(_ app: StoreSnapshot.App) throws -> [HealthCheck] {
      func check(
        _ name: String, _ share: Share?, warnAbove limit: Double = 0, affects: [String], _ meaning: String
      ) -> HealthCheck {
        HealthCheck(
          app.name, name, share?.cases ?? 0, of: share?.of ?? 0, warnAbove: limit, affects: affects, meaning)
      }
      let impressions = try query.snapshot.impressionCounts(of: app.id)
      let purchases = purchases[app.id] ?? Share()
      let trials = trials[app.id] ?? Share()
      let lost = purchases.cases + trials.cases
      var unseen = check(
        "persons with impressions and no later identity", seen[app.id], warnAbove: 1, affects: HealthCheck.byContext,
        lost == 0
          ? "no other id, trial or payment follows: all purchases and trials have their impression all the same"
          : "no other id, trial or payment follows: some may be those whose purchases have no impression; "
            + "send identify events")
      // That persons are seen and never buy is no fault: only where purchases have lost their impressions is it one.
      let isMuch = Double(lost) > 0.05 * Double(purchases.of + trials.of)
      unseen.severity = lost == 0 || unseen.cases == 0 ? .ok : isMuch ? .warning : .notice
      var checks = [
        check(
          "purchases without an impression", purchases, warnAbove: 0.05,
          affects: ["savings", "cancellations", "value"],
          "no paywall impression in the 7 d before: they read (unattributed)"),
        check(
          "trials without an impression", trials, warnAbove: 0.05, affects: ["trials", "cancellations"],
          "no paywall impression in the 7 d before: they read (unattributed)"),
        check(
          "impressions without an entry point", Share(cases: impressions.withoutEntryPoint, of: impressions.all),
          affects: HealthCheck.byContext, "they read (none) by entry point in every report"),
        unseen,
        try variantsWithoutImpressions(app),
        check(
          "purchases of what the paywall did not show", offPaywall[app.id], warnAbove: 0.05,
          affects: ["savings", "value"],
          "the impressions of their context show prices or products, but not theirs: bought elsewhere, or credited "
            + "wrongly"),
        check(
          "persons in two variants of an experiment", crossed[app.id], warnAbove: 0.01, affects: ["experiment"],
          "an experiment leaves them out as crossed (8.1)"),
        check(
          "subscriptions that began before the data", truncated[app.id], warnAbove: 0.2,
          affects: ["retention", "cancellations", "ltv"],
          "left-truncated: in money and active counts, in no cohort (2.9)"),
      ]
      checks.append(
        HealthCheck(
          app.name, "subscription ids of two persons", sharedIDs[app.id] ?? 0, of: nil,
          affects: ["subscriptions", "retention", "ltv"],
          "they join nobody, and each person has a subscription of its own (1.3)"))
      return checks
    }

    private func variantsWithoutImpressions(_ app: StoreSnapshot.App) throws -> HealthCheck {
      let shown = Set(
        try query.snapshot.shownPlans(of: app.id).map { Variant(experiment: $0.experiment, variant: $0.variant) })
      let all = variants[app.id] ?? []
      let missing = all.subtracting(shown).map {
        "\(query.facts.name(Int($0.experiment)))/\(query.facts.name(Int($0.variant)))"
      }.sorted(by: precedesInBytes)
      let names = missing.prefix(5).joined(separator: ", ") + (missing.count > 5 ? ", ..." : "")
      return HealthCheck(
        app.name, "variants without impressions", missing.count, of: all.count, warnAbove: 0.99,
        affects: ["funnel", "experiment"],
        missing.isEmpty
          ? "every variant that persons were assigned to has a paywall impression"
          : "\(names): no row in the funnel; well where the variant shows no paywall by design")
    }
  }
}

/// What the impressions of each context showed.
private struct ShownProducts {
  private struct Shown {
    var products: Set<NameID> = []
    var plans: Set<Plan> = []
  }

  private var contexts: [Context: Shown] = [:]

  init(_ rows: [StoreSnapshot.ShownPlans]) {
    for row in rows {
      let context = Context(
        experiment: row.experiment, variant: row.variant, paywall: row.paywall, entryPoint: row.entryPoint)
      var shown = contexts[context] ?? Shown()
      if row.product != 0 { shown.products.insert(row.product) }
      if row.weekly { shown.plans.insert(.weekly) }
      if row.monthly { shown.plans.insert(.monthly) }
      if row.yearly { shown.plans.insert(.yearly) }
      if row.lifetime { shown.plans.insert(.lifetime) }
      contexts[context] = shown
    }
  }

  /// - Returns: `nil` where the impressions do not tell.
  func showed(_ product: NameID, _ plan: Plan?, in context: Context) -> Bool? {
    guard let shown = contexts[context] else { return nil }
    if shown.products.contains(product) { return true }
    if shown.plans.isEmpty { return shown.products.isEmpty ? nil : false }
    switch plan {
    // Impressions have a price of four plans only.
    case .weekly, .monthly, .yearly, .lifetime: return plan.map(shown.plans.contains)
    default: return nil
    }
  }
}
