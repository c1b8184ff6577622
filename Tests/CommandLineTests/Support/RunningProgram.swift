import Foundation

#if canImport(Glibc)
  import Glibc
#endif

/// The program as a server on a free port.
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
    process.environment = Program.environment(home: folder.url).merging(environment) { _, own in own }
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
    try send("GET", path, body: nil, headers: headers)
  }

  func post(_ path: String, _ body: String, headers: [String: String] = [:]) async throws -> Answer {
    try send("POST", path, body: Data(body.utf8), headers: headers)
  }

  /// Sends a request on a new connection; a regular HTTP client would add or change headers, and wait to be asked for a
  /// token.
  private func send(_ method: String, _ path: String, body: Data?, headers: [String: String]) throws -> Answer {
    guard let port = address.split(separator: ":").last.flatMap({ UInt16($0) }) else { throw BadAnswer() }
    var fields = ["Host": "127.0.0.1:\(port)", "Connection": "close"].merging(headers) { $1 }
    if let body { fields["Content-Length"] = "\(body.count)" }
    let head = "\(method) \(path) HTTP/1.1\r\n" + fields.map { "\($0.key): \($0.value)\r\n" }.joined() + "\r\n"
    let received = try Self.exchange(Data(head.utf8) + (body ?? Data()), port: port)
    guard let end = received.firstRange(of: Data("\r\n\r\n".utf8)) else { throw BadAnswer() }
    let lines = String(decoding: received[..<end.lowerBound], as: UTF8.self).components(separatedBy: "\r\n")
    let words = lines[0].split(separator: " ")
    guard words.count >= 2, let status = Int(words[1]) else { throw BadAnswer() }
    var answers: [String: String] = [:]
    for line in lines.dropFirst() {
      guard let colon = line.firstIndex(of: ":") else { throw BadAnswer() }
      answers[line[..<colon].lowercased()] = line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
    }
    return Answer(status: status, body: String(decoding: received[end.upperBound...], as: UTF8.self), headers: answers)
  }

  struct BadAnswer: Error {}

  /// Sends bytes and returns the response until the other side closes the connection.
  private static func exchange(_ bytes: Data, port: UInt16) throws -> Data {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(descriptor) }
    var place = sockaddr_in()
    place.sin_family = sa_family_t(AF_INET)
    place.sin_port = port.bigEndian
    place.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let connected = withUnsafePointer(to: &place) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard connected == 0 else { throw BadAnswer() }
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes {
        Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      // A body that is too large may be rejected before it is sent.
      guard count > 0 else { break }
      rest = rest.dropFirst(count)
    }
    var received = Data()
    var room = [UInt8](repeating: 0, count: 65_536)
    while case let count = recv(descriptor, &room, room.count, 0), count > 0 { received += room[..<count] }
    return received
  }

  /// Terminates the process as a service manager does; returns its exit status and its messages.
  func terminate() throws -> (status: Int32, errors: String) {
    process.terminate()
    process.waitUntilExit()
    return (process.terminationStatus, try String(contentsOf: errors, encoding: .utf8))
  }
}
