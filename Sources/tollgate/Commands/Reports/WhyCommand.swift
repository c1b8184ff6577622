import ArgumentParser
import Basics
import Metrics
import Reports

struct WhyCommand: RequestCommand {
  static let configuration = CommandConfiguration(
    commandName: "why",
    abstract: "Show where a number changed, and whether chance alone looks like that.",
    discussion: """
      REPORT is \(reports), followed by its own options with --compare. The search looks at every value of every \
      dimension and at all pairs of them:

        tollgate why funnel --last 28d --compare previous --column paid_rate
        tollgate why trials --from 2026-03-01 --compare previous --column trial_to_paid_rate
        tollgate why funnel --compare country=DE --column paid_users

      A driver is a segment that moved, moved otherwise than the rest, and stands out more than chance explains, given \
      all segments that were looked at. CSV and JSON have the parts of every segment; those of one cut add up to the \
      change.
      """)

  private static let reports = ReportKind.all.filter(\.hasDrivers).map(\.name).joined(separator: ", ")

  @Argument(
    parsing: .allUnrecognized, help: ArgumentHelp("Report, with its own options.", valueName: "report"))
  var words: [String]

  @Option(help: ArgumentHelp("Column that changed, such as paid_rate.", valueName: "name"))
  var column: String

  @Option(
    help: ArgumentHelp(
      "Dimensions to search (default: those known before the outcome).", valueName: "dimension[,dimension]"))
  var cut: String?

  @Option(help: ArgumentHelp("Largest p_search of a driver (default: 0.05).", valueName: "share"))
  var level = 0.05

  @OptionGroup var common: CommonOptions

  @OptionGroup(title: "Output")
  var output: OutputArguments

  mutating func validate() throws {
    if !(0.001...0.5).contains(level) {
      throw ValidationError("--level is \(level), but must be from 0.001 to 0.5")
    }
    if output.plot { throw ValidationError("why does not accept --plot") }
  }

  var knownAt: String? { (try? command())?.knownAt }

  func request() throws -> ReportRequest {
    var request = try command().request()
    let cuts = try cut.map { try Dimension.list($0) } ?? []
    if let period = cuts.first(where: \.isPeriod) {
      throw UsageError("--cut is \(period.name), but the two sides are periods: name dimensions such as country")
    }
    request.drivers = DriverQuestion(column: column, cuts: cuts, level: level)
    return request
  }

  func making<Result>(_ body: () throws -> Result) throws -> Result { try command().making(body) }

  private func command() throws -> any RequestCommand { try CommandWords.request(words, isExplained: false) }
}
