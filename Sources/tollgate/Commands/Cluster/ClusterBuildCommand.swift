import ArgumentParser
import Basics
import Cluster
import EventModel
import Foundation

struct ClusterBuildCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "build", abstract: "Read event files on the cluster and update its data.",
    discussion: """
      Reads files in tollgate's own format as `ingest` does, and Parquet (*.parquet) with a column for each field. Skips \
      files it has read before, keeps rejected lines in quarantine, and counts each event once. If a build fails, the \
      previous one stays as it was.
      """)

  @OptionGroup(title: "Spark")
  var spark: SparkArguments

  @Argument(help: ArgumentHelp("Files, folders (read recursively) or patterns that Spark can read.", valueName: "path"))
  var paths: [String]

  @Flag(help: "End with status 3 if a line was rejected.")
  var strict = false

  @Option(
    help: ArgumentHelp(
      "Largest file to read whole, in megabytes. One task reads it, and needs about seven times as much memory. Larger "
        + "files are split by lines.",
      valueName: "megabytes"))
  var wholeFile = 32

  @Option(help: ArgumentHelp("Number of files per app and month in the cluster's data.", valueName: "count"))
  var buckets = 1

  mutating func validate() throws {
    if paths.isEmpty { throw ValidationError("no path is given: name files or folders") }
    try require("--whole-file", wholeFile, in: 0...1024)
    try require("--buckets", buckets, in: 1...10_000)
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
    for failure in failed { LogFormat.warn("\(failure[0]): nothing ingested: \(failure[1])") }
    let quarantined = count("rejected") + count("conflicts")
    if !spark.log.quiet {
      print(
        "\(counted(count("files"), "file")) (\(grouped(count("skipped"))) skipped, \(grouped(failed.count)) failed), "
          + "\(counted(count("events"), "event")), \(counted(count("duplicates"), "duplicate")), "
          + "\(grouped(quarantined)) rejected, \(counted(count("persons"), "user")) updated, "
          + "build \(count("build")), " + String(format: "%.1f s", seconds))
      let reasons = (answer["reasons"] as? [[Any]] ?? []).compactMap { pair -> String? in
        guard pair.count == 2, let reason = pair[0] as? String, let count = pair[1] as? Int else { return nil }
        return "\(reason) \(grouped(count))"
      }
      if quarantined > 0, !reasons.isEmpty {
        LogFormat.warn("rejected, all builds: \(reasons.joined(separator: ", "))", behind: "")
      }
    }
    if !failed.isEmpty || (strict && quarantined > 0) { throw ExitCode(ExitStatus.incomplete.rawValue) }
  }
}
