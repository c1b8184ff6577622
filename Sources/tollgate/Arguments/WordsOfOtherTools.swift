import Basics
import Metrics

/// Options and commands of other tools, answered by this program's own.
enum WordsOfOtherTools {
  private static let own = [
    "--json": "--format json", "--csv": "--format csv", "--group-by": "--by", "--groupby": "--by",
    "--filter": "--where", "--days": "--last Nd", "--since": "--from", "--until": "--to", "--start": "--from",
    "--end": "--to", "--port": "--listen HOST:PORT", "--host": "--listen HOST:PORT", "--out": "--output",
    "-o": "--output", "--dir": "--output", "--metric": "--columns", "--metrics": "--columns", "--fields": "--columns",
    "--db": "--store", "--database": "--store", "--form": "--format, or --from for a first day", "--fmt": "--format",
  ]

  private static let commands = [
    "compare": "a report with --compare previous, such as tollgate revenue --compare previous",
    "conversion": "funnel or trials", "conversions": "funnel or trials", "churn": "cancellations or retention",
    "cohorts": "retention or ltv", "cohort": "retention or ltv", "ab": "experiment", "test": "experiment",
    "dashboard": "serve", "web": "serve", "import": "ingest", "load": "ingest", "read": "ingest", "alarm": "nightly",
    "alarms": "nightly", "variants": "experiment", "paywalls": "funnel --by paywall", "apps": "report or health",
    "users": "export users", "sql": "export, then read its files with DuckDB or pandas",
    "query": "export, then read its files with DuckDB or pandas", "version": "--version",
    "arpu": "ltv or value", "forecast": "ltv or value", "sales": "revenue", "delete": "forget", "erase": "forget",
    "remove": "forget",
  ]

  /// Returns the command that a word of another tool stands for; `nil` for others.
  static func command(for word: String) -> String? { commands[word.lowercased()] }

  /// Returns what to say instead of an unknown option that a message names; `nil` for others.
  ///
  /// - Parameter words: The command line. A parser that misses an option does not name a misspelt one.
  static func answer(to message: String, words: [String] = CommandLine.arguments) -> String? {
    if let missing = message.firstMatch(of: #/Missing expected argument '(--[a-z-]+)/#).map({ String($0.1) }) {
      let names = words.filter { $0.hasPrefix("--") }.map { String($0.prefix { $0 != "=" }) }
      return names.first { NearName.of($0, in: [missing]) != nil }
        .map { "\($0) is not an option; did you mean \(missing)?" }
    }
    guard let name = message.firstMatch(of: #/Unknown option '(-[a-z_-]+)/#).map({ String($0.1) }) else { return nil }
    guard let use = optionOfReport(for: name, words) ?? own[name].map({ "use \($0)" }) else { return nil }
    return "\(name) is not an option; \(use)"
  }

  /// Returns the option of a report that a dimension, a period or an age stands for; `nil` for others.
  private static func optionOfReport(for name: String, _ words: [String]) -> String? {
    guard let kind = words.dropFirst().prefix(2).lazy.compactMap(ReportKind.named).first else { return nil }
    func has(_ option: String) -> Bool { kind.options.contains { $0.name == option } }
    let value = words.firstIndex { $0 == name || $0.hasPrefix("\(name)=") }.flatMap { place -> String? in
      if let equals = words[place].firstIndex(of: "=") { return String(words[place][equals...].dropFirst()) }
      return words[(place + 1)...].first.flatMap { $0.hasPrefix("-") ? nil : $0 }
    }
    let word = String(name.drop { $0 == "-" }).replacing("-", with: "_")
    if ["days", "ages", "age"].contains(word), has("at") {
      let days = value ?? "30"
      return word == "days"
        ? "for the last days, use --last \(days)d; for an age in days, --at \(days)" : "use --at \(days)"
    }
    if Dimension.periods.contains(where: { $0.name == word }), has("from") {
      let first = value.flatMap { Dimension.period(word)?.firstDay(ofPeriod: $0.uppercased()) }
      guard let first, let period = Dimension.period(word), let value else {
        return "use --by \(word) for a row per \(word), or --from and --to for some days"
      }
      return word == "day" || word == "week"
        ? "use --from \(first) --to \(period.next(first))" : "use --from \(value) --to \(value)"
    }
    guard has("where"), let dimension = try? Dimension.list(word).first, !dimension.isPeriod else { return nil }
    return "use --where \(word)=\(value.map(\.shellWord) ?? "VALUE") for some, or --by \(word) for a row each"
  }

  /// Returns a parser's message without a suggestion that is not a near name of the unknown option.
  static func withoutFarNames(_ message: String) -> String {
    guard let match = message.firstMatch(of: #/(Unknown option '(-[A-Za-z-]+)'\.) Did you mean '(-[A-Za-z-]+)'\?/#),
      NearName.of(String(match.2), in: [String(match.3)]) == nil
    else { return message }
    return message.replacing(match.0, with: match.1)
  }
}
