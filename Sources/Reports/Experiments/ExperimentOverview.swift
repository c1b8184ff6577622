public import Metrics

/// The list of experiments with the verdict of each, the variants shown better or worse, and the effect on its goal, for
/// tables.
///
/// - Parameter readouts: Of those that were read out; others have neither.
public func experimentOverview(_ list: Report, _ readouts: [ExperimentReport]) -> Report {
  let known = Dictionary(
    readouts.flatMap(\.readouts).map { ([$0.app, $0.experiment], $0) }, uniquingKeysWith: { first, _ in first })
  var overview = list
  overview.columns += [ReportColumn("verdict", .text), ReportColumn("effect", .text)]
  overview.rows = list.rows.map { row in
    guard let readout = known[row.prefix(2).compactMap(\.textValue)] else {
      return row + [.text(undefinedMark), .text(undefinedMark)]
    }
    let text = ReadoutText(readout)
    let isFew = text.comparison(text.primary)?.standing == .withheld
    let none = readout.schedule.analysed == 0 ? "too recent" : "too few"
    let effect = text.isReadable ? isFew ? none : text.primary.map(text.change) ?? undefinedMark : undefinedMark
    return row + [.text(text.listed), .text(effect)]
  }
  return overview
}
