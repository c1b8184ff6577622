public import EventModel

/// The truth of one app: where its paywalls show, what it sells, and how its users act.
public struct AppTruth: Sendable {
  /// The kind of trial that the app offers.
  public enum Trial: Sendable, Hashable {
    case none
    /// The store's free trial of a monthly plan, with a payment method on file.
    case introductory(days: Int)
    /// The app's own trial, from the first launch, without payment details.
    case app(days: Int)
  }

  /// The name in event files, such as `techniq`.
  public var name: String
  /// The displayed name, such as `TechnIQ`.
  public var title: String
  public var trial: Trial
  /// In the order of the issue; their shares sum to 1.
  public var entryPoints: [EntryPointTruth]
  public var experiment: ExperimentTruth
  /// Fraction of the exposed users who ever see a paywall; equal in both arms.
  public var reach: Double
  /// Control's split of direct purchases by plan; sums to 1.
  public var planShares: [PlanShare]
  public var subscriptions: SubscriptionTruth
  public var population: Population
  public var products: [Product]
  public var paywall: String
  public var offering: String
  /// Versions in order of release, one every three weeks; the last one stays.
  public var versions: [String]
  /// The entry point where lapsed subscribers see the paywall again.
  public var returnEntryPoint: String
  /// Probability of activity n days after the first day, for a user who does not pay; twice that for a payer. About one
  /// event per user.
  static let activity: [(day: Int64, probability: Double)] = [
    (0, 0.30), (1, 0.16), (2, 0.10), (4, 0.08), (7, 0.07), (9, 0.06), (12, 0.05), (16, 0.04), (24, 0.03), (35, 0.02),
    (50, 0.01),
  ]

  /// Returns the entry point of a name; `nil` if the app has none.
  public func entryPoint(_ name: String) -> EntryPointTruth? {
    entryPoints.first { $0.name == name }
  }
}

/// The share of direct purchases that are for a plan.
public struct PlanShare: Sendable, Hashable {
  public var plan: Plan
  public var share: Double

  public init(_ plan: Plan, _ share: Double) {
    self.plan = plan
    self.share = share
  }
}
