import ArgumentParser
import Basics
import EventModel
import Foundation
import Ingest
import Metrics
import Store

struct InitCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "init", abstract: "Propose a mapping for your files, show the result, and ingest them.",
    discussion: """
      Reads any CSV, tab-separated text, NDJSON or JSON. It finds the columns for user, time, event name and other \
      fields, writes them to a mapping file that you can edit, and shows what an ingest would store. Files of known \
      services need no mapping.

        tollgate init warehouse.csv
        tollgate init --yes --app lumen --event 'money back=refund' export.ndjson.gz
      """)

  @OptionGroup var common: CommonOptions

  @Argument(help: ArgumentHelp("Files, folders or - for standard input.", valueName: "path"), completion: .file())
  var paths: [String] = []

  @Option(help: ArgumentHelp("Name of the app.", valueName: "name"))
  var app: String?

  @Option(
    help: ArgumentHelp(
      "Kind of one of your events, or ignore, such as 'money back=refund' (repeatable).", valueName: "name=kind"))
  var event: [String] = []

  @Option(help: ArgumentHelp("Column of a field, such as user_id=customer (repeatable).", valueName: "field=path"))
  var set: [String] = []

  @Option(help: ArgumentHelp("Plan of a product, such as SKU-12=yearly (repeatable).", valueName: "product=plan"))
  var plan: [String] = []

  @Option(help: ArgumentHelp("Order of dates such as 01/02/2026: day-first or month-first.", valueName: "order"))
  var dates: String?

  @Option(help: ArgumentHelp("Unit of times that are numbers: s, ms, us or ns.", valueName: "unit"))
  var epoch: String?

  @Option(help: ArgumentHelp("Time zone of times without an offset, such as Europe/Berlin.", valueName: "name"))
  var zone: String?

  @Option(help: ArgumentHelp("Currency of amounts without one, such as EUR.", valueName: "code"))
  var currency: String?

  @Option(
    help: ArgumentHelp("Mapping file to write (default: FIRST-FILE.mapping.yaml in this folder).", valueName: "file"))
  var mapping: String?

  @Flag(help: "Overwrite an existing mapping file.")
  var force = false

  @Flag(help: "Accept every default and ingest without asking.")
  var yes = false

  @Flag(help: "Accept several sources with payments; no payment may be in two.")
  var both = false

  @Flag(help: "Show the result without ingesting.")
  var noIngest = false

  @Option(help: "Format of the result: table or json.")
  var format: IngestCommand.Format = .table

  @OptionGroup var lock: LockArguments

  mutating func validate() throws {
    if paths.isEmpty { throw ValidationError("no path given; name files, folders or - for standard input") }
    for entry in event where Self.pair(entry) == nil {
      throw ValidationError("--event is \(entry), but must be NAME=KIND, such as 'money back=refund'")
    }
    for entry in set where Self.pair(entry) == nil {
      throw ValidationError("--set is \(entry), but must be FIELD=PATH, such as user_id=customer")
    }
    for entry in plan where Self.pair(entry).flatMap({ Plan(name: $0.1) }) == nil {
      let plans = Plan.allCases.map(\.name).joined(separator: ", ")
      throw ValidationError("--plan is \(entry), but must be PRODUCT=PLAN with one of \(plans)")
    }
    if let dates, dates != "day-first", dates != "month-first" {
      throw ValidationError("--dates is \(dates), but must be day-first or month-first")
    }
    if let epoch, !["s", "ms", "us", "ns"].contains(epoch) {
      throw ValidationError("--epoch is \(epoch), but must be s, ms, us or ns")
    }
  }

  private static func pair(_ entry: String) -> (String, String)? {
    guard let equals = entry.lastIndex(of: "="), equals != entry.startIndex else { return nil }
    return (String(entry[..<equals]), String(entry[entry.index(after: equals)...]))
  }

  private func answers() throws -> ProposalAnswers {
    var answers = ProposalAnswers()
    answers.app = app
    (answers.dates, answers.epoch, answers.zone, answers.currency) = (dates, epoch, zone, currency)
    for (name, kind) in event.compactMap(Self.pair) {
      if kind == "ignore" {
        answers.events.updateValue(nil, forKey: name)
      } else if let known = EventKind(name: kind) {
        answers.events.updateValue(known, forKey: name)
      } else {
        let kinds = EventKind.inOrder.map(\.name)
        throw UsageError(
          "--event \(name)=\(kind): \(kind) is not a kind; use ignore or one of \(kinds.joined(separator: ", "))")
      }
    }
    for (field, path) in set.compactMap(Self.pair) { answers.fields[field] = path }
    for (product, plan) in plan.compactMap(Self.pair) { answers.plans[product] = plan }
    return answers
  }

  /// Files that are read together: those of one group, with the settings that read them.
  private struct Part {
    var group: FileGroup
    var settings: SourceSettings
    var proposal: Proposal?
    var mappingPath: String?

    /// Whether the files bring payments; `false` for native files, whose kinds are not known.
    var hasMoney: Bool {
      if case .known(let source) = group.shape {
        return [.revenuecat, .appstore, .adapty, .superwall, .stripe, .paddle].contains(source)
      }
      return (proposal?.names ?? []).contains { name in
        name.confidence >= 0.6 && [.conversion, .renewal, .payment].contains(name.kind)
      }
    }
  }

  private var isInteractive: Bool {
    isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1 && !yes && format == .table
  }

  func run() throws {
    let inputs = try InputFile.inReadingOrder(InputFile.discover(paths))
    guard !inputs.isEmpty else {
      throw UsageError("\(paths.joined(separator: ", ")): no files found; name files, folders or -")
    }
    let groups: [FileGroup]
    var parts: [Part] = []
    do {
      groups = try Onboarding.groups(of: inputs)
      var given = try answers()
      for group in groups { parts.append(try part(group, &given, isOnly: groups.count == 1)) }
    } catch let failure as Onboarding.Failure {
      FileHandle.standardError.write(Data("tollgate: \(failure.path): nothing ingested: \(failure.reason)\n".utf8))
      throw ExitCode(ExitStatus.incomplete.rawValue)
    }
    let sources = parts.filter(\.hasMoney).map { $0.group.files[0].path }
    if sources.count > 1, !both {
      throw UsageError(
        "\(sources.joined(separator: " and ")) have payments; the same payment in two sources would count twice. Take one "
          + "of them, or say `--both` if no payment is in two")
    }
    let isText = format == .table && !common.quiet
    if isText { for part in parts { show(part) } }
    // With --yes the ingest is its own dry run.
    let previews =
      yes && !noIngest
      ? []
      : try parts.map { part in
        try IngestPreview(part.group.files, part.settings, storePath: common.storePath)
      }
    if isText, !previews.isEmpty {
      for preview in previews { show(preview.summary, preview.examples) }
      showLacks(previews.map(\.summary))
    }
    var ingested: [IngestSummary] = []
    var examples: [IngestPreview.Examples] = []
    if !noIngest, yes || (isInteractive && ask("Ingest into \(common.storePath)?", default: true)) {
      let store = try Store.open(path: common.storePath, lockTimeout: lock.lockTimeout)
      for part in parts {
        var ingestion = Ingestion(store: store, lockTimeout: lock.lockTimeout, sources: part.settings)
        let found = IngestPreview.Examples()
        ingestion.observe = { found.add($0) }
        let summary = try ingestion.run(part.group.files)
        summary.explain(mapping: part.mappingPath)
        ingested.append(summary)
        examples.append(found)
      }
      try ReportCache.fill(store, with: .quick)
    }
    if isText {
      if previews.isEmpty {
        for (summary, found) in zip(ingested, examples) { show(summary, found.examples) }
        showLacks(ingested)
      }
      try showNext(parts, isIngested: !ingested.isEmpty)
    } else if format == .json {
      printJSON(parts, previews.isEmpty ? ingested : previews.map(\.summary), ingested)
    }
    let summaries = ingested.isEmpty ? previews.map(\.summary) : ingested
    if summaries.contains(where: { !$0.failures.isEmpty || $0.isBarren }) {
      for failure in summaries.flatMap(\.failures) {
        LogFormat.warn("\(failure.path): nothing ingested: \(failure.reason)")
      }
      throw ExitCode(ExitStatus.incomplete.rawValue)
    }
  }

  // MARK: Proposing

  private func part(_ group: FileGroup, _ answers: inout ProposalAnswers, isOnly: Bool) throws -> Part {
    if case .known(let source) = group.shape {
      if source == .stripe || source == .paddle, app == nil {
        let service = source.rawValue.capitalized
        throw UsageError("\(group.files[0].path): \(service) does not name the app; name it with `--app NAME`")
      }
      return Part(
        group: group, settings: SourceSettings(source: .auto, app: source == .native ? nil : app, plans: answers.plans))
    }
    let first = group.files[0]
    var proposal = try Onboarding.proposal(of: group, answers, appName: appName(of: first))
    if !proposal.missing.isEmpty {
      let options = ["person": "user_id", "time": "ts", "event name": "event"]
      let set = proposal.missing.map { "--set \(options[$0] ?? $0)=COLUMN" }.joined(separator: " ")
      let columns = proposal.columns.prefix(12).map(\.path).joined(separator: ", ")
      throw UsageError(
        "\(first.path): no column is clearly the \(proposal.missing.joined(separator: ", ")); name it with `\(set)`. "
          + "Columns: \(columns)")
    }
    if isInteractive {
      answer(proposal.questions, proposal, &answers)
      proposal = try Onboarding.proposal(of: group, answers, appName: appName(of: first))
    }
    guard proposal.app != nil else {
      throw UsageError("\(first.path): the app is unknown; name it with `--app NAME`")
    }
    let path = mappingPath(of: first)
    let contents = """
      # Proposed by `tollgate init` from \(proposal.recordCount) records. Change what is wrong, then check it:
      #   tollgate mapping check \(path.shellWord) --sample \(first.path.shellWord)
      \(proposal.yaml)
      """
    let isThere = FileManager.default.fileExists(atPath: path)
    if isThere, !force, (try? String(contentsOfFile: path, encoding: .utf8)) != contents {
      throw UsageError("\(path) exists; overwrite it with `--force`, or write another with `--mapping FILE`")
    }
    var settings = SourceSettings(plans: answers.plans)
    settings.mapping = try MappingFile(yaml: contents, file: path)
    try contents.write(toFile: path, atomically: true, encoding: .utf8)
    return Part(group: group, settings: settings, proposal: proposal, mappingPath: path)
  }

  private func appName(of file: InputFile) -> String? {
    if file.isStandardInput { return nil }
    let folder = URL(fileURLWithPath: file.path).standardizedFileURL.deletingLastPathComponent().lastPathComponent
    return folder.isEmpty || folder == "/" ? nil : folder
  }

  private func mappingPath(of file: InputFile) -> String {
    if let mapping { return mapping }
    if file.isStandardInput { return "stdin.mapping.yaml" }
    let name = URL(fileURLWithPath: file.path).lastPathComponent
    let stem = name.dropFirst().firstIndex(of: ".").map { String(name[..<$0]) } ?? name
    return "\(stem).mapping.yaml"
  }

  // MARK: Questions

  private func answer(_ questions: [Proposal.Question], _ proposal: Proposal, _ answers: inout ProposalAnswers) {
    var asked = 0
    for question in questions where asked < 3 {
      asked += 1
      switch question {
      case .app:
        let name = proposal.app ?? ""
        printShown("What is the app called? [\(name)]", terminator: " ")
        let line = readLine() ?? ""
        answers.app = line.isEmpty ? proposal.app : line
      case .kind(let name, let count, let choices):
        let kinds = choices.map(\.name).joined(separator: ", ")
        printShown("\"\(name)\" (\(grouped(count)) records): \(kinds) or ignore? [\(choices[0].name)]", terminator: " ")
        let line = readLine() ?? ""
        answers.events.updateValue(line == "ignore" ? nil : EventKind(name: line) ?? choices[0], forKey: name)
      case .dayOrder:
        printShown("Dates such as 01/02/2026: day-first or month-first? [day-first]", terminator: " ")
        let line = readLine() ?? ""
        answers.dates = line == "month-first" ? line : "day-first"
      case .currency:
        printShown("Which currency are amounts in? [USD]", terminator: " ")
        let line = readLine() ?? ""
        answers.currency = line.isEmpty ? "USD" : line.uppercased()
      }
    }
  }

  private func ask(_ question: String, default isYes: Bool) -> Bool {
    printShown("\(question) [\(isYes ? "Y/n" : "y/N")]", terminator: " ")
    let line = (readLine() ?? "n").lowercased()
    return line.isEmpty ? isYes : line.hasPrefix("y")
  }

  // MARK: Showing

  private func show(_ part: Part) {
    let files = part.group.files
    let name = files.count == 1 ? files[0].path : "\(grouped(files.count)) files, the first is \(files[0].path)"
    guard let proposal = part.proposal else {
      printShown("\(name): \(part.group.description); no mapping is needed")
      return
    }
    printShown(
      "\(name): \(part.group.description), \(grouped(proposal.recordCount))\(proposal.isCut ? "+" : "") records, "
        + "\(grouped(proposal.columns.count)) columns; not a known service\n")
    let rows = proposal.fields.map { field in
      let column = proposal.columns.first { $0.path == field.path }
      let word = field.confidence >= 0.9 ? "sure" : "likely"
      return [field.name, field.path, word, (column?.examples ?? []).joined(separator: ", ")]
    }
    let table = [["field", "column", "confidence", "examples"]] + rows
    let widths = (0..<3).map { column in table.map { $0[column].count }.max() ?? 0 }
    for row in table {
      let cells = zip(row, widths).map { $0.padding(toLength: max($1, 1), withPad: " ", startingAt: 0) } + [row[3]]
      printShown(String(cells.joined(separator: "  ").prefix(Terminal.columns ?? 80)))
    }
    printShown("")
    for name in proposal.names.prefix(20) {
      let kind = name.kind.map { $0.name + (name.confidence < 0.6 ? " (uncertain, so ignored)" : "") } ?? "ignored"
      printShown("\(name.name) (\(grouped(name.count))): \(kind)")
    }
    if let ignored = proposal.names.prefix(20).first(where: { $0.kind == nil || $0.confidence < 0.6 }) {
      printShown(
        "To use an ignored event, give its kind: --event \("\(ignored.name)=conversion".shellWord); kinds: paywall_impression,"
      )
      printShown("trial_start, conversion, renewal, cancellation, refund and others (tollgate mapping --help)")
    }
    for note in proposal.notes { printShown(note) }
    for question in proposal.questions.prefix(3) where !isInteractive { printShown("open: \(question.option)") }
    if let path = part.mappingPath { printShown("written: \(path)") }
    printShown("")
  }

  /// Prints which reports will be empty.
  private func showLacks(_ summaries: [IngestSummary]) {
    let needs = [
      ("no paywall views", ["paywall_impression"]), ("no trials", ["trial_start"]),
      ("no revenue", ["conversion", "renewal", "payment"]),
    ]
    let lacks = needs.filter { need in !summaries.contains { $0.kinds.keys.contains(where: need.1.contains) } }
    if !lacks.isEmpty { printShown("not in the data: \(lacks.map(\.0).joined(separator: ", "))") }
  }

  private func show(_ summary: IngestSummary, _ examples: [EventKind: String]) {
    let quarantined = IngestPreview.sorted(summary.quarantined).map(\.key).joined(separator: ", ")
    printShown(
      "\(grouped(summary.events)) events, \(grouped(summary.duplicates)) duplicates, "
        + "\(grouped(summary.quarantinedLines)) rejected\(quarantined.isEmpty ? "" : " (\(quarantined))"), "
        + "\(grouped(summary.ignored)) ignored" + (summary.joins > 0 ? ", \(grouped(summary.joins)) joins" : ""))
    for kind in EventKind.inOrder {
      guard let example = examples[kind] else { continue }
      let width = Terminal.columns ?? 80
      printShown(example.count > width ? example.prefix(width - 1) + "…" : example)
    }
    printShown("")
  }

  private func showNext(_ parts: [Part], isIngested: Bool) throws {
    let files = paths.map(\.shellWord).joined(separator: " ")
    guard isIngested else {
      let mapping = parts.compactMap(\.mappingPath).first.map { "--mapping \($0.shellWord) " } ?? ""
      printShown("Next: tollgate ingest \(mapping)\(files)")
      return
    }
    let apps = Set(parts.compactMap { $0.proposal?.app } + [app].compactMap { $0 })
    let hasVariant = parts.contains { part in part.proposal?.fields.contains { $0.name == "variant" } ?? true }
    let hasEntry = parts.contains { part in part.proposal?.fields.contains { $0.name == "entry_point" } ?? true }
    var funnel = ReportRequest(.funnel)
    funnel.options.by = hasVariant ? [.variant] : hasEntry ? [.entryPoint] : []
    if apps.count == 1 { funnel.options.apps = Array(apps) }
    funnel.isForPeople = true
    // The report is written past the buffer of `print`.
    fflush(nil)
    try OutputArguments.parse([]).write(Store.open(readOnly: common.storePath).read { try funnel.printed($0) })
    printShown("\nNext: tollgate trials · tollgate revenue --by month · tollgate serve")
    if let mapping = parts.compactMap(\.mappingPath).first {
      printShown("For later files: tollgate ingest --mapping \(mapping.shellWord) FILE...")
    }
  }

  // MARK: JSON

  private func printJSON(_ parts: [Part], _ dryRun: [IngestSummary], _ ingested: [IngestSummary]) {
    struct Column: Encodable {
      var path: String
      var type: String
      var filled: Double
      var distinct: Int
      var examples: [String]
      var field: String?
    }
    struct Field: Encodable {
      var path: String
      var confidence: Double
    }
    struct Name: Encodable {
      var kind: String
      var confidence: Double
      var count: Int
    }
    struct Counts: Encodable {
      var events = 0
      var duplicates = 0
      var conflicts = 0
      var quarantined: [String: Int] = [:]
      var ignored = 0
      var joins = 0
      var kinds: [String: Int] = [:]

      init?(_ summaries: [IngestSummary]) {
        if summaries.isEmpty { return nil }
        for summary in summaries {
          events += summary.events
          duplicates += summary.duplicates
          conflicts += summary.conflicts
          quarantined.merge(summary.quarantined, uniquingKeysWith: +)
          ignored += summary.ignored
          joins += summary.joins
          kinds.merge(summary.kinds, uniquingKeysWith: +)
        }
      }
    }
    struct Output: Encodable {
      var files: [String]
      var columns: [Column]
      var fields: [String: Field]
      var events: [String: Name]
      var questions: [String]
      var mapping: String?
      var dryRun: Counts?
      var ingested: Counts?

      enum CodingKeys: String, CodingKey {
        case files, columns, fields, events, questions, mapping
        case dryRun = "dry_run"
        case ingested
      }

      func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(files, forKey: .files)
        try values.encode(columns, forKey: .columns)
        try values.encode(fields, forKey: .fields)
        try values.encode(events, forKey: .events)
        try values.encode(questions, forKey: .questions)
        try values.encode(mapping, forKey: .mapping)
        try values.encode(dryRun, forKey: .dryRun)
        try values.encode(ingested, forKey: .ingested)
      }
    }
    func rounded(_ share: Double) -> Double { (share * 1_000_000).rounded() / 1_000_000 }
    let proposals = parts.compactMap(\.proposal)
    var output = Output(
      files: parts.flatMap { $0.group.files.map(\.path) }, columns: [], fields: [:], events: [:], questions: [],
      mapping: parts.compactMap(\.mappingPath).first, dryRun: Counts(dryRun), ingested: Counts(ingested))
    for proposal in proposals {
      output.columns += proposal.columns.map {
        Column(
          path: $0.path, type: $0.type, filled: rounded($0.filled), distinct: $0.distinct, examples: $0.examples,
          field: $0.field)
      }
      for field in proposal.fields where output.fields[field.name] == nil {
        output.fields[field.name] = Field(path: field.path, confidence: rounded(field.confidence))
      }
      for name in proposal.names where output.events[name.name] == nil {
        let isTaken = name.kind != nil && name.confidence >= 0.6
        output.events[name.name] = Name(
          kind: isTaken ? name.kind?.name ?? "" : "ignore", confidence: rounded(name.confidence), count: name.count)
      }
      output.questions += proposal.questions.prefix(3).map(\.option)
    }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    if let data = try? encoder.encode(output) { print(String(decoding: data, as: UTF8.self)) }
  }
}
