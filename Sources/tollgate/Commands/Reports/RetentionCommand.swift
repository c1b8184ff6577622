import ArgumentParser
import Metrics

struct RetentionCommand: CellReportCommand {
  static let cellReport = ExplainableReport.retention

  static let configuration = CommandConfiguration(
    commandName: "retention", abstract: "How long subscriptions last, by cohorts of first payments.",
    discussion: """
      By default survival by days (Kaplan–Meier); --by-period gives the share that made each payment, of those that had \
      the chance. Cohorts are rows: --by month,plan or --by week.
      """)

  @OptionGroup var common: CommonOptions
  @OptionGroup var arguments: ReportArguments

  @Flag(help: "By payments made instead of days.")
  var byPeriod = false

  @Option(
    help: ArgumentHelp(
      "The days, or with --by-period the payments from 2 on, such as 30,90 or 2-13 (default: 12,35,65,95,185,370, or 2-7,13,25).",
      valueName: "list"))
  var at: PointList?

  @OptionGroup(title: "Output")
  var output: OutputArguments

  func validate() throws {
    if byPeriod, let at, at.points.contains(where: { $0 < 2 }) {
      throw ValidationError("--at has payment 1, which everybody made, but must begin at 2 with --by-period")
    }
  }

  func options() throws -> ReportOptions {
    var options = try arguments.reportOptions()
    options.isByPeriod = byPeriod
    options.points = at?.points
    return options
  }
}

/// Whole numbers from 1, ascending, such as `2-7,13`.
struct PointList: ExpressibleByArgument {
  /// Each becomes columns of its own.
  private static let limit = 120
  private static let largest = 36_525

  var points: [Int]

  init?(argument: String) {
    var points: Set<Int> = []
    for part in argument.split(separator: ",", omittingEmptySubsequences: false) {
      let ends = part.split(separator: "-", omittingEmptySubsequences: false).map { Int($0) }
      guard ends.count <= 2, let first = ends[0], let last = ends[ends.count - 1], first >= 1, last >= first,
        last <= Self.largest, last - first < Self.limit
      else { return nil }
      points.formUnion(first...last)
    }
    guard points.count <= Self.limit else { return nil }
    self.points = points.sorted()
  }
}
