import Foundation
import Testing

/// `tollgate mcp` in a folder, given requests line by line.
struct MCPServer {
  var folder: Folder
  /// Words behind `mcp`.
  var words: [String] = []
  /// Whether each request names its revision, 2026-07-28; else a handshake comes first.
  var isModern = true

  /// Returns the answers to requests, in their order.
  ///
  /// - Parameter requests: Methods with their parameters.
  func answers(_ requests: [(method: String, params: [String: Any])]) throws -> [[String: Any]] {
    var lines: [String] = []
    if !isModern {
      lines.append(
        #"{"jsonrpc":"2.0","id":"i","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{}}}"#
      )
    }
    for (id, request) in requests.enumerated() {
      var params = request.params
      if isModern {
        params["_meta"] = [
          "io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": [:],
        ]
      }
      let message: [String: Any] = ["jsonrpc": "2.0", "id": id, "method": request.method, "params": params]
      lines.append(String(decoding: try JSONSerialization.data(withJSONObject: message), as: UTF8.self))
    }
    let done = try Program.run(["mcp"] + words, input: lines.joined(separator: "\n") + "\n", in: folder.url)
    #expect(done.status == 0 && done.errors == "", "\(done.errors)")
    var found: [Int: [String: Any]] = [:]
    for line in done.output.split(separator: "\n") {
      let answer = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any] ?? [:]
      if let id = answer["id"] as? Int { found[id] = answer }
    }
    return requests.indices.map { found[$0] ?? [:] }
  }

  /// Returns the result of one request; empty for an error.
  func result(_ method: String, _ params: [String: Any] = [:]) throws -> [String: Any] {
    try answers([(method, params)])[0]["result"] as? [String: Any] ?? [:]
  }

  /// Returns the error of one request; empty for a result.
  func error(_ method: String, _ params: [String: Any] = [:]) throws -> [String: Any] {
    try answers([(method, params)])[0]["error"] as? [String: Any] ?? [:]
  }

  /// Returns the content of a call, or its refusal.
  func call(_ tool: String, _ arguments: [String: Any]) throws -> [String: Any] {
    let result = try result("tools/call", ["name": tool, "arguments": arguments])
    return result["structuredContent"] as? [String: Any] ?? [:]
  }
}
