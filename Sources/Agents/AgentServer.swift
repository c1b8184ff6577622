internal import Basics
internal import Dispatch
internal import Foundation
internal import Metrics
internal import Synchronization

/// A Model Context Protocol server on standard input and output: one JSON-RPC 2.0 message per line (Agents.md).
public final class AgentServer: Sendable {
  static let modern = "2026-07-28"
  static let handshakes = ["2025-11-25", "2025-06-18"]
  static let mostBytes = 1 << 20
  private static let meta = "io.modelcontextprotocol/"
  private static let instructions = """
    Numbers of subscriptions and paywall experiments. Call catalog first. Numbers are strings: quote them as they are. A \
    refusal says what is missing and has arguments that work; never guess a number. Cite the receipt. The resources have \
    the rule of every column.
    """
  /// The methods that need a handshake, or a revision with the request.
  private static let methods: Set = [
    "server/discover", "tools/list", "tools/call", "resources/list", "resources/templates/list", "resources/read",
    "prompts/list", "prompts/get",
  ]

  private struct Fault: Error {
    var code: Int
    var message: String
    var data: JSONNode?
  }

  private struct State {
    var isInitialized = false
    /// The ids of calls at work, as JSON.
    var running: Set<[UInt8]> = []
    var cancelled: Set<[UInt8]> = []
  }

  private let tools: AgentTools
  private let resources: AgentResources
  private let version: String
  private let write: @Sendable ([UInt8]) -> Void
  private let state = Mutex(State())
  private let calls: OperationQueue = {
    let queue = OperationQueue()
    queue.maxConcurrentOperationCount = 4
    return queue
  }()
  private let room = DispatchSemaphore(value: 16)
  private let output = Mutex(())

  /// - Parameter write: Takes one line with its end; never called by two threads at once.
  public init(_ tools: AgentTools, version: String, write: @escaping @Sendable ([UInt8]) -> Void) {
    (self.tools, self.version, self.write) = (tools, version, write)
    resources = AgentResources(files: tools.files)
  }

  /// Answers lines until the input ends and all calls are answered.
  ///
  /// - Parameter read: Returns the next bytes; none at the end.
  public func run(_ read: () -> [UInt8]) {
    var line: [UInt8] = []
    var isTooLong = false
    func end() {
      if isTooLong {
        send(Fault(code: -32700, message: "a line has more than \(Self.mostBytes) bytes"), id: .null)
      } else if line.contains(where: { $0 != 0x20 && $0 != 0x0D && $0 != 0x09 }) {
        answer(line)
      }
      line.removeAll(keepingCapacity: true)
      isTooLong = false
    }
    while case let bytes = read(), !bytes.isEmpty {
      for part in bytes.split(separator: 0x0A, omittingEmptySubsequences: false).enumerated() {
        if part.offset > 0 { end() }
        if line.count + part.element.count > Self.mostBytes { isTooLong = true }
        if !isTooLong { line += part.element }
      }
    }
    end()
    calls.waitUntilAllOperationsAreFinished()
  }

  private func send(_ message: JSONNode) { output.withLock { _ in write(message.json + [0x0A]) } }

  private func send(_ fault: Fault, id: JSONNode) {
    var error = [JSONMember("code", JSONNode(Int64(fault.code))), JSONMember("message", .string(fault.message))]
    if let data = fault.data { error.append(JSONMember("data", data)) }
    send(.object(["jsonrpc": "2.0", "id": id, "error": .object(error)]))
  }

  private func answer(_ line: [UInt8]) {
    guard String(validating: line, as: UTF8.self) != nil, let message = JSONNode(parsing: line) else {
      return send(Fault(code: -32700, message: "the line is not JSON in UTF-8"), id: .null)
    }
    let id = message["id"]
    var isID = false
    switch id {
    case .string?, .number?: isID = true
    default: break
    }
    guard message["jsonrpc"]?.text == "2.0", let method = message["method"]?.text, id == nil || isID else {
      // An answer is none of a request: this server asks nothing.
      if message["result"] != nil || message["error"] != nil { return }
      return send(
        Fault(code: -32602, message: "the line is not a JSON-RPC 2.0 request"), id: isID ? id ?? .null : .null)
    }
    let params = message["params"] ?? .object([])
    guard let id else { return notice(method, params) }
    do throws(Fault) {
      if let result = try result(of: method, params, id: id) {
        send(.object(["jsonrpc": "2.0", "id": id, "result": result]))
      }
    } catch {
      send(error, id: id)
    }
  }

  private func notice(_ method: String, _ params: JSONNode) {
    guard method == "notifications/cancelled", let id = params["requestId"]?.json else { return }
    state.withLock { state in if state.running.contains(id) { state.cancelled.insert(id) } }
  }

  /// Returns whether a request is of the revision without a handshake.
  private func isModern(_ params: JSONNode) throws(Fault) -> Bool {
    let meta = params["_meta"]
    guard let asked = meta?["\(Self.meta)protocolVersion"] else { return false }
    guard let asked = asked.text, meta?["\(Self.meta)clientCapabilities"]?.members != nil else {
      throw Fault(
        code: -32602, message: "params._meta must have \(Self.meta)protocolVersion and \(Self.meta)clientCapabilities")
    }
    guard asked == Self.modern else {
      throw Fault(
        code: -32022, message: "protocol version \(asked) is not supported",
        data: .object(["supported": .texts([Self.modern] + Self.handshakes), "requested": .string(asked)]))
    }
    return true
  }

  private var identity: JSONNode { .object(["name": "tollgate", "version": .string(version)]) }
  private var capabilities: JSONNode {
    .object(["tools": .object([]), "resources": .object([]), "prompts": .object([])])
  }

  /// - Returns: `nil` for a call, which is answered when it is done.
  private func result(of method: String, _ params: JSONNode, id: JSONNode) throws(Fault) -> JSONNode? {
    guard params.members != nil else { throw Fault(code: -32602, message: "params must be an object") }
    switch method {
    case "ping": return .object([])
    case "initialize":
      guard let asked = params["protocolVersion"]?.text else {
        throw Fault(code: -32602, message: "params.protocolVersion is missing")
      }
      state.withLock { $0.isInitialized = true }
      return .object([
        "protocolVersion": .string(Self.handshakes.contains(asked) ? asked : Self.handshakes[0]),
        "capabilities": capabilities, "serverInfo": identity, "instructions": .string(Self.instructions),
      ])
    default:
      guard Self.methods.contains(method) else {
        throw Fault(code: -32601, message: "\(method) is not a method of this server")
      }
    }
    let isModern = try isModern(params)
    if !isModern, method == "server/discover" || !state.withLock({ $0.isInitialized }) {
      throw Fault(
        code: -32602,
        message: "params._meta has no \(Self.meta)protocolVersion; send it, or send initialize first")
    }
    func finished(_ result: JSONNode, maySave: Bool) -> JSONNode {
      guard isModern else { return result }
      var members = [JSONMember("resultType", "complete")] + (result.members ?? [])
      if maySave { members += [JSONMember("ttlMs", JSONNode(3_600_000)), JSONMember("cacheScope", "private")] }
      return .object(members + [JSONMember("_meta", .object([JSONMember("\(Self.meta)serverInfo", identity)]))])
    }
    switch method {
    case "server/discover":
      return finished(
        .object([
          "supportedVersions": .texts([Self.modern] + Self.handshakes), "capabilities": capabilities,
          "instructions": .string(Self.instructions),
        ]), maySave: true)
    case "tools/list": return finished(.object(["tools": .array(Tool.all.map(\.json))]), maySave: true)
    case "resources/list":
      do {
        return finished(.object(["resources": .array(try resources.list())]), maySave: true)
      } catch {
        // A plan's file, with its line.
        throw Fault(code: -32603, message: "\(error)")
      }
    case "resources/templates/list":
      return finished(.object(["resourceTemplates": .array(AgentResources.templates)]), maySave: true)
    case "resources/read":
      return finished(.object(["contents": .array(try contents(params, isModern: isModern))]), maySave: true)
    case "prompts/list": return finished(.object(["prompts": .array(Prompt.all.map(\.json))]), maySave: true)
    case "prompts/get": return finished(try prompt(params), maySave: false)
    default: break
    }
    guard let name = params["name"]?.text, let tool = Tool.named(name) else {
      let (name, names) = (params["name"]?.text ?? "no name", Tool.all.map(\.name))
      let isReport = Tool.kinds(of: .report).contains { $0.name == name }
      throw Fault(
        code: -32602,
        message: "\(name) is not a tool; expected one of \(names.joined(separator: ", "))"
          + (isReport ? "; call report with the name \(name)" : NearName.hint(name, in: names)))
    }
    let arguments = params["arguments"] ?? .object([])
    guard arguments.members != nil else { throw Fault(code: -32602, message: "params.arguments must be an object") }
    let key = id.json
    guard state.withLock({ $0.running.insert(key).inserted }) else {
      throw Fault(code: -32602, message: "a call with this id is still running")
    }
    start(tool, arguments, id: id, key: key) { finished($0, maySave: false) }
    return nil
  }

  private func contents(_ params: JSONNode, isModern: Bool) throws(Fault) -> [JSONNode] {
    guard let uri = params["uri"]?.text else { throw Fault(code: -32602, message: "params.uri is missing") }
    do {
      return try resources.read(uri)
    } catch let unknown as AgentResources.Unknown {
      // Before 2026-07-28 the protocol had a code of its own.
      throw Fault(
        code: isModern ? -32602 : -32002, message: unknown.message, data: .object(["uri": .string(uri)]))
    } catch {
      throw Fault(code: -32603, message: "\(error)")
    }
  }

  private func prompt(_ params: JSONNode) throws(Fault) -> JSONNode {
    guard let name = params["name"]?.text, let prompt = Prompt.named(name) else {
      let names = Prompt.all.map(\.name)
      throw Fault(
        code: -32602,
        message: "\(params["name"]?.text ?? "no name") is not a prompt; expected one of "
          + names.joined(separator: ", "))
    }
    let arguments = params["arguments"] ?? .object([])
    guard arguments.members != nil else { throw Fault(code: -32602, message: "params.arguments must be an object") }
    do {
      return try prompt.result(arguments)
    } catch {
      throw Fault(code: -32602, message: error.message)
    }
  }

  private func start(
    _ tool: Tool, _ arguments: JSONNode, id: JSONNode, key: [UInt8], _ finished: @escaping (JSONNode) -> JSONNode
  ) {
    // The reader goes on, to read a cancellation; but it waits where many calls do, so that a flood takes no memory.
    room.wait()
    let work = Work { [self] in
      var answer: JSONNode?
      var fault = Fault(code: -32603, message: "")
      if !state.withLock({ $0.cancelled.contains(key) }) {
        do {
          answer = finished(try tools.call(tool, arguments))
        } catch {
          fault.message = "\(error)"
        }
      }
      let isCancelled = state.withLock { state in
        state.running.remove(key)
        return state.cancelled.remove(key) != nil
      }
      if !isCancelled {
        if let answer { send(.object(["jsonrpc": "2.0", "id": id, "result": answer])) } else { send(fault, id: id) }
      }
      room.signal()
    }
    calls.addOperation { work.run() }
  }

  /// Work that one other thread does.
  private struct Work: @unchecked Sendable {
    var run: () -> Void
  }
}
