import ArgumentParser
import Basics
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
      Put the report and its options after the options of this command:

        tollgate cluster report --data s3a://bucket/tollgate --cache cache \\
          trials --by month

      Every report prints the same bytes as from a store. Only the data that the report needs are copied to this machine: \
      of the apps you name, the stored counts if they are enough, else trials, subscriptions and payments, else events.
      """)

  @OptionGroup(title: "Spark")
  var spark: SparkArguments

  @Option(
    help: ArgumentHelp(
      "Folder for the copied data. The next report of the same build then needs no cluster.",
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

  mutating func validate() throws {
    guard let name = report.first else { throw ValidationError("no report given; name one, such as funnel") }
    if name == "--help" || name == "-h" { throw CleanExit.helpRequest(Self.self) }
    if report.contains(where: { $0 == "--store" || $0.hasPrefix("--store=") }) {
      throw ValidationError("--store does not work with cluster report: leave it out")
    }
  }

  func run() throws {
    // The report's command checks the arguments before any work starts.
    guard let command = try CommandWords.parse(report) as? any StoreReading else {
      throw UsageError("\(report[0]) is not a report; name one, such as funnel or health")
    }
    if let command = command as? any ReportingCommand { try command.check() }
    let rates = try rates.map { path in
      guard let data = try? FileArgument.contents(of: path), let text = String(data: data, encoding: .utf8) else {
        throw UsageError("--rates is \(path), but must be a file of UTF-8 text")
      }
      return try RateFile.rates(text, name: path)
    }
    let request = try command.asked()
    if request.given.contains(where: { $0.option == "as-of" && $0.texts.contains { $0.contains("=") } }) {
      throw UsageError("--as-of of single apps does not work on a cluster: give one instant, with --app")
    }
    if (command as? any ReportingCommand)?.output.receipt != nil {
      throw UsageError("--receipt does not work on a cluster: its store is made for one report")
    }
    if request.relative.hasAsOf { throw UsageError("--as-of is a word, but must be a day: the cluster folds by it") }
    let job = try SparkJob(spark.settings)
    defer { job.removeFolder() }
    var content = LocalStore.Content(for: request.needs)
    var path = try store(with: &content, request, job)
    func readEvents(for reason: String) throws {
      spark.log.logger.info("\(report[0]): reads events, for \(reason)")
      content = .events
      path = try store(with: &content, request, job)
    }
    if request.needs.contains(.rates), content != .events,
      try Store.open(readOnly: path).read({ try $0.tellsPaymentRates() })
    {
      // Rates that payments tell come from all payments there are (D6.2).
      try readEvents(for: "the rates of payments")
    }
    func runReport() throws {
      if !request.options.cohorts.isEmpty { try Self.bringCohorts(to: path) }
      if let rates { _ = try Store.open(path: path).importRates(rates) }
      try command.run(on: path)
    }
    do {
      try runReport()
    } catch StoreError.hasNoEvents where content != .events {
      // Only the data tells whether prices are equally frequent and new; event IDs settle such ties (5.2).
      try readEvents(for: "prices that are equally frequent")
      try runReport()
    }
  }

  /// Copies the current folder's file of cohorts to where a store's reports look for it.
  private static func bringCohorts(to store: String) throws {
    let files = FileManager.default
    let target = URL(fileURLWithPath: store).deletingLastPathComponent().appendingPathComponent(CohortFilter.fileName)
    try? files.removeItem(at: target)
    guard files.fileExists(atPath: CohortFilter.fileName) else { return }
    try files.copyItem(atPath: CohortFilter.fileName, toPath: target.path)
  }

  /// Returns a store with the requested data: the cached one, or a new one. A build without cells provides facts
  /// instead.
  private func store(
    with content: inout LocalStore.Content, _ request: ReportRequest, _ job: SparkJob
  ) throws -> String {
    let rules = request.foldOptions
    let apps = Set(request.options.apps.flatMap { $0.split(separator: ",").map(String.init) }).sorted {
      $0.utf8.lexicographicallyPrecedes($1.utf8)
    }
    if let cache, let build = try currentBuild(job) {
      // A store of all facts also serves reports that read only some.
      for known in content.isInFacts ? [content, .facts] : [content] {
        let kept = name(in: cache, build, known, rules, apps)
        if FileManager.default.fileExists(atPath: kept) {
          content = known
          return try copyForRates(kept, content, job)
        }
      }
    }
    let folder = job.folder.appendingPathComponent(content.rawValue)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let answer = try job.run([
      "command": "export", "output": spark.folder, "needs": content == .money ? "facts" : content.rawValue,
      "tables": content.tables.map(\.rawValue),
      "apps": content == .events && request.needs.contains(.rates) ? [] : apps,
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
    if content == .cells && brought == "facts" { content = .facts }
    let store = job.folder.appendingPathComponent("\(content.rawValue).db").path
    try LocalStore.make(
      at: store, of: content, from: folder.path, foldedBy: rules, events: Int64(totals["events"] as? Int ?? 0),
      duplicates: Int64(totals["duplicates"] as? Int ?? 0))
    try? FileManager.default.removeItem(at: folder)
    guard let cache else { return store }
    try FileManager.default.createDirectory(
      atPath: cache, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    let kept = name(in: cache, build, content, rules, apps)
    let draft = "\(kept).\(ProcessInfo.processInfo.processIdentifier)"
    try FileManager.default.copyItem(atPath: store, toPath: draft)
    if rename(draft, kept) != 0 { try? FileManager.default.removeItem(atPath: draft) }
    return store
  }

  /// Returns a copy that can take the report's own rates; a cached store never has any.
  private func copyForRates(_ kept: String, _ content: LocalStore.Content, _ job: SparkJob) throws -> String {
    if rates == nil { return kept }
    let copy = job.folder.appendingPathComponent("\(content.rawValue)-rates.db").path
    if !FileManager.default.fileExists(atPath: copy) { try FileManager.default.copyItem(atPath: kept, toPath: copy) }
    return copy
  }

  private func name(
    in cache: String, _ build: Int, _ content: LocalStore.Content, _ rules: FoldOptions, _ apps: [String]
  ) -> String {
    // Events are the same by all rules.
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

extension LocalStore.Content {
  /// The content that a report reads.
  init(for needs: Set<ReportNeed>) {
    self =
      needs.contains(.events) ? .events : needs.contains(.cells) ? .cells : needs.contains(.payments) ? .money : .facts
  }
}
