/// An entry point to a paywall, and the behaviour of control's users whose first paywall is there.
public struct EntryPointTruth: Sendable, Hashable {
  /// A limit of the free tier that users hit before the paywall shows.
  public struct Gate: Sendable, Hashable {
    /// `nil` for a feature that is fully locked.
    public var limitName: String?
    public var limit = 0
  }

  /// The name in event files, such as `route_map`.
  public var name: String
  /// Fraction of the users with a paywall whose first one is here.
  public var share: Double
  public var gate: Gate?
  /// Introductory trials within 7 days of the first impression, per user; fraction of 1.
  public var trialRate = 0.0
  /// Purchases without a trial, or from the app's own, within 7 days of the first impression, per user.
  public var directRate: Double
  /// Fraction of introductory trials that are cancelled at their end.
  public var trialCancelRate = 0.0
  /// Multiplies the hazards of cancelling a subscription sold here.
  public var cancelFactor = 1.0
}
