internal import Basics
internal import EventModel
internal import Metrics
public import Reports
internal import Store

/// Calls the tools on one store, each call on a snapshot of its own.
public struct AgentTools: Sendable {
  /// The result of `tollgate verify`: the verdict, and the cause unless it is `same`.
  public typealias Verify = @Sendable (Receipt) throws -> (verdict: String, cause: String?)

  private static let mostValues = 20
  private static let mostProperties = 50
  /// A refusal costs at most so many further reports.
  private static let mostAttempts = 5

  private let storePath: String
  private let version: String
  private let timeLimit: Duration
  let files: AgentFiles
  private let verify: Verify

  public init(
    storePath: String, version: String, timeLimit: Duration, files: AgentFiles, verify: @escaping Verify
  ) {
    (self.storePath, self.version, self.timeLimit) = (storePath, version, timeLimit)
    (self.files, self.verify) = (files, verify)
  }

  /// Returns the result of a call, or its refusal (Agents.md, "What an agent can ask" and "Refusals").
  ///
  /// - Throws: Errors that are not about the arguments, such as a store that cannot be read.
  func call(_ tool: Tool, _ arguments: JSONNode) throws -> JSONNode {
    let deadline = ContinuousClock.now + timeLimit
    do {
      let content = try content(tool, arguments, deadline)
      return .object([
        "content": .array([.object(["type": "text", "text": .string(String(decoding: content.json, as: UTF8.self))])]),
        "structuredContent": content, "isError": .bool(false),
      ])
    } catch {
      guard let refusal = Refusal(error, arguments) else { throw error }
      let attempt = working(refusal.attempts + Refusal.fewer(arguments), insteadOf: arguments, tool, deadline)
      return .object([
        "content": .array([.object(["type": "text", "text": .string(refusal.text)])]),
        "structuredContent": refusal.json(attempt), "isError": .bool(true),
      ])
    }
  }

  /// Returns the first of some arguments that is answered.
  private func working(
    _ attempts: [JSONNode], insteadOf arguments: JSONNode, _ tool: Tool, _ deadline: ContinuousClock.Instant
  ) -> JSONNode? {
    var tried: Set = [arguments.json]
    for attempt in attempts where tried.insert(attempt.json).inserted {
      if tried.count > Self.mostAttempts || ContinuousClock.now > deadline { return nil }
      if (try? content(tool, attempt, deadline)) != nil { return attempt }
    }
    return nil
  }

  private func content(
    _ tool: Tool, _ arguments: JSONNode, _ deadline: ContinuousClock.Instant
  ) throws -> JSONNode {
    switch tool.name {
    case "report":
      if let name = arguments["view"], !name.isNull { return try view(name, arguments, deadline) }
      return try report(.report, arguments.setting("view", to: nil), naming: "name", deadline)
    case "why": return try report(.drivers, arguments, naming: "report", deadline)
    case "explain": return try report(.explanation, arguments, naming: "report", deadline)
    case "experiment": return try answer(.experiment, .report, arguments, naming: [], deadline)
    case "health": return try answer(.health, .report, arguments, naming: [], deadline)
    case "reconcile": return try answer(.reconcile, .report, arguments, naming: [], deadline)
    default: break
    }
    let known = tool.input["properties"]?.members?.map(\.name) ?? []
    for member in arguments.members ?? [] where !known.contains(member.name) {
      throw Refusal(
        .outOfRange, "\(tool.name) has no argument \(member.name)", missing: member.name, known: known,
        attempts: [arguments.setting(member.name, to: nil)])
    }
    switch tool.name {
    case "definition": return try definition(arguments)
    case "verify":
      guard let node = arguments["receipt"] else {
        throw Refusal(.outOfRange, "receipt is not given; pass the receipt of an answer", missing: "receipt")
      }
      let (verdict, cause) = try verify(try Receipt(node))
      return .object(["verdict": .string(verdict), "cause": cause.map(JSONNode.string) ?? .null])
    default: return try read(deadline, catalog)
    }
  }

  private func read<Result>(
    _ deadline: ContinuousClock.Instant, _ body: (StoreSnapshot) throws -> Result
  ) throws -> Result {
    try Store.open(readOnly: storePath).read(until: deadline, body)
  }

  private func report(
    _ aspect: ReportRequest.Aspect, _ arguments: JSONNode, naming name: String, _ deadline: ContinuousClock.Instant
  ) throws -> JSONNode {
    let kinds = Tool.kinds(of: aspect)
    let asked = arguments[name]?.text ?? ""
    guard let kind = kinds.first(where: { $0.name == asked }) else {
      let problem = asked.isEmpty ? "\(name) is not given" : "\(asked) is not a report"
      var refusal = Refusal(
        .unknownReport, "\(problem); expected one of " + kinds.map(\.name).joined(separator: ", "),
        missing: asked.isEmpty ? name : asked, known: kinds.map(\.name))
      // Of any report.
      let common = JSONNode.object((arguments.members ?? []).filter { ["app", "from", "to"].contains($0.name) })
      refusal.attempts = refusal.known.prefix(Refusal.mostNames).compactMap(ReportKind.named).map { kind in
        let column = aspect == .drivers ? kind.driverColumns.first : kind.columns.first
        return common.setting(name, to: .string(kind.name))
          .setting("column", to: aspect == .report ? nil : column.map { .string($0.identifier) })
      }
      throw refusal
    }
    return try answer(kind, aspect, arguments, naming: [name], deadline)
  }

  /// Answers with a saved view: a report whose options people have set.
  private func view(
    _ name: JSONNode, _ arguments: JSONNode, _ deadline: ContinuousClock.Instant
  ) throws -> JSONNode {
    let (views, name) = (try files.views(), name.text ?? "")
    guard let view = views.first(where: { $0.name == name }) else {
      let names = views.map(\.name)
      var refusal = Refusal(
        .unknownValue,
        names.isEmpty
          ? "there are no saved views" : "\(name) is not a view; expected one of \(names.joined(separator: ", "))",
        missing: name.isEmpty ? "view" : name, known: names)
      refusal.attempts = refusal.known.prefix(Refusal.mostNames).map { arguments.setting("view", to: .string($0)) }
      throw refusal
    }
    let own = ["view", "limit", "columns"]
    for member in arguments.members ?? [] where !own.contains(member.name) && !member.value.isNull {
      let attempt = (arguments.members ?? []).filter { own.contains($0.name) }
      throw Refusal(
        .ambiguous, "the view \(view.name) sets its own report and options: leave out \(member.name)",
        missing: member.name, known: own, attempts: [.object(attempt)])
    }
    return try read(deadline, try ReportTool(view, arguments, version: version).answer)
  }

  private func answer(
    _ kind: ReportKind, _ aspect: ReportRequest.Aspect, _ arguments: JSONNode, naming names: Set<String>,
    _ deadline: ContinuousClock.Instant
  ) throws -> JSONNode {
    try read(deadline, try ReportTool(kind, aspect, arguments, naming: names, version: version).answer)
  }

  private func definition(_ arguments: JSONNode) throws -> JSONNode {
    let number = arguments["rule"]?.text ?? ""
    if let rule = RuleAnswer(number) { return rule.json }
    throw Refusal(
      .unknownValue, "there is no rule \(number)", missing: number, known: RuleAnswer.numbers,
      attempts: RuleAnswer.numbers.prefix(1).map { .object(["rule": .string($0)]) })
  }

  private func catalog(_ snapshot: StoreSnapshot) throws -> JSONNode {
    let apps = try snapshot.apps().map { app -> JSONNode in
      .object([
        "name": .string(app.name), "events": .string(String(app.events)),
        "first_day": .string(Instant(millisecondsSince1970: app.firstDay).date.description),
        "as_of": app.newestAsOf.map { .string(Instant(millisecondsSince1970: $0).description) } ?? .null,
      ])
    }
    let reports = Tool.kinds(of: .report).map { kind -> JSONNode in
      .object([
        "name": .string(kind.name), "question": .string(kind.question), "by": .texts(kind.defaultBy.map(\.name)),
        "columns": .texts(kind.columns.map(\.identifier)),
      ])
    }
    let experiments = JSONNode(
      parsing: Array(try ReportRequest(.experiments).run(snapshot).text(as: .json, options: RenderOptions()).utf8))
    return .object([
      "apps": .array(apps), "reports": .array(reports),
      "dimensions": .array(
        try Dimension.ofViews.map { try values(of: $0, .funnel, ["users", "immature"], as: "users", snapshot) }
          + Dimension.ofTerms.map { try values(of: $0, .refunds, ["payments"], as: "payments", snapshot) }),
      "properties": .array(
        try snapshot.propertyNames(atMost: Self.mostProperties).map {
          .object(["name": .string(Dimension.property($0).name)])
        }),
      "experiments": experiments?["rows"]?.withTextNumbers ?? .array([]),
      "paths": .array([.object(["name": .string(PathPlan.checkoutName), "report": .string(ReportKind.paths.name)])]),
      "cohorts": .array(
        try (Cohort.all(of: snapshot).cohorts ?? []).map { cohort in
          .object([
            "name": .string(cohort.name), "app": cohort.app.map(JSONNode.string) ?? .null,
            "where": .string("cohort:\(cohort.name)"), "looks_ahead": .bool(cohort.looksAhead(of: nil)),
          ])
        }),
      "notes": .array(
        try DayNote.all(of: snapshot).map { note in
          .object([
            "day": .string(note.words), "app": note.app.map(JSONNode.string) ?? .null, "text": .string(note.text),
            "tags": .texts(note.tags),
          ])
        }),
      "views": .array(
        try files.views().map { view in
          .object([
            "name": .string(view.name), "report": .string(view.kind.name),
            "command": .string("tollgate \(CommandLineText(view.words))"),
            "note": view.note.map(JSONNode.string) ?? .null,
          ])
        }),
    ])
  }

  /// The values of a dimension with how many units of a report have them, most first.
  ///
  /// - Parameters:
  ///   - columns: The report's columns that add up to its units.
  ///   - name: The key of their number.
  private func values(
    of dimension: Dimension, _ kind: ReportKind, _ columns: [String], as name: String, _ snapshot: StoreSnapshot
  ) throws -> JSONNode {
    var options = ReportOptions()
    options.by = [dimension]
    let table = try kind.report(snapshot, options)
    var counts: [String: Int] = [:]
    for row in table.rows {
      guard let key = table.place(dimension.name), case .text(let value) = row[key] else { continue }
      for column in columns {
        if let place = table.place(column), case .count(let count) = row[place] { counts[value, default: 0] += count }
      }
    }
    let sorted = counts.sorted { $0.value == $1.value ? precedesInBytes($0.key, $1.key) : $0.value > $1.value }
    return .object([
      "name": .string(dimension.name), "values_total": .string(String(counts.count)),
      "values": .array(
        sorted.prefix(Self.mostValues).map { .object(["value": .string($0.key), name: .string(String($0.value))]) }),
    ])
  }
}
