import ArgumentParser
import Metrics
import Reports

struct ExplainCommand: ReportingCommand {
  static let configuration = CommandConfiguration(
    commandName: "explain",
    abstract: "Where one number of a report comes from: the rule, the persons and their events.",
    discussion: """
      REPORT is funnel, trials, savings, cancellations, revenue, mrr, subscriptions, retention, ltv, refunds, cadence, \
      gates, nudges or activity, with any options of its own behind it, or experiment NAME, whose rows are variants and whose \
      columns are persons and the metrics:

        tollgate explain funnel --cell variant=anchor --column paid_users
        tollgate explain mrr --cell plan=yearly,currency=EUR --column mrr
        tollgate explain experiment steps_yearly_anchor --cell variant=anchor --column paid

      Without --by, rows are by the dimensions that --cell names. What is listed adds up to the number, or to the two \
      numbers that a rate is made of; a table has 20 persons at a time, the other formats have all, unless --limit says \
      otherwise.
      """)

  /// Persons of a table.
  private static let page = 20

  @Argument(
    parsing: .allUnrecognized, help: ArgumentHelp("The report, and options of its own.", valueName: "report"))
  var words: [String]

  @Option(
    help: ArgumentHelp("The row, by its key columns (repeatable).", valueName: "key=value[,key=value]"))
  var cell: [CellArgument] = []

  @Option(
    help: ArgumentHelp("The same, one key column whose value is taken whole (repeatable).", valueName: "key=value"))
  var key: [String] = []

  @Option(help: ArgumentHelp("Which number of the row.", valueName: "name"))
  var column: String

  @Option(help: ArgumentHelp("Pass over so many persons; --limit says how many follow.", valueName: "n"))
  var offset = 0

  @OptionGroup var common: CommonOptions

  @OptionGroup(title: "Output")
  var output: OutputArguments

  mutating func validate() throws {
    if offset < 0 { throw ValidationError("--offset is \(offset), but must be at least 0") }
    if output.sort != nil || output.plot {
      throw ValidationError("--sort and --plot are for reports: an explanation lists who counts first, by user_id")
    }
  }

  var knownAt: String? {
    isOfExperiment ? (try? experiment())?.knownAt : (try? report())?.knownAt
  }

  func reporting() throws -> ReportMaker {
    if isOfExperiment { return try reportingExperiment() }
    let command = try report()
    var options = try command.options()
    let keys = try cell.flatMap(\.keys) + key.map { try CellArgument.whole($0, by: options.by ?? []) }
    try requireOnce(keys)
    if command.arguments.by == nil {
      options.by = keys.compactMap { try? Dimension(name: $0.name) }
    }
    let (column, offset) = (column, offset)
    let (kind, limit) = (type(of: command).cellReport, output.limit ?? (output.format == .table ? Self.page : nil))
    return { snapshot in
      let explainer = try Explainer(snapshot, report: kind, options: options, cell: keys)
      return .explanation(try explainer.explanation(of: column, offset: offset, limit: limit))
    }
  }

  /// Who counts of a variant's persons.
  private func reportingExperiment() throws -> ReportMaker {
    let command = try experiment()
    let options = try command.arguments.reportOptions()
    if let by = options.by?.first {
      throw UsageError("--by is \(by.name), but an experiment is explained variant by variant; --where says of whom")
    }
    let wanted = try command.wanted()
    let keys = try cell.flatMap(\.keys) + key.map { try CellArgument.whole($0, by: []) }
    try requireOnce(keys)
    let (column, offset) = (column, offset)
    let limit = output.limit ?? (output.format == .table ? Self.page : nil)
    return { snapshot in
      try command.namingPlan {
        let explainer = try ExperimentExplainer(snapshot, options, wanted, cell: keys)
        return .explanation(try explainer.explanation(of: column, offset: offset, limit: limit))
      }
    }
  }

  private func requireOnce(_ keys: [(name: String, value: String)]) throws {
    for (place, key) in keys.enumerated() where keys[..<place].contains(where: { $0.name == key.name }) {
      throw UsageError("--\(cell.isEmpty ? "key" : "cell") names \(key.name) twice")
    }
  }

  private var isOfExperiment: Bool { words.first == ExperimentCommand.configuration.commandName }

  private func experiment() throws -> ExperimentCommand {
    guard let command = try Tollgate.parseAsRoot(words) as? ExperimentCommand else {
      throw UsageError("experiment needs the name of one")
    }
    return command
  }

  private func report() throws -> any CellReportCommand { try cellReport(words, orElse: ["experiment NAME"]) }
}

/// The command of a report whose cells persons add up to, with options of its own.
///
/// - Parameter others: What else may be named there.
/// - Throws: ``UsageError`` for another command.
func cellReport(_ words: [String], orElse others: [String] = []) throws -> any CellReportCommand {
  let known = ExplainableReport.allCases.map(\.rawValue)
  guard let name = words.first, known.contains(name) else {
    throw UsageError(
      "the report is \(words.first ?? "missing"), but must be one of \((known + others).joined(separator: ", ")), before its "
        + "options")
  }
  guard let command = try Tollgate.parseAsRoot(words) as? any CellReportCommand else {
    throw UsageError("\(name) makes no report of cells")
  }
  return command
}

/// Keys of a row with their values, such as `variant=anchor,entry_point=settings`.
struct CellArgument: ExpressibleByArgument {
  /// One key column with its value: the longest name that it begins with, as a property's name may have an `=`, too.
  static func whole(_ text: String, by dimensions: [Dimension]) throws -> (name: String, value: String) {
    let known = others + dimensions.map(\.name)
    if let name = known.filter({ text.utf8.starts(with: "\($0)=".utf8) }).max(by: { $0.utf8.count < $1.utf8.count }) {
      return (name, String(text.utf8.dropFirst(name.utf8.count + 1)) ?? "")
    }
    guard let equals = text.utf8.firstIndex(of: UInt8(ascii: "=")), let name = String(text.utf8[..<equals]),
      let dimension = try? Dimension(name: name)
    else { throw UsageError("--key is \(text), but must be a key column with its value, such as variant=anchor") }
    return (dimension.name, String(text.utf8[text.utf8.index(after: equals)...]) ?? "")
  }

  /// Key columns that are no dimensions.
  private static let others = ["app", "currency", "split", "range", "gate", "status", "hours_before_end"]

  var keys: [(name: String, value: String)]

  init?(argument: String) {
    keys = []
    for part in argument.split(separator: ",", omittingEmptySubsequences: false) {
      let equals = part.firstIndex(of: "=")
      let name = equals.map { String(part[..<$0]) } ?? ""
      if let equals, Self.others.contains(name) || (try? Dimension(name: name)) != nil {
        keys.append((name, String(part[part.index(after: equals)...])))
      } else if keys.isEmpty {
        return nil
      } else {
        // A comma of the value before.
        keys[keys.count - 1].value += ",\(part)"
      }
    }
  }
}
