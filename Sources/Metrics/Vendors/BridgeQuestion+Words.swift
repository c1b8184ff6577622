internal import Basics
internal import Lifecycle

extension BridgeQuestion {
  /// Returns the command that lists the users whom a step changes.
  ///
  /// - Parameters:
  ///   - app: Its name.
  ///   - options: Those of the number, with its days.
  func command(listing step: BridgeStep, of app: String, _ options: ReportOptions) -> String {
    var words = ["tollgate", "reconcile", "--app=\(app)", "--vendor=\(vendor.name)", "--metric=\(metric.rawValue)"]
    if metric.isOfFirstSeen { words.append("--days=\(days)") }
    words += options.scopeWords
    if options.timeZone != ReportOptions().timeZone { words.append("--timezone=\(options.timeZone)") }
    if let asOf = options.asOfs[app] ?? options.asOf { words.append("--as-of=\(ReportQuery.instant(asOf))") }
    if options.grace != FoldOptions.stored.grace { words.append("--grace=\(ReportQuery.days(options.grace))") }
    if metric.unit == .money {
      words.append("--currency=\(options.currency ?? "native")")
      if options.mode != ReportOptions().mode { words.append("--mode=\(options.mode.rawValue)") }
    }
    return CommandLineText(words + ["--step=\(step.rawValue)"]).description
  }
}

extension ReportOptions {
  /// The days and filters, as on the command line.
  fileprivate var scopeWords: [String] {
    var words: [String] = []
    if let from { words.append("--from=\(from)") }
    if let to { words.append("--to=\(to)") }
    return words + filters.map { "--where=\($0)" } + cohorts.map { "--where=\($0)" }
  }

  /// The days and filters as a command line has them; empty without any.
  var scope: String { CommandLineText(scopeWords).description }
}
