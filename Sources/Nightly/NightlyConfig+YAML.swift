internal import Basics
internal import Crypto
public import Foundation
internal import Ingest
internal import Metrics

extension NightlyConfig {
  /// - Parameter name: The file's name, for errors.
  /// - Throws: ``ConfigurationError`` with file, line, key and the expected value.
  public init(yaml: Data, name: String, commands: some NightlyCommands) throws {
    file = name
    digest = Array(SHA256.hash(data: yaml))
    guard let text = String(data: yaml, encoding: .utf8) else {
      throw UsageError("\(name): is not UTF-8 text; save it as UTF-8")
    }
    let root = try YAMLValue.root(of: text, file: name)
    let keys = try root.members([
      "store", "timezone", "records", "sources", "expect", "thresholds", "experiments", "reports", "prometheus",
      "check_store", "prepare", "repeat", "notify", "notes",
    ])
    store = try keys["store"]?.text()
    let commands = commands.reading(store: store)
    if let value = keys["timezone"] { timeZone = try Self.timeZone(value) }
    if let value = keys["records"] { records = try value.text() }
    guard let list = keys["sources"] else {
      throw root.failure("sources is missing, but must list the files to read, such as [{files: events/}]")
    }
    sources = try list.elements().map(Self.source)
    if sources.isEmpty { throw list.failure("is empty, but must list the files to read") }
    expectations = try keys["expect"]?.elements().map(Self.expectation) ?? []
    if let value = keys["thresholds"] { thresholds = try Self.thresholds(value) }
    for (name, value) in try keys["experiments"]?.members() ?? [] {
      let (path, plan) = try Self.text(ofFile: value)
      plans[name] = try ExperimentPlan(yaml: plan, experiment: name, file: path)
    }
    reports = try keys["reports"]?.elements().map { try Self.report($0, commands) } ?? []
    prometheus = try keys["prometheus"]?.text()
    notify = try keys["notify"].map { value in
      try NotifyConfig(value) { report in try Self.request(report, commands) }
    }
    if let value = keys["notes"] {
      do {
        let (path, text) = try Self.text(ofFile: value)
        // Read without messages, too: `--check` tells of a wrong file.
        let notes = try DayNote.all(yaml: text, file: path)
        notify?.notes = notes
      } catch {
        notesFailure = error
      }
    }
    if let value = keys["check_store"] { checksStore = try value.boolean() }
    if let value = keys["prepare"] { preparesReports = try value.boolean() }
    if let value = keys["repeat"] { repeats = try value.boolean() }
  }

  /// Returns the path and the text of a file that the configuration names.
  private static func text(ofFile value: YAMLValue) throws -> (path: String, text: String) {
    let path = try value.text()
    guard let text = FileManager.default.contents(atPath: path) else {
      let reason = FileArgument.reason(against: path)
      throw value.failure("is \(path), which \(reason); paths are relative to the folder of this file")
    }
    return (path, String(decoding: text, as: UTF8.self))
  }

  private static func timeZone(_ value: YAMLValue) throws -> TimeZone {
    let name = try value.text()
    guard TimeZone.knownTimeZoneIdentifiers.contains(name) || name.contains("/") || name == "UTC",
      let zone = TimeZone(identifier: name)
    else { throw value.failure("is \(name), but must be an IANA name such as Europe/Berlin") }
    return zone
  }

  private static func source(_ value: YAMLValue) throws -> Source {
    guard value.hasMembers else { throw value.failure("must list the files to read, such as [{files: events/}]") }
    let keys = try value.members([
      "files", "source", "app", "plans", "mapping", "verify", "root_certificate", "bundle_ids",
      "superwall_money",
    ])
    guard let files = keys["files"] else {
      throw value.failure("has no files, but must name folders, files or patterns")
    }
    var options = SourceOptions()
    if let value = keys["source"] { options.source = try value.choice() }
    options.app = try keys["app"]?.text()
    options.mapping = try keys["mapping"]?.text()
    if let value = keys["superwall_money"] {
      guard let money = SuperwallMoney(rawValue: try value.text()) else {
        throw value.failure("is \(try value.text()), but must be server or sdk")
      }
      options.superwallMoney = money
    }
    options.rootCertificate = try keys["root_certificate"]?.text()
    options.plans = try keys["plans"]?.members().map { "\($0.0)=\(try $0.1.text())" } ?? []
    options.bundleIDs = try keys["bundle_ids"]?.elements().map { try $0.text() } ?? []
    options.verifies = try keys["verify"]?.boolean() ?? false
    do {
      try options.check()
      _ = try options.settings()
    } catch {
      throw value.failure("does not work: \(error)")
    }
    let patterns = try files.elements().map { FilePattern(text: try $0.text()) }
    for pattern in patterns where !pattern.hasWildcard && !FileManager.default.fileExists(atPath: pattern.text) {
      throw files.failure("is \(pattern.text), which does not exist; paths are relative to the folder of this file")
    }
    return Source(files: patterns, settings: options)
  }

  private static func expectation(_ value: YAMLValue) throws -> Expectation {
    let keys = try value.members(["files", "count", "after"])
    guard let files = keys["files"] else { throw value.failure("has no files, but must have a pattern with {day}") }
    var wanted = Expectation(files: FilePattern(text: try files.text()))
    guard wanted.files.hasDay else {
      throw files.failure("is \(wanted.files.text), but must have {day} where a path has its day")
    }
    if let value = keys["count"] { wanted.count = try whole(value, 1...1_000_000) }
    if let value = keys["after"] { wanted.after = try whole(value, 0...366) }
    return wanted
  }

  private static func whole(_ value: YAMLValue, _ range: ClosedRange<Int>) throws -> Int {
    let text = "a whole number from \(range.lowerBound) to \(range.upperBound)"
    return Int(
      try value.number(text) { $0 == $0.rounded() && Double(range.lowerBound)...Double(range.upperBound) ~= $0 })
  }

  private static func share(_ value: YAMLValue) throws -> Double {
    try value.number("a share from 0 to 1") { (0...1).contains($0) }
  }

  private static func thresholds(_ value: YAMLValue) throws -> Thresholds {
    let keys = try value.members(["quarantine_share", "duplicate_share", "freshness_hours", "sample_ratio_p"])
    var thresholds = Thresholds()
    thresholds.quarantineShare = try keys["quarantine_share"].map(share)
    if let value = keys["duplicate_share"] { thresholds.duplicateShare = try share(value) }
    if let value = keys["sample_ratio_p"] {
      let p = try share(value)
      thresholds.sampleRatioP = p == 0 ? nil : p
    }
    if let value = keys["freshness_hours"] {
      let apps = value.hasMembers ? try value.members() : [("*", value)]
      thresholds.freshnessHours = try apps.map { ($0.0, try $0.1.number("above 0") { $0 > 0 }) }
    }
    return thresholds
  }

  /// The request of a report whose days and store the night decides.
  private static func request(_ value: YAMLValue, _ commands: some NightlyCommands) throws -> ReportRequest {
    let words = try words(of: value)
    for option in ["--from", "--to", "--last", "--store", "--output", "--format", "--known-at"]
    where words.contains(where: { $0.hasPrefix(option) }) {
      throw value.failure("has \(option), but the night sets the days, the store and the output itself")
    }
    let request = try checking(value, commands) { try commands.request(words) }
    // A view may have days, too.
    let options = request.options
    if options.from != nil || options.to != nil || options.asOf != nil || request.relative.isUsed {
      throw value.failure("is \(try value.text()), which has days, but the night sets the days itself")
    }
    return request
  }

  private static func report(_ value: YAMLValue, _ commands: some NightlyCommands) throws -> ReportEntry {
    let words = try words(of: value)
    if words.contains(where: { $0.hasPrefix("--store") }) {
      throw value.failure("has --store, but reports read the night's store: leave it out")
    }
    if words.contains(where: { $0.hasPrefix("--known-at") }) {
      throw value.failure("has --known-at, which does not work in a night: leave it out")
    }
    return ReportEntry(
      text: try value.text(), finish: try checking(value, commands) { try commands.report(words) },
      output: try checking(value, commands) { try commands.output(words) })
  }

  /// Runs what can be checked of a report without a store.
  private static func checking<Result>(
    _ value: YAMLValue, _ commands: some NightlyCommands, _ body: () throws -> Result
  ) throws -> Result {
    do {
      return try body()
    } catch {
      throw try value.failure(ofReport: commands.message(of: error))
    }
  }

  /// Splits a text into words as a shell does, with both kinds of quotes.
  private static func words(of value: YAMLValue) throws -> [String] {
    var words: [String] = []
    var word: String?
    var quote: Character?
    for character in try value.text() {
      if let open = quote {
        if character == open { quote = nil } else { word = (word ?? "") + String(character) }
      } else if character == "'" || character == "\"" {
        quote = character
        word = word ?? ""
      } else if character == " " || character == "\t" || character == "\n" {
        if let done = word { words.append(done) }
        word = nil
      } else {
        word = (word ?? "") + String(character)
      }
    }
    if quote != nil { throw value.failure("has a quote that does not end") }
    if let word { words.append(word) }
    return words
  }
}

extension YAMLValue {
  /// The error for the words of a report that does not work.
  func failure(ofReport message: String) throws(ConfigurationError) -> ConfigurationError {
    failure("has `\(try text())`, which does not work: \(message)")
  }
}
