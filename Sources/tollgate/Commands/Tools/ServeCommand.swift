import ArgumentParser
import Dashboard
import Foundation
import Serving
import Store

struct ServeCommand: ParsableCommand {
  /// The environment variable for a token that should not be in a file.
  private static let tokenVariable = "TOLLGATE_TOKEN"

  static let configuration = CommandConfiguration(
    commandName: "serve", abstract: "Serves every report as pages, CSV and JSON.",
    discussion: """
      The store is only read, and an ingest may run meanwhile. Pages work without script; /api/v1/funnel?format=csv and \
      the like give the bytes that the command line prints, and /api/v1/openapi.json says what there is. Beyond this \
      machine a token is needed, which a program sends as Authorization: Bearer and a browser as the password of any \
      user; there is no TLS: put it behind a proxy that has. SIGTERM ends it.

        tollgate serve --store events.db
        tollgate serve --listen 0.0.0.0:8000 --token-file token
      """)

  @OptionGroup var common: CommonOptions

  @Option(help: ArgumentHelp("Where to listen; port 0 takes a free one.", valueName: "host:port"))
  var listen = "127.0.0.1:8000"

  @Option(
    help: ArgumentHelp(
      "A file with the token, or several, one a line; for its owner only (without it: TOLLGATE_TOKEN).",
      valueName: "file"),
    completion: .file())
  var tokenFile: String?

  @Option(help: ArgumentHelp("Give up on a request after so many seconds.", valueName: "seconds"))
  var timeLimit = 30.0

  @Option(
    help: ArgumentHelp(
      "Show a page as it was before new files landed for so long at most, while it is made anew; 0 always waits.",
      valueName: "seconds"))
  var mostStale = 120.0

  @Option(help: ArgumentHelp("Refuse tables of more rows to programs.", valueName: "n"))
  var rowLimit = 100_000

  @Option(
    help: ArgumentHelp("Saved views as YAML, a list of name, address and pinned.", valueName: "file"),
    completion: .file(extensions: ["yaml", "yml"]))
  var views: String?

  mutating func validate() throws {
    guard let address = ListenAddress(listen) else {
      throw ValidationError("--listen is \(listen), but must be HOST:PORT, such as 127.0.0.1:8000 or [::1]:8000")
    }
    if !address.isLoopback && tokenFile == nil && Self.tokenOfEnvironment == nil {
      throw ValidationError("--listen \(listen) is open to other machines: give --token-file or \(Self.tokenVariable)")
    }
    guard (0.1...3_600).contains(timeLimit) else {
      throw ValidationError("--time-limit is \(timeLimit), but must be from 0.1 to 3600")
    }
    guard (0...86_400).contains(mostStale) else {
      throw ValidationError("--most-stale is \(mostStale), but must be from 0 to 86400")
    }
    guard (1...10_000_000).contains(rowLimit) else {
      throw ValidationError("--row-limit is \(rowLimit), but must be from 1 to 10000000")
    }
  }

  func run() throws {
    guard let address = ListenAddress(listen) else { return }
    var settings = DashboardSettings(version: Tollgate.version)
    settings.timeLimit = .milliseconds(Int64(timeLimit * 1_000))
    settings.mostStale = .milliseconds(Int64(mostStale * 1_000))
    settings.rowLimit = rowLimit
    if let tokenFile {
      settings.tokens = try AccessTokens(file: tokenFile)
    } else {
      settings.tokens = Self.tokenOfEnvironment.map { AccessTokens([$0]) }
    }
    if let views {
      settings.views = try SavedView.views(String(contentsOfFile: views, encoding: .utf8), file: views)
    }
    // What is wrong with the store is said now and not to the first who asks.
    _ = try Store.open(readOnly: common.storePath)
    let dashboard = Dashboard(
      CommandLineReports(storePath: common.storePath), settings: settings, logger: common.logger)
    let (quiet, path) = (common.quiet, common.storePath)
    try dashboard.run(on: address) { address in
      if quiet { return }
      FileHandle.standardError.write(Data("listening on http://\(address), reading \(path)\n".utf8))
    }
  }

  private static var tokenOfEnvironment: String? {
    ProcessInfo.processInfo.environment[tokenVariable].flatMap { $0.isEmpty ? nil : $0 }
  }
}
