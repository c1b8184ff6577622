public import ArgumentParser
public import Ingest

/// How files of vendors are read.
struct SourceArguments: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Whose format the files have: auto (by content), native, revenuecat, appstore, adapty, superwall or googleplay.",
      valueName: "source"))
  var source: EventSource = .auto

  @Option(
    help: ArgumentHelp(
      "The app that events of vendors belong to (default: what their payloads say).", valueName: "name"))
  var app: String?

  @Option(
    help: ArgumentHelp(
      "The plan of a product whose name does not tell it, such as com.example.pro=yearly (repeatable).",
      valueName: "product=plan"))
  var plan: [String] = []

  @Option(
    help: ArgumentHelp(
      "A YAML file that says what events of other formats mean: Mixpanel, Amplitude, Segment, PostHog, any JSON or CSV.",
      valueName: "file"), completion: .file(extensions: ["yaml", "yml"]))
  var mapping: String?

  @Flag(help: "Check the signatures of the App Store, without network; what is not signed by it goes to quarantine.")
  var verify = false

  @Option(
    help: ArgumentHelp("With --verify: trust this certificate (DER or PEM) and not Apple's root.", valueName: "file"),
    completion: .file())
  var rootCertificate: String?

  @Option(
    name: .customLong("bundle-id"),
    help: ArgumentHelp("With --verify: only texts signed for this app (repeatable; default: all).", valueName: "id"))
  var bundleID: [String] = []

  func validate() throws {
    do {
      try options.check()
    } catch {
      throw ValidationError("\(error)")
    }
  }

  private var options: SourceOptions {
    var options = SourceOptions()
    (options.source, options.app, options.plans, options.mapping) = (source, app, plan, mapping)
    (options.verifies, options.rootCertificate, options.bundleIDs) = (verify, rootCertificate, bundleID)
    return options
  }

  func settings() throws -> SourceSettings { try options.settings() }
}

extension EventSource: ExpressibleByArgument {}
