import Crypto
import EventModel
import EventSupport
import Foundation
import SigningSupport
import Testing
import X509

@testable import Ingest

@Suite struct SignatureVerifierTests {
  /// 2026-03-01T00:00:00Z, the time of signing.
  private static let signed = Date(timeIntervalSince1970: Double(AppStoreText.march) / 1_000)

  private func reasons(
    _ text: String, root: Certificate, bundleIDs: [String] = []
  ) throws -> (kinds: [String], rejected: [RejectedLine]) {
    let verifier = try SignatureVerifier(rootCertificate: Data(try SigningChain.der(root)), bundleIDs: bundleIDs)
    let reading = try Reading(Array(text.utf8), SourceSettings(source: .appstore, verifier: verifier))
    return (reading.kinds, reading.rejected)
  }

  @Test func whatIsSignedUnderTheRootCounts() throws {
    let chain = try SigningChain(from: Self.signed.addingTimeInterval(-86_400))
    let transaction = try chain.sign(AppStoreText.transaction())
    #expect(try reasons(transaction, root: chain.root).kinds == ["renewal"])
    let payload = AppStoreText.payload("DID_RENEW", transaction: "{}")
      .replacingOccurrences(of: AppStoreText.signed("{}"), with: transaction)
    let body = #"{"signedPayload":"\#(try chain.sign(payload))"}"#
    #expect(try reasons(body, root: chain.root).kinds == ["renewal"])
    #expect(try reasons(body, root: chain.root, bundleIDs: ["com.example"]).kinds == ["renewal"])
    #expect(try reasons(body, root: chain.root, bundleIDs: ["com.other"]).rejected.map(\.reason) == ["wrong_bundle_id"])
  }

  @Test func everythingElseIsABadSignature() throws {
    let chain = try SigningChain(from: Self.signed.addingTimeInterval(-86_400))
    let other = try SigningChain(from: Self.signed.addingTimeInterval(-86_400))
    let good = try chain.sign(AppStoreText.transaction())
    func isBad(_ text: String, _ why: String) throws -> Bool {
      let result = try reasons(text, root: chain.root)
      return result.kinds.isEmpty && result.rejected.map(\.reason) == ["bad_signature"]
        && result.rejected[0].field?.contains(why) == true
    }
    // The cases: another root, another key, another text, no signature, another algorithm.
    #expect(try isBad(other.sign(AppStoreText.transaction()), "trusted root"))
    #expect(try isBad(chain.sign(AppStoreText.transaction(), with: other.key), "does not match its certificate"))
    let parts = good.split(separator: ".").map(String.init)
    let dearer = AppStoreText.base64URL(AppStoreText.transaction(["price": "9990"]).utf8)
    #expect(try isBad([parts[0], dearer, parts[2]].joined(separator: "."), "does not match its certificate"))
    #expect(try isBad(AppStoreText.transaction(), "not signed"))
    #expect(try isBad(chain.sign(AppStoreText.transaction(), algorithm: "none"), "ES256"))
    #expect(try isBad(AppStoreText.signed(AppStoreText.transaction()), "three certificates"))
    #expect(try isBad(chain.sign(AppStoreText.transaction(["signedDate": ""])), "signedDate"))
    // Dates in the years 292278994, 10000, 2100 and -1; the certificate library crashes on dates after 9999.
    for date in ["9223372036854775807", "253402300800000", "4102444800000", "-62198755200000", "-9223372036854775808"] {
      #expect(try isBad(chain.sign(AppStoreText.transaction(["signedDate": date])), "signedDate"), "\(date)")
    }
    // The certificate is signed by Apple, but not for the App Store.
    let unmarked = try SigningChain(from: Self.signed.addingTimeInterval(-86_400), hasMark: false)
    #expect(
      try reasons(unmarked.sign(AppStoreText.transaction()), root: unmarked.root).rejected.map(\.reason) == [
        "bad_signature"
      ])
    // The notification is signed, but its content is not.
    let body =
      #"{"signedPayload":"\#(try chain.sign(AppStoreText.payload("DID_RENEW", transaction: AppStoreText.transaction())))"}"#
    #expect(try reasons(body, root: chain.root).rejected.map(\.reason) == ["bad_signature"])
  }

  /// A signer's critical extensions must be understood (RFC 7515, section 4.1.11), such as that the payload is no base64
  /// (RFC 7797, section 3); an extension that is not critical may be ignored.
  @Test(arguments: [
    #"{"crit":["exp"],"exp":1}"#, #"{"b64":false,"crit":["b64"]}"#, #"{"crit":[]}"#, #"{"crit":null}"#,
    #"{"\u0063rit":["x"],"x":1}"#, #"{"kid":"a","crit":"exp"}"#,
  ])
  func unknownCriticalExtensionsAreRefused(header: String) throws {
    let chain = try SigningChain(from: Self.signed.addingTimeInterval(-86_400))
    let text = try chain.sign(AppStoreText.transaction(), more: "," + header.dropFirst().dropLast())
    let result = try reasons(text, root: chain.root)
    #expect(result.kinds.isEmpty && result.rejected.map(\.reason) == ["bad_signature"])
    #expect(result.rejected.first?.field?.contains("crit") == true)
    let other = try chain.sign(AppStoreText.transaction(), more: #","kid":"crit""#)
    #expect(try reasons(other, root: chain.root).kinds == ["renewal"])
  }

  /// The certificates must be valid at the time of signing, not at the current time.
  @Test func validityIsJudgedAtTheTimeOfSigning() throws {
    let late = try SigningChain(from: Self.signed.addingTimeInterval(3_600))
    #expect(
      try reasons(late.sign(AppStoreText.transaction()), root: late.root).rejected.map(\.reason) == ["bad_signature"])
    let later = AppStoreText.transaction(["signedDate": "\(AppStoreText.march + 2 * 3_600_000)"])
    #expect(try reasons(late.sign(later), root: late.root).kinds == ["renewal"])
    let old = try SigningChain(from: Date(timeIntervalSince1970: 1_300_000_000))
    let then = AppStoreText.transaction(["signedDate": "1300100000000"])
    #expect(try reasons(old.sign(then), root: old.root).kinds == ["renewal"])
    #expect(
      try reasons(old.sign(AppStoreText.transaction()), root: old.root).rejected.map(\.reason) == ["bad_signature"])
  }

  /// SHA-256 of Apple Root CA - G3, as published by Apple.
  @Test func theBuiltInRootIsApples() throws {
    let digest = SHA256.hash(data: AppleRoot.certificate).map { String(format: "%02x", $0) }.joined()
    #expect(digest == "63343abfb89a6a03ebb57e9b3f5fa7be7c4f5c756f3017b3a8c488c3653e9179")
    #expect(throws: SignatureVerifier.CertificateError.self) {
      try SignatureVerifier(rootCertificate: Data("no certificate".utf8))
    }
  }
}
