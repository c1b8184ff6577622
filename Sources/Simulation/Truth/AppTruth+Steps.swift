extension AppTruth {
  /// Pedometer: monthly with an introductory trial of 7 days, yearly, lifetime; for one user or a family.
  public static let steps = AppTruth(
    name: "steps", title: "Steps", trial: .introductory(days: 7),
    entryPoints: [
      EntryPointTruth(name: "settings_card", share: 0.18, trialRate: 0.22, directRate: 0.09, trialCancelRate: 0.36),
      EntryPointTruth(
        name: "view_plans", share: 0.17, trialRate: 0.26, directRate: 0.12, trialCancelRate: 0.32, cancelFactor: 0.8),
      EntryPointTruth(
        name: "weekly_monthly_chart", share: 0.13, gate: .init(), trialRate: 0.16, directRate: 0.05,
        trialCancelRate: 0.42),
      EntryPointTruth(
        name: "workout_analytics", share: 0.10, gate: .init(), trialRate: 0.18, directRate: 0.05, trialCancelRate: 0.40),
      EntryPointTruth(
        name: "watch_app", share: 0.09, gate: .init(), trialRate: 0.19, directRate: 0.06, trialCancelRate: 0.38),
      EntryPointTruth(
        name: "widgets", share: 0.09, gate: .init(), trialRate: 0.15, directRate: 0.05, trialCancelRate: 0.46,
        cancelFactor: 1.2),
      EntryPointTruth(
        name: "goal_notifications", share: 0.06, gate: .init(), trialRate: 0.11, directRate: 0.03,
        trialCancelRate: 0.48,
        cancelFactor: 1.2),
      EntryPointTruth(
        name: "route_map", share: 0.08, gate: .init(), trialRate: 0.17, directRate: 0.05, trialCancelRate: 0.40),
      EntryPointTruth(
        name: "color_themes", share: 0.05, gate: .init(), trialRate: 0.10, directRate: 0.04, trialCancelRate: 0.52,
        cancelFactor: 1.3),
      EntryPointTruth(
        name: "app_lock", share: 0.05, gate: .init(), trialRate: 0.12, directRate: 0.04, trialCancelRate: 0.44),
    ],
    experiment: ExperimentTruth(
      name: "steps_yearly_anchor", treatmentName: "anchor", verdict: .winner,
      effect: .init(
        trial: 1.4, direct: 1.8,
        planShares: [PlanShare(.monthly, 0.12), PlanShare(.yearly, 0.75), PlanShare(.lifetime, 0.13)]),
      reason: """
        The monthly price is one higher, next to the same yearly price, so the badge reads SAVE 58% instead of SAVE \
        44%. More users start a trial or buy, more of them yearly, and as many of them stay.
        """),
    reach: 0.95,
    planShares: [PlanShare(.monthly, 0.20), PlanShare(.yearly, 0.60), PlanShare(.lifetime, 0.20)],
    subscriptions: SubscriptionTruth(firstMonthCancelRate: 0.16, laterMonthCancelRate: 0.10),
    population: Population(familyMembers: 0.02, codeRedeemers: 0.015),
    products: [
      Product("steps.monthly", .monthly, variant: "control", usd: 299, eur: 299, gbp: 249, jpy: 400),
      Product("steps.monthly.anchor", .monthly, variant: "anchor", usd: 399, eur: 399, gbp: 349, jpy: 550),
      Product("steps.yearly", .yearly, usd: 1_999, eur: 1_999, gbp: 1_699, jpy: 2_800),
      Product("steps.lifetime", .lifetime, usd: 4_999, eur: 4_999, gbp: 4_499, jpy: 7_500),
      Product(
        "steps.family.monthly", .monthly, tier: .family, variant: "control", usd: 499, eur: 499, gbp: 429, jpy: 700),
      Product(
        "steps.family.monthly.anchor", .monthly, tier: .family, variant: "anchor", usd: 599, eur: 599, gbp: 529,
        jpy: 850),
      Product("steps.family.yearly", .yearly, tier: .family, usd: 2_999, eur: 2_999, gbp: 2_599, jpy: 4_200),
      Product("steps.family.lifetime", .lifetime, tier: .family, usd: 7_999, eur: 7_999, gbp: 6_999, jpy: 12_000),
    ],
    paywall: "plans", offering: "steps_plus", versions: ["7.0.0", "7.1.0", "7.2.0", "7.2.2", "7.3.0"],
    returnEntryPoint: "view_plans", activity: .light)
}
