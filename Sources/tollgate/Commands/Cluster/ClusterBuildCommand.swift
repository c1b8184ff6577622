import ArgumentParser
import Basics
import Cluster
import EventModel
import Foundation

struct ClusterBuildCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "build", abstract: "Reads event files on the cluster and folds the persons they touch.",
    discussion: """
      Files are native ones as for `ingest`, or Parquet (*.parquet) with their fields as columns. Those read before are \
      skipped; a line that is no valid event goes to quarantine; each event counts once. A build counts when it is complete: one that \
      fails leaves the former one as it was.
      """)

  @OptionGroup(title: "Spark")
  var spark: SparkArguments

  @Argument(help: ArgumentHelp("Files, folders (read recursively) or patterns that Spark can read.", valueName: "path"))
  var paths: [String]

  @Flag(help: "End with status 3 when a line went to quarantine.")
  var strict = false

  @Option(
    help: ArgumentHelp(
      "Files up to so many megabytes are read whole, each by one task, which takes some seven times as much of its "
        + "executor's memory; larger ones by lines, many tasks a file.",
      valueName: "megabytes"))
  var wholeFile = 32

  @Option(help: ArgumentHelp("Files that the facts and events of an app and month are split into.", valueName: "count"))
  var buckets = 1

  mutating func validate() throws {
    if paths.isEmpty { throw ValidationError("no path is given: name files or folders") }
    guard (0...1024).contains(wholeFile) else {
      throw ValidationError("--whole-file is \(wholeFile), but must be from 0 to 1024")
    }
    guard (1...10_000).contains(buckets) else {
      throw ValidationError("--buckets is \(buckets), but must be from 1 to 10000")
    }
  }

  func run() throws {
    let started = ContinuousClock.now
    let job = try SparkJob(spark.settings)
    defer { job.removeFolder() }
    let answer = try job.run([
      "command": "build", "output": spark.folder, "inputs": paths.map(SparkArguments.absolute),
      "whole_file_bytes": wholeFile << 20, "buckets": buckets,
    ])
    let seconds = (ContinuousClock.now - started) / .seconds(1)
    func count(_ name: String) -> Int { answer[name] as? Int ?? 0 }
    let failed = (answer["failed"] as? [[String]] ?? []).filter { $0.count == 2 }
    for failure in failed { LogFormat.warn("\(failure[0]): nothing taken: \(failure[1])") }
    let quarantined = count("rejected") + count("conflicts")
    if !spark.log.quiet {
      print(
        "\(grouped(count("files"))) files (\(grouped(count("skipped"))) skipped, \(grouped(failed.count)) failed), "
          + "\(grouped(count("events"))) events, \(grouped(count("duplicates"))) duplicates, "
          + "\(grouped(quarantined)) quarantined, \(grouped(count("persons"))) persons folded, "
          + "build \(count("build")), " + String(format: "%.1f s", seconds))
      let reasons = (answer["reasons"] as? [[Any]] ?? []).compactMap { pair -> String? in
        guard pair.count == 2, let reason = pair[0] as? String, let count = pair[1] as? Int else { return nil }
        return "\(reason) \(grouped(count))"
      }
      if quarantined > 0, !reasons.isEmpty {
        LogFormat.warn("quarantined, all builds: \(reasons.joined(separator: ", "))", behind: "")
      }
    }
    if !failed.isEmpty || (strict && quarantined > 0) { throw ExitCode(ExitStatus.incomplete.rawValue) }
  }
}
