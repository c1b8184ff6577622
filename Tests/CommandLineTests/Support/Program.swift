import Foundation

/// The built program, run as a separate process.
enum Program {
  struct Result {
    var status: Int32
    var output: String
    var errors: String
  }

  /// The path of `tollgate` next to the running test bundle.
  static let url: URL = {
    let bundle = URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath()
    var folder = bundle.deletingLastPathComponent()
    while folder.path != "/" {
      let candidate = folder.appendingPathComponent("tollgate")
      var isDirectory: ObjCBool = false
      if FileManager.default.fileExists(atPath: candidate.path, isDirectory: &isDirectory), !isDirectory.boolValue {
        return candidate
      }
      folder = folder.deletingLastPathComponent()
    }
    preconditionFailure("no tollgate beside \(bundle.path); run `swift build` first")
  }()

  /// Returns the environment of the program, with the options of sanitizers passed on.
  static func environment(home: URL) -> [String: String] {
    let sanitizers = ProcessInfo.processInfo.environment.filter { $0.key.hasSuffix("SAN_OPTIONS") }
    return sanitizers.merging(["PATH": "/usr/bin:/bin", "HOME": home.path]) { _, own in own }
  }

  /// Runs the program to its end. Its output goes to files, so that it never blocks on the test. `TOLLGATE_STORE` and
  /// `NO_COLOR` are unset unless given in `environment`.
  ///
  /// - Parameters:
  ///   - input: Standard input, passed by a pipe.
  ///   - directory: The current folder.
  static func run(
    _ arguments: [String], input: String? = nil, environment: [String: String] = [:], in directory: URL
  ) throws -> Result {
    let process = Process()
    process.executableURL = url
    process.arguments = arguments
    process.currentDirectoryURL = directory
    process.environment = Self.environment(home: directory).merging(environment) { _, own in own }
    let outputs = [0, 1].map { _ in
      FileManager.default.temporaryDirectory.appendingPathComponent("tollgate-output-\(UUID().uuidString)")
    }
    defer { for output in outputs { try? FileManager.default.removeItem(at: output) } }
    for output in outputs { _ = FileManager.default.createFile(atPath: output.path, contents: nil) }
    process.standardOutput = try FileHandle(forWritingTo: outputs[0])
    process.standardError = try FileHandle(forWritingTo: outputs[1])
    let pipe = Pipe()
    process.standardInput = input == nil ? FileHandle.nullDevice : pipe
    try process.run()
    if let input {
      try pipe.fileHandleForWriting.write(contentsOf: Data(input.utf8))
      try pipe.fileHandleForWriting.close()
    }
    process.waitUntilExit()
    let texts = try outputs.map { String(decoding: try Data(contentsOf: $0), as: UTF8.self) }
    return Result(status: process.terminationStatus, output: texts[0], errors: texts[1])
  }
}
