import ArgumentParser
import Basics
import Collector
import EventModel
import Foundation
import Ingest
import Serving

struct ReceiveCommand: ParsableCommand {
  /// The environment variable for a token that should not be in a file.
  private static let tokenVariable = "TOLLGATE_REVENUECAT_TOKEN"

  static let configuration = CommandConfiguration(
    commandName: "receive", abstract: "Receive webhooks and write them to files for ingest.",
    discussion: """
      Answers these requests:

        POST /revenuecat   with a token: the Authorization header that you set in
                           RevenueCat's dashboard
        POST /appstore     with --app-store; checks App Store signatures offline
        GET /healthz       always

      Each payload is on disk before the 200 response. Complete files are named SOURCE-TIME-N.jsonl.zst. The file being \
      written is hidden; after a crash, the next start completes it. Stop the receiver with Ctrl-C or SIGTERM. It does \
      not support TLS: put it behind a proxy that does.

        tollgate receive --output inbox --revenuecat-token-file token \\
          --app-store --bundle-id com.example.steps
        tollgate ingest --app steps inbox
      """)

  @Option(
    help: ArgumentHelp("Folder for the files; created if missing.", valueName: "folder"),
    completion: .directory)
  var output: String

  @Option(help: ArgumentHelp("Address to listen on; port 0 picks a free port.", valueName: "host:port"))
  var listen = "127.0.0.1:8080"

  @Option(
    name: .customLong("revenuecat-token-file"),
    help: ArgumentHelp(
      "File with one token per line, readable only by its owner (default: the variable TOLLGATE_REVENUECAT_TOKEN).",
      valueName: "file"),
    completion: .file())
  var revenueCatTokenFile: String?

  @Flag(help: "Accept App Store notifications.")
  var appStore = false

  @Option(
    help: ArgumentHelp(
      "With --app-store: trust this root certificate (DER or PEM) instead of Apple's.", valueName: "file"),
    completion: .file())
  var rootCertificate: String?

  @Option(
    name: .customLong("bundle-id"),
    help: ArgumentHelp(
      "With --app-store: accept only payloads signed for this app (repeatable; default: all).", valueName: "id"))
  var bundleID: [String] = []

  @Option(help: ArgumentHelp("Maximum size of a payload in bytes.", valueName: "bytes"))
  var maxBody = 256 << 10

  @Option(help: ArgumentHelp("Maximum number of requests per second, all senders together.", valueName: "number"))
  var rate = 5_000

  @Option(help: ArgumentHelp("Start a new file at this many compressed bytes.", valueName: "bytes"))
  var rotateBytes = 64 << 20

  @Option(help: ArgumentHelp("Start a new file after this many seconds.", valueName: "seconds"))
  var rotateSeconds = 300.0

  @OptionGroup var log: LogOptions

  mutating func validate() throws {
    if output.isEmpty { throw ValidationError("--output is empty, but must name a folder") }
    guard ListenAddress(listen) != nil else {
      throw ValidationError("--listen is \(listen), but must be HOST:PORT, such as 127.0.0.1:8080 or [::1]:8080")
    }
    if !appStore && (rootCertificate != nil || !bundleID.isEmpty) {
      throw ValidationError("--root-certificate and --bundle-id need --app-store")
    }
    try require("--max-body", maxBody, in: 1...CollectorSettings.largestBody)
    try require("--rate", rate, in: 1...1_000_000)
    try require("--rotate-bytes", rotateBytes, in: 1...1 << 40)
    try require("--rotate-seconds", rotateSeconds, in: 0.1...86_400 * 31)
  }

  func run() throws {
    guard let address = ListenAddress(listen) else { return }
    var isFolder: ObjCBool = false
    if FileManager.default.fileExists(atPath: output, isDirectory: &isFolder), !isFolder.boolValue {
      throw UsageError("--output \(output): is a file; name a folder")
    }
    let collector = try Collector(settings(), logger: log.logger)
    let (quiet, output) = (log.quiet, output)
    let summary = try collector.run(on: address) { address in
      if quiet { return }
      FileHandle.standardError.write(Data("listening on http://\(address), writing to \(output)\n".utf8))
    }
    if quiet { return }
    let noun = summary.bodies == 1 ? "body" : "bodies"
    FileHandle.standardError.write(
      Data("\(grouped(summary.bodies)) \(noun) in \(counted(summary.journals, "file"))\n".utf8))
  }

  private func settings() throws -> CollectorSettings {
    var settings = CollectorSettings(output: output)
    settings.maximumBody = maxBody
    settings.rate = rate
    settings.rotateBytes = rotateBytes
    settings.rotateSeconds = rotateSeconds
    settings.revenueCat = try AccessTokens(file: revenueCatTokenFile, variable: Self.tokenVariable)
    if appStore {
      settings.appStore = try SignatureVerifier(rootCertificateFile: rootCertificate, bundleIDs: bundleID)
    }
    if settings.revenueCat == nil && settings.appStore == nil {
      throw UsageError("nothing to receive: give --revenuecat-token-file, \(Self.tokenVariable) or --app-store")
    }
    return settings
  }
}
