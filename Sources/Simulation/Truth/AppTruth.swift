/// One app: where its paywalls are met, what it sells, and how its persons act.
public struct AppTruth: Sendable {
  /// How the app lets people try it.
  public enum Trial: Sendable, Hashable {
    case none
    /// The store's free trial, of a monthly plan, with a payment method on file.
    case introductory(days: Int)
    /// The app's own, from the first start, without payment details.
    case app(days: Int)
  }

  /// As in event files, such as `techniq`.
  public var name: String
  /// For people, such as `TechnIQ`.
  public var title: String
  public var trial: Trial
  /// In the order of the issue; their shares sum to 1.
  public var entryPoints: [EntryPointTruth]
  public var experiment: ExperimentTruth
  /// Of the exposed persons, those who ever see a paywall; the same in both arms.
  public var reach: Double
  /// Control's split of direct purchases by plan; sums to 1.
  public var planShares: [PlanShare]
  public var subscriptions: SubscriptionTruth
  public var population: Population
  public var products: [Product]
  public var paywall: String
  public var offering: String
  /// Versions in the order of their release, one each three weeks; the last stays.
  public var versions: [String]
  /// Where a lapsed subscriber meets the paywall again.
  public var returnEntryPoint: String
  /// Probability of being seen n days after the first, for a person who does not pay; twice that for one who does.
  public var activity: [DayActivity]

  /// The entry point of that name; `nil` when the app has none.
  public func entryPoint(_ name: String) -> EntryPointTruth? {
    entryPoints.first { $0.name == name }
  }
}

/// Part of direct purchases that are of a plan.
public struct PlanShare: Sendable, Hashable {
  public var plan: SamplePlan
  public var share: Double

  public init(_ plan: SamplePlan, _ share: Double) {
    self.plan = plan
    self.share = share
  }
}

/// Probability of an `activity` event on the n-th day after the first (0 is the first day itself).
public struct DayActivity: Sendable, Hashable {
  public var dayOffset: Int
  public var probability: Double

  public init(_ dayOffset: Int, _ probability: Double) {
    self.dayOffset = dayOffset
    self.probability = probability
  }
}

extension [DayActivity] {
  /// About one event a person; a payer has twice as many.
  public static let light: [DayActivity] = [
    DayActivity(0, 0.30), DayActivity(1, 0.16), DayActivity(2, 0.10), DayActivity(4, 0.08), DayActivity(7, 0.07),
    DayActivity(9, 0.06), DayActivity(12, 0.05), DayActivity(16, 0.04), DayActivity(24, 0.03), DayActivity(35, 0.02),
    DayActivity(50, 0.01),
  ]
}
