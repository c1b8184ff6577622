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
    returnEntryPoint: "settings")

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
    returnEntryPoint: "settings")

  /// Vocabulary: monthly and yearly, no trial; a free tier with limits.
  public static let praxisen = AppTruth(
    name: "praxisen", title: "PraxisEn", trial: .none,
    entryPoints: [
      EntryPointTruth(
        name: "b2_level", share: 0.30, gate: .init(limitName: "levels", limit: 3), directRate: 0.12, cancelFactor: 0.8),
      EntryPointTruth(
        name: "sentence_limit", share: 0.22, gate: .init(limitName: "sentences_per_word", limit: 3), directRate: 0.08,
        cancelFactor: 1.2),
      EntryPointTruth(
        name: "learned_words", share: 0.20, gate: .init(limitName: "learned_words", limit: 50), directRate: 0.11),
      EntryPointTruth(
        name: "daily_limit", share: 0.28, gate: .init(limitName: "swipes_per_day", limit: 30), directRate: 0.07,
        cancelFactor: 1.1),
    ],
    experiment: ExperimentTruth(
      name: "praxisen_limit_copy", treatmentName: "encouraging", verdict: .null, effect: .init(),
      reason: "Friendlier words at the limit change nothing: both arms have the same rates."),
    reach: 0.95, planShares: [PlanShare(.monthly, 0.45), PlanShare(.yearly, 0.55)],
    subscriptions: SubscriptionTruth(firstMonthCancelRate: 0.18, laterMonthCancelRate: 0.11),
    population: Population(identified: 0.06),
    products: [
      Product("praxisen.premium.monthly", .monthly, usd: 499, eur: 499, gbp: 449, jpy: 700),
      Product("praxisen.premium.yearly", .yearly, usd: 2_999, eur: 2_999, gbp: 2_499, jpy: 4_400),
    ],
    paywall: "limit_reached", offering: "premium", versions: ["2.7.0", "2.8.0", "2.9.0", "2.9.1", "3.0.0"],
    returnEntryPoint: "learned_words")

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
        44%. More users start a trial or buy, more of them yearly, and the same share of them stays.
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
    returnEntryPoint: "view_plans")
}
