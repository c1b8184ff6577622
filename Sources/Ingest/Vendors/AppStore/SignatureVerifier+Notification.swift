extension SignatureVerifier {
  /// Why a posted App Store Server Notification is not to be trusted, in a few words; `nil` when the App Store signed it
  /// for one of the apps.
  ///
  /// - Parameter body: `{"signedPayload":TEXT}`. The texts inside the payload are signed with it; an ingest with a
  ///   verifier checks their own signatures, too.
  public func fault(ofNotification body: [UInt8]) -> String? {
    guard let signed = PayloadValue(parsing: body)?["signedPayload"]?.text.flatMap({ SignedText($0) }) else {
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

  /// Whether texts signed for an app count.
  func isTrusted(bundleID: PayloadValue?) -> Bool {
    bundleIDs.isEmpty || bundleID?.text.map { bundleIDs.contains($0) } ?? false
  }
}
