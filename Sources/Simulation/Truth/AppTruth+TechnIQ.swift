extension AppTruth {
  /// Football training: Pro monthly, with an introductory trial of 7 days.
  public static let techniq = AppTruth(
    name: "techniq", title: "TechnIQ", trial: .introductory(days: 7),
    entryPoints: [
      EntryPointTruth(name: "training_plan", share: 0.22, trialRate: 0.26, directRate: 0.02, trialCancelRate: 0.36),
      EntryPointTruth(
        name: "custom_drill", share: 0.14, gate: .init(limitName: "custom_drills", limit: 1), trialRate: 0.20,
        directRate: 0.015, trialCancelRate: 0.42, cancelFactor: 1.1),
      EntryPointTruth(
        name: "quick_drill", share: 0.16, gate: .init(limitName: "quick_drills", limit: 1), trialRate: 0.17,
        directRate: 0.015, trialCancelRate: 0.44, cancelFactor: 1.2),
      EntryPointTruth(name: "daily_coaching", share: 0.14, trialRate: 0.24, directRate: 0.02, trialCancelRate: 0.38),
      EntryPointTruth(
        name: "ml_recommendations", share: 0.10, gate: .init(), trialRate: 0.18, directRate: 0.015,
        trialCancelRate: 0.42),
      EntryPointTruth(
        name: "youtube_recs", share: 0.08, gate: .init(), trialRate: 0.12, directRate: 0.01, trialCancelRate: 0.50,
        cancelFactor: 1.3),
      EntryPointTruth(
        name: "weekly_adaptation", share: 0.08, gate: .init(), trialRate: 0.22, directRate: 0.02, trialCancelRate: 0.38),
      EntryPointTruth(
        name: "settings", share: 0.08, trialRate: 0.30, directRate: 0.05, trialCancelRate: 0.30, cancelFactor: 0.8),
    ],
    experiment: ExperimentTruth(
      name: "techniq_headline", treatmentName: "free_week", verdict: .trap,
      effect: .init(trial: 1.5, trialKeeping: 0.36, cancel: 1.5),
      reason: """
        The headline sells the free week instead of the training. It brings 1.5 times as many trials, but most are \
        cancelled before the first payment, and users who pay leave sooner.
        """),
    reach: 0.95, planShares: [PlanShare(.monthly, 1)],
    subscriptions: SubscriptionTruth(firstMonthCancelRate: 0.20, laterMonthCancelRate: 0.12, resubscribeRate: 0.16),
    population: Population(subscribedBefore: 0.04),
    products: [Product("techniq.pro.monthly", .monthly, usd: 699, eur: 699, gbp: 599, jpy: 1_000)],
    paywall: "pro_headline", offering: "pro_default", versions: ["4.1.0", "4.2.0", "4.2.1", "4.3.0", "5.0.0"],
    returnEntryPoint: "settings", activity: .light)
}
