import Basics
import EventModel
import Foundation
import Ingest
import Metrics
import Store

/// Prints what was found and ingested, for people and as JSON.
extension InitCommand {
  func show(_ part: Part) {
    let files = part.group.files
    let name = files.count == 1 ? files[0].path : "\(grouped(files.count)) files, the first is \(files[0].path)"
    guard let proposal = part.proposal else {
      printShown("\(name): \(part.group.description); no mapping is needed")
      return
    }
    let count = proposal.recordCount
    printShown(
      "\(name): \(part.group.description), \(proposal.isCut ? "\(grouped(count))+ records" : counted(count, "record")), "
        + "\(counted(proposal.columns.count, "column")). Proposed mapping:\n")
    let rows = proposal.fields.map { field in
      let column = proposal.columns.first { $0.path == field.path }
      let word = field.isSure ? "sure" : "likely"
      return [field.name, field.path, word, field.scaled ?? (column?.examples ?? []).joined(separator: " · ")]
    }
    let table = [["field", "column", "confidence", "examples"]] + rows
    let widths = (0..<3).map { column in table.map { $0[column].count }.max() ?? 0 }
    for row in table {
      let cells = zip(row, widths).map { $0.padding(toLength: max($1, 1), withPad: " ", startingAt: 0) } + [row[3]]
      printShown(Self.shortened(cells.joined(separator: "  ")))
    }
    printShown("")
    for name in proposal.names.prefix(20) {
      let kind = name.kind.map { $0.name + (name.confidence < 0.6 ? ", left out" : "") } ?? "left out"
      printShown("\(name.name == "*" ? "all records" : name.name) (\(grouped(name.count))): \(kind)")
    }
    // Those left out have a line with ! that says why.
    if let leftOut = proposal.names.prefix(20).first(where: { $0.kind == nil && $0.name != "*" }) {
      printShown(
        "To use an event that is left out, such as \(leftOut.name), give its kind: --event NAME=KIND, with KIND one of")
      printShown("paywall_impression, trial_start, conversion, renewal, cancellation, refund and others")
      printShown("(tollgate mapping --help)")
    }
    for note in proposal.notes { printShown(note) }
    for warning in proposal.warnings { printShown("! \(warning)") }
    let unused = proposal.columns.filter { $0.field == nil }.map(\.path)
    if !unused.isEmpty { printShown("not used: \(unused.prefix(20).joined(separator: ", "))") }
    if !isInteractive {
      for question in proposal.questions.prefix(3) { printShown(assumption(question, of: proposal)) }
    }
    if let path = part.mappingPath { printShown("written: \(path)") }
    printShown("")
  }

  /// Returns what may make a number wrong, a sentence each.
  private func warnings(of proposal: Proposal) -> [String] {
    let open = isInteractive ? [] : proposal.questions.prefix(3).map { assumption($0, of: proposal) }
    return proposal.warnings + open.filter { $0.hasPrefix("! ") }.map { String($0.dropFirst(2)) }
  }

  /// Returns what is assumed where a question stays open.
  private func assumption(_ question: Proposal.Question, of proposal: Proposal) -> String {
    switch question {
    case .app: "assumed: the app is \(proposal.app ?? "app"); --app NAME changes it"
    case .currency: "! no column is a currency, so prices are read as USD; --currency CODE changes it"
    case .kind(let name, _, let choices):
      "assumed: \(name) is \(choices.first?.name ?? "left out"); --event '\(name)=KIND' changes it"
    case .dayOrder(let example):
      "! day and month of dates such as \(example) cannot be told apart; they are read day-first, and --dates month-first "
        + "changes it"
    }
  }

  /// Returns what makes the numbers of the first reports wrong, as `health` finds it, a sentence each.
  ///
  /// - Parameter otherApps: Says that files are of different apps, if they are.
  func findings(_ ingested: [IngestSummary], _ otherApps: String?) throws -> [String] {
    if ingested.isEmpty { return otherApps.map { [$0] } ?? [] }
    let ahead = try Store.open(readOnly: common.storePath).read { try Health.datesAhead($0) }
    return try ahead + laterFindings(ingested, otherApps)
  }

  private func laterFindings(_ ingested: [IngestSummary], _ otherApps: String?) throws -> [String] {
    if let otherApps { return [otherApps] }
    guard ingested.contains(where: { $0.kinds["paywall_impression"] != nil }) else { return [] }
    let checks = ["purchases without an impression": "purchases", "trials without an impression": "trials"]
    let rows = try Store.open(readOnly: common.storePath).read { snapshot in
      try ReportKind.health.report(snapshot, ReportRequest(.health).options).rows
    }
    return rows.compactMap { row in
      guard case .text(let check) = row[1], let what = checks[check], case .count(let cases) = row[2],
        case .count(let all) = row[3], cases * 2 > all
      else { return nil }
      let hasTrials = ingested.contains { $0.kinds["trial_start"] != nil }
      return
        "\(grouped(cases)) of \(grouped(all)) \(what) have no paywall view of the same user in the 7 days before, so the "
        + "funnel may not count them. Check that paywall views and \(what) have the same user ids, and that no views are "
        + "missing\(hasTrials ? "" : "; if users try before they pay, load the trials, too"); "
        + "tollgate health\(common.storeWords) says more."
    }
  }

  /// The kinds of events that each of the first reports needs one of.
  private static let needs = [
    (report: "funnel", kinds: ["paywall_impression"]), (report: "trials", kinds: ["trial_start"]),
    (report: "revenue", kinds: ["conversion", "renewal", "payment"]),
  ]

  /// Returns the first reports that have no event.
  static func lacks(_ summaries: [IngestSummary]) -> [String] {
    needs.filter { need in !summaries.contains { $0.kinds.keys.contains(where: need.kinds.contains) } }.map(\.report)
  }

  /// Prints which reports will be empty.
  func showLacks(_ parts: [Part], _ summaries: [IngestSummary]) {
    let lacks = Self.lacks(summaries)
    if !lacks.isEmpty { printShown("no events for these reports: \(lacks.joined(separator: ", "))") }
    if lacks.contains("revenue"), summaries.contains(where: { ($0.kinds["trial_start"] ?? 0) >= 10 }) {
      printShown("! no event is a payment, so no trial counts as paid: load the payments, too")
    }
    let later = ["renewal", "payment"]
    if summaries.contains(where: { ($0.kinds["conversion"] ?? 0) >= 10 }),
      !summaries.contains(where: { $0.kinds.keys.contains(where: later.contains) })
    {
      printShown(
        "! no event is a renewal: if subscriptions were renewed, load these payments, too; without them, all users count as "
          + "gone when their first paid period ends")
    }
    let view = lacks.contains("funnel") ? parts.lazy.compactMap { $0.proposal?.likelyView }.first : nil
    if let view {
      let option = "--event \("\(view.name)=paywall_impression".shellWord)"
      printShown(
        "! no event is a paywall view; if \(view.name) (\(counted(view.count, "record"))), which is left out, is one:\n  "
          + again(parts, with: option))
    }
    if lacks == ["funnel"] {
      let app = app.map { " --app \($0.shellWord)" } ?? ""
      printShown(
        "\(view == nil ? "Paywall" : "If not, paywall") views are in your app's own events. Add a file of them: "
          + "tollgate init --yes\(common.storeWords)\(app) FILE")
    }
  }

  func show(_ summary: IngestSummary, _ examples: [EventKind: String]) {
    let quarantined = IngestPreview.sorted(summary.quarantined).map(\.key).joined(separator: ", ")
    printShown(
      "\(counted(summary.events, "event")), \(counted(summary.duplicates, "duplicate")), "
        + "\(grouped(summary.quarantinedLines)) rejected\(quarantined.isEmpty ? "" : " (\(quarantined))"), "
        + "\(grouped(summary.ignored)) left out" + (summary.joins > 0 ? ", \(counted(summary.joins, "join"))" : ""))
    for warning in summary.rejectionWarnings { printShown("! \(warning)") }
    if !examples.isEmpty { printShown("\nThe first event of each kind, as it is read (times in UTC):") }
    for kind in EventKind.inOrder {
      guard let example = examples[kind].map(Self.readable) else { continue }
      printShown(Self.shortened(example))
    }
    printShown("")
  }

  /// Returns as much of a line as a terminal shows.
  private static func shortened(_ line: String) -> String {
    let width = Terminal.columns ?? 80
    return line.count > width ? line.prefix(width - 1) + "…" : line
  }

  /// Returns an event with the members that tell most first, as a terminal shows only its start.
  private static func readable(_ event: String) -> String {
    guard let members = try? JSONSerialization.jsonObject(with: Data(event.utf8)) as? [String: Any] else {
      return event
    }
    let first = ["event", "ts", "user_id", "entry_point", "variant", "product_id", "price", "currency"]
    let names = first.filter(members.keys.contains) + members.keys.sorted().filter { !first.contains($0) }
    let texts = names.compactMap { name -> String? in
      if name == "ts" || name.hasSuffix("_at") || name.hasSuffix("_ts"), let instant = members[name] as? Int64 {
        return "\"\(name)\":\"\(Instant(millisecondsSince1970: instant))\""
      }
      guard let value = members[name],
        let data = try? JSONSerialization.data(
          withJSONObject: value, options: [.fragmentsAllowed, .sortedKeys, .withoutEscapingSlashes])
      else { return nil }
      return "\"\(name)\":\(String(decoding: data, as: UTF8.self))"
    }
    return "{\(texts.joined(separator: ","))}"
  }

  // MARK: JSON

  func printJSON(
    _ parts: [Part], _ dryRun: [IngestSummary], _ ingested: [IngestSummary], _ otherApps: String?
  ) throws {
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
      var columns: [Proposal.Column]
      var fields: [String: Field]
      var events: [String: Name]
      var questions: [String]
      var warnings: [String]
      var mapping: String?
      var dryRun: Counts?
      var ingested: Counts?

      enum CodingKeys: String, CodingKey {
        case files, columns, fields, events, questions, warnings, mapping
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
        try values.encode(warnings, forKey: .warnings)
        try values.encode(mapping, forKey: .mapping)
        try values.encode(dryRun, forKey: .dryRun)
        try values.encode(ingested, forKey: .ingested)
      }
    }
    func rounded(_ share: Double) -> Double { (share * 1_000_000).rounded() / 1_000_000 }
    let proposals = parts.compactMap(\.proposal)
    var output = Output(
      files: parts.flatMap { $0.group.files.map(\.path) }, columns: [], fields: [:], events: [:], questions: [],
      warnings: proposals.flatMap(warnings) + dryRun.flatMap(\.rejectionWarnings) + (try findings(ingested, otherApps)),
      mapping: parts.compactMap(\.mappingPath).first, dryRun: Counts(dryRun), ingested: Counts(ingested))
    for proposal in proposals {
      output.columns += proposal.columns.map { column in
        var column = column
        column.filled = rounded(column.filled)
        return column
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
    if let data = try? readableJSON(output) { print(String(decoding: data, as: UTF8.self), terminator: "") }
  }
}
