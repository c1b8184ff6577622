import ArgumentParser
import Cluster
import EventModel
import Foundation
import Lifecycle
import Metrics
import Store

struct ClusterReportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "report", abstract: "Print a report from the data of the cluster.",
    discussion: """
      The report's command and options follow those of this command: every report of a store, with the same bytes. What it \
      reads is brought to this machine, of the apps asked for: cells, which have what funnel, trials, savings and cancellations \
      usually count, and who saw which experiment; facts for what is not in them; events where the report counts these.

        tollgate cluster report --data s3a://bucket/tollgate --cache cache trials --app steps --format csv
      """)

  @OptionGroup(title: "Spark")
  var spark: SparkArguments

  @Option(
    help: ArgumentHelp(
      "Folder to cache what was copied; the next report of the same build needs no cluster.",
      valueName: "folder"))
  var cache: String?

  @Option(
    help: ArgumentHelp(
      "CSV file of exchange rates for --currency, with columns date,currency,usd_per_unit.", valueName: "file"))
  var rates: String?

  @Argument(
    parsing: .captureForPassthrough,
    help: ArgumentHelp("Report, such as funnel, with its options.", valueName: "report"))
  var report: [String]

  /// Reports that read events or data on files besides facts.
  private static let onEvents: Set<String> = [
    "health", "activity", "cadence", "gates", "nudges", "ltv", "aa-replay", "reconcile",
  ]

  /// Reports that only need cells, whatever their options.
  private static let onCells: Set<String> = ["experiments", "quarantine", "rates"]

  /// Reports of trials, subscriptions and money.
  private static let onMoney: Set<String> = [
    "trials", "cancellations", "revenue", "mrr", "subscriptions", "retention", "refunds",
  ]

  mutating func validate() throws {
    guard let name = report.first else { throw ValidationError("no report given; name one, such as funnel") }
    if name == "--help" || name == "-h" { throw CleanExit.helpRequest(Self.self) }
    if report.contains(where: { $0 == "--store" || $0.hasPrefix("--store=") }) {
      throw ValidationError("--store does not work with cluster report: leave it out")
    }
  }

  func run() throws {
    // The report's command checks the arguments before any work starts.
    var parsed = try Tollgate.parseAsRoot(report)
    if report.contains("--help") || report.contains("-h") { return try parsed.run() }
    if let command = parsed as? any ReportingCommand {
      _ = try command.reporting()
    } else if !(parsed is ReportCommand || parsed is AAReplayCommand) {
      throw UsageError("\(report[0]) is not a report; name one, such as funnel or health")
    }
    let rates = try rates.map { path in
      guard let data = try? FileArgument.contents(of: path), let text = String(data: data, encoding: .utf8) else {
        throw UsageError("--rates is \(path), but must be a file of UTF-8 text")
      }
      return try RateFile.rates(text, name: path)
    }
    let rules = try rules()
    var content = try content(of: parsed, rules)
    let job = try SparkJob(spark.settings)
    defer { job.removeFolder() }
    while true {
      let (store, brought) = try store(with: content, rules, job)
      content = brought
      if content != .events, try Store.open(readOnly: store).read({ try $0.tellsPaymentRates() }) {
        // Rates recorded by payments come from all existing payments (D6.2).
        spark.log.logger.info("\(report[0]): reads events, for the rates of payments")
        content = .events
        continue
      }
      if let rates { _ = try Store.open(path: store).importRates(rates) }
      var command = try Tollgate.parseAsRoot(report + ["--store", store])
      do {
        return try command.run()
      } catch StoreError.lacksTable where content.isInFacts {
        spark.log.logger.info("\(report[0]): reads facts")
        content = .facts
      } catch StoreError.hasNoEvents where content != .events {
        spark.log.logger.info("\(report[0]): reads events")
        content = .events
      }
    }
  }

  /// Returns the data that a report reads, judged by its name and options. If it turns out to read more, more is
  /// loaded.
  private func content(of command: any ParsableCommand, _ rules: FoldOptions) throws -> LocalStore.Content {
    if Self.onEvents.contains(report[0]) { return .events }
    if rules == .stored {
      if Self.onCells.contains(report[0]) { return .cells }
      if let command = command as? any CellReportCommand,
        try type(of: command).cellReport.isOfCells(command.options())
      {
        return .cells
      }
    }
    return Self.onMoney.contains(report[0]) ? .money : .facts
  }

  /// The selected apps; empty for all.
  private var apps: [String] {
    return Array(Set(values(of: "--app"))).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }

  /// Whether amounts may be converted by rates from other apps' payments.
  private var mayConvert: Bool { report[0] == "ltv" || !Self.onEvents.contains(report[0]) }

  /// Returns the rules by which the report's facts are folded.
  private func rules() throws -> FoldOptions {
    var rules = FoldOptions.stored
    if let text = value(of: "--as-of") { rules.asOf = InstantArgument(argument: text)?.milliseconds ?? rules.asOf }
    if let text = value(of: "--grace") { rules.grace = DaysArgument(argument: text)?.milliseconds ?? rules.grace }
    if let text = value(of: "--attribution") { rules.attribution = Attribution(rawValue: text) ?? rules.attribution }
    return rules
  }

  /// Returns the last value of an option of the report, which its own command has checked.
  private func value(of option: String) -> String? { values(of: option).last }

  private func values(of option: String) -> [String] {
    report.indices.compactMap { place in
      if report[place] == option { return place + 1 < report.count ? report[place + 1] : nil }
      return report[place].hasPrefix("\(option)=") ? String(report[place].dropFirst(option.count + 1)) : nil
    }
  }

  /// Returns a store with the requested data: the cached one, or a new one. A build without cells provides facts
  /// instead.
  private func store(
    with content: LocalStore.Content, _ rules: FoldOptions, _ job: SparkJob
  ) throws -> (path: String, content: LocalStore.Content) {
    if let cache, let build = try currentBuild(job) {
      // A store with all facts also serves requests for some of them.
      for content in content.isInFacts ? [content, .facts] : [content] {
        let kept = name(in: cache, build, content, rules)
        if FileManager.default.fileExists(atPath: kept) { return (try copyForRates(kept, content, job), content) }
      }
    }
    let folder = job.folder.appendingPathComponent(content.rawValue)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let answer = try job.run([
      "command": "export", "output": spark.folder, "needs": content == .money ? "facts" : content.rawValue,
      "tables": content.tables.map(\.rawValue), "apps": content == .events && mayConvert ? [] : apps,
      "target": folder.path,
      "rules": rules == .stored
        ? [] : ["--as-of", "\(rules.asOf)", "--grace", "\(rules.grace)", "--attribution", rules.attribution.rawValue],
      "as_of": rules.asOf,
    ])
    guard let build = answer["build"] as? Int, let totals = answer["totals"] as? [String: Any],
      let brought = answer["content"] as? String
    else {
      throw ClusterError("the driver's answer is from another version of tollgate; use the same version everywhere")
    }
    // A build of another version may have no cells.
    let content = content == .cells && brought == "facts" ? .facts : content
    let store = job.folder.appendingPathComponent("\(content.rawValue).db").path
    try LocalStore.make(
      at: store, of: content, from: folder.path, foldedBy: rules, events: Int64(totals["events"] as? Int ?? 0),
      duplicates: Int64(totals["duplicates"] as? Int ?? 0))
    try? FileManager.default.removeItem(at: folder)
    guard let cache else { return (store, content) }
    try FileManager.default.createDirectory(
      atPath: cache, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    let kept = name(in: cache, build, content, rules)
    let draft = "\(kept).\(ProcessInfo.processInfo.processIdentifier)"
    try FileManager.default.copyItem(atPath: store, toPath: draft)
    if rename(draft, kept) != 0 { try? FileManager.default.removeItem(atPath: draft) }
    return (store, content)
  }

  /// Returns a copy that can take the report's own rates; a cached store never has any.
  private func copyForRates(_ kept: String, _ content: LocalStore.Content, _ job: SparkJob) throws -> String {
    if rates == nil { return kept }
    let copy = job.folder.appendingPathComponent("\(content.rawValue)-rates.db").path
    if !FileManager.default.fileExists(atPath: copy) { try FileManager.default.copyItem(atPath: kept, toPath: copy) }
    return copy
  }

  private func name(in cache: String, _ build: Int, _ content: LocalStore.Content, _ rules: FoldOptions) -> String {
    // Events do not depend on the rules.
    let rule = content != .events ? [rules.asOf, rules.grace].map(String.init) + [rules.attribution.rawValue] : []
    let key = ([spark.folder] + rule + apps).joined(separator: "\u{0}")
    let hashes = Array(key.utf8).withUnsafeBytes { bytes in
      [0, 1].map { String(ByteHash.hash(bytes, seed: $0), radix: 16) }
    }
    return "\(cache)/\(hashes.joined())-\(build)-\(content.rawValue).db"
  }

  /// Returns the current build; if the folder is not on this machine, Spark looks it up.
  private func currentBuild(_ job: SparkJob) throws -> Int? {
    guard let folder = spark.localFolder, FileManager.default.fileExists(atPath: folder) else {
      return try job.run(["command": "current", "output": spark.folder])["build"] as? Int
    }
    guard let data = FileManager.default.contents(atPath: "\(folder)/current.json"),
      let object = try? JSONSerialization.jsonObject(with: data) as? [String: Any]
    else { return nil }
    return object["build"] as? Int
  }
}
