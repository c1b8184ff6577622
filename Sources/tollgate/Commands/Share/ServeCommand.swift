import ArgumentParser
import Dashboard
import Foundation
import Serving
import Store

struct ServeCommand: ParsableCommand {
  /// The environment variable for a token that should not be in a file.
  private static let tokenVariable = "TOLLGATE_TOKEN"

  static let configuration = CommandConfiguration(
    commandName: "serve", abstract: "Serve every report as pages, CSV and JSON.",
    discussion: """
      Opens the store for reading only, so an ingest can run at the same time. Pages work without JavaScript. API \
      paths such as /api/v1/funnel?format=csv return the same bytes as the command line. /api/v1/openapi.json \
      lists the paths.

      Access from other machines needs a token. Programs send it as `Authorization: Bearer TOKEN`; browsers ask for it \
      as the password, with any user name. `serve` does not support TLS: put it behind a proxy that does. Stop the \
      server with Ctrl-C or SIGTERM.

        tollgate serve --store events.db
        tollgate serve --listen 0.0.0.0:8000 --token-file token
      """)

  @OptionGroup var common: CommonOptions

  @Option(help: ArgumentHelp("Address to listen on; port 0 picks a free port.", valueName: "host:port"))
  var listen = "127.0.0.1:8000"

  @Option(
    help: ArgumentHelp(
      "File with one token per line, readable only by its owner (default: the variable TOLLGATE_TOKEN).",
      valueName: "file"),
    completion: .file())
  var tokenFile: String?

  @Option(help: ArgumentHelp("Stop a request after this many seconds.", valueName: "seconds"))
  var timeLimit = 30.0

  @Option(
    help: ArgumentHelp(
      "Number of seconds to go on showing the previous version of a page while the new one is computed; 0: readers wait.",
      valueName: "seconds"))
  var mostStale = 120.0

  @Option(help: ArgumentHelp("Refuse API tables with more rows than this.", valueName: "n"))
  var rowLimit = 100_000

  @Option(
    help: ArgumentHelp(
      "YAML file of saved views: the views.yaml of `tollgate view`, or a list of entries with name, address and pinned.",
      valueName: "file"),
    completion: .file(extensions: ["yaml", "yml"]))
  var views: String?

  @OptionGroup var plans: PlanArguments
  @OptionGroup var annotations: AnnotationArguments

  mutating func validate() throws {
    guard let address = ListenAddress(listen) else {
      throw ValidationError("--listen is \(listen), but must be HOST:PORT, such as 127.0.0.1:8000 or [::1]:8000")
    }
    if try !address.isLoopback && tokenFile == nil && AccessTokens(file: nil, variable: Self.tokenVariable) == nil {
      throw ValidationError("--listen \(listen) is open to other machines: give --token-file or \(Self.tokenVariable)")
    }
    try require("--time-limit", timeLimit, in: 0.1...3_600)
    try require("--most-stale", mostStale, in: 0...86_400)
    try require("--row-limit", rowLimit, in: 1...10_000_000)
  }

  func run() throws {
    guard let address = ListenAddress(listen) else { return }
    var settings = DashboardSettings(version: Tollgate.version)
    settings.timeLimit = .milliseconds(Int64(timeLimit * 1_000))
    settings.mostStale = .milliseconds(Int64(mostStale * 1_000))
    settings.rowLimit = rowLimit
    settings.tokens = try AccessTokens(file: tokenFile, variable: Self.tokenVariable)
    if let views { settings.views = try SavedView.views(SmallFile.text(of: views), file: views) }
    settings.notes = try annotations.notes()
    // A fault of the store is reported now, not to the first reader.
    _ = try Store.open(readOnly: common.storePath)
    let dashboard = Dashboard(
      StoreReports(path: common.storePath, plans: try plans.files(), fault: Self.fault), settings: settings,
      logger: common.logger)
    let (quiet, path) = (common.quiet, common.storePath)
    try dashboard.run(on: address) { address in
      if quiet { return }
      FileHandle.standardError.write(Data("listening on http://\(address), reading \(path)\n".utf8))
    }
  }

  private static func fault(_ error: any Error) -> ReportFault {
    switch error {
    case StoreError.tooSlow:
      return ReportFault(.tooSlow, "it takes longer than a request may: ask for fewer apps, days or dimensions")
    case StoreError.notFound, StoreError.isFolder, StoreError.notAStore, StoreError.cannotOpen:
      return ReportFault(.storeUnavailable, Main.message(of: error))
    default: break
    }
    switch Main.status(of: error) {
    case .usage: return ReportFault(.wrongArguments, Main.message(of: error))
    case .store: return ReportFault(.storeUnavailable, Main.message(of: error))
    case .done, .failure, .incomplete, .threshold: return ReportFault(.unexpected, Main.message(of: error))
    }
  }
}
