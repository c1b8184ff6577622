public import Basics
internal import EventModel
public import Foundation

/// The choice of how vendor files are read, in the words of a command line or configuration.
public struct SourceOptions: Sendable {
  public var source = EventSource.auto
  public var app: String?
  /// `PRODUCT=PLAN`, for products whose names do not show the plan.
  public var plans: [String] = []
  /// Further names under which a payload's metadata have the app's own id of a user.
  public var userKeys: [String] = []
  /// The path of a mapping file.
  public var mapping: String?
  /// The source of payments, if the mapping includes the rules for Superwall's SDK.
  public var superwallMoney = SuperwallMoney.server
  public var verifies = false
  /// The path of a certificate, DER or PEM; `nil` for Apple's root.
  public var rootCertificate: String?
  public var bundleIDs: [String] = []

  public init() {}

  /// Checks what can be checked without reading files.
  public func check() throws(UsageError) {
    for entry in plans {
      let name = entry.lastIndex(of: "=").map { String(entry[entry.index(after: $0)...]) } ?? ""
      guard entry.first != "=", Plan(name: name) != nil else {
        let plans = Plan.allCases.map(\.name).joined(separator: ", ")
        throw UsageError("--plan is \(entry), but must be PRODUCT=PLAN with one of \(plans)")
      }
    }
    if app == "" { throw UsageError("--app is empty, but must name an app") }
    if !verifies && (rootCertificate != nil || !bundleIDs.isEmpty) {
      throw UsageError("--root-certificate and --bundle-id need --verify")
    }
    if superwallMoney == .sdk && mapping == nil {
      throw UsageError(
        "--superwall-money sdk needs --mapping with a file that has `include: superwall-sdk`")
    }
    if mapping != nil && source != .auto {
      throw UsageError("--mapping and --source cannot be combined: leave out --source")
    }
  }

  /// Reads the files that the options name.
  public func settings() throws -> SourceSettings {
    var settings = SourceSettings(source: source, app: app)
    settings.userKeys = userKeys
    for entry in plans {
      guard let equals = entry.lastIndex(of: "=") else { continue }
      settings.plans[String(entry[..<equals])] = String(entry[entry.index(after: equals)...])
    }
    if verifies {
      settings.verifier = try SignatureVerifier(rootCertificateFile: rootCertificate, bundleIDs: bundleIDs)
    }
    if let mapping {
      let file = try MappingFile(
        yaml: String(decoding: try Self.content(of: mapping), as: UTF8.self), file: mapping,
        superwallMoney: superwallMoney)
      if superwallMoney == .sdk && !file.includesSuperwall {
        throw UsageError("--superwall-money sdk has no effect: \(mapping) does not have `include: superwall-sdk`")
      }
      settings.mapping = file
    }
    return settings
  }

  public static func content(of path: String) throws -> Data {
    guard let data = try? FileArgument.contents(of: path) else {
      throw UsageError("\(path): \(FileArgument.reason(against: path))")
    }
    return data
  }
}

extension SignatureVerifier {
  /// - Parameter rootCertificateFile: DER or PEM; `nil` for Apple's root.
  public convenience init(rootCertificateFile: String?, bundleIDs: [String]) throws {
    do {
      try self.init(
        rootCertificate: try rootCertificateFile.map { try SourceOptions.content(of: $0) }, bundleIDs: bundleIDs)
    } catch let error as SignatureVerifier.CertificateError {
      throw UsageError("\(rootCertificateFile ?? "Apple's root"): \(error)")
    }
  }
}
