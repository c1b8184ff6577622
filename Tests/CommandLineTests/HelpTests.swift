import Foundation
import Metrics
import Testing

/// The help of every command.
@Suite struct HelpTests {
  private static let common = ["--store", "--quiet", "--log-level", "--log-format", "--help"]
  private static let output = [
    "--format", "--spreadsheet", "--plot", "--output", "--sort", "--limit", "--columns", "--notes", "--width",
    "--no-pager", "--fail-if-empty", "--receipt",
  ]
  private static let spark = [
    "--data", "--master", "--conf", "--spark-submit", "--program", "--quiet", "--log-level",
    "--log-format", "--help",
  ]
  private static let sources = [
    "--source", "--app", "--plan", "--mapping", "--verify", "--root-certificate", "--bundle-id", "--user-key",
    "--superwall-money",
  ]
  private static let cohorts = [
    "--app", "--from", "--to", "--last", "--timezone", "--as-of", "--known-at", "--attribution", "--grace", "--by",
    "--where",
    "--currency",
  ]
  private static let report = common + output + cohorts
  private static let comparison = ["--compare", "--ages"]

  private static func without(_ names: Set<String>) -> [String] { report.filter { !names.contains($0) } }

  private static let effect = [
    "--baseline", "--mean", "--sd", "--lift", "--difference", "--margin", "--alpha", "--power", "--ratio", "--looks",
  ]

  private static let options: [(command: [String], options: [String])] = [
    (
      ["ingest"],
      common + sources + ["--strict", "--lock-timeout", "--commit-every", "--format", "--dry-run", "--prepare"]
    ),
    (
      ["init"],
      common + [
        "--app", "--event", "--set", "--plan", "--dates", "--epoch", "--zone", "--currency", "--history", "--mapping",
        "--force", "--yes", "--both", "--no-ingest", "--format", "--lock-timeout", "--superwall-money", "--user-key",
      ]
    ),
    (["mapping"], ["--help"]),
    (["mapping", "check"], ["--sample", "--quiet", "--log-level", "--log-format", "--help"]),
    (["funnel"], report + comparison + ["--unit", "--horizon", "--define"]),
    (["paths"], report + comparison + ["--unit", "--horizon", "--paths", "--to-step"]),
    (["recovery"], report + ["--grace-whatif"] + comparison),
    (["saves"], report + ["--cancel-screens"] + comparison),
    (["winback"], report + comparison),
    (["trials"], report + comparison + ["--define"]),
    (["savings"], without(["--currency"]) + comparison),
    (["cancellations"], report + comparison),
    (["revenue"], report + comparison + ["--mode", "--store-fee", "--define"]),
    (["mrr"], report + comparison + ["--movement", "--define"]),
    (["subscriptions"], report + comparison + ["--movement", "--define"]),
    (
      ["value"],
      without(["--attribution"]) + comparison + ["--mode", "--store-fee", "--renewal", "--horizon", "--pairs"]
    ),
    (["cadence"], without(["--attribution"]) + ["--horizon"]),
    (["gates"], without(["--attribution"]) + ["--horizon"]),
    (["nudges"], report),
    (["activity"], without(["--attribution"])),
    (
      ["report"],
      common + cohorts + [
        "--unit", "--horizon", "--spreadsheet", "--output", "--single-file", "--public", "--annotations",
        "--plans",
      ]
    ),
    (["rates"], ["--help"]),
    (["rates", "import"], common + ["--from", "--lock-timeout"]),
    (["rates", "list"], common + output),
    (["spend"], ["--help"]),
    (
      ["spend", "import"],
      common + ["--app", "--map", "--currency", "--dates", "--lock-timeout", "--replace", "--both"]
    ),
    (["spend", "list"], common + ["--app", "--from", "--to", "--format"]),
    (["spend", "remove"], common + ["--app", "--from", "--to", "--lock-timeout"]),
    (
      ["payback"],
      without(["--where", "--attribution", "--timezone", "--grace"]) + [
        "--at", "--campaign-property", "--store-fee", "--predict",
      ]
    ),
    (["retention"], report + comparison + ["--by-period", "--at"]),
    (["ltv"], report + comparison + ["--define", "--mode", "--store-fee", "--backtest", "--every", "--model"]),
    (["refunds"], report + comparison + ["--define", "--date"]),
    (
      ["experiment"],
      without(["--attribution"]) + ["--config", "--over-time", "--all", "--memo", "--freeze", "--more", "--section"]
    ),
    (["program"], common + output + ["--plans", "--verify", "--app", "--as-of"]),
    (["experiments"], without(["--attribution", "--by", "--currency"]) + ["--plans"]),
    (
      ["aa-replay"],
      common + output + [
        "--app", "--metric", "--repetitions", "--seed", "--from", "--to", "--timezone", "--as-of", "--grace",
      ]
    ),
    (["explain"], common + output + ["--cell", "--key", "--column", "--offset", "--user"]),
    (["why"], common + output + ["--column", "--cut", "--level", "--annotations"]),
    (["diff"], common + output + ["--before-as-of", "--before-known-at", "--before-store", "--column"]),
    (["view"], common + output + ["--views"]),
    (["verify"], common),
    (["mcp"], common + ["--time-limit", "--views", "--plans"]),
    (["health"], common + output + ["--app", "--severity"]),
    (
      ["reconcile"],
      common + output + [
        "--app", "--from", "--to", "--last", "--timezone", "--by", "--product", "--vendor", "--metric",
        "--vendor-value",
        "--step", "--days", "--where", "--as-of", "--grace", "--currency", "--mode",
      ]
    ),
    (["quarantine"], ["--help"]),
    (["quarantine", "list"], common + output + ["--reason", "--by", "--raw"]),
    (["quarantine", "show"], common + ["--reason"]),
    (["quarantine", "retry"], common + sources + ["--lock-timeout"]),
    (["doctor"], common + ["--rebuild-check", "--files", "--repair", "--seal", "--lock-timeout"]),
    (["backup"], common),
    (["vacuum"], common + ["--lock-timeout"]),
    (["forget"], common + ["--user", "--app", "--receipt", "--dry-run", "--lock-timeout"]),
    (["prune"], common + ["--older-than", "--dry-run", "--lock-timeout"]),
    (["export"], common + ["--format", "--output"]),
    (["nightly"], common + ["--config", "--night", "--check", "--replay", "--lock-timeout", "--format"]),
    (["note"], ["--help"]),
    (["note", "add"], common + ["--annotations", "--app", "--tag", "--exclude"]),
    (["calc"], common),
    (
      ["calc", "proportions"],
      common + ["--control", "--treatment", "--confidence", "--margin", "--planned", "--format"]
    ),
    (["calc", "interval"], common + ["--confidence", "--format"]),
    (["calc", "sample-size"], common + effect + ["--format"]),
    (["calc", "duration"], common + effect + ["--users", "--per-day", "--maturity", "--format"]),
    (["calc", "srm"], common + ["--observed", "--weights", "--alpha", "--format"]),
    (["cluster"], ["--help"]),
    (["cluster", "build"], spark + ["--strict", "--whole-file", "--buckets"]),
    (["cluster", "report"], spark + ["--cache", "--rates"]),
    (
      ["worker"],
      ["--protocol", "--buckets", "--again", "--all", "--as-of", "--grace", "--attribution", "--help"]
    ),
    (
      ["serve"],
      common + ["--listen", "--token-file", "--time-limit", "--row-limit", "--most-stale", "--views", "--annotations"]
        + ["--plans"]
    ),
    (
      ["receive"],
      [
        "--output", "--listen", "--revenuecat-token-file", "--app-store", "--root-certificate", "--bundle-id",
        "--max-body", "--rate", "--rotate-bytes", "--rotate-seconds", "--quiet", "--log-level", "--log-format",
        "--help",
      ]
    ),
    (
      ["sample"],
      common + [
        "--output", "--seed", "--persons", "--events", "--first-day", "--days", "--app", "--compression", "--level",
        "--threads",
      ]
    ),
  ]

  /// A command in the output of `--experimental-dump-help`.
  private struct Command: Decodable {
    struct Dump: Decodable {
      var command: Command
    }

    struct Argument: Decodable {
      struct Name: Decodable {
        var kind: String
        var name: String
      }

      var names: [Name]?
      var shouldDisplay: Bool
    }

    var commandName: String
    var discussion: String?
    var subcommands: [Command]?
    var arguments: [Argument]?

    /// Returns the indented lines in the help of this command and of all below it, by the words that call the command.
    func indentedLines(path: [String] = []) -> [(command: [String], lines: [Substring])] {
      let own = (discussion ?? "").split(separator: "\n").filter { $0.hasPrefix(" ") }
      var found: [(command: [String], lines: [Substring])] = [(path, own)]
      for command in subcommands ?? [] where command.commandName != "help" {
        found += command.indentedLines(path: path + [command.commandName])
      }
      return found
    }

    /// Returns the options of all commands below this one, by the words that call the command.
    func options(path: [String] = []) -> [[String]: Set<String>] {
      var found: [[String]: Set<String>] = [:]
      for command in subcommands ?? [] where command.commandName != "help" {
        let words = path + [command.commandName]
        let names = (command.arguments ?? []).filter(\.shouldDisplay).flatMap { $0.names ?? [] }.filter {
          $0.kind == "long"
        }
        found[words] = Set(names.map { "--\($0.name)" })
        found.merge(command.options(path: words)) { own, _ in own }
      }
      return found
    }
  }

  /// The list has every command and option that the program itself reports.
  @Test func theListIsComplete() throws {
    let dump = try Folder.with { folder in try folder.run("--experimental-dump-help") }
    #expect(dump.status == 0)
    let program = try JSONDecoder().decode(Command.Dump.self, from: Data(dump.output.utf8)).command.options()
    let listed = Dictionary(uniqueKeysWithValues: Self.options.map { ($0.command, Set($0.options)) })
    #expect(Set(program.keys) == Set(listed.keys))
    for (command, options) in program {
      #expect(options.subtracting(["--version"]) == listed[command], "\(command.joined(separator: " "))")
    }
  }

  @Test func helpNamesEveryOption() throws {
    try Folder.with { folder in
      for (command, options) in Self.options {
        let help = try Program.run(command + ["--help"], in: folder.url)
        #expect(help.status == 0 && help.errors == "")
        #expect(
          help.output.hasPrefix("OVERVIEW: ")
            && help.output.contains("USAGE: tollgate \(command.joined(separator: " "))"))
        let words = Set(help.output.split { !($0.isLetter || $0 == "-") }.map(String.init))
        for option in options { #expect(words.contains(option), "\(command.joined(separator: " ")) \(option)") }
      }
    }
  }

  /// Pages, receipts and agents print `tollgate NAME` for a report.
  @Test func everyReportIsACommand() {
    let commands = Set(Self.options.map { $0.command[0] })
    for kind in ReportKind.all { #expect(commands.contains(kind.name), "\(kind.name)") }
  }

  /// Examples and YAML in a help can be copied: their lines are indented, and none of them is folded.
  @Test func indentedLinesStayWhole() throws {
    try Folder.with { folder in
      let dump = try folder.run("--experimental-dump-help")
      let program = try JSONDecoder().decode(Command.Dump.self, from: Data(dump.output.utf8)).command
      for (command, lines) in program.indentedLines() where !lines.isEmpty {
        let help = try Program.run(command + ["--help"], in: folder.url).output
        let shown = Set(help.split(separator: "\n"))
        for line in lines { #expect(shown.contains(line), "\(command.joined(separator: " ")): \(line)") }
      }
    }
  }

  /// Executors alone call `worker`, which is not shown.
  @Test func theOverviewNamesEveryCommandAndExitStatus() throws {
    try Folder.with { folder in
      let help = try folder.run("--help").output
      for command in Set(Self.options.map { $0.command[0] }) where command != "worker" {
        #expect(help.contains("\n  \(command) "), "\(command)")
      }
      let unfolded = help.replacingOccurrences(of: "\n", with: " ")
      for status in [
        "0  done", "1  unexpected", "2  wrong arguments", "3  done, but a file failed", "4  the nightly job found",
        "5  the store is locked",
      ] {
        #expect(unfolded.contains(status), "\(status)")
      }
    }
  }

  @Test func theVersionIsOneLine() throws {
    try Folder.with { folder in
      let version = try folder.run("--version")
      #expect(version.status == 0 && version.errors == "")
      #expect(version.output.wholeMatch(of: /[0-9]+\.[0-9]+\.[0-9]+\n/) != nil)
    }
  }

  /// Bash accepts the completion script and then has a completion for the program.
  @Test func completionScriptsWork() throws {
    try Folder.with { folder in
      for shell in ["bash", "zsh", "fish"] {
        let script = try folder.run("--generate-completion-script", shell)
        #expect(script.status == 0 && script.errors == "")
        for word in ["tollgate", "funnel", "cancellations", "lock-timeout"] {
          #expect(script.output.contains(word), "\(shell): \(word)")
        }
        try folder.write(script.output, to: "complete.\(shell)")
      }
      let bash = Process()
      bash.executableURL = URL(fileURLWithPath: "/bin/bash")
      bash.arguments = [
        "--norc", "-c",
        """
        set -e
        source complete.bash
        complete -p tollgate > found
        COMP_WORDS=(tollgate can); COMP_CWORD=1; COMP_LINE='tollgate can'; COMP_POINT=12; COMPREPLY=()
        function_name=$(sed -E 's/.*-F ([^ ]+) .*/\\1/' found)
        "$function_name" tollgate can tollgate || true
        printf '%s' "${COMPREPLY[*]}" > replies
        """,
      ]
      bash.currentDirectoryURL = folder.url
      bash.standardInput = FileHandle.nullDevice
      bash.standardError = FileHandle.nullDevice
      try bash.run()
      bash.waitUntilExit()
      #expect(bash.terminationStatus == 0)
      #expect(try folder.text(of: "replies").trimmingCharacters(in: .whitespaces) == "cancellations")
      let wrong = try folder.run("--generate-completion-script", "cmd")
      #expect(wrong.status == 2 && wrong.output == "")
    }
  }
}
