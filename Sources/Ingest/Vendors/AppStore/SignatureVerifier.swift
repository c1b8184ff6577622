internal import Basics
internal import Crypto
internal import Dispatch
internal import EventModel
public import Foundation
internal import SwiftASN1
internal import Synchronization

@_spi(FixedExpiryValidationTime) internal import X509

/// Checks that the App Store signed a text: its certificates lead to a trusted root at the time of signing, and the
/// first of them made the signature. Works offline, so certificates revoked since then are accepted.
///
/// Sources: Apple, "JWSDecodedHeader" and "Validating JWS transactions"; RFC 7515; RFC 5280, section 6.
public final class SignatureVerifier: Sendable {
  /// An error for a certificate file that cannot be used.
  public struct CertificateError: Error, CustomStringConvertible {
    public var description: String
  }

  private struct Chain: Hashable {
    var leaf: [UInt8]
    var intermediate: [UInt8]
  }

  private struct Trusted {
    var key: P256.Signing.PublicKey
    /// The time at which all its certificates are valid.
    var validity: ClosedRange<Date>
  }

  private let root: Certificate
  /// The accepted apps; empty for all.
  let bundleIDs: Set<String>
  /// Guarded by the mutex.
  private let trusted = Mutex<[Chain: Trusted]>([:])

  /// - Parameters:
  ///   - rootCertificate: DER or PEM; by default Apple Root CA - G3.
  ///   - bundleIDs: The accepted apps, because Apple signs texts for everyone's apps. Empty for all.
  public init(rootCertificate: Data? = nil, bundleIDs: [String] = []) throws {
    let bytes = rootCertificate.map { [UInt8]($0) } ?? AppleRoot.certificate
    do {
      if bytes.starts(with: Array("-----BEGIN".utf8)) {
        root = try Certificate(pemEncoded: String(decoding: bytes, as: UTF8.self))
      } else {
        root = try Certificate(derEncoded: bytes)
      }
    } catch {
      throw CertificateError(description: "not an X.509 certificate in DER or PEM")
    }
    self.bundleIDs = Set(bundleIDs)
  }

  func verify(_ text: SignedText) throws(PayloadRejection) {
    guard text.header["alg"]?.text == "ES256" else { throw .badSignature("its algorithm is not ES256") }
    // RFC 7515, section 4.1.11: what a signer marks as critical must be understood, and none is.
    guard text.header["crit"] == nil else { throw .badSignature("its header has an unknown extension (crit)") }
    guard let chain = text.header["x5c"]?.elements, chain.count == 3 else {
      throw .badSignature("its header lacks a chain of three certificates")
    }
    // The certificate library ends the process at years that certificates cannot express.
    guard let signedDate = text.payload["signedDate"]?.integer,
      (Instant.firstOfEvents..<Instant.endOfEvents).contains(Instant(millisecondsSince1970: signedDate))
    else { throw .badSignature("it has no signedDate from 2008 to 2099") }
    let time = Date(timeIntervalSince1970: Double(signedDate) / 1_000)
    guard let leaf = chain[0].text.flatMap({ SignedText.decode($0) }),
      let intermediate = chain[1].text.flatMap({ SignedText.decode($0) })
    else { throw .badSignature("its certificates cannot be read") }
    let key = try key(of: Chain(leaf: leaf, intermediate: intermediate), at: time)
    guard let signature = try? P256.Signing.ECDSASignature(rawRepresentation: text.signature),
      key.isValidSignature(signature, for: text.signingInput)
    else { throw .badSignature("its signature does not match its certificate") }
  }

  private func key(of chain: Chain, at time: Date) throws(PayloadRejection) -> P256.Signing.PublicKey {
    if let known = trusted.withLock({ $0[chain] }), known.validity.contains(time) { return known.key }
    guard let leaf = try? Certificate(derEncoded: chain.leaf),
      let intermediate = try? Certificate(derEncoded: chain.intermediate)
    else { throw .badSignature("its certificates cannot be read") }
    guard isTrusted(leaf, intermediate, at: time) else {
      throw .badSignature("its certificates do not lead to the trusted root, or were not valid at its signedDate")
    }
    guard let key = P256.Signing.PublicKey(leaf.publicKey) else {
      throw .badSignature("its certificate has no P-256 key")
    }
    let certificates = [leaf, intermediate, root]
    let first = certificates.map(\.notValidBefore).max() ?? time
    let last = certificates.map(\.notValidAfter).min() ?? time
    if first <= last {
      trusted.withLock { trusted in
        if trusted.count > 1_000 { trusted.removeAll() }
        trusted[chain] = Trusted(key: key, validity: first...last)
      }
    }
    return key
  }

  /// Waits for the asynchronous library; the caller's thread is one of ours.
  private func isTrusted(_ leaf: Certificate, _ intermediate: Certificate, at time: Date) -> Bool {
    let roots = CertificateStore([root])
    let done = DispatchSemaphore(value: 0)
    let answer = Mutex(false)
    let box = Box(answer)
    // Runs on a separate thread: the caller may hold one of the threads shared by tasks, of which there are as many as
    // cores.
    Task.detached(executorPreference: VerifyingExecutor.shared) {
      var verifier = Verifier(rootCertificates: roots) {
        RFC5280Policy(fixedExpiryValidationTime: time)
        AppStorePolicy()
      }
      let result = await verifier.validate(
        leaf: leaf, intermediates: CertificateStore([intermediate]))
      if case .validCertificate = result { box.set(true) }
      done.signal()
    }
    done.wait()
    return box.value
  }

  private final class Box: Sendable {
    private let answer: Mutex<Bool>

    init(_ answer: consuming Mutex<Bool>) { self.answer = answer }

    var value: Bool { answer.withLock { $0 } }
    func set(_ value: Bool) { answer.withLock { $0 = value } }
  }

  /// Returns why a posted App Store Server Notification cannot be trusted, in a few words; `nil` if the App Store
  /// signed it for one of the apps.
  ///
  /// - Parameter body: `{"signedPayload":TEXT}`. The signature covers the texts inside the payload; `ingest` with a
  ///   verifier also checks their own signatures.
  public func fault(ofNotification body: [UInt8]) -> String? {
    guard let signed = JSONNode(parsing: body)?["signedPayload"]?.text.flatMap({ SignedText($0) }) else {
      return "it has no signedPayload that is a signed text"
    }
    do throws(PayloadRejection) {
      try verify(signed)
    } catch {
      return error.field ?? error.reason
    }
    guard isTrusted(bundleID: AppStoreNotifications.data(of: signed.payload)?["bundleId"]) else {
      return "it is signed for another app"
    }
    return nil
  }

  /// Returns whether texts signed for an app are accepted.
  func isTrusted(bundleID: JSONNode?) -> Bool {
    bundleIDs.isEmpty || bundleID?.text.map { bundleIDs.contains($0) } ?? false
  }
}

/// Runs the verification of chains, one after the other.
private final class VerifyingExecutor: TaskExecutor {
  static let shared = VerifyingExecutor()

  private let queue = DispatchQueue(label: "verify")

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}

/// Requires Apple's marks: Worldwide Developer Relations on the intermediate certificate, App Store signing on the
/// leaf.
private struct AppStorePolicy: VerifierPolicy {
  private static let intermediateMark: ASN1ObjectIdentifier = [1, 2, 840, 113635, 100, 6, 2, 1]
  private static let leafMark: ASN1ObjectIdentifier = [1, 2, 840, 113635, 100, 6, 11, 1]

  let verifyingCriticalExtensions: [ASN1ObjectIdentifier] = []

  func chainMeetsPolicyRequirements(chain: UnverifiedCertificateChain) async -> PolicyEvaluationResult {
    guard chain.count == 3 else { return .failsToMeetPolicy(reason: "the chain does not have three certificates") }
    guard chain[1].extensions.contains(where: { $0.oid == Self.intermediateMark }),
      chain[0].extensions.contains(where: { $0.oid == Self.leafMark })
    else { return .failsToMeetPolicy(reason: "a certificate is not marked as Apple's") }
    return .meetsPolicy
  }
}
