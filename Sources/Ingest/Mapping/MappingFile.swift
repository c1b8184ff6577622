public import Basics
internal import Crypto
internal import EventModel

/// A YAML file that maps the events of a source without an adapter to the native format: from event names and field
/// paths to kinds and fields.
///
/// ``MappingReference/text`` describes the language.
public struct MappingFile: Sendable {
  struct Rule: Sendable {
    var kind: EventKind
    var fields: [(field: EventField, value: MappingValue)] = []
    var condition: MappingCondition?
    var id: MappingValue?
    var user: MappingValue?
    var time: MappingValue?
    /// Whether it is of a built-in fragment.
    var isIncluded = false
  }

  /// The layout of delimited text.
  struct Table: Sendable {
    var delimiter: UInt8?
    var isWindows1252 = false
    /// Whether the first record is data.
    var hasNoHeader = false
    /// The names of the columns of a file without a header; empty for `column1`, `column2`, ...
    var names: [String] = []
  }

  private static let mostBytes = 256 << 10
  private static let keys = [
    "app", "id", "name", "user", "time", "properties", "fields", "events", "ignore", "records", "joins", "skip",
    "decimal", "dates", "epoch", "zone", "currency", "csv", "history", "version",
    "include", "each",
  ]

  var app: MappingValue?
  var id: MappingValue?
  /// `nil` if every record is of one event, `*`.
  var name: MappingValue?
  var user: MappingValue
  var time: MappingValue
  /// Paths of objects whose members become properties; `nil` for the record itself.
  var properties: [MappingPath]?
  var fields: [(field: EventField, value: MappingValue)]
  /// The rules of exact names.
  var events: [String: [Rule]] = [:]
  /// The rules of patterns, in the order of the file, and last those of `*`.
  var patterns: [(glob: Glob, rules: [Rule])] = []
  var ignored: Set<String>
  /// Names that built-in fragments ignore.
  var includedIgnored: Set<String> = []
  /// The path of the list that holds the records; empty if records are lines, documents or rows.
  var records: [String] = []
  /// The path of the list in each record whose elements are records of their own; empty without one.
  var each: [String] = []
  var joins: [(user: MappingPath, previous: MappingPath)] = []
  var skip: MappingCondition?
  var currency: String?
  /// Whether the records hold every payment of their subscriptions, so that the earliest one is the first.
  var hasCompleteHistory = false
  var table = Table()

  /// The file's name, for messages.
  public let file: String
  /// SHA-256 of the meaning, which comments and the order of keys do not change.
  public let digest: String

  /// - Parameters:
  ///   - file: The file's name, for error messages.
  ///   - superwallMoney: The source of payments, if the file includes the rules for Superwall's SDK.
  public init(yaml: String, file: String, superwallMoney: SuperwallMoney = .server) throws(ConfigurationError) {
    guard yaml.utf8.count <= Self.mostBytes else {
      throw ConfigurationError(
        file: file, line: nil, key: "", problem: "is larger than \(Self.mostBytes >> 10) KiB, the maximum for a mapping"
      )
    }
    let root = try YAMLValue.root(of: yaml, file: file)
    let keys = try root.members(Self.keys)
    self.file = file
    let included = keys["include"] == nil ? "" : SuperwallFragment.yaml(superwallMoney)
    digest = SHA256.hash(data: Array((try root.meaning(ordered: ["like", "events"]) + included).utf8)).hexadecimal
    if let version = try keys["version"]?.text(), version != "1" {
      throw keys["version"]!.failure("is \(version), but this program reads version 1")
    }
    let defaults = try MappingDefaults(keys)
    currency = defaults.currency
    func value(_ key: String, _ form: MappingValue.Form) throws(ConfigurationError) -> MappingValue? {
      guard let yaml = keys[key] else { return nil }
      return try MappingValue(yaml, form, defaults)
    }
    func required(_ key: String, _ form: MappingValue.Form) throws(ConfigurationError) -> MappingValue {
      guard let value = try value(key, form) else {
        throw root.failure("\(key) is missing, but must name its column")
      }
      return value
    }
    name = try value("name", .text)
    let events = try keys["events"]?.members()
    let includes = keys["include"] != nil
    if name == nil, includes || events?.map(\.name) != ["*"] { name = try required("name", .text) }
    user = try required("user", .text)
    user.isUser = true
    time = try required("time", .time)
    app = try value("app", .text)
    id = try value("id", .text)
    if let yaml = keys["properties"] {
      properties = try yaml.texts()
        .map { MappingPath($0) }
      if !yaml.isList, properties?.map(\.text) == ["none"] { properties = [] }
    }
    fields = try keys["fields"].map { yaml throws(ConfigurationError) in try Self.fields(yaml, defaults) } ?? []
    guard includes || events?.isEmpty == false else {
      throw root.failure("events is missing, but must say what each event means")
    }
    var others: [Rule]?
    for (name, yaml) in events ?? [] {
      var rules: [Rule] = []
      for rule in try yaml.elements() { rules.append(try Rule(rule, defaults)) }
      guard !rules.isEmpty else { throw yaml.failure("has no kind") }
      if name == "*" {
        others = rules
      } else if Glob.isOne(name) {
        patterns.append((Glob(name, ignoresCase: false), rules))
      } else {
        self.events[name] = rules
      }
    }
    if let others { patterns.append((Glob("*", ignoresCase: false), others)) }
    ignored = Set(try keys["ignore"]?.texts() ?? [])
    records = try keys["records"]?.text().split(separator: ".").map(String.init) ?? []
    each = try keys["each"]?.text().split(separator: ".").map(String.init) ?? []
    skip = try keys["skip"].map { yaml throws(ConfigurationError) in try MappingCondition(yaml) }
    if let yaml = keys["joins"] { joins = try Self.joins(yaml) }
    if let yaml = keys["history"] {
      guard try yaml.text() == "complete" else {
        throw yaml.failure(
          "is \(try yaml.text()), but must be complete; leave it out where earlier payments may be missing")
      }
      hasCompleteHistory = true
    }
    if let yaml = keys["csv"] { table = try Table(yaml) }
    if let yaml = keys["include"] { try include(yaml, superwallMoney, defaults.numbers) }
    valueCount = defaults.numbers.count
  }

  /// The number of values, which have the numbers below it.
  private(set) var valueCount = 0

  private static func joins(
    _ yaml: YAMLValue
  ) throws(ConfigurationError) -> [(user: MappingPath, previous: MappingPath)] {
    let elements = try yaml.elements()
    let lists = elements.contains { $0.isList } ? elements : [yaml]
    var joins: [(user: MappingPath, previous: MappingPath)] = []
    for list in lists {
      let paths = try list.texts()
      guard paths.count == 2 else {
        throw list.failure("must be pairs of paths, such as [[user_id, anonymous_id]]")
      }
      joins.append((MappingPath(paths[0]), MappingPath(paths[1])))
    }
    return joins
  }

  fileprivate static func fields(
    _ yaml: YAMLValue, _ defaults: MappingDefaults
  ) throws(ConfigurationError) -> [(field: EventField, value: MappingValue)] {
    let own: Set<EventField> = [.eventID, .event, .ts, .app, .userID, .properties]
    var fields: [(field: EventField, value: MappingValue)] = []
    for (name, value) in try yaml.members() {
      guard let field = EventField.allCases.first(where: { $0.name == name }), !own.contains(field) else {
        let names = EventField.allCases.filter { !own.contains($0) }.map(\.name)
        let hint = NearName.hint(name, in: names)
        throw value.failure("is not a field of an event\(hint)")
      }
      fields.append((field, try MappingValue(value, MappingValue.Form(field), defaults)))
    }
    return fields
  }
}

/// Numbers the values of a mapping.
final class ValueNumbers {
  private(set) var count = 0

  func next() -> Int {
    defer { count += 1 }
    return count
  }
}

/// The settings of a mapping that apply to all its values.
struct MappingDefaults {
  var decimal: DecimalSign?
  var time = MappedTime()
  var currency: String?
  var numbers = ValueNumbers()

  init(_ keys: [String: YAMLValue]) throws(ConfigurationError) {
    decimal = try keys["decimal"].map { yaml throws(ConfigurationError) in try yaml.decimalSign() }
    time = try MappedTime(keys, MappedTime())
    if let yaml = keys["currency"] {
      let code = try yaml.text().uppercased()
      guard CurrencyTable.isCode(code) else {
        throw yaml.failure("is \(code), but must be an ISO 4217 code such as EUR")
      }
      currency = code
    }
  }
}

extension MappedTime {
  /// Reads `epoch`, `dates`, `zone` and `cut`; those that are not given are as in `defaults`.
  fileprivate init(_ keys: [String: YAMLValue], _ defaults: MappedTime) throws(ConfigurationError) {
    self = defaults
    if let yaml = keys["epoch"] { epoch = try yaml.choice() }
    if let yaml = keys["cut"] { cut = try yaml.choice() }
    if let yaml = keys["dates"] {
      let text = try yaml.text()
      guard let form = DateForm(text) else {
        throw yaml.failure(
          "is \(text), but must be day-first, month-first, spreadsheet or a pattern such as dd.MM.yyyy HH:mm:ss")
      }
      dates = form
    }
    if let yaml = keys["zone"] {
      let name = try yaml.text()
      guard let found = LocalZone(name) else {
        throw yaml.failure("is \(name), but must be a time zone such as Europe/Berlin or UTC")
      }
      zone = found
    }
  }
}

extension YAMLValue {
  fileprivate func decimalSign() throws(ConfigurationError) -> DecimalSign {
    let text = try text()
    guard let sign = DecimalSign(rawValue: text) else {
      throw failure("is \(text), but must be \",\", \".\" or any")
    }
    return sign
  }
}

extension MappingValue {
  /// The keys that the value of a field may have besides its source.
  enum Form {
    case text
    case time
    case number
    case money
    case days

    init(_ field: EventField) {
      switch field {
      case .ts, .receivedAt, .expiresAt, .trialEndsAt, .graceEndsAt, .subscriptionStartedAt: self = .time
      case .price, .priceWeekly, .priceMonthly, .priceYearly, .priceLifetime, .priceUSD: self = .money
      case .taxPercentage, .commissionPercentage, .limit, .used: self = .number
      case .trialDays: self = .days
      default: self = .text
      }
    }

    var keys: [String] {
      switch self {
      case .text: []
      case .time: ["epoch", "dates", "zone", "cut"]
      case .number, .money: ["scale", "decimal"]
      case .days: ["unit"]
      }
    }
  }

  private static let keys = ["path", "all", "separator", "value", "split", "at", "values", "like"]

  /// Reads a path, a list of paths, or a mapping with a source and steps.
  fileprivate init(
    _ yaml: YAMLValue, _ form: Form, _ defaults: MappingDefaults
  ) throws(ConfigurationError) {
    number = defaults.numbers.next()
    var keys: [String: YAMLValue] = [:]
    if yaml.hasMembers {
      keys = try yaml.members(Self.keys + form.keys)
      if keys["path"] != nil, let all = keys["all"] {
        throw all.failure("cannot be combined with path: give one of them")
      }
      let paths = try (keys["path"] ?? keys["all"])?.texts().map { MappingPath($0) } ?? []
      source = .first(paths)
      if keys["all"] != nil { source = .all(paths, separator: try keys["separator"]?.text() ?? ":") }
      constant = try keys["value"].map { value throws(ConfigurationError) in
        // An empty text stands for no value: in a refund, for no product of its own.
        value.isEmptyText ? "" : try value.text()
      }
      if paths.isEmpty && constant == nil { throw yaml.failure("must have a path or a value") }
      if keys["all"] == nil, let separator = keys["separator"] { throw separator.failure("needs all") }
    } else {
      source = .first(try yaml.texts().map { MappingPath($0) })
    }
    if let yaml = keys["split"] {
      let separator = try yaml.text()
      guard let at = keys["at"] else { throw yaml.failure("needs at, the number of the part from 0") }
      guard let place = Int(try at.text()) else { throw at.failure("is \(try at.text()), but must be a whole number") }
      split = (separator, place)
    } else if let at = keys["at"] {
      throw at.failure("needs split")
    }
    for (from, to) in try keys["values"]?.members() ?? [] { values.updateValue(try Self.replacement(to), forKey: from) }
    for (from, to) in try keys["like"]?.members() ?? [] {
      like.append((Glob(from, ignoresCase: true), try Self.replacement(to)))
    }
    switch form {
    case .text: break
    case .time: time = try MappedTime(keys, defaults.time)
    case .number, .money:
      decimal =
        try keys["decimal"].map { yaml throws(ConfigurationError) in try yaml.decimalSign() } ?? defaults.decimal
      if let yaml = keys["scale"] {
        let text = try yaml.text()
        if text == "minor", case .money = form {
          scale = .minor
        } else if let factor = ExactDecimal(text), !factor.isNegative {
          scale = .factor(factor)
        } else {
          throw yaml.failure("is \(text), but must be a number such as 0.01\(form == .money ? ", or minor" : "")")
        }
      }
    case .days:
      if let yaml = keys["unit"] {
        guard try yaml.text() == "duration" else {
          throw yaml.failure("is \(try yaml.text()), but must be duration; leave it out if the value is in days")
        }
        isDuration = true
      }
    }
  }

  private static func replacement(_ yaml: YAMLValue) throws(ConfigurationError) -> String? {
    yaml.isNull ? nil : try yaml.text()
  }
}

extension MappingFile.Rule {
  /// A kind alone, or a mapping with one.
  init(_ yaml: YAMLValue, _ defaults: MappingDefaults) throws(ConfigurationError) {
    let keys =
      yaml.hasMembers ? try yaml.members(["kind", "fields", "when", "id", "user", "time"]) : ["kind": yaml]
    guard let name = keys["kind"] else { throw yaml.failure("has no kind") }
    let text = try name.text()
    guard let kind = EventKind(name: text) else {
      let kinds = EventKind.inOrder.map(\.name)
      let hint = NearName.hint(text, in: kinds)
      throw name.failure("is \(text), but must be one of \(kinds.joined(separator: ", "))\(hint)")
    }
    self.kind = kind
    fields = try keys["fields"].map { yaml throws(ConfigurationError) in try MappingFile.fields(yaml, defaults) } ?? []
    condition = try keys["when"].map { yaml throws(ConfigurationError) in try MappingCondition(yaml) }
    id = try keys["id"].map { yaml throws(ConfigurationError) in try MappingValue(yaml, .text, defaults) }
    user = try keys["user"].map { yaml throws(ConfigurationError) in try MappingValue(yaml, .text, defaults) }
    user?.isUser = true
    time = try keys["time"].map { yaml throws(ConfigurationError) in try MappingValue(yaml, .time, defaults) }
  }
}
