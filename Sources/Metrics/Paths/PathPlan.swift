internal import EventModel

/// A way through one user's events: an entry, and the steps after it (definitions 11).
public struct PathPlan: Sendable, Equatable {
  /// A fact about a user that a step can wait for, at the instant of the event that makes it.
  enum Fact: String, CaseIterable, Sendable {
    /// The start of an introductory trial (definitions 2.2).
    case trial
    case trialAny = "trial_any"
    /// A conversion that belongs to no trial (definitions 2.3).
    case direct
    /// The first payment of a purchase (definitions 2.9).
    case purchase
    /// The conversion of a trial (definitions 2.3).
    case trialPaid = "trial_paid"
    /// The second payment of a purchase.
    case renewal
  }

  /// The conditions that an event or a fact meets.
  struct Condition: Sendable, Equatable {
    var events: [EventKind] = []
    var fact: Fact?
    var filters: [ReportOptions.Filter] = []
    /// The dimensions in which it equals the entry.
    var same: [Dimension] = []
  }

  struct Step: Sendable, Equatable {
    var name: String
    var condition: Condition
    /// Milliseconds from the anchor; `nil` for the deadline of the trial that the step before, or the entry, found.
    var within: Int64?
    /// Whether the anchor is the entry instead of the required step before.
    var isFromEntry = false
    /// Whether later steps do without it.
    var isOptional = false
  }

  public var name: String
  var entry: Condition
  var steps: [Step]

  /// The path that every store has: from the first paywall over the store's sheet to payment (definitions 11.2).
  public static let checkoutName = "checkout"

  /// The step that ends with the trial of the entry; `nil` if no step does.
  var stepOfEntryTrial: Step? {
    let first = steps.firstIndex { !$0.isOptional } ?? steps.count - 1
    return steps[...first].first { $0.within == nil }
  }

  /// Returns the path up to a step.
  ///
  /// - Returns: `nil` if it has no step of that name.
  func cut(after step: String) -> PathPlan? {
    guard let place = steps.firstIndex(where: { $0.name == step }) else { return nil }
    var cut = self
    cut.steps = Array(steps[...place])
    return cut
  }

  /// Returns the longest time from the entry to the end of a step's window, in ms; implements definitions 11.6.
  ///
  /// - Parameter trial: The length of a trial with its grace, in ms.
  func horizon(trial: Int64) -> Int64 {
    var (anchor, horizon) = (Int64(0), Int64(0))
    for step in steps {
      let end = (step.isFromEntry ? 0 : anchor) + (step.within ?? trial)
      horizon = max(horizon, end)
      if !step.isOptional { anchor = end }
    }
    return horizon
  }
}
