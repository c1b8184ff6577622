/// One way to a paywall, and what control's persons who first meet it there do.
public struct EntryPointTruth: Sendable, Hashable {
  /// A limit of the free tier that is hit before the paywall shows.
  public struct Gate: Sendable, Hashable {
    /// `nil` for a feature that is locked altogether.
    public var limitName: String?
    public var limit: Int

    public init(limitName: String? = nil, limit: Int = 0) {
      self.limitName = limitName
      self.limit = limit
    }
  }

  /// As in event files, such as `route_map`.
  public var name: String
  /// Of the persons who see a paywall, those whose first is here; fraction of 1.
  public var share: Double
  public var gate: Gate?
  /// Introductory trials within 7 days of the first impression, per person; fraction of 1.
  public var trialRate: Double
  /// Purchases without a trial, or out of the app's own, within 7 days of the first impression, per person.
  public var directRate: Double
  /// Introductory trials that end cancelled, per trial.
  public var trialCancelRate: Double
  /// Multiplies the hazards of cancelling a subscription sold here.
  public var cancelFactor: Double

  public init(
    _ name: String, share: Double, gate: Gate? = nil, trialRate: Double = 0, directRate: Double,
    trialCancelRate: Double = 0, cancelFactor: Double = 1
  ) {
    self.name = name
    self.share = share
    self.gate = gate
    self.trialRate = trialRate
    self.directRate = directRate
    self.trialCancelRate = trialCancelRate
    self.cancelFactor = cancelFactor
  }
}
