/// A finished report: its tables, the readouts of an experiment, or the explanation of one number.
public enum FinishedReport: Sendable {
  /// In the order in which they are shown.
  case tables([Report])
  case readout(ExperimentReport)
  case explanation(Explanation)

  public var firstTable: Report? { if case .tables(let reports) = self { reports.first } else { nil } }
}
