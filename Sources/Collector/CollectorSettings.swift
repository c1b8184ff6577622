public import Ingest
public import Serving

/// Who may post what, and how it is kept.
public struct CollectorSettings: Sendable {
  /// The largest body that, in its line, an ingest reads back.
  public static let largestBody = CollectedLine.maximumByteCount - CollectedLine.wrapperByteCount

  /// The folder of the segments.
  public var output: String
  /// Of RevenueCat's webhooks; `nil` serves none.
  public var revenueCat: AccessTokens?
  /// Of the App Store's notifications; `nil` serves none.
  public var appStore: SignatureVerifier?
  /// Bytes; up to ``largestBody``.
  public var maximumBody = 256 << 10
  /// Requests a second, over all senders.
  public var rate = 5_000
  /// Compressed bytes of a segment.
  public var rotateBytes = 64 << 20
  public var rotateSeconds = 300.0

  public init(output: String) { self.output = output }
}
