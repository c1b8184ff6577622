extension AppTruth {
  /// Coaching chat: the app's own trial of 7 days, without payment details; most sales come at its end.
  public static let coach = AppTruth(
    name: "coach", title: "Coach", trial: .app(days: 7),
    entryPoints: [
      EntryPointTruth(name: "trial_banner", share: 0.30, directRate: 0.17, cancelFactor: 0.9),
      EntryPointTruth(
        name: "trial_expired_gate", share: 0.55, gate: .init(limitName: "trial_days", limit: 7), directRate: 0.21),
      EntryPointTruth(name: "settings", share: 0.15, directRate: 0.15, cancelFactor: 0.8),
    ],
    experiment: ExperimentTruth(
      name: "coach_gate_timing", treatmentName: "day_five", verdict: .loser, effect: .init(direct: 0.55),
      reason: "The limit appears on day five of the trial instead of after its end. Users are annoyed and leave."),
    reach: 0.90, planShares: [PlanShare(.monthly, 0.65), PlanShare(.yearly, 0.35)],
    subscriptions: SubscriptionTruth(firstMonthCancelRate: 0.22, laterMonthCancelRate: 0.13),
    population: Population(),
    products: [
      Product("coach.monthly", .monthly, usd: 999, eur: 999, gbp: 899, jpy: 1_500),
      Product("coach.yearly", .yearly, usd: 5_999, eur: 5_999, gbp: 4_999, jpy: 8_800),
    ],
    paywall: "keep_your_coach", offering: "coach_default", versions: ["1.3.0", "1.4.0", "1.5.0", "1.5.1", "1.6.0"],
    returnEntryPoint: "settings", activity: .light)
}
