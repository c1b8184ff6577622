public import EventModel

/// A metric that an experiment's file declares: over events, or a step of a path.
public struct OwnMetric: Sendable, Equatable {
  /// The value of a user's events.
  public enum Value: Sendable, Equatable {
    /// The number of events.
    case count
    /// The price of the events, in units of this currency.
    case price(currency: String)
    /// The numeric values of a property; other values count 0.
    case property(String)
  }

  /// The events that count.
  public struct Selection: Sendable, Equatable {
    public var kind: EventKind
    public var filters: [ReportOptions.Filter] = []
    public var value = Value.count
  }

  /// Where a user's outcome comes from.
  public enum Source: Sendable, Equatable {
    case events(Selection)
    /// Whether, or when, the user reaches a step of a path; the metric is a proportion or a time to event.
    case step(PathStep)
  }

  public enum Kind: Sendable, Equatable {
    /// The share of users with such an event.
    case proportion
    /// The mean over users; users without events count as 0.
    case mean
    /// The sum over all users divided by the sum of another selection.
    case ratio(denominator: Selection)
    /// The share of users who had the first such event by the end of the window; users without one are censored at the
    /// as-of.
    case timeToEvent
  }

  public var name: String
  public var kind: Kind
  public var source: Source
  /// Milliseconds from the exposure to the window's first instant and past its last.
  public var window: Range<Int64>
  /// The most that one user can count; `nil` for no limit.
  public var cap: Double?
  public var direction: ExperimentMetric.Direction

  var isOfStep: Bool { if case .step = source { true } else { false } }

  /// Returns the metric with the longest time that its step can take, by ``PathStep/horizon(trial:)``.
  ///
  /// - Parameter trial: The length of a trial with its grace, in ms.
  func timed(trial: Int64) -> OwnMetric {
    guard case .step(let step) = source else { return self }
    var timed = self
    timed.window = 0..<step.horizon(trial: trial)
    return timed
  }
}
