import ArgumentParser
import Metrics
import Reports
import Store

struct ExplainCommand: RequestCommand {
  static let configuration = CommandConfiguration(
    commandName: "explain",
    abstract: "Show where one number comes from: the rule, the users and their events.",
    discussion: """
        tollgate explain funnel --cell variant=anchor --column paid_users
        tollgate explain mrr --cell plan=yearly,currency=EUR --column mrr
        tollgate explain experiment steps_yearly_anchor --column paid \\
          --cell variant=anchor
        tollgate explain health --column cases \\
          --cell "app=steps,check=purchases without a paywall before"

      To see why one user counts, or does not:

        tollgate explain funnel --app steps --column paid_users --user u-2xkeqbpy

      REPORT is one of \(reports). Its options follow it. For an experiment, write experiment NAME: a row is a \
      variant, and a column is `persons` or a metric.

      Without --by, rows are grouped by the dimensions in --cell. The list adds up to the number, or, for a rate, to \
      its numerator and its denominator. A table shows 20 users at a time; other formats show all. \
      Change the number with --limit.
      """)

  private static let reports = ReportKind.all.filter { $0.isExplainable && $0 != .experiment }.map(\.name)
    .joined(separator: ", ")

  @Argument(
    parsing: .allUnrecognized, help: ArgumentHelp("Report, with its own options.", valueName: "report"))
  var words: [String]

  @Option(
    help: ArgumentHelp("Row to explain, such as variant=anchor (repeatable).", valueName: "key=value[,key=value]"))
  var cell: [String] = []

  @Option(
    help: ArgumentHelp(
      "One key column of the row, whose value may contain commas (repeatable).", valueName: "key=value"))
  var key: [String] = []

  @Option(help: ArgumentHelp("Column to explain.", valueName: "name"))
  var column: String

  @Option(help: ArgumentHelp("Skip this many users; --limit says how many to show.", valueName: "n"))
  var offset = 0

  @Option(help: ArgumentHelp("Show only this user, by any of their ids.", valueName: "id"))
  var user: String?

  @OptionGroup var common: CommonOptions

  @OptionGroup(title: "Output")
  var output: OutputArguments

  mutating func validate() throws {
    if offset < 0 { throw ValidationError("--offset is \(offset), but must be at least 0") }
    if output.sort != nil || output.plot {
      throw ValidationError("explain does not accept --sort and --plot: users who count come first, by user_id")
    }
  }

  var knownAt: String? { (try? command())?.knownAt }

  func request() throws -> ReportRequest {
    var request = try command().request()
    request.explained = ExplainedNumber(
      cells: cell, keys: key, column: column, offset: offset,
      limit: output.limit ?? (output.format == .table ? ExplainedNumber.usersOfPage : nil), user: user)
    return request
  }

  func words(_ snapshot: StoreSnapshot, currency: String?) throws -> [String] {
    let request = try command().request()
    var shown = output.words
    // Without one, JSON has all users, and a table a page of them.
    if output.limit == nil, output.format == .table { shown.append("--limit=\(ExplainedNumber.usersOfPage)") }
    let own =
      shown + (try knownAtWords(snapshot)) + (try command().fileWords)
      + cell.map { "--cell=\($0)" } + key.map { "--key=\($0)" }
      + ["--column=\(column)", "--offset=\(offset)"] + (user.map { ["--user=\($0)"] } ?? [])
    var explained = request
    explained.explained = ExplainedNumber(column: column)
    return ["explain"] + request.kind.words(try explained.spelledOut(snapshot, currency: currency), own: own)
  }

  func making<Result>(_ body: () throws -> Result) throws -> Result { try command().making(body) }

  private func command() throws -> any RequestCommand {
    try CommandWords.request(words, among: ReportKind.all.filter(\.isExplainable))
  }
}
