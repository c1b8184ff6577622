import Foundation
import Testing

/// Every command says what it takes (cli.md).
@Suite struct HelpTests {
  private static let common = ["--store", "--quiet", "--log-level", "--log-format", "--help"]
  private static let output = ["--format", "--spreadsheet", "--plot", "--output", "--sort", "--limit"]
  private static let spark = [
    "--data", "--master", "--conf", "--spark-submit", "--program", "--spark-log", "--quiet", "--log-level", "--help",
  ]
  private static let sources = [
    "--source", "--app", "--plan", "--mapping", "--verify", "--root-certificate", "--bundle-id",
  ]
  private static let report =
    common + output + [
      "--app", "--from", "--to", "--timezone", "--as-of", "--known-at", "--attribution", "--grace", "--by", "--where",
      "--currency",
    ]

  private static let options: [(command: [String], options: [String])] = [
    (
      ["ingest"],
      common + sources + ["--strict", "--lock-timeout", "--commit-every", "--format", "--dry-run", "--prepare"]
    ),
    (["funnel"], report + ["--unit", "--horizon"]),
    (["trials"], report),
    (["savings"], report),
    (["cancellations"], report),
    (["revenue"], report + ["--mode", "--store-fee"]),
    (["mrr"], report + ["--movement"]),
    (["subscriptions"], report + ["--movement"]),
    (["value"], report + ["--mode", "--store-fee", "--renewal", "--horizon", "--pairs"]),
    (["cadence"], report + ["--horizon"]),
    (["gates"], report + ["--horizon"]),
    (["nudges"], report),
    (["activity"], report),
    (["rates", "import"], common + ["--lock-timeout"]),
    (["rates", "list"], common + output),
    (["retention"], report + ["--by-period", "--at"]),
    (["ltv"], report + ["--mode", "--store-fee"]),
    (["refunds"], report + ["--date"]),
    (["experiment"], report + ["--config", "--over-time"]),
    (["experiments"], report),
    (
      ["aa-replay"],
      common + output + [
        "--app", "--metric", "--repetitions", "--seed", "--from", "--to", "--timezone", "--as-of", "--grace",
      ]
    ),
    (["explain"], common + output + ["--cell", "--key", "--column", "--offset"]),
    (["diff"], common + output + ["--before-as-of", "--before-known-at", "--before-store", "--column"]),
    (["health"], common + output + ["--app"]),
    (["reconcile"], common + output + ["--app", "--from", "--to", "--timezone", "--by", "--product"]),
    (["quarantine", "list"], common + output + ["--reason"]),
    (["quarantine", "show"], common + ["--reason"]),
    (["quarantine", "retry"], common + sources + ["--lock-timeout"]),
    (["doctor"], common + ["--rebuild-check", "--files", "--repair", "--seal", "--lock-timeout"]),
    (["backup"], common),
    (["vacuum"], common + ["--lock-timeout"]),
    (["forget"], common + ["--user", "--app", "--receipt", "--lock-timeout"]),
    (["prune"], common + ["--older-than", "--dry-run", "--lock-timeout"]),
    (["export"], common + ["--format", "--output"]),
    (["nightly"], common + ["--config", "--night", "--check", "--lock-timeout", "--format"]),
    (["calc"], common),
    (
      ["calc", "proportions"],
      common + ["--control", "--treatment", "--confidence", "--margin", "--planned", "--format"]
    ),
    (["calc", "interval"], common + ["--confidence", "--format"]),
    (
      ["calc", "sample-size"],
      common + [
        "--baseline", "--mean", "--sd", "--lift", "--difference", "--margin", "--alpha", "--power", "--ratio",
        "--looks",
      ]
    ),
    (["calc", "duration"], common + ["--users", "--per-day", "--maturity", "--baseline", "--lift"]),
    (["calc", "srm"], common + ["--observed", "--weights", "--alpha"]),
    (["calc", "survival"], common + ["--horizon", "--confidence"]),
    (["cluster", "build"], spark + ["--strict", "--whole-file", "--buckets"]),
    (["cluster", "report"], spark + ["--cache", "--rates"]),
    (["worker", "fold"], ["--protocol", "--help"]),
    (["worker", "decode-files"], ["--protocol", "--help"]),
    (["worker", "decode-lines"], ["--protocol", "--help"]),
    (["serve"], common + ["--listen", "--token-file", "--time-limit", "--row-limit", "--most-stale"]),
    (
      ["receive"],
      [
        "--output", "--listen", "--revenuecat-token-file", "--app-store", "--root-certificate", "--bundle-id",
        "--max-body", "--rate", "--rotate-bytes", "--rotate-seconds", "--quiet", "--log-level", "--help",
      ]
    ),
    (
      ["sample"],
      ["--output", "--seed", "--persons", "--events", "--first-day", "--days", "--app", "--quiet", "--help"]
    ),
  ]

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

  @Test func theOverviewNamesEveryCommandAndExitStatus() throws {
    try Folder.with { folder in
      let help = try folder.run("--help").output
      for command in [
        "ingest", "quarantine", "health", "doctor", "funnel", "trials", "savings", "cancellations", "revenue", "mrr",
        "subscriptions", "retention", "ltv", "refunds", "value", "cadence", "gates", "nudges", "activity", "rates",
        "experiment", "experiments", "aa-replay", "calc", "receive", "serve", "explain", "diff", "sample", "nightly",
        "backup", "vacuum", "forget", "prune", "export", "cluster", "worker",
      ] {
        #expect(help.contains("\n  \(command) "), "\(command)")
      }
      let unfolded = help.replacingOccurrences(of: "\n", with: " ")
      for status in [
        "0 done", "1 unexpected", "2 wrong arguments", "3 done, with failed files", "4 a nightly threshold",
        "5 the store is locked",
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

  /// Bash itself says whether it takes the script: it is read, and has a completion for the program then.
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
