import Basics
import EventModel
import Foundation
import Ingest

/// Checks what options of `init` name, and asks what the data leave open.
extension InitCommand {
  /// Refuses `--set` and `--event` that name no field, column or event, and `--superwall-money` for other files.
  ///
  /// - Throws: ``UsageError`` with the nearest name, ``Onboarding/Failure``.
  func requireKnown(_ answers: ProposalAnswers, in groups: [FileGroup]) throws {
    if answers.fields.isEmpty, answers.events.isEmpty, answers.superwallMoney == .server { return }
    let fields = EventField.allCases.map(\.name)
    for field in answers.fields.keys.sorted() where !fields.contains(field) {
      throw UsageError(
        "--set \(field)=\(answers.fields[field] ?? ""): \(field) is not a field; use one of \(fields.joined(separator: ", "))"
          + NearName.hint(field, in: fields))
    }
    let proposals = try groups.compactMap { group -> Proposal? in
      if case .known = group.shape { return nil }
      return try Onboarding.proposal(of: group, answers, appName: nil)
    }
    if answers.superwallMoney == .sdk, !proposals.contains(where: \.includesSuperwall) {
      throw UsageError("--superwall-money sdk has no effect: no record is an event of Superwall's SDK")
    }
    if proposals.isEmpty {
      throw UsageError("--set and --event are for files that need a mapping; these files need none")
    }
    let columns = proposals.flatMap { $0.columns.map(\.path) }
    if let days = answers.fields[EventField.trialDays.name], let count = Int(days), !(1...366).contains(count),
      !columns.contains(days)
    {
      throw UsageError("--set trial_days=\(days): must be 1 to 366 days, or the name of a column")
    }
    for (field, path) in answers.fields.sorted(by: { $0.key < $1.key })
    where !columns.contains(path) && !columns.contains("'\(path)'")
      && !(field == EventField.trialDays.name && Int(path) != nil)
      && !(field == EventField.plan.name && Plan(name: path) != nil)
    {
      throw UsageError(
        "--set \(field)=\(path): no record has a column \(path); there are \(columns.prefix(12).joined(separator: ", "))"
          + NearName.hint(path, in: columns))
    }
    let names = proposals.flatMap { $0.names.map(\.name) }
    for name in answers.events.keys.sorted() where !names.contains(name) {
      throw UsageError(
        "--event '\(name)=…': no record has an event \(name); there are \(names.prefix(12).joined(separator: ", "))"
          + NearName.hint(name, in: names))
    }
  }

  /// Refuses files that may tell the same payments, unless their users paid at other times or `--both` is given.
  func requireOnePayment(of parts: [Part]) throws {
    let sources = parts.filter(\.hasMoney)
    guard sources.count > 1, !both else { return }
    let pairs = sources.indices.flatMap { left in
      sources.indices.filter { $0 > left }.map { (sources[left], sources[$0]) }
    }
    let areApart = pairs.allSatisfy { left, right in
      guard let left = left.proposal, let right = right.proposal else { return false }
      return left.hasOtherPayments(than: right)
    }
    if areApart { return }
    throw UsageError(
      "\(sources.map { $0.group.files[0].path }.joined(separator: " and ")) have payments; the same payment in two sources "
        + "would count twice. Take one of them, or say `--both` if no payment is in two" + Self.leavingOutOwn(sources))
  }

  /// Kinds that a store or a payment service tells besides payments.
  private static let serviceKinds: Set<EventKind> = [
    .trialStart, .conversion, .renewal, .payment, .cancellation, .reactivation, .expiration, .billingIssue, .refund,
  ]

  /// Returns the command that leaves out what the app's own events tell of payments and another file tells, too; empty if
  /// no file alone has the app's own events.
  private static func leavingOutOwn(_ sources: [Part]) -> String {
    func names(_ part: Part) -> [Proposal.Name] {
      (part.proposal?.names ?? []).filter { $0.name != "*" && $0.kind != nil && $0.confidence >= 0.6 }
    }
    let places = sources.indices.filter { names(sources[$0]).contains { $0.kind == .paywallImpression } }
    guard let place = places.first, places.count == 1 else { return "" }
    let others = sources.indices.filter { $0 != place }.map { sources[$0] }
    let told =
      others.contains { $0.proposal == nil }
      ? serviceKinds : serviceKinds.intersection(others.flatMap(names).compactMap(\.kind))
    let own = names(sources[place]).filter { name in
      name.kind.map { told.contains($0) || Proposal.paid.contains($0) } ?? false
    }
    let othersNames = Set(others.flatMap(names).map(\.name))
    guard own.allSatisfy({ !othersNames.contains($0.name) }) else { return "" }
    let options = own.map { "--event \("\($0.name)=ignore".shellWord)" }.joined(separator: " ")
    let path = sources[place].group.files[0].path
    return ". To leave out those of \(path): `tollgate init --yes \(options) \(wordsOfCall)`"
  }

  /// Says how to add the variants of users to their events.
  static func explanation(ofVariants proposal: Proposal, _ path: String, _ others: [String]) -> String {
    func column(_ field: EventField) -> String {
      "\"\(proposal.fields.first { $0.name == field.name }?.path ?? field.name)\""
    }
    let events = others.first ?? "EVENTS.csv"
    let stem = URL(fileURLWithPath: events).lastPathComponent.prefix { $0 != "." }
    let query =
      "COPY (SELECT e.*, v.\(column(.variant)) AS variant FROM '\(events)' e LEFT JOIN '\(path)' v USING "
      + "(\(column(.userID)))) TO '\(stem)-variants.csv'"
    let text =
      "has users and their variants, but no times, so it holds no events. Variants are read from paywall views. Add them to "
      + "your events\(others.isEmpty ? "" : " in \(events)"): `duckdb -c \(query.shellWord) && tollgate init "
      + "\(stem)-variants.csv`. The users' column must have the same name in both files"
    return others.isEmpty ? completed(text, insteadOf: path) : completed(text, insteadOf: events, without: path)
  }

  /// The options and files of this call but `--yes`, as a shell reads them.
  static var wordsOfCall: String {
    CommandLine.arguments.dropFirst(2).filter { $0 != "--yes" }.map(\.shellWord).joined(separator: " ")
  }

  /// Says that nothing tells the currency of amounts without cents.
  static func explanation(ofAmounts amounts: (path: String, example: String)) -> String {
    let cents = "--set \("price={path: \(amounts.path), scale: minor}".shellWord)"
    return
      "no column is a currency, and amounts such as \(amounts.example) in \(amounts.path) have no cents. Name the "
      + "currency, such as JPY or KRW: `tollgate init --yes --currency CODE \(wordsOfCall)`. If they are cents: `tollgate init "
      + "--yes --currency USD \(cents) \(wordsOfCall)`"
  }

  /// Returns advice in which `tollgate init FILE` has the options of this call, and its file stands in the place of one
  /// that cannot be read.
  ///
  /// - Parameter other: A file that it holds besides.
  static func completed(_ advice: String, insteadOf path: String, without other: String? = nil) -> String {
    let words = CommandLine.arguments.dropFirst(2)
    guard words.contains(path), let start = advice.range(of: "tollgate init "),
      let end = advice[start.upperBound...].firstIndex(of: "`")
    else { return advice }
    let file = String(advice[start.upperBound..<end])
    guard !file.contains("--"), file != "FILE" else { return advice }
    let own = words.filter { $0 != other }.map { $0 == path ? file : $0.shellWord }.joined(separator: " ")
    return advice.replacingCharacters(in: start.upperBound..<end, with: own)
  }

  /// Returns whether records hold users and their variants and no times.
  static func isOfVariants(_ proposal: Proposal) -> Bool {
    proposal.missing.contains("time") && !proposal.missing.contains("user") && proposal.columns.count <= 6
      && proposal.lists.isEmpty && proposal.unread == nil
      && proposal.fields.contains { $0.name == EventField.variant.name }
  }

  /// Says what a proposal lacks, and what to type next.
  ///
  /// - Parameters:
  ///   - names: The values of the column that is most likely the events' name.
  ///   - others: Other files of the call.
  static func explanation(
    of proposal: Proposal, _ path: String, names: [Proposal.Name] = [], others: [String] = []
  ) -> String {
    let file = path.shellWord
    let stem = URL(fileURLWithPath: path).lastPathComponent.prefix { $0 != "." }
    let lists = proposal.lists.sorted()
    if lists.count > 20, proposal.recordCount == 1 {
      return
        "is one object with a list of records for each of its \(lists.count) names. If the names are users, write one "
        + "record a line: `jq -c 'to_entries[] | .key as $user | .value[] + {user_id: $user}' \(file) > "
        + "\(stem)-events.ndjson && tollgate init \(stem)-events.ndjson`"
    }
    if lists.count > 1 { return explanation(ofLists: lists, in: proposal, file, "\(stem)") }
    if proposal.isKeyedByEvent {
      return
        "has each record in a member with its event's name. Write the name into the record: `jq -c 'to_entries[] | "
        + "{event: .key} + .value' \(file) > \(stem)-events.ndjson && tollgate init \(stem)-events.ndjson`"
    }
    if proposal.missing.contains("user"), proposal.hasCounts {
      return
        "has counts and no users, so its rows are no events. Export a row for each event of each user, with the user, the "
        + "time and the event's name"
    }
    if proposal.recordCount == 1, proposal.isByColumn || proposal.isByNumber {
      let lists = proposal.columns.filter { $0.type == "list" }
      let names = lists.first { $0.examples.first?.hasPrefix("[\"") ?? false }?.path
      let rows = lists.first { $0.examples.first?.hasPrefix("[[") ?? false }?.path
      let records =
        if let names, let rows {
          "dict(zip(d[\"\(names)\"], row)) for row in d[\"\(rows)\"]"
        } else if proposal.isByNumber {
          "{name: d[name].get(row) for name in d} for row in next(iter(d.values()))"
        } else {
          "dict(zip(d, row)) for row in zip(*d.values())"
        }
      let program = "import json, sys; d = json.load(sys.stdin); [print(json.dumps(r)) for r in (\(records))]"
      return
        "holds lists of values and no records. Write one object for each record: `python3 -c \(program.shellWord) < "
        + "\(file) > \(stem).ndjson && tollgate init \(stem).ndjson`"
    }
    if let state = proposal.repeatedState, proposal.likeliest("event name") == nil {
      return
        "repeats each subscription's state in \(state), but does not say what happened and when. Export one record for "
        + "each subscription with its times, such as trial_started_at, activated_at, cancelled_at and ended_at, or one for "
        + "each event with its name, such as trial_started, subscription_started and subscription_cancelled. Then "
        + "`tollgate init FILE`"
    }
    let options = ["user": "user_id", "time": "ts", "event name": "event"]
    let likely = proposal.missing.map { ($0, proposal.likeliest($0)) }
    let set = likely.map { "--set \("\(options[$0] ?? $0)=\($1 ?? "COLUMN")".shellWord)" }.joined(separator: " ")
    let columns = proposal.columns.prefix(12).map(\.path).joined(separator: ", ")
    let found = likely.compactMap(\.1)
    let hasAmounts = proposal.fields.contains { $0.name == EventField.price.name }
    let kind: (plural: String, name: String) =
      hasAmounts ? ("payments", "payment") : ("paywall views", "paywall_impression")
    var ofOneKind = "If all records are \(kind.plural): `tollgate init --yes --event '*=\(kind.name)' \(wordsOfCall)`. "
    if !others.isEmpty {
      let name = "\(kind.plural.replacing(" ", with: "_")).csv"
      ofOneKind += "If other files without event names are no \(kind.plural), call this one \(name) instead. "
    }
    let next =
      proposal.unread != nil && likely.count == 1
      ? ""
      : found.count == likely.count
        ? "the likeliest \(found.count == 1 ? "is" : "are") \(found.joined(separator: ", ")): "
          + "`tollgate init --yes \(set) \(wordsOfCall)`. "
        : "name it with `\(set)`. "
          + (proposal.missing.contains("user") ? "Without a column of users, no funnel can be counted. " : "")
    return "no column is clearly the \(proposal.missing.joined(separator: ", ")); " + next
      + (proposal.unread.map { $0 + ". " } ?? "")
      + (proposal.missing.contains("event name") ? ofOneKind : "")
      + valuesText(names)
      + "Columns: \(columns)"
  }

  /// Says how to write each list of records, and what else has times, to a file of its own.
  private static func explanation(ofLists lists: [String], in proposal: Proposal, _ file: String, _ stem: String)
    -> String
  {
    func members(_ names: [String]) -> String { names.map { ".[\"\($0)\"]" }.joined(separator: ", ") }
    let each = "if type == \"array\" then .[] else . end"
    let times = proposal.columns.filter { $0.type == "instant" && $0.path.contains(".") }
    let own = Set(times.compactMap { $0.path.split(separator: ".").first.map(String.init) }).subtracting(lists).sorted()
    let filter =
      proposal.recordCount == 1
      ? ".[$list][]" : "\(each) | . as $all | (.[$list] // [])[] + ($all | del(\(members(lists + own))))"
    let rest =
      proposal.recordCount == 1 || own.isEmpty
      ? "" : "; jq -c \("\(each) | del(\(members(lists)))".shellWord) \(file) > \(stem)/\(stem).ndjson"
    return
      "holds the lists \(lists.joined(separator: ", ")). Write each to a file of its own: `mkdir -p \(stem); for list in "
      + "\(lists.map(\.shellWord).joined(separator: " ")); do jq -c --arg list $list \(filter.shellWord) \(file) > "
      + "\(stem)/$list.ndjson; done\(rest) && tollgate init \(stem)`"
  }

  /// Lists values that may be the names of events, and how to say what they mean.
  private static func valuesText(_ names: [Proposal.Name]) -> String {
    if names.isEmpty { return "" }
    let shown = names.prefix(12).map { "\($0.name) (\(grouped($0.count)))" }.joined(separator: ", ")
    return "Its values are \(shown)\(names.count > 12 ? " and \(names.count - 12) more" : ""). Add `--event "
      + "\("\(names[0].name)=KIND".shellWord)` for each that you know, with KIND one of paywall_impression, trial_start, "
      + "conversion, renewal, cancellation, refund and others (tollgate mapping --help). "
  }

  /// Says how to write events that are keyed by their ids as a list.
  static func explanation(ofKeyed proposal: Proposal, _ path: String) -> String {
    let stem = URL(fileURLWithPath: path).lastPathComponent.prefix { $0 != "." }
    let roots = Set(proposal.columns.map { $0.path.prefix { $0 != "." } })
    let list = roots.count == 1 ? ".[\"\(roots.first ?? "")\"] | " : ""
    let filter = "\(list)to_entries[] | {event_id: .key} + .value"
    return
      "\(counted(proposal.recordCount, "record")) with \(grouped(proposal.columns.count)) columns, which look like events keyed by "
      + "their ids. Write one event a line: `jq -c \(filter.shellWord) \(path.shellWord) > \(stem)-events.ndjson && "
      + "tollgate init \(stem)-events.ndjson`"
  }

  /// Asks what the data leave open.
  func answer(_ questions: [Proposal.Question], _ proposal: Proposal, _ answers: inout ProposalAnswers) {
    for question in questions.prefix(3) {
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
      case .dayOrder(let example):
        printShown("Dates such as \(example): day-first or month-first? [day-first]", terminator: " ")
        let line = readLine() ?? ""
        answers.dates = line == "month-first" ? line : "day-first"
      case .currency:
        repeat {
          printShown("Which currency are amounts in, such as EUR? [USD]", terminator: " ")
          let line = readLine() ?? ""
          answers.currency = line.isEmpty ? "USD" : line.uppercased()
          if !Onboarding.isCurrency(answers.currency ?? "") {
            printShown("\(line) is not a currency code, such as EUR.")
          }
        } while !Onboarding.isCurrency(answers.currency ?? "")
      }
    }
  }
}
