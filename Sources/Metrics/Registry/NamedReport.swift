public import Basics

/// A report and its options, named in a file (SaveViewsCohortsAndNotes.md, "Views").
public struct NamedReport: Sendable {
  public let name: String
  public let kind: ReportKind
  /// Its options; days that depend on the data are words.
  public let given: [ReportRequest.Given]
  /// The columns of a table, as `--columns` takes them; `nil` for the report's own.
  public let columns: String?
  /// Whether a table's rates are drawn as bars and intervals.
  public let isDrawn: Bool
  /// A sentence on what it is for.
  public let note: String?
  public let request: ReportRequest

  /// The words of its command; a full period is one word of `--last`.
  public var words: [String] {
    var given = given
    func day(_ option: String) -> String? { self.given.first { $0.option == option }?.texts.first }
    if let from = day("from"), from == day("to"), from.hasPrefix("last "),
      let place = given.firstIndex(where: { $0.option == "from" }), kind.options.contains(where: { $0.name == "last" })
    {
      given[place] = .init("last", [String(from.dropFirst(5))])
      given.removeAll { $0.option == "to" }
    }
    return kind.words(given, own: columns.map { ["--columns=\($0)"] } ?? [])
  }

  /// Reads the reports of a file: `views: NAME: {report:, …}` with the options of the report as further keys.
  ///
  /// - Throws: ``ConfigurationError`` with file, line and key.
  public static func all(yaml text: String, file: String) throws(ConfigurationError) -> [NamedReport] {
    try YAMLValue.named("views", in: text, file: file).members().map { name, value throws(ConfigurationError) in
      try NamedReport(name: name, yaml: value)
    }
  }

  private init(name: String, yaml value: YAMLValue) throws(ConfigurationError) {
    self.name = name
    guard value.hasMembers else {
      throw value.failure("must be options, such as {report: funnel, where: {country: DE}}")
    }
    guard let report = try value.members().first(where: { $0.name == "report" })?.value else {
      throw value.failure("has no report, such as `report: funnel`")
    }
    let known = ReportKind.all.filter { !$0.options.contains(where: \.isRequired) }
    let title = try report.text()
    guard let kind = known.first(where: { $0.name == title }) else {
      let names = known.map(\.name)
      throw report.failure(
        "is \(title), but must be one of \(names.joined(separator: ", "))\(NearName.hint(title, in: names))")
    }
    self.kind = kind
    let options = kind.options.map(\.name)
    let members = try value.members(["report"] + options + ["columns", "chart", "note"])
    columns = try members["columns"]?.texts().joined(separator: ",")
    isDrawn = try members["chart"]?.boolean() ?? false
    note = try members["note"]?.text()
    var given: [ReportRequest.Given] = []
    for option in kind.options {
      guard let member = members[option.name] else { continue }
      if option.name == "from", let range = try Self.range(member.text()) {
        for other in ["to", "last"] where members[other] != nil {
          throw member.failure("is \(try member.text()), which sets both ends: leave out \(other)")
        }
        given += range
      } else {
        given.append(.init(option.name, try Self.texts(of: member, option)))
      }
    }
    self.given = given
    do {
      request = try ReportRequest(kind, given)
    } catch {
      throw value.failure("does not work: \(error)")
    }
  }

  private static func texts(of member: YAMLValue, _ option: ReportOption) throws(ConfigurationError) -> [String] {
    switch option.value {
    case .filters where member.hasMembers:
      return try member.members().map { name, values throws(ConfigurationError) in
        "\(name)=\(try values.texts().joined(separator: ","))"
      }
    case .dimensions: return [try member.texts().joined(separator: ",")]
    case .flag: return try member.boolean() ? ["true"] : []
    default: return try member.texts()
    }
  }

  /// Returns the options for days such as `last 28 days`, `last full week` or `month to date`; `nil` for other words.
  private static func range(_ text: String) -> [ReportRequest.Given]? {
    let words = text.lowercased().split(separator: " ").map(String.init)
    guard words.count == 3 else { return nil }
    if words[0] == "last", words[1] != "full", let count = DayCount(words[1] + words[2]) {
      return [.init("last", ["\(count.count)\(["d", "w"].first(where: words[2].hasPrefix) ?? "mo")"])]
    }
    if words[0] == "last", words[1] == "full", DayWord("last \(words[2])") != nil {
      return [.init("from", ["last \(words[2])"]), .init("to", ["last \(words[2])"])]
    }
    if words[1...] == ["to", "date"], DayWord("this \(words[0])") != nil {
      return [.init("from", ["this \(words[0])"])]
    }
    return nil
  }
}
