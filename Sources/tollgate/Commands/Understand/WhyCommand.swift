import ArgumentParser
import Basics
import Metrics
import Store

struct WhyCommand: RequestCommand {
  static let configuration = CommandConfiguration(
    commandName: "why",
    abstract: "Show where a number changed, and whether chance alone can explain it.",
    discussion: """
      REPORT is one of \(reports), followed by its own options and --compare (default: previous). For an experiment, \
      write experiment NAME: it compares the control with the variant that differs most from it. The search looks at \
      every value of every dimension and at all pairs of them:

        tollgate why revenue --last 7d
        tollgate why funnel --last 28d --column paid_rate
        tollgate why trials --last 4w --column trial_to_paid_rate
        tollgate why funnel --compare country=DE --column paid_users
        tollgate why mrr --last 28d
        tollgate why experiment steps_yearly_anchor --column paid

      First come data problems on these days, such as days without events. Then come the drivers. A driver is a \
      segment that stands out by more than chance, given all segments searched. For a rate, its own rate changed \
      differently from the rest, or its share of the users changed. For money, its number of payments or its money per \
      payment changed.

      CSV and JSON have every segment's part of the change. The parts of one dimension add up to the change. For mrr, \
      nothing is searched: the parts are each segment's new, resubscribed, expansion, contraction and churned revenue.

      New app versions, experiments, prices, offers and trial lengths around the change are listed, each with its \
      users. --annotations adds your notes on days.
      """)

  private static let reports = ReportKind.all.filter { $0.hasDrivers && $0 != .experiment }.map(\.name)
    .joined(separator: ", ")

  @Argument(
    parsing: .allUnrecognized, help: ArgumentHelp("Report, with its own options.", valueName: "report"))
  var words: [String]

  @Option(
    help: ArgumentHelp(
      "Column that changed (default: paid_rate, revenue, mrr, the report's first share, or the experiment's goal).",
      valueName: "name"))
  var column: String?

  @Option(
    help: ArgumentHelp(
      "Dimensions to search (default: all whose values are known before the outcome).",
      valueName: "dimension[,dimension]"))
  var cut: String?

  @Option(
    help: ArgumentHelp(
      "Accepted risk of a false driver: 0.1, 0.05, 0.01 or 0.001.", valueName: "share"))
  var level = DriverQuestion.levels[0]

  @OptionGroup var annotations: AnnotationArguments
  @OptionGroup var common: CommonOptions

  @OptionGroup(title: "Output")
  var output: OutputArguments

  mutating func validate() throws {
    if output.receipt != nil, annotations.annotations != nil {
      throw ValidationError(
        "--receipt does not work with --annotations, because a receipt does not hold the file of notes")
    }
    if output.plot { throw ValidationError("why does not accept --plot") }
  }

  var knownAt: String? { (try? command())?.knownAt }

  func request() throws -> ReportRequest {
    let command = try command()
    var request = try command.request()
    if request.kind == .mrr {
      let known = request.kind.options(of: .drivers)
      if let other = request.given.first(where: { item in !known.contains { $0.name == item.option } }) {
        throw UsageError(
          "why mrr does not accept --\(other.option): it splits the change by movements and dimensions, which --cut names"
        )
      }
      request = try ReportRequest(.mrr, request.given, .drivers)
      if level != DriverQuestion.levels[0] {
        throw UsageError("why mrr does not accept --level: it searches for no driver")
      }
    }
    if let wrong = (command as? ExperimentCommand)?.ownOutput {
      throw UsageError("why experiment does not accept \(wrong): it is an option of the readout")
    }
    if request.kind == .experiment, annotations.annotations != nil {
      throw UsageError("why experiment does not accept --annotations: both arms have the same days")
    }
    var question = DriverQuestion(column: column ?? request.driverColumn)
    if let cut, try !question.cut(cut) {
      let sides = request.kind == .experiment ? "arms" : "periods"
      throw UsageError("--cut is \(cut), but the two sides are \(sides): name dimensions such as country")
    }
    if !question.level(level) {
      throw UsageError("--level is \(level), but must be one of \(DriverQuestion.levels.joined(separator: ", "))")
    }
    question.files = command.fileWords
    question.notes = try annotations.notes()
    request.drivers = question
    return request
  }

  func words(_ snapshot: StoreSnapshot, currency: String?) throws -> [String] {
    let request = try request()
    let column = column ?? request.driverColumn
    let own =
      output.words + (try knownAtWords(snapshot)) + (request.drivers?.files ?? [])
      + (column.isEmpty ? [] : ["--column=\(column)"]) + (cut.map { ["--cut=\($0)"] } ?? [])
      + (request.kind == .mrr ? [] : ["--level=\(level)"])
    return ["why"] + request.kind.words(try request.spelledOut(snapshot, currency: nil), own: own)
  }

  func making<Result>(_ body: () throws -> Result) throws -> Result { try command().making(body) }

  private func command() throws -> any RequestCommand {
    try CommandWords.request(words, among: ReportKind.all.filter(\.hasDrivers))
  }
}
