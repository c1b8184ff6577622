public import Store

/// A report with the options that it is asked for with, already checked.
public struct ReportRequest: Sendable {
  public var kind: ReportKind
  public var options = ReportOptions()
  /// The experiment of ``ReportKind/experiment``.
  public var experiment = ExperimentOptions(experiment: "")
  /// The reason of the lines of ``ReportKind/quarantine``; `nil` for every reason.
  public var reason: String?

  public init(_ kind: ReportKind) {
    self.kind = kind
    if kind == .value { options.mode = .proceeds }
  }

  /// Makes the report.
  public func run(_ snapshot: StoreSnapshot) throws -> FinishedReport { try kind.make(snapshot, self) }
}
