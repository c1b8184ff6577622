import ArgumentParser
import Basics
import EventModel
import Foundation
import Ingest
import Metrics
import Store

struct InitCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "init", abstract: "Load your own files and show a first funnel.",
    discussion: """
      Reads CSV, tab-separated text, NDJSON, JSON and Parquet. It finds the columns for user, time, event name and \
      other fields, writes them to a mapping file that you can edit, and shows what an ingest would store. Files of known \
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
      "Kind of one of your events, such as 'money back=refund'. The kind ignore leaves an event out; '*=payment' gives all "
        + "records one kind (repeatable).",
      valueName: "name=kind"))
  var event: [String] = []

  @Option(
    help: ArgumentHelp(
      "Column that holds a field, such as user_id=customer, or a value as in a mapping, such as "
        + "'price={path: cents, scale: 0.01}'. trial_days=7 and plan=yearly are for trials that do not name theirs (repeatable).",
      valueName: "field=path"))
  var set: [String] = []

  @Option(help: ArgumentHelp("Plan of a product, such as SKU-12=yearly (repeatable).", valueName: "product=plan"))
  var plan: [String] = []

  @OptionGroup var users: UserKeyArguments

  @Option(
    help: ArgumentHelp(
      "How to read dates such as 01/02/2026: day-first, month-first, or a pattern such as 'dd.MM.yyyy HH:mm'.",
      valueName: "order"))
  var dates: String?

  @Option(help: ArgumentHelp("Unit of times written as numbers: s, ms, us or ns.", valueName: "unit"))
  var epoch: String?

  @Option(help: ArgumentHelp("Time zone of times without an offset, such as Europe/Berlin.", valueName: "name"))
  var zone: String?

  @Option(help: ArgumentHelp("Currency of amounts without one, such as EUR.", valueName: "code"))
  var currency: String?

  @Option(
    help: ArgumentHelp(
      "complete: the files have every payment since the app's launch, so each user's first payment is a purchase, not a renewal.",
      valueName: "complete"))
  var history: String?

  @Option(
    help: ArgumentHelp("Mapping file to write (default: FIRST-FILE.mapping.yaml in this folder).", valueName: "file"))
  var mapping: String?

  @Flag(help: "Overwrite an existing mapping file.")
  var force = false

  @Flag(help: "Accept every default and ingest without asking.")
  var yes = false

  @OptionGroup var superwall: SuperwallArguments

  @Flag(help: "Accept payments from several sources. Make sure that no payment is in two of them.")
  var both = false

  @Flag(help: "Show the result without ingesting.")
  var noIngest = false

  @Option(help: "Format of the result: table or json.")
  var format = ResultFormat.table

  @OptionGroup var lock: LockArguments

  mutating func validate() throws {
    if paths.isEmpty { throw ValidationError("no path given; name files, folders or - for standard input") }
    for entry in event where Self.pair(entry) == nil {
      throw ValidationError("--event is \(entry), but must be NAME=KIND, such as 'money back=refund'")
    }
    for entry in set where Self.field(entry) == nil {
      throw ValidationError("--set is \(entry), but must be FIELD=PATH, such as user_id=customer")
    }
    for entry in plan where Self.pair(entry).flatMap({ Plan(name: $0.1) }) == nil {
      let plans = Plan.allCases.map(\.name).joined(separator: ", ")
      throw ValidationError("--plan is \(entry), but must be PRODUCT=PLAN with one of \(plans)")
    }
    if let dates, !Onboarding.isDateForm(dates) {
      throw ValidationError(
        "--dates is \(dates), but must be day-first, month-first, spreadsheet or a pattern such as 'dd.MM.yyyy HH:mm:ss'"
      )
    }
    if let history, history != "complete" {
      throw ValidationError("--history is \(history), but must be complete; leave it out otherwise")
    }
    if let epoch, !["s", "ms", "us", "ns"].contains(epoch) {
      throw ValidationError("--epoch is \(epoch), but must be s, ms, us or ns")
    }
  }

  private static func pair(_ entry: String) -> (String, String)? { parts(of: entry, at: entry.lastIndex(of: "=")) }

  /// The field and path of `--set`; a path may have `=` itself.
  private static func field(_ entry: String) -> (String, String)? { parts(of: entry, at: entry.firstIndex(of: "=")) }

  private static func parts(of entry: String, at equals: String.Index?) -> (String, String)? {
    guard let equals, equals != entry.startIndex else { return nil }
    return (String(entry[..<equals]), String(entry[entry.index(after: equals)...]))
  }

  private func answers() throws -> ProposalAnswers {
    var answers = ProposalAnswers()
    (answers.app, answers.superwallMoney) = (app, superwall.money)
    (answers.dates, answers.epoch, answers.zone, answers.currency) = (dates, epoch, zone, currency)
    answers.hasCompleteHistory = history != nil
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
    for (field, path) in set.compactMap(Self.field) {
      guard path.hasPrefix("{") else {
        answers.fields[field] = path
        continue
      }
      if Onboarding.isFixed(field, value: path) {
        answers.values[field] = path
        continue
      }
      guard let own = Onboarding.path(ofValue: path) else {
        throw UsageError("--set \(field)=\(path): must be a value with a path, such as {path: cents, scale: 0.01}")
      }
      (answers.fields[field], answers.values[field]) = (own, path)
    }
    for (product, plan) in plan.compactMap(Self.pair) { answers.plans[product] = plan }
    return answers
  }

  /// Files that are read together: those of one group, with the settings that read them.
  struct Part {
    var group: FileGroup
    var settings: SourceSettings
    var proposal: Proposal?
    var mappingPath: String?
    /// The mapping as it is written.
    var mapping = ""

    /// Whether the files bring payments; `false` for native files, whose kinds are not known.
    var hasMoney: Bool {
      if case .known = group.shape { return group.hasPayments }
      return (proposal?.names ?? []).contains { name in
        name.confidence >= 0.6 && name.kind.map(Proposal.paid.contains) ?? false
      }
    }
  }

  var isInteractive: Bool {
    isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1 && !yes && format == .table
  }

  func run() throws {
    var inputs = try InputFile.inReadingOrder(InputFile.discover(paths))
    guard !inputs.isEmpty else {
      throw UsageError("\(paths.joined(separator: ", ")): no files found; name files, folders or -")
    }
    var parts: [Part] = []
    do {
      // Files are read to find their columns, and again to store them.
      inputs = try inputs.map { input throws(Onboarding.Failure) in try input.readableAgain() }
      let found = try Onboarding.groups(of: inputs) { !paths.contains($0.path) }
      for file in found.leftOut { LogFormat.warn("\(file.path): left out: \(file.reason)") }
      var given = try answers()
      let groups = try Onboarding.parted(found.groups, given)
      try requireKnown(given, in: groups)
      for (group, answers) in zip(groups, try Onboarding.answers(for: groups, given)) {
        var own = answers
        (own.app, own.events, own.dates, own.currency) = (given.app, given.events, given.dates, given.currency)
        if let part = try part(group, &own, isOnly: groups.count == 1) { parts.append(part) }
        (given.app, given.events, given.dates, given.currency) = (own.app, own.events, own.dates, own.currency)
      }
    } catch let failure as Onboarding.Failure {
      let text = "\(failure.path): nothing ingested: \(Self.completed(failure.advice, insteadOf: failure.path))"
      FileHandle.standardError.write(Data("tollgate: \(text)\n".utf8))
      throw ExitCode(ExitStatus.incomplete.rawValue)
    }
    // Files that name no app are of the app of the others.
    let apps = Set(parts.compactMap { $0.proposal?.app })
    for place in parts.indices where parts[place].group.assumesApp && apps.count == 1 {
      parts[place].settings.app = parts[place].settings.app ?? apps.first
    }
    try requireOnePayment(of: parts)
    for part in parts { try writeMapping(of: part) }
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
      if previews.contains(where: { $0.summary.files > 0 }) { showLacks(parts, previews.map(\.summary)) }
    }
    var ingested: [IngestSummary] = []
    var examples: [IngestPreview.Examples] = []
    if !noIngest, yes || (isInteractive && ask("Ingest into \(common.storePath)?", default: true)) {
      let store = try Store.openOrStart(path: common.storePath, lockTimeout: lock.lockTimeout)
      for part in parts {
        var ingestion = Ingestion(store: store, lockTimeout: lock.lockTimeout, sources: part.settings)
        let found = IngestPreview.Examples()
        ingestion.observe = { found.add($0) }
        let summary = try ingestion.run(part.group.files)
        summary.explain(mapping: part.mappingPath, store: common.storeWords)
        ingested.append(summary)
        examples.append(found)
        try noteLeftOut(part, summary, store)
      }
      try ReportCache.fill(store, with: .quick)
    }
    let otherApps = otherApps(parts, examples)
    let isKnown =
      try !ingested.isEmpty && ingested.allSatisfy { $0.files == 0 && $0.filesSkipped > 0 }
      && !Store.open(readOnly: common.storePath).read { try $0.apps().isEmpty }
    let isNothingLoaded =
      !isKnown && !ingested.isEmpty && ingested.allSatisfy { $0.events + $0.duplicates + $0.reported == 0 }
    let counts = ingested.map(\.reported).reduce(0, +)
    if isText {
      if previews.isEmpty {
        for (summary, found) in zip(ingested, examples) where !isKnown { show(summary, found.examples) }
        if !isKnown { showLacks(parts, ingested) }
      }
      if isKnown { showKnown(parts, ingested) }
      if isNothingLoaded {
        printShown(
          "Nothing was loaded: every record is left out or rejected. Give events their kinds with --event, or correct "
            + "the mapping; then run this again with --force.")
      } else if counts > 0, ingested.allSatisfy({ $0.events + $0.duplicates == 0 }) {
        printShown(
          "\(counted(counts, "count")) from App Store Connect reports, for tollgate reconcile\(common.storeWords). They name no "
            + "users, so there is no funnel: paywall views are in your app's own events.")
      } else {
        // Otherwise those that are left out are the reason.
        if Self.leftOut(of: parts, ingested).isEmpty {
          for finding in try findings(ingested, otherApps) { printShown("! \(finding)") }
        }
        try showNext(parts, ingested, hasNewMapping: isKnown && force)
      }
    } else if format == .json {
      try printJSON(parts, previews.isEmpty ? ingested : previews.map(\.summary), ingested, otherApps)
    }
    let summaries = ingested.isEmpty ? previews.map(\.summary) : ingested
    // With trials or payments missing, every share is too low.
    let missing = ingested.isEmpty || isKnown && force ? [] : Self.leftOut(of: parts, ingested)
    if !missing.isEmpty, !isText { LogFormat.warn(Self.withheld(missing)) }
    if isNothingLoaded || !missing.isEmpty || summaries.contains(where: { !$0.failures.isEmpty || $0.isBarren }) {
      for failure in summaries.flatMap(\.failures) {
        LogFormat.warn("\(failure.path): nothing ingested: \(failure.reason)")
      }
      throw ExitCode(ExitStatus.incomplete.rawValue)
    }
  }

  // MARK: Proposing

  /// - Returns: `nil` for a file of a folder that is left out because it holds no events.
  private func part(_ group: FileGroup, _ answers: inout ProposalAnswers, isOnly: Bool) throws -> Part? {
    if case .known(let source) = group.shape {
      if group.needsApp, app == nil {
        let name = (answers.othersApp ?? appName(of: group.files[0]) ?? "NAME").shellWord
        throw UsageError(
          "\(group.files[0].path): \(source.title) does not name the app; name it: "
            + "`tollgate init --yes --app \(name) \(Self.wordsOfCall)`")
      }
      var settings = SourceSettings(source: .auto, app: source == .native ? nil : app, plans: answers.plans)
      settings.userKeys = users.keys
      return Part(group: group, settings: settings)
    }
    let first = group.files[0]
    var proposal = try Onboarding.proposal(of: group, answers, appName: answers.othersApp ?? appName(of: first))
    if proposal.recordCount <= 3, proposal.columns.count > 100, proposal.lists.count <= 20 {
      let explanation = Self.explanation(ofKeyed: proposal, first.path)
      throw UsageError("\(first.path): " + Self.completed(explanation, insteadOf: first.path))
    }
    if !proposal.missing.isEmpty {
      guard isOnly || paths.contains(first.path) || !proposal.hasNothing else {
        LogFormat.warn("\(first.path): left out: no column is a user or a time")
        return nil
      }
      var named = answers
      var names: [Proposal.Name] = []
      if let likely = proposal.likeliest("event name"), proposal.missing.contains("event name") {
        named.fields[EventField.event.name] = likely
        names = try Onboarding.proposal(of: group, named, appName: nil).names.filter { $0.name != "*" }
      }
      let others = paths.filter { $0 != first.path }
      if Self.isOfVariants(proposal) {
        throw UsageError("\(first.path): " + Self.explanation(ofVariants: proposal, first.path, others))
      }
      let explanation = Self.explanation(of: proposal, first.path, names: names, others: others)
      throw UsageError("\(first.path): " + Self.completed(explanation, insteadOf: first.path))
    }
    if isInteractive {
      answer(proposal.questions, proposal, &answers)
      proposal = try Onboarding.proposal(of: group, answers, appName: answers.othersApp ?? appName(of: first))
    }
    if yes, let amounts = proposal.amountsWithoutCurrency {
      throw UsageError("\(first.path): " + Self.explanation(ofAmounts: amounts))
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
    var settings = SourceSettings(plans: answers.plans)
    settings.mapping = try MappingFile(yaml: contents, file: path, superwallMoney: superwall.money)
    var group = group
    group.forgetRecords()
    return Part(group: group, settings: settings, proposal: proposal, mappingPath: path, mapping: contents)
  }

  private func writeMapping(of part: Part) throws {
    guard let path = part.mappingPath else { return }
    let isThere = FileManager.default.fileExists(atPath: path)
    if isThere, !force, (try? String(contentsOfFile: path, encoding: .utf8)) != part.mapping {
      throw UsageError("\(path) exists; overwrite it with `--force`, or write another with `--mapping FILE`")
    }
    do {
      try part.mapping.write(toFile: path, atomically: true, encoding: .utf8)
    } catch {
      let reason = FileArgument.reason(of: error, at: path)
      throw UsageError("\(path): cannot be written: \(reason); write another with `--mapping FILE`")
    }
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

  private func ask(_ question: String, default isYes: Bool) -> Bool {
    printShown("\(question) [\(isYes ? "Y/n" : "y/N")]", terminator: " ")
    let line = (readLine() ?? "n").lowercased()
    return line.isEmpty ? isYes : line.hasPrefix("y")
  }
}
