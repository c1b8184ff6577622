import ArgumentParser
import Cluster
import Foundation

/// Builds events and facts and makes reports on a Spark cluster.
struct ClusterCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "cluster", abstract: "Load events and print reports using a Spark cluster.",
    discussion: """
      Processes more events than one machine can. Spark stores and distributes the data and retries failed work. Every \
      executor runs this same program, so reports print the same bytes as from a store.

        tollgate cluster build --master 'local[2]' --data cluster SampleData/events
        tollgate cluster report --master 'local[2]' --data cluster funnel
      """,
    subcommands: [ClusterBuildCommand.self, ClusterReportCommand.self])
}

/// The Spark options of both commands.
struct SparkArguments: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Data folder that driver and executors can reach, such as s3a://bucket/tollgate.",
      valueName: "folder"))
  var data: String

  @Option(
    help: ArgumentHelp(
      "Spark master: local[2], spark://host:port, yarn or k8s://... (default: from Spark's settings).",
      valueName: "master"))
  var master: String?

  @Option(
    help: ArgumentHelp("Spark setting (repeatable), such as spark.executor.memory=4g.", valueName: "key=value"))
  var conf: [String] = []

  @Option(help: ArgumentHelp("Path of spark-submit (default: from SPARK_HOME, else PATH).", valueName: "path"))
  var sparkSubmit: String?

  @Option(
    help: ArgumentHelp(
      "tollgate program for the executors, if their architecture differs (default: this one).",
      valueName: "path"))
  var program: String?

  @OptionGroup var log: LogOptions

  mutating func validate() throws {
    if data.isEmpty { throw ValidationError("--data is empty, but must name a folder") }
    for setting in conf where !setting.contains("=") || setting.hasPrefix("=") {
      throw ValidationError("--conf is \(setting), but must be key=value")
    }
  }

  var settings: SparkSettings {
    var settings = SparkSettings()
    settings.master = master
    settings.configuration = conf
    settings.submit = sparkSubmit
    settings.program = program
    return settings
  }

  /// The folder as a path that is valid in every process.
  var folder: String { Self.absolute(data) }

  /// Returns an absolute path; a path without a scheme is local and relative to the current folder.
  static func absolute(_ path: String) -> String {
    if path.wholeMatch(of: /[A-Za-z][A-Za-z0-9+.\-]*:.*/) != nil { return path }
    return URL(fileURLWithPath: path).standardizedFileURL.path
  }

  /// The folder as a local path; `nil` if it is not on this machine.
  var localFolder: String? {
    if folder.hasPrefix("/") { return folder }
    return folder.hasPrefix("file:///") ? String(folder.dropFirst("file://".count)) : nil
  }
}
