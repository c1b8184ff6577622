import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The program while it serves, on a free port.
final class RunningProgram {
  private let process = Process()
  private let errors: URL
  let address: String

  /// Starts the program and waits until it listens.
  ///
  /// - Parameter arguments: Without `--listen`.
  init(_ arguments: [String], environment: [String: String] = [:], in folder: Folder) throws {
    errors = folder.url.appendingPathComponent("errors-\(UUID().uuidString)")
    _ = FileManager.default.createFile(atPath: errors.path, contents: nil)
    process.executableURL = Program.url
    process.arguments = arguments + ["--listen", "127.0.0.1:0"]
    process.currentDirectoryURL = folder.url
    process.environment = ["PATH": "/usr/bin:/bin", "HOME": folder.url.path].merging(environment) { _, own in own }
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = FileHandle.nullDevice
    process.standardError = try FileHandle(forWritingTo: errors)
    try process.run()
    let begin = "listening on "
    for _ in 0..<600 {
      let said = try String(contentsOf: errors, encoding: .utf8)
      if let line = said.split(separator: "\n").first(where: { $0.hasPrefix(begin) }), said.hasSuffix("\n") {
        address = String(line.dropFirst(begin.count).prefix { $0 != "," && $0 != " " })
        return
      }
      if !process.isRunning { throw DoesNotListen(description: said) }
      Thread.sleep(forTimeInterval: 0.05)
    }
    process.terminate()
    throw DoesNotListen(description: "it said nothing of listening for 30 s")
  }

  struct DoesNotListen: Error, CustomStringConvertible {
    var description: String
  }

  deinit { if process.isRunning { process.terminate() } }

  struct Answer {
    var status: Int
    var body: String
    var headers: [String: String]
  }

  func get(_ path: String, headers: [String: String] = [:]) async throws -> Answer {
    try await send("GET", path, body: nil, headers: headers)
  }

  func post(_ path: String, _ body: String, headers: [String: String] = [:]) async throws -> Answer {
    try await send("POST", path, body: Data(body.utf8), headers: headers)
  }

  private func send(_ method: String, _ path: String, body: Data?, headers: [String: String]) async throws -> Answer {
    guard let url = URL(string: address + path) else { throw URLError(.badURL) }
    var request = URLRequest(url: url, timeoutInterval: 60)
    request.httpMethod = method
    request.httpBody = body
    for (name, value) in headers { request.setValue(value, forHTTPHeaderField: name) }
    let (data, response) = try await URLSession.shared.data(for: request)
    guard let response = response as? HTTPURLResponse else { throw URLError(.badServerResponse) }
    let fields = response.allHeaderFields.map { ("\($0.key)".lowercased(), "\($0.value)") }
    return Answer(
      status: response.statusCode, body: String(decoding: data, as: UTF8.self),
      headers: Dictionary(fields) { first, _ in first })
  }

  /// Asks it to end, as a service manager does; returns its exit status and what it said.
  func terminate() throws -> (status: Int32, errors: String) {
    process.terminate()
    process.waitUntilExit()
    return (process.terminationStatus, try String(contentsOf: errors, encoding: .utf8))
  }
}
