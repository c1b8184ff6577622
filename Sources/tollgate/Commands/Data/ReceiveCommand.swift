import ArgumentParser
import Collector
import Foundation
import Ingest
import Serving

struct ReceiveCommand: ParsableCommand {
  /// The environment variable for a token that should not be in a file.
  private static let tokenVariable = "TOLLGATE_REVENUECAT_TOKEN"

  static let configuration = CommandConfiguration(
    commandName: "receive", abstract: "Receives webhooks and keeps them in files for the ingest.",
    discussion: """
      Serves POST /revenuecat where a token is given (the Authorization header set in RevenueCat's dashboard) and POST \
      /appstore with --app-store (the App Store's signature is checked, without network), and GET /healthz. A body is on \
      the disk before 200 is answered. Complete segments are SOURCE-TIME-N.jsonl.zst in the output folder; the one being \
      written is hidden, and completed at the next start after a crash. SIGTERM ends it. There is no TLS: put it behind a \
      proxy that has.

        tollgate receive --output inbox --revenuecat-token-file token --app-store --bundle-id com.example.steps
        tollgate ingest --app steps inbox
      """)

  @Option(
    help: ArgumentHelp("The folder of the segments; created where there is none.", valueName: "folder"),
    completion: .directory)
  var output: String

  @Option(help: ArgumentHelp("Where to listen; port 0 takes a free one.", valueName: "host:port"))
  var listen = "127.0.0.1:8080"

  @Option(
    name: .customLong("revenuecat-token-file"),
    help: ArgumentHelp(
      "A file with the token, or several, one a line; for its owner only (without it: TOLLGATE_REVENUECAT_TOKEN).",
      valueName: "file"),
    completion: .file())
  var revenueCatTokenFile: String?

  @Flag(help: "Take notifications of the App Store.")
  var appStore = false

  @Option(
    help: ArgumentHelp(
      "With --app-store: trust this certificate (DER or PEM) and not Apple's root.", valueName: "file"),
    completion: .file())
  var rootCertificate: String?

  @Option(
    name: .customLong("bundle-id"),
    help: ArgumentHelp(
      "With --app-store: only what is signed for this app (repeatable; default: all).", valueName: "id"))
  var bundleID: [String] = []

  @Option(help: ArgumentHelp("The largest body that is taken.", valueName: "bytes"))
  var maxBody = 256 << 10

  @Option(help: ArgumentHelp("Requests a second that are taken, of all senders together.", valueName: "number"))
  var rate = 5_000

  @Option(help: ArgumentHelp("Complete a segment at so many compressed bytes.", valueName: "bytes"))
  var rotateBytes = 64 << 20

  @Option(help: ArgumentHelp("Complete a segment after so many seconds.", valueName: "seconds"))
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
    guard (1...CollectorSettings.largestBody).contains(maxBody) else {
      throw ValidationError("--max-body is \(maxBody), but must be from 1 to \(CollectorSettings.largestBody)")
    }
    guard (1...1_000_000).contains(rate) else {
      throw ValidationError("--rate is \(rate), but must be from 1 to 1000000")
    }
    guard (1...1 << 40).contains(rotateBytes) else {
      throw ValidationError("--rotate-bytes is \(rotateBytes), but must be from 1 to \(1 << 40)")
    }
    guard (0.1...86_400 * 31).contains(rotateSeconds) else {
      throw ValidationError("--rotate-seconds is \(rotateSeconds), but must be from 0.1 to \(86_400 * 31)")
    }
  }

  func run() throws {
    guard let address = ListenAddress(listen) else { return }
    let collector = try Collector(settings(), logger: log.logger)
    let (quiet, output) = (log.quiet, output)
    let summary = try collector.run(on: address) { address in
      if quiet { return }
      FileHandle.standardError.write(Data("listening on http://\(address), writing to \(output)\n".utf8))
    }
    if quiet { return }
    FileHandle.standardError.write(
      Data("\(grouped(summary.bodies)) bodies in \(grouped(summary.journals)) files\n".utf8))
  }

  private func settings() throws -> CollectorSettings {
    var settings = CollectorSettings(output: output)
    settings.maximumBody = maxBody
    settings.rate = rate
    settings.rotateBytes = rotateBytes
    settings.rotateSeconds = rotateSeconds
    if let revenueCatTokenFile {
      settings.revenueCat = try AccessTokens(file: revenueCatTokenFile)
    } else if let token = ProcessInfo.processInfo.environment[Self.tokenVariable], !token.isEmpty {
      settings.revenueCat = AccessTokens([token])
    }
    if appStore {
      settings.appStore = try SignatureVerifier(rootCertificateFile: rootCertificate, bundleIDs: bundleID)
    }
    if settings.revenueCat == nil && settings.appStore == nil {
      throw UsageError("nothing to receive: give --revenuecat-token-file, \(Self.tokenVariable) or --app-store")
    }
    return settings
  }
}
