import Agents
import ArgumentParser
import Foundation
import Metrics
import Store

struct MCPCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "mcp", abstract: "Answer an agent's questions with reports (Model Context Protocol).",
    discussion: """
      An agent's host starts this command and talks to it over standard input and output. It only reads the store and \
      uses no network:

        {"mcpServers": {"tollgate": {"command": "tollgate",
         "args": ["mcp", "--store", "/data/tollgate.db"]}}}

      Every answer has a receipt for `tollgate verify`; a question that the data cannot answer is refused with the reason.

      An agent can also read the text of every rule, and use your saved views. With --plans, it can read the plans of \
      experiments.
      """)

  @OptionGroup var views: ViewArguments

  @OptionGroup var plans: PlanArguments
  @OptionGroup var common: CommonOptions

  @Option(help: ArgumentHelp("Stop a call after this many seconds.", valueName: "seconds"))
  var timeLimit = 60.0

  mutating func validate() throws {
    try require("--time-limit", timeLimit, in: 0.1...3_600)
  }

  func run() throws {
    let (path, logger) = (common.storePath, common.logger)
    let views = views.file(common)
    var files = AgentFiles(views: { try views.allIfThere() }, plans: nil)
    if plans.folder != nil { files.plans = { [plans] in try plans.files() } }
    // A fault of the store, a view or a plan is reported now, not to the first question.
    _ = try Store.open(readOnly: path)
    try files.check()
    let tools = AgentTools(
      storePath: path, version: Tollgate.version, timeLimit: .milliseconds(Int64(timeLimit * 1_000)), files: files
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
