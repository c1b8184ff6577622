public import ArgumentParser
public import Ingest

/// How files of vendors are read.
struct SourceArguments: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Accept only files of this format: a service, or native for tollgate's own; auto finds it from the content.",
      valueName: "source"))
  var source: EventSource = .auto

  @Option(
    help: ArgumentHelp(
      "App that a service's events belong to (default: the one their payloads name).", valueName: "name"))
  var app: String?

  @Option(
    help: ArgumentHelp(
      "Plan of a product whose name does not say it, such as com.example.pro=yearly (repeatable).",
      valueName: "product=plan"))
  var plan: [String] = []

  @OptionGroup var users: UserKeyArguments

  @Option(
    help: ArgumentHelp(
      "YAML file that says how to read another format: Mixpanel, Amplitude, Segment, PostHog, any JSON or CSV.",
      valueName: "file"), completion: .file(extensions: ["yaml", "yml"]))
  var mapping: String?

  @OptionGroup var superwall: SuperwallArguments

  @Flag(help: "Check App Store signatures offline; unsigned payloads are rejected.")
  var verify = false

  @Option(
    help: ArgumentHelp(
      "With --verify: trust this root certificate (DER or PEM) instead of Apple's.", valueName: "file"),
    completion: .file())
  var rootCertificate: String?

  @Option(
    name: .customLong("bundle-id"),
    help: ArgumentHelp(
      "With --verify: accept only payloads signed for this app (repeatable; default: all).", valueName: "id"))
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
    (options.userKeys, options.superwallMoney) = (users.keys, superwall.money)
    (options.verifies, options.rootCertificate, options.bundleIDs) = (verify, rootCertificate, bundleID)
    return options
  }

  func settings() throws -> SourceSettings { try options.settings() }
}

extension EventSource: ExpressibleByArgument {}

/// The option of payloads whose metadata have the app's own id of a user.
struct UserKeyArguments: ParsableArguments {
  @Option(
    name: .customLong("user-key"),
    help: ArgumentHelp(
      "Key in Stripe's metadata or Paddle's custom data that holds your own user id (repeatable).",
      valueName: "name"))
  var keys: [String] = []
}

/// The option of files with events of Superwall's SDK.
struct SuperwallArguments: ParsableArguments {
  @Option(
    name: .customLong("superwall-money"),
    help: ArgumentHelp(
      "Payments in events of Superwall's SDK: server ignores them, because Superwall's webhooks also bring them; sdk counts "
        + "them.", valueName: "source"))
  var money: SuperwallMoney = .server
}

extension SuperwallMoney: ExpressibleByArgument {}
