/// The advertising spend of an app on one UTC day in one slice.
public struct SpendRow: Sendable, Equatable {
  /// The parts that spend is split by; a part that the file lacks is empty.
  public struct Slice: Sendable, Hashable {
    public var source = ""
    public var campaign = ""
    public var adGroup = ""
    /// Two capital letters.
    public var country = ""
    public var platform = ""

    public init() {}
  }

  public var day: CivilDate
  public var slice: Slice
  /// ISO 4217.
  public var currency: String
  /// The amount in micro-units of the currency, 0 or more.
  public var spend: Int64
  /// `nil` if the file has no such column.
  public var installs: Int64?
  public var impressions: Int64?
  public var clicks: Int64?

  public init(day: CivilDate, slice: Slice, currency: String, spend: Int64) {
    (self.day, self.slice, self.currency, self.spend) = (day, slice, currency, spend)
  }
}
