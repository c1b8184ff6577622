public import Lifecycle

/// A part of a store that a report reads.
public enum ReportNeed: Sendable, Hashable {
  /// Cells of all users' facts, by the stored rules.
  case cells
  /// Facts of trials, subscriptions and money.
  case payments
  /// Facts of every kind.
  case facts
  /// Raw events, which have everything else.
  case events
  case rates
}

extension ReportRequest {
  /// The rules by which the facts of the report are folded.
  public var foldOptions: FoldOptions {
    FoldOptions(
      asOf: options.asOf ?? FoldOptions.stored.asOf, grace: options.grace, attribution: options.attribution)
  }

  /// The parts of a store that the report reads: cells, payments, facts or events, and rates if it converts money.
  public var needs: Set<ReportNeed> {
    var needs: Set<ReportNeed> = [content]
    if kind.hasAmounts && !options.isNative { needs.insert(.rates) }
    return needs
  }

  private var content: ReportNeed {
    if kind.reads.first == .events || explained != nil || comparison != nil || drivers != nil || experiment.needsEvents
      || !options.cohorts.isEmpty || definedBy != nil
    {
      return .events
    }
    if kind == .funnel && options.unit == .view { return .events }
    if kind == .experiments, options.from != nil || options.to != nil || relative.isUsed || !options.filters.isEmpty {
      return .facts
    }
    if kind == .experiments && isForPeople { return ReportRequest(.experiment).content }
    if kind.reads.contains(.cells), foldOptions == .stored, !kind.isOfUsers || kind.isOfCells(options) {
      return .cells
    }
    guard let last = kind.reads.last, last != .cells else { return .facts }
    return last
  }
}

extension ExperimentOptions {
  /// Whether the readout needs events that facts do not keep, or exposures other than the stored ones.
  fileprivate var needsEvents: Bool {
    hasDataHash || fixed != nil || !plan.metrics.isEmpty || plan.start != nil || plan.adjust != .none
  }
}
