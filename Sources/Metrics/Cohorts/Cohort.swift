public import EventModel

/// A group of users by what they did, or by their first event (definitions 16.5).
public struct Cohort: Sendable, Equatable {
  /// The instant from which a condition's events count.
  enum Anchor: String, CaseIterable, Sendable {
    /// The first paywall view of the funnel (definitions 3.1).
    case entry
    /// The user's first event.
    case install
  }

  /// The time in which a condition's events count.
  struct Window: Sendable, Equatable {
    var anchor: Anchor
    /// Milliseconds from the anchor.
    var length: Int64
  }

  enum Condition: Sendable, Equatable {
    /// A number of events or facts, within a window if there is one.
    case happened(PathPlan.Condition, atLeast: Int, within: Window?)
    /// The user's first event has these values.
    case first([ReportOptions.Filter])
  }

  public var name: String
  /// The only app that has members; `nil` for all apps.
  public var app: String?
  /// Whether members meet all conditions, or any.
  var needsAll: Bool
  var conditions: [Condition]
  /// The first day of the events that count.
  var from: CivilDate?
  /// The day after the last one.
  var to: CivilDate?

  /// Whether membership may depend on what happens after units that start on or after a day.
  ///
  /// - Parameter day: The first day of the units; `nil` for every day.
  public func looksAhead(of day: CivilDate?) -> Bool {
    if let to, let day, to <= day { return false }
    return conditions.contains { if case .happened = $0 { true } else { false } }
  }
}

/// Which users a report counts: those of some cohorts, or all others.
public struct CohortFilter: Sendable, Hashable, CustomStringConvertible {
  /// The file next to the store that defines cohorts.
  public static let fileName = "cohorts.yaml"

  /// Any of these.
  public var names: [String]
  public var isExcluding: Bool

  /// Creates a filter from its form on the command line: `cohort:NAME`, `cohort:!NAME` or `cohort=NAME,NAME`.
  ///
  /// - Returns: `nil` for text of another form.
  public init?(_ text: String) {
    guard text.hasPrefix("cohort") else { return nil }
    var rest = text.dropFirst("cohort".utf8.count)
    isExcluding = false
    if rest.hasPrefix(":") {
      rest = rest.dropFirst()
      isExcluding = rest.hasPrefix("!")
      names = [String(isExcluding ? rest.dropFirst() : rest)]
    } else {
      isExcluding = rest.hasPrefix("!")
      if isExcluding { rest = rest.dropFirst() }
      guard rest.hasPrefix("=") else { return nil }
      names = rest.dropFirst().split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    }
  }

  public var description: String {
    names.count == 1
      ? "cohort:\(isExcluding ? "!" : "")\(names[0])"
      : "cohort\(isExcluding ? "!" : "")=\(names.joined(separator: ","))"
  }
}
