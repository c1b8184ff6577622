public import Basics
public import Foundation

/// An error of a job on the cluster, in one line, with what to do next.
public struct ClusterError: ReadableError {
  public var description: String

  public init(_ description: String) { self.description = description }
}

/// The settings for running Spark.
public struct SparkSettings: Sendable {
  /// `local[2]`, `spark://host:port`, `yarn`, `k8s://...`; `nil` uses Spark's own settings.
  public var master: String?
  /// Spark settings, each `key=value`.
  public var configuration: [String] = []
  /// The path of `spark-submit`; `nil` looks in `SPARK_HOME`, then in `PATH`.
  public var submit: String?
  /// The program that executors run; `nil` is this program.
  public var program: String?

  public init() {}
}

/// Runs the embedded driver script with `spark-submit` in client mode.
public struct SparkJob {
  private static let worker = "tollgate-worker"
  private let settings: SparkSettings
  /// The folder of this run only: job, answer, and the files that the driver fetches.
  public let folder: URL

  public init(_ settings: SparkSettings) throws {
    self.settings = settings
    folder = FileManager.default.temporaryDirectory.appendingPathComponent("tollgate-cluster-\(UUID().uuidString)")
    try FileManager.default.createDirectory(
      at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
  }

  public func removeFolder() { try? FileManager.default.removeItem(at: folder) }

  /// Runs the driver.
  ///
  /// - Parameter job: The job's settings, besides those that all jobs have.
  /// - Returns: The driver's answer.
  /// - Throws: ``ClusterError``.
  public func run(_ job: [String: Any]) throws -> [String: Any] {
    let script = try laidDriver()
    let answer = folder.appendingPathComponent("answer.json")
    try? FileManager.default.removeItem(at: answer)
    var job = job
    job["layout"] = Self.layout
    job["worker"] = Self.worker
    job["answer"] = answer.path
    let jobFile = folder.appendingPathComponent("job.json")
    try JSONSerialization.data(withJSONObject: job).write(to: jobFile)
    let status = try submit([script.path, jobFile.path])
    let text = try? Data(contentsOf: answer)
    let object = text.flatMap { try? JSONSerialization.jsonObject(with: $0) } as? [String: Any]
    if let error = object?["error"] as? String { throw ClusterError("\(error)\(kept())") }
    guard status == 0, let object else {
      throw ClusterError("spark-submit failed with status \(status)\(kept())")
    }
    return object
  }

  /// Writes the driver's scripts into a folder of their own.
  ///
  /// - Returns: The script to give to Spark; it finds the others in its folder.
  private func laidDriver() throws -> URL {
    let driver = folder.appendingPathComponent("driver")
    try FileManager.default.createDirectory(at: driver, withIntermediateDirectories: true)
    for (name, bytes) in [
      ("build.py", PackageResources.build_py),
      ("cluster_driver.py", PackageResources.cluster_driver_py),
      ("copy_text.py", PackageResources.copy_text_py),
      ("days.py", PackageResources.days_py),
      ("decoding.py", PackageResources.decoding_py),
      ("export.py", PackageResources.export_py),
      ("folding.py", PackageResources.folding_py),
      ("persons.py", PackageResources.persons_py),
      ("refusal.py", PackageResources.refusal_py),
      ("storage.py", PackageResources.storage_py),
      ("tables.py", PackageResources.tables_py),
      ("workers.py", PackageResources.workers_py),
    ] {
      try Data(bytes).write(to: driver.appendingPathComponent(name))
    }
    return driver.appendingPathComponent("cluster_driver.py")
  }

  /// The file with Spark's messages.
  private var log: URL { folder.appendingPathComponent("spark.log") }

  /// Keeps the messages of a failed job and returns where they are.
  private func kept() -> String {
    let path = FileManager.default.temporaryDirectory.appendingPathComponent("\(folder.lastPathComponent).log")
    guard (try? FileManager.default.moveItem(at: log, to: path)) != nil else { return "" }
    return "; Spark's messages are in \(path.path)"
  }

  private func submit(_ arguments: [String]) throws -> Int32 {
    let own = settings.program ?? ProcessInfo.processInfo.arguments[0]
    let program =
      FileManager.default.fileExists(atPath: "/proc/self/exe") && settings.program == nil
      ? try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe") : own
    guard FileManager.default.isExecutableFile(atPath: program) else {
      throw ClusterError("\(program): is not a program that executors can run; name one with --program")
    }
    // Uses a name that nothing else on an executor's path has; Spark would resolve a symbolic link to the original
    // name.
    let named = folder.appendingPathComponent(Self.worker)
    if !FileManager.default.fileExists(atPath: named.path) {
      let source = URL(fileURLWithPath: program).standardizedFileURL
      do {
        try FileManager.default.linkItem(at: source, to: named)
      } catch {
        try FileManager.default.copyItem(at: source, to: named)
      }
    }
    var options = ["--files", named.path, "--conf", "spark.ui.showConsoleProgress=false"]
    if let master = settings.master { options += ["--master", master] }
    for setting in settings.configuration { options += ["--conf", setting] }
    let process = Process()
    process.executableURL = try submitProgram()
    process.arguments = options + arguments
    // The driver plans many small jobs and reads no events: compiling for speed takes longer than it saves.
    var environment = ProcessInfo.processInfo.environment
    environment["JDK_JAVA_OPTIONS"] = ["-XX:TieredStopAtLevel=1", environment["JDK_JAVA_OPTIONS"]].compactMap { $0 }
      .joined(separator: " ")
    process.environment = environment
    _ = FileManager.default.createFile(atPath: log.path, contents: nil, attributes: [.posixPermissions: 0o600])
    guard let messages = FileHandle(forWritingAtPath: log.path) else {
      throw ClusterError("\(log.path): cannot be written")
    }
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = messages
    process.standardError = messages
    do {
      try process.run()
    } catch {
      throw ClusterError(
        "\(process.executableURL?.path ?? "spark-submit"): cannot be run: \(error.localizedDescription)")
    }
    process.waitUntilExit()
    try? messages.close()
    return process.terminationStatus
  }

  private func submitProgram() throws -> URL {
    let environment = ProcessInfo.processInfo.environment
    var candidates: [String] = []
    if let submit = settings.submit {
      candidates = [submit]
    } else {
      if let home = environment["SPARK_HOME"], !home.isEmpty { candidates.append("\(home)/bin/spark-submit") }
      candidates += (environment["PATH"] ?? "").split(separator: ":").map { "\($0)/spark-submit" }
    }
    guard let found = candidates.first(where: { FileManager.default.isExecutableFile(atPath: $0) }) else {
      throw UsageError(
        settings.submit.map { "\($0): is not a program" }
          ?? "spark-submit was not found; set SPARK_HOME, or name it with --spark-submit")
    }
    return URL(fileURLWithPath: found)
  }

  /// The layout of rows; the driver reads it from here, so that it is defined only once.
  private static var layout: [String: Any] {
    [
      "protocol": WorkerProtocol.version,
      "oldest_build": WorkerProtocol.oldestBuild,
      "facts": WorkerProtocol.facts.map(\.rawValue),
      "kinds": WorkerProtocol.kinds,
      "columns": Dictionary(
        uniqueKeysWithValues: WorkerProtocol.Tag.allCases.map { tag in
          (tag.rawValue, WorkerProtocol.allColumns(of: tag).map { [$0.name, $0.type.sparkName] })
        }),
    ]
  }
}
