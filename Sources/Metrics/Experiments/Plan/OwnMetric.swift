public import EventModel

/// A metric that an experiment's file declares over events.
public struct OwnMetric: Sendable, Equatable {
  /// What is counted of a person's events.
  public enum Value: Sendable, Equatable {
    /// How many there are.
    case count
    /// What they cost, in units of this currency.
    case price(currency: String)
    /// The numbers that a property has; others count 0.
    case property(String)
  }

  /// Which events count.
  public struct Selection: Sendable, Equatable {
    public var kind: EventKind
    public var filters: [ReportOptions.Filter] = []
    public var value = Value.count
  }

  public enum Kind: Sendable, Equatable {
    /// The share of persons with such an event.
    case proportion
    /// The mean over persons, those without events as 0.
    case mean
    /// The sum over all persons divided by that of another selection.
    case ratio(denominator: Selection)
    /// The share of persons who had the first such event by the end of the window, those without censored at the as-of.
    case timeToEvent
  }

  public var name: String
  public var kind: Kind
  public var selection: Selection
  /// Milliseconds from the exposure to the window's first and past its last instant.
  public var window: Range<Int64>
  /// The most that one person can count; `nil` for no limit.
  public var cap: Double?
  public var direction: ExperimentMetric.Direction
}
