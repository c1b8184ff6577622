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
        columns = Self.names(texts).joined(separator: ",")
        continue
      }
      guard let option = options.first(where: { ToolSchema.argument($0) == member.name }) else {
        throw Refusal(
          .outOfRange, "\(kind.name) has no argument \(member.name)", missing: member.name,
          known: options.map(ToolSchema.argument) + ["limit", "columns"],
          attempts: [arguments.setting(member.name, to: nil)])
      }
      given.append(.init(option.name, member.name == "by" ? Self.names(texts) : texts))
    }
  }

  /// Names of lists such as `variant, country`.
  private static func names(_ texts: [String]) -> [String] {
    texts.flatMap { $0.split(separator: ",", omittingEmptySubsequences: false) }.map { name in
      String(name.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
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
    var digits = ""
    switch value {
    case .number(let text), .string(let text): digits = text
    default: break
    }
    guard let limit = Int(digits), limit >= 1 else {
      throw Refusal(
        .outOfRange, "limit must be a whole number from 1 to \(Self.mostRows)", missing: "limit",
        attempts: [arguments.setting("limit", to: nil)])
    }
    if limit > Self.mostRows {
      throw Refusal(
        .tooManyRows, "an answer has at most \(Self.mostRows) rows: narrow it with where, from, to, app or by",
        missing: digits, known: ["where", "from", "to", "app", "by"],
        attempts: [arguments.setting("limit", to: .number("\(Self.mostRows)"))])
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
        let values = try texts(member.value, of: name, arguments)
        if values.isEmpty {
          throw Refusal(
            .outOfRange, "\(name) has no value for \(member.name); an empty text stands for users without one",
            missing: member.name, attempts: [arguments.setting(name, to: nil)])
        }
        return "\(member.name)=\(values.joined(separator: ","))"
      }
    }
  }

  private static func wrong(_ name: String, _ arguments: JSONNode) -> Refusal {
    Refusal(
      .outOfRange, "\(name) must be a text or a list of texts", missing: name,
      attempts: [arguments.setting(name, to: nil)])
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
      try checkProperties(request, snapshot)
      let made = try request.run(snapshot)
      try checkValues(request, snapshot)
      if made.rowCount == 0, let reason = request.reason { throw try unknownReason(reason, snapshot) }
      if made.rowCount == 0, let empty = made.emptyNote {
        if let report = made.firstTable, report.isTooRecent { throw tooRecent(empty, report.settledDays) }
        let days = ["from", "to", "last"].filter { name in given.contains { $0.option == name } }
        let narrowing = days + (given.contains { $0.option == "where" } ? ["where"] : [])
        let isOfDays = narrowing == days && !days.isEmpty
        throw Refusal(
          isOfDays ? .outOfRange : .noSuchData, empty, missing: narrowing.first ?? kind.name,
          attempts: [(narrowing + ["as_of"]).reduce(arguments) { $0.setting($1, to: nil) }])
      }
      if made.rowCount == 0, case .tables = made, kind.isExplainable, ![.experiments, .health].contains(kind) {
        throw nothing()
      }
      var look = RenderOptions()
      (look.limit, look.sort, look.columns) = (limit, request.sort, columns)
      let text = try made.text(as: .json, options: look)
      let receipt = try Receipt(
        version: version, command: kind.words(spelled, aspect, own: own), on: snapshot, printing: text)
      let notes =
        [note, made.emptySentence].compactMap(\.self) + asked.warnings + made.warnings
        + (try coverage(made, request.options, snapshot))
      return try content(made, JSONNode(parsing: Array(text.utf8)) ?? .null, request, receipt, notes: notes)
    }
  }

  /// The refusal to explain a change of units that are too recent.
  ///
  /// - Parameter days: Those of which all units count.
  private func tooRecent(_ text: String, _ days: (from: CivilDate, to: CivilDate)?) -> Refusal {
    let attempt = days.map { days in
      arguments.setting("last", to: nil).setting("from", to: .string("\(days.from)"))
        .setting("to", to: .string("\(days.to)"))
    }
    return Refusal(.notMatured, text, missing: "from", attempts: [attempt].compactMap(\.self))
  }

  /// The refusal of a reason for which no line was rejected.
  private func unknownReason(_ reason: String, _ snapshot: StoreSnapshot) throws -> Refusal {
    let known = Set(try snapshot.quarantine().map(\.reason)).sorted(by: precedesInBytes)
    return Refusal(
      .unknownValue, "no line was rejected for \(reason)", missing: reason, known: known,
      attempts: known.prefix(Refusal.mostNames).map { arguments.setting("reason", to: .string($0)) }
        + [arguments.setting("reason", to: nil)])
  }

  /// The refusal of a report that no event is of.
  private func nothing() -> Refusal {
    let apps = given.filter { $0.option == "app" }.flatMap(\.texts)
    let words = apps.isEmpty ? "" : " of \(apps.joined(separator: ", "))"
    return Refusal(
      .noSuchData, "\(kind.name) has no rows: no event\(words) is of its kind", missing: kind.name,
      attempts: [arguments.setting("app", to: nil)])
  }

  /// Refuses a property that no event has.
  private func checkProperties(_ request: ReportRequest, _ snapshot: StoreSnapshot) throws {
    // Campaigns are in the spend too, and another property may name those of users.
    if kind == .payback { return }
    let used = [("by", request.options.by ?? []), ("where", request.options.filters.map(\.dimension))]
    for (argument, dimensions) in used {
      for case .property(let name) in dimensions where try !snapshot.hasProperty(name) {
        let known = try snapshot.propertyNames(atMost: Refusal.mostKnown).map { Dimension.property($0).name }
        throw Refusal(
          .unknownDimension, "no event has the property \(name)", missing: Dimension.property(name).name, known: known,
          attempts: [arguments.setting(argument, to: nil)])
      }
    }
  }

  /// Refuses a filter with a value that no row of the report ever has.
  private func checkValues(_ request: ReportRequest, _ snapshot: StoreSnapshot) throws {
    var wanted = request.options.filters.map { ("where", $0) }
    if let filter = request.comparedFilter { wanted.append(("compare", filter)) }
    for (argument, filter) in wanted where !filter.dimension.isPeriod {
      var options = request.options
      (options.filters, options.from, options.to, options.by) = ([], nil, nil, [filter.dimension])
      guard let table = try? kind.report(snapshot, options),
        let place = table.place(filter.dimension.name)
      else { continue }
      let known = table.rows.compactMap { if case .text(let text) = $0[place] { text } else { nil } }
        .inGroups(by: \.self).map(\.key)
      for value in filter.values where !known.contains(value) {
        var refusal = Refusal(
          .unknownValue, "\(filter.dimension.name) is never \(value) in \(kind.name)", missing: value, known: known)
        refusal.attempts = refusal.known.prefix(Refusal.mostNames).map {
          arguments.setting(argument, to: .string("\(filter.dimension.name)=\($0)"))
        }
        throw refusal
      }
    }
  }

  /// Says which days have data, where the report asks for others or has rows by period.
  private func coverage(
    _ made: FinishedReport, _ options: ReportOptions, _ snapshot: StoreSnapshot
  ) throws -> [String] {
    guard aspect == .report, let report = made.firstTable, kind.options.contains(where: { $0.name == "from" }) else {
      return []
    }
    let hasPeriods = (options.by ?? kind.defaultBy).contains(where: \.isPeriod)
    return try snapshot.apps().compactMap { app in
      guard let end = report.asOf.first(where: { $0.app == app.name })?.asOf else { return nil }
      let first = Instant(millisecondsSince1970: app.firstDay).date
      let last = Instant(millisecondsSince1970: end - 1).date
      let isBeyond =
        options.from.map { $0 < first } ?? false
        || options.to.map { $0.daysSince1970 > last.daysSince1970 + 1 } ?? false
      return hasPeriods || isBeyond
        ? "\(app.name) has data of \(first) to \(last): a period that goes beyond is not complete" : nil
    }
  }

  private func content(
    _ made: FinishedReport, _ printed: JSONNode, _ request: ReportRequest, _ receipt: Receipt, notes: [String]
  ) throws -> JSONNode {
    let rows = (printed["rows"] ?? printed["persons"])?.elements?.map(\.withTextNumbers) ?? []
    var total = made.rowCount
    if case .number(let digits)? = printed["persons_total"] { total = Int(digits) ?? total }
    let immature = Self.immature(made)
    let isOfSides = request.comparison != nil || aspect == .drivers
    let columns = columnNodes(made, rows, isOfSides: isOfSides)
    var notes = notes
    if rows.count < total {
      notes.append("\(rows.count) of \(total) rows are given: narrow the report, sort it, or pass a larger limit")
    }
    try refuseEmpty(made, rows, immature: immature, isOfSides: isOfSides)
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
    guard let report = made.firstTable, let place = report.place("immature") else { return nil }
    return report.rows.reduce(0) { sum, row in if case .count(let count) = row[place] { sum + count } else { sum } }
  }

  /// Refuses if a column that was asked for by name has no value in any row.
  private func refuseEmpty(_ made: FinishedReport, _ rows: [JSONNode], immature: Int?, isOfSides: Bool) throws {
    guard let columns, !rows.isEmpty else { return }
    for name in columns.split(separator: ",").map(String.init) {
      guard rows.allSatisfy({ if case .null? = $0[name] { true } else { false } }) else { continue }
      func refusal(_ code: Refusal.Code, _ reason: String) -> Refusal {
        Refusal(
          code, "\(name) has no value: \(reason)", missing: name, attempts: [arguments.setting("columns", to: nil)])
      }
      let told = Self.reasons(name, made)
      if !told.isEmpty { throw refusal(.noSuchData, told.joined(separator: "; ")) }
      switch made.firstTable.flatMap({ kind.absence(of: name, in: $0) }) {
      case .tooRecent?: throw refusal(.notMatured, "every user is too recent to count")
      case .noDenominator?: throw refusal(.noDenominator, "its denominator is 0")
      case .other?: throw refusal(.noSuchData, "no row has one")
      case nil where isOfSides: throw refusal(.noSuchData, "no row has one")
      case nil:
        throw refusal(
          immature ?? 0 > 0 ? .notMatured : .noDenominator, "all users are too recent to count, or its denominator is 0"
        )
      }
    }
  }

  /// Returns why a column has no value in some rows, as these rows say themselves.
  private static func reasons(_ name: String, _ made: FinishedReport) -> [String] {
    (made.firstTable?.reasons(for: name) ?? []).inGroups(by: \.self).map(\.key)
  }

  private func columnNodes(_ made: FinishedReport, _ rows: [JSONNode], isOfSides: Bool) -> [JSONNode] {
    let names = rows.first?.members?.map(\.name) ?? []
    var kinds: [String: ReportColumn] = [:]
    for column in made.firstTable?.columns ?? [] { kinds[column.name] = column }
    return names.map { name in
      let info = kind.info(of: kinds[name] ?? ReportColumn(name, .key))
      let hasNull = rows.contains { if case .null? = $0[name] { true } else { false } }
      let told = Self.reasons(name, made)
      let reason =
        !told.isEmpty
        ? "null where the row says: \(told.joined(separator: "; "))"
        : isOfSides
          ? "null where the row has none"
          : "null where the denominator is 0, or all users are too recent to count"
      return .object([
        "name": .string(name), "unit": .string(info?.unit ?? ""), "rule": .string(info?.rule ?? ""),
        "help": .string(info?.help ?? ""),
        "reason": hasNull ? .string(reason) : .null,
      ])
    }
  }
}
