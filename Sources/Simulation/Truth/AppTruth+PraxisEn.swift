extension AppTruth {
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
    returnEntryPoint: "learned_words", activity: .light)
}
