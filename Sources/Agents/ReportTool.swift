internal import Basics
internal import EventModel
internal import Metrics
internal import Reports
internal import Store

/// Answers a call with a report, an explanation or the drivers of a change, and its receipt.
struct ReportTool {
  static let mostRows = 500
  static let usualRows = 50
  /// Options that the reconciliation's command has.
  private static let reconcileOptions: Set = ["app", "from", "to", "timezone"]

  let version: String
  let kind: ReportKind
  let aspect: ReportRequest.Aspect
  /// The arguments of the call, for suggestions.
  let arguments: JSONNode
  private var given: [ReportRequest.Given] = []
  private var limit = usualRows
  private var columns: String?

  /// - Parameter names: Arguments that say which report it is.
  /// - Throws: ``Refusal`` for arguments that the report does not have.
  init(
    _ kind: ReportKind, _ aspect: ReportRequest.Aspect, _ arguments: JSONNode, naming names: Set<String>,
    version: String
  ) throws {
    (self.kind, self.aspect, self.arguments, self.version) = (kind, aspect, arguments, version)
    let options = kind.options(of: aspect)
    for member in arguments.members ?? [] where !names.contains(member.name) {
      if member.name == "limit" {
        try setLimit(member.value)
        continue
      }
      let texts = try Self.texts(member.value, of: member.name, arguments)
      if member.name == "columns" {
        columns = texts.joined(separator: ",")
        continue
      }
      guard let option = options.first(where: { ToolSchema.argument($0) == member.name }) else {
        throw Refusal(
          .outOfRange, "\(kind.name) has no argument \(member.name)", missing: member.name,
          known: options.map(ToolSchema.argument) + ["limit", "columns"],
          attempt: arguments.setting(member.name, to: nil))
      }
      given.append(.init(option.name, texts))
    }
  }

  /// Answers with a saved view.
  ///
  /// - Parameter arguments: With `limit` and `columns` at most, which go before those of the view.
  init(_ view: NamedReport, _ arguments: JSONNode, version: String) throws {
    try self.init(view.kind, .report, arguments, naming: ["view", "name"], version: version)
    given = view.given.filter { $0.option != "limit" }
    columns = columns ?? view.columns
    if arguments["limit"] == nil, let limit = view.given.first(where: { $0.option == "limit" })?.texts.first {
      try setLimit(.number(limit))
    }
  }

  private mutating func setLimit(_ value: JSONNode) throws {
    guard case .number(let digits) = value, let limit = Int(digits), limit >= 1 else {
      throw Refusal(
        .outOfRange, "limit must be a whole number from 1 to \(Self.mostRows)", missing: "limit",
        attempt: arguments.setting("limit", to: nil))
    }
    if limit > Self.mostRows {
      throw Refusal(
        .tooManyRows, "an answer has at most \(Self.mostRows) rows: narrow it with where, from, to, app or by",
        missing: digits, known: ["where", "from", "to", "app", "by"],
        attempt: arguments.setting("limit", to: .number("\(Self.mostRows)")))
    }
    self.limit = limit
  }

  private static func texts(_ value: JSONNode, of name: String, _ arguments: JSONNode) throws -> [String] {
    switch value {
    case .string(let text): return [text]
    case .number(let digits): return [digits]
    case .bool(let flag): return flag ? ["true"] : []
    case .null: return []
    case .array(let elements):
      return try elements.flatMap { element in
        if case .array = element { throw wrong(name, arguments) }
        return try texts(element, of: name, arguments)
      }
    case .object(let members):
      guard name == "key" || name == "where" else { throw wrong(name, arguments) }
      return try members.map { member in
        "\(member.name)=\(try texts(member.value, of: name, arguments).joined(separator: ","))"
      }
    }
  }

  private static func wrong(_ name: String, _ arguments: JSONNode) -> Refusal {
    Refusal(
      .outOfRange, "\(name) must be a text or a list of texts", missing: name,
      attempt: arguments.setting(name, to: nil))
  }

  func answer(_ snapshot: StoreSnapshot) throws -> JSONNode {
    let asked = try ReportRequest(kind, given, aspect)
    try asked.checkExplained()
    return try asked.settlingCurrency(snapshot) { currency, note in
      var spelled = try asked.spelledOut(snapshot, currency: currency)
      var own = ["--format", "json"]
      if kind == .reconcile, !asked.bridge.isGiven {
        spelled = spelled.filter { Self.reconcileOptions.contains($0.option) }.map { item in
          let isOpen = item.option == "timezone" && !given.contains { $0.option == "timezone" }
          return isOpen ? .init(item.option, [Reconciliation.timeZone]) : item
        }
        own.append("--by=month")
      }
      own.append("--limit=\(limit)")
      if let columns { own.append("--columns=\(columns)") }
      var request = try ReportRequest(kind, spelled, aspect)
      request.explained?.limit = limit
      let made = try request.run(snapshot)
      try checkValues(request, snapshot)
      if made.rowCount == 0, let empty = made.emptyNote {
        let days = ["from", "to", "last"].filter { name in given.contains { $0.option == name } }
        let narrowing = days + (given.contains { $0.option == "where" } ? ["where"] : [])
        let isOfDays = narrowing == days && !days.isEmpty
        throw Refusal(
          isOfDays ? .outOfRange : .noSuchData, empty, missing: narrowing.first ?? kind.name,
          attempt: narrowing.isEmpty ? nil : narrowing.reduce(arguments) { $0.setting($1, to: nil) })
      }
      var look = RenderOptions()
      (look.limit, look.sort, look.columns) = (limit, request.sort, columns)
      let text = try made.text(as: .json, options: look)
      let receipt = Receipt(
        version: version, command: kind.words(spelled, aspect, own: own), store: try snapshot.state(), printing: text)
      let notes = [note].compactMap(\.self) + asked.warnings + made.warnings
      return try content(made, JSONNode(parsing: Array(text.utf8)) ?? .null, request, receipt, notes: notes)
    }
  }

  /// Refuses a filter with a value that no row of the report ever has.
  private func checkValues(_ request: ReportRequest, _ snapshot: StoreSnapshot) throws {
    for filter in request.options.filters where !filter.dimension.isPeriod {
      var options = request.options
      (options.filters, options.from, options.to, options.by) = ([], nil, nil, [filter.dimension])
      guard let table = try? kind.report(snapshot, options),
        let place = table.columns.firstIndex(where: { $0.name == filter.dimension.name })
      else { continue }
      var known: [String] = []
      for case .text(let text) in table.rows.map({ $0[place] }) where !known.contains(text) { known.append(text) }
      for value in filter.values where !known.contains(value) {
        var refusal = Refusal(
          .unknownValue, "\(filter.dimension.name) is never \(value) in \(kind.name)", missing: value, known: known)
        refusal.attempt = refusal.known.first.map {
          arguments.setting("where", to: .string("\(filter.dimension.name)=\($0)"))
        }
        throw refusal
      }
    }
  }

  private func content(
    _ made: FinishedReport, _ printed: JSONNode, _ request: ReportRequest, _ receipt: Receipt, notes: [String]
  ) throws -> JSONNode {
    let rows = (printed["rows"] ?? printed["persons"])?.elements?.map(\.withTextNumbers) ?? []
    var total = made.rowCount
    if case .number(let digits)? = printed["persons_total"] { total = Int(digits) ?? total }
    let immature = Self.immature(made)
    let columns = columnNodes(made, rows)
    try refuseEmpty(rows, immature: immature)
    var members = [
      JSONMember("report", .string(kind.name)), JSONMember("question", .string(kind.question)),
      JSONMember("definition", printed["definition"] ?? .array([])), JSONMember("columns", .array(columns)),
      JSONMember("rows", .array(rows)), JSONMember("as_of", printed["as_of"] ?? .object([])),
      JSONMember(
        "maturity",
        .object([
          "immature": immature.map { .string(String($0)) } ?? .null,
          "complete": immature.map { .bool($0 == 0) } ?? .null,
          "horizon": made.parameter("horizon_days").map(JSONNode.string) ?? .null,
        ])),
      JSONMember("notes", .texts(notes)), JSONMember("rows_total", JSONNode(Int64(total))),
      JSONMember("rows_given", JSONNode(Int64(rows.count))), JSONMember("receipt", receipt.json),
    ]
    if let value = printed["value"] { members.append(JSONMember("value", value.withTextNumbers)) }
    return .object(members)
  }

  /// Returns how many units of all rows are too recent to count; `nil` where the report does not say.
  private static func immature(_ made: FinishedReport) -> Int? {
    guard case .tables(let reports) = made, let report = reports.first,
      let place = report.columns.firstIndex(where: { $0.name == "immature" })
    else { return nil }
    return report.rows.reduce(0) { sum, row in if case .count(let count) = row[place] { sum + count } else { sum } }
  }

  /// Refuses if a column that was asked for by name has no value in any row.
  private func refuseEmpty(_ rows: [JSONNode], immature: Int?) throws {
    guard let columns, !rows.isEmpty else { return }
    for name in columns.split(separator: ",").map(String.init) {
      let isEmpty = rows.allSatisfy { if case .null? = $0[name] { true } else { false } }
      if isEmpty {
        throw Refusal(
          immature ?? 0 > 0 ? .notMatured : .noDenominator,
          "\(name) has no value: nobody is old enough to count, or its denominator is 0", missing: name,
          attempt: arguments.setting("columns", to: nil))
      }
    }
  }

  private func columnNodes(_ made: FinishedReport, _ rows: [JSONNode]) -> [JSONNode] {
    let names = rows.first?.members?.map(\.name) ?? []
    var kinds: [String: ReportColumn] = [:]
    if case .tables(let reports) = made {
      for column in reports.first?.columns ?? [] { kinds[column.name] = column }
    }
    return names.map { name in
      let info = kind.info(of: kinds[name] ?? ReportColumn(name, .key))
      let hasNull = rows.contains { if case .null? = $0[name] { true } else { false } }
      return .object([
        "name": .string(name), "unit": .string(info?.unit ?? ""), "rule": .string(info?.rule ?? ""),
        "help": .string(info?.help ?? ""),
        "reason": hasNull ? "null where the denominator is 0, or nobody is old enough to count" : .null,
      ])
    }
  }
}
