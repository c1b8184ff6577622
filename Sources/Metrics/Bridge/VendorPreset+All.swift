/// The presets, as of ``VendorPreset/readIn``. A changed page makes a new one; old ones stay.
extension VendorPreset {
  static let all = [revenueCat2, revenueCat3, adapty, superwall, appStoreConnect, mixpanel]

  private static let utc = Reading(setting: .zone("UTC"))
  private static let assumedUTC = Reading(setting: .zone("UTC"), basis: .assumed)
  private static let assumedAll = Reading(setting: .baseAll, basis: .assumed)

  private static func read(_ setting: VendorSetting) -> Reading { Reading(setting: setting) }

  private static func revenueCat(_ page: String) -> String { "RevenueCat Docs, \(page)" }

  /// The metrics that both versions of RevenueCat's charts share.
  private static let revenueCatShared: [VendorMetric: Metric] = [
    .newTrials: Metric(revenueCat("new-trials-chart"), [utc]),
    .activeTrials: Metric(revenueCat("active-trials-chart"), [utc, read(.accessToGrace)]),
    .mrr: Metric(
      revenueCat("monthly-recurring-revenue-mrr-chart"), [utc, read(.accessToGrace), read(.weeks(4, per: 1))]),
    .refundRate: Metric(revenueCat("refund-rate-chart"), [utc]),
    .realizedLTV: Metric(revenueCat("realized-ltv-per-customer-chart"), [utc, assumedAll, read(.completeDays)]),
    .initialConversion: Metric(revenueCat("initial-conversion-chart"), [utc, assumedAll, read(.completeDays)]),
  ]

  private static let revenueCatMissing = [
    "customers that RevenueCat counts without an event here add to its denominators",
    "taxes and commission that RevenueCat estimates",
  ]

  private static let revenueCat2 = VendorPreset(
    name: "revenuecat-v2", title: "RevenueCat Charts v2",
    metrics: revenueCatShared.merging([
      .trialConversion: Metric(
        revenueCat("trial-conversion-chart"),
        [utc] + [.firstSeen, .unitPerson, .baseAll, .linkChain, .refundUncounted].map(read)),
      .revenue: Metric(revenueCat("revenue-chart"), [utc, read(.refundOnPaymentDay)]),
      .activeSubscriptions: Metric(revenueCat("active-subscriptions-chart"), [utc, read(.accessToGrace)]),
      .churnRate: Metric(revenueCat("churn-chart"), [utc, read(.accessToGrace), read(.netted)]),
      .conversionToPaying: Metric(
        revenueCat("conversion-to-paying-chart"), [utc, assumedAll, read(.completeDays), read(.refundUncounted)]),
    ]) { $1 }, missing: revenueCatMissing)

  private static let changeIsNew = Reading(setting: .changeIsNew, source: revenueCat("real-time-charts"))

  private static let revenueCat3 = VendorPreset(
    name: "revenuecat-v3", title: "RevenueCat Charts v3",
    metrics: revenueCatShared.merging([
      .trialConversion: Metric(revenueCat("real-time-charts"), [utc, read(.baseAll), read(.refundUncounted)]),
      .revenue: Metric(revenueCat("real-time-charts"), [utc]),
      .activeSubscriptions: Metric(
        revenueCat("active-subscriptions-chart"), [utc, read(.accessToGrace), changeIsNew]),
      .churnRate: Metric(revenueCat("churn-chart"), [utc, read(.accessToGrace), changeIsNew]),
      .conversionToPaying: Metric(
        revenueCat("real-time-charts"), [utc, assumedAll, read(.completeDays), read(.refundUncountedInWindow)]),
    ]) { $1 }, missing: revenueCatMissing)

  private static let adaptyUTC = Reading(
    setting: .zone("UTC"), source: "Adapty Docs, controls-filters-grouping-compare-proceeds")

  private static func adapty(_ page: String) -> String { "Adapty Docs, \(page)" }

  private static let adapty = VendorPreset(
    name: "adapty", title: "Adapty",
    metrics: [
      .trialConversion: Metric(
        adapty("analytics-conversion"), [adaptyUTC, read(.unitPerson), read(.baseAll), read(.linkEver)]),
      .newTrials: Metric(adapty("active-trials"), [adaptyUTC]),
      .activeTrials: Metric(adapty("active-trials"), [adaptyUTC]),
      .activeSubscriptions: Metric(
        adapty("active-subscriptions"),
        [adaptyUTC, read(.refundErased), Reading(setting: .renewalOffNotActive, basis: .contradictory)]),
      .mrr: Metric(adapty("mrr"), [adaptyUTC, read(.refundErased), read(.weeks(100, per: 23))]),
      .churnedSubscriptions: Metric(adapty("churned-expired-subscriptions"), [adaptyUTC]),
      .revenue: Metric(adapty("revenue"), [adaptyUTC]),
      .refundRate: Metric(
        adapty("paywall-metrics"),
        [
          adaptyUTC, read(.baseFirstPurchases), Reading(setting: .refundOnOwnDay, source: adapty("refund-events")),
        ]),
      .realizedLTV: Metric(adapty("ltv"), [adaptyUTC, read(.unitPayer), assumedAll]),
      .conversionToPaying: Metric(
        adapty("analytics-conversion"),
        [adaptyUTC, read(.baseAll), Reading(setting: .unlimited, basis: .contradictory)]),
      .initialConversion: Metric(adapty("analytics-conversion"), [adaptyUTC, read(.baseAll), read(.unlimited)]),
    ],
    missing: ["installs without an event here add to Adapty's denominators", "Adapty's Overview has a zone of its own"])

  private static func superwall(_ settings: [VendorSetting]) -> Metric {
    Metric("Superwall Docs, Charts", [assumedUTC] + settings.map(read))
  }

  private static func superwall(_ setting: VendorSetting, assuming other: VendorSetting) -> Metric {
    Metric("Superwall Docs, Charts", [assumedUTC, read(setting), Reading(setting: other, basis: .assumed)])
  }

  private static let superwall = VendorPreset(
    name: "superwall", title: "Superwall",
    metrics: [
      .trialConversion: superwall([.baseAll]), .newTrials: superwall([]), .activeTrials: superwall([]),
      .activeSubscriptions: superwall([]), .mrr: superwall([]), .churnRate: superwall([]), .revenue: superwall([]),
      .realizedLTV: superwall(.baseAll, assuming: .unlimited),
      .conversionToPaying: superwall(.baseAll, assuming: .unlimited),
    ],
    missing: [
      "installs without an event here add to Superwall's denominators",
      "taxes and store fees that Superwall estimates",
      "Superwall describes each chart in one sentence: where it says nothing, our rule applies",
    ])

  private static let pacific = Reading(setting: .zone("America/Los_Angeles"))

  private static func apple(_ page: String) -> String { "App Store Connect Help, \(page)" }

  private static let appStoreConnect = VendorPreset(
    name: "app-store-connect", title: "App Store Connect",
    metrics: [
      .trialConversion: Metric(apple("view-subscription-data"), [pacific, assumedAll]),
      .newTrials: Metric(apple("reference/subscription-events"), [pacific]),
      .activeSubscriptions: Metric(
        apple("reference/subscription-report"), [pacific, read(.renewalOffNotActive)]),
      .churnRate: Metric(apple("view-subscription-data"), [pacific, read(.baseDue)]),
      .revenue: Metric(apple("sales-and-trends-metrics-and-dimensions"), [pacific]),
      .refundRate: Metric(apple("sales-and-trends-metrics-and-dimensions"), [pacific, read(.refundOnOwnDay)]),
    ],
    missing: [
      "Apple converts other currencies by the mean rate of the month before",
      "Apple counts only users of its own store: other stores in your events make our number larger",
      "Apple leaves out trials that are not free trials of the store, and rounds months to its fiscal calendar",
    ])

  private static let mixpanel = VendorPreset(
    name: "mixpanel", title: "Mixpanel",
    metrics: [
      .trialConversion: Metric(
        "Mixpanel Docs, reports/funnels", [.unitPerson, .baseAll, .linkEver, .within(days: 7)].map(read)),
      .newTrials: Metric("Mixpanel Docs, reports/insights", [read(.unitEvent)]),
      .conversionToPaying: Metric("Mixpanel Docs, reports/funnels", [read(.baseAll)]),
    ], missing: ["Mixpanel's project zone: name it with --timezone", "Mixpanel counts raw events, repeated ones too"])
}
