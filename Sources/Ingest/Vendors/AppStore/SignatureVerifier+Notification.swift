internal import Basics

extension SignatureVerifier {
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
