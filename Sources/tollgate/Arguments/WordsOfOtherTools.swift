import Basics

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
    "sales": "revenue",
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
    guard let name = message.firstMatch(of: #/Unknown option '(-[a-z-]+)/#)?.1, let own = own[String(name)] else {
      return nil
    }
    return "\(name) is not an option; use \(own)"
  }

  /// Returns a parser's message without a suggestion that is not a near name of the unknown option.
  static func withoutFarNames(_ message: String) -> String {
    guard let match = message.firstMatch(of: #/(Unknown option '(-[A-Za-z-]+)'\.) Did you mean '(-[A-Za-z-]+)'\?/#),
      NearName.of(String(match.2), in: [String(match.3)]) == nil
    else { return message }
    return message.replacing(match.0, with: match.1)
  }
}
