import Agents
import ArgumentParser
import Foundation
import Reports
import Store

struct MCPCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "mcp", abstract: "Answer an agent's questions with reports (Model Context Protocol).",
    discussion: """
      An agent's host starts it and talks over standard input and output; it opens the store for reading only and uses no \
      network:

        {"mcpServers": {"tollgate": {"command": "tollgate",
         "args": ["mcp", "--store", "/data/tollgate.db"]}}}

      Every answer has a receipt for `tollgate verify`; a question that the data cannot answer is refused with the reason.
      """)

  @OptionGroup var common: CommonOptions

  @Option(help: ArgumentHelp("Stop a call after this many seconds.", valueName: "seconds"))
  var timeLimit = 60.0

  mutating func validate() throws {
    guard (0.1...3_600).contains(timeLimit) else {
      throw ValidationError("--time-limit is \(timeLimit), but must be from 0.1 to 3600")
    }
  }

  func run() throws {
    let (path, logger) = (common.storePath, common.logger)
    // A fault of the store is reported now, not to the first question.
    _ = try Store.open(readOnly: path)
    let tools = AgentTools(
      storePath: path, version: Tollgate.version, timeLimit: .milliseconds(Int64(timeLimit * 1_000))
    ) { receipt in
      switch try receipt.verdict(on: path, logger: logger) {
      case .same: ("same", nil)
      case .differs(let place): ("differs", place)
      case .cannot(let reason): ("cannot", reason)
      }
    }
    let server = AgentServer(tools, version: Tollgate.version) { line in
      try? FileHandle.standardOutput.write(contentsOf: Data(line))
    }
    server.run { Array(FileHandle.standardInput.availableData) }
  }
}
