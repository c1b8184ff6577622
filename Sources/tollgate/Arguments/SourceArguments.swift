public import ArgumentParser
import EventModel
import Foundation
public import Ingest

/// How files of vendors are read.
struct SourceArguments: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Format: auto (by content), native, revenuecat, appstore, adapty, superwall or googleplay.",
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

  @Option(
    help: ArgumentHelp(
      "YAML file that maps other formats to events: Mixpanel, Amplitude, Segment, PostHog, any JSON or CSV.",
      valueName: "file"), completion: .file(extensions: ["yaml", "yml"]))
  var mapping: String?

  @Flag(help: "Check App Store signatures, without network; unsigned payloads go to quarantine.")
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
      throw ValidationError("--mapping and --source cannot be combined: leave out --source")
    }
  }

  static func content(of path: String) throws -> Data {
    guard let data = try? FileArgument.contents(of: path) else {
      throw UsageError("\(path): cannot be read: no such file, or no permission")
    }
    return data
  }

  func settings() throws -> SourceSettings {
    var settings = SourceSettings(source: source, app: app)
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
