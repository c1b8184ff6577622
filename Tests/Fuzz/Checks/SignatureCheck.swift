#if DEBUG || TOLLGATE_FUZZ
  import EventModel
  import Foundation
  @testable import Ingest

  /// Texts that are to be signed by the App Store: whatever counts says what one of the signed samples says.
  struct SignatureCheck: FuzzCheck {
    private let verifier: SignatureVerifier
    private let reading: VendorReading
    private let genuine: Set<[UInt8]>

    init() {
      guard let root = Data(base64Encoded: SignedSample.root),
        let verifier = try? SignatureVerifier(rootCertificate: root)
      else { preconditionFailure("the sample's root is no certificate") }
      self.verifier = verifier
      reading = VendorReading(
        AppStoreNotifications(SourceSettings(verifier: verifier)), shape: .lines, linesBefore: 0)
      genuine = Set(SignedSample.texts.flatMap { [reading] in Self.events(Array($0.utf8), reading) })
      precondition(!genuine.isEmpty, "the samples do not count")
    }

    mutating func check(_ bytes: [UInt8]) throws(FuzzProblem) -> Int {
      let events = Self.events(bytes, reading)
      for event in events where !genuine.contains(event) {
        throw FuzzProblem("not signed, and counts: \(String(decoding: event, as: UTF8.self))")
      }
      // Likewise for the receiver, which checks before it stores a body.
      _ = verifier.fault(ofNotification: bytes)
      return events.count
    }

    private static func events(_ bytes: [UInt8], _ reading: VendorReading) -> [[UInt8]] {
      var decoder = LineDecoder()
      var progress = LineProgress()
      bytes.withUnsafeBytes { reading.decode($0, line: 1, into: &decoder, progress: &progress) }
      decoder.forgetApp()
      let batch = decoder.filler.takeBatch(parts: [])
      return batch.records.map { batch.canonicalJSON(of: $0) }
    }
  }
#endif
