public import ArgumentParser
import EventModel
import Foundation
public import Ingest

/// How files of vendors are read.
struct SourceArguments: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Whose format the files have: auto (by content), native, revenuecat, appstore, adapty, superwall, googleplay or stripe.",
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
    name: .customLong("user-key"),
    help: ArgumentHelp(
      "Another name under which metadata of Stripe have the app's own id of a user (repeatable).", valueName: "name"))
  var userKey: [String] = []

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

  mutating func validate() throws {
    for entry in plan {
      let name = entry.lastIndex(of: "=").map { String(entry[entry.index(after: $0)...]) } ?? ""
      guard entry.first != "=", Plan(name: name) != nil else {
        let plans = Plan.allCases.map(\.name).joined(separator: ", ")
        throw ValidationError("--plan is \(entry), but must be PRODUCT=PLAN with one of \(plans)")
      }
    }
    if app == "" { throw ValidationError("--app is empty, but must name an app") }
    if !verify && (rootCertificate != nil || !bundleID.isEmpty) {
      throw ValidationError("--root-certificate and --bundle-id need --verify")
    }
    if mapping != nil && source != .auto {
      throw ValidationError("--mapping reads every file by its own rules: leave --source out")
    }
  }

  static func content(of path: String) throws -> Data {
    guard let data = try? FileArgument.contents(of: path) else {
      throw UsageError("\(path): cannot be read: no such file, or no right to")
    }
    return data
  }

  func settings() throws -> SourceSettings {
    var settings = SourceSettings(source: source, app: app)
    settings.userKeys = userKey
    for entry in plan {
      guard let equals = entry.lastIndex(of: "=") else { continue }
      settings.plans[String(entry[..<equals])] = String(entry[entry.index(after: equals)...])
    }
    if verify {
      settings.verifier = try SignatureVerifier(rootCertificateFile: rootCertificate, bundleIDs: bundleID)
    }
    if let mapping {
      settings.mapping = try MappingFile(
        yaml: String(decoding: try Self.content(of: mapping), as: UTF8.self), file: mapping)
    }
    return settings
  }
}

extension SignatureVerifier {
  /// - Parameter rootCertificateFile: DER or PEM; `nil` for Apple's root.
  convenience init(rootCertificateFile: String?, bundleIDs: [String]) throws {
    do {
      try self.init(
        rootCertificate: try rootCertificateFile.map { try SourceArguments.content(of: $0) }, bundleIDs: bundleIDs)
    } catch let error as SignatureVerifier.CertificateError {
      throw UsageError("\(rootCertificateFile ?? "Apple's root"): \(error)")
    }
  }
}

extension EventSource: ExpressibleByArgument {}
