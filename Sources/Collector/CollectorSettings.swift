public import Ingest
public import Serving

/// The endpoints, limits and output folder of a ``Collector``.
public struct CollectorSettings: Sendable {
  /// The largest body that `ingest` can still read back once it is wrapped in a line, in bytes.
  public static let largestBody = CollectedLine.maximumByteCount - CollectedLine.wrapperByteCount

  /// The folder that journals are written to.
  public var output: String
  /// Tokens that RevenueCat's webhooks must carry; `nil` turns the endpoint off.
  public var revenueCat: AccessTokens?
  /// The verifier of App Store notifications; `nil` turns the endpoint off.
  public var appStore: SignatureVerifier?
  /// The largest accepted body in bytes, up to ``largestBody``.
  public var maximumBody = 256 << 10
  /// Accepted requests a second, over all senders.
  public var rate = 5_000
  /// Compressed size in bytes at which a journal is complete.
  public var rotateBytes = 64 << 20
  public var rotateSeconds = 300.0

  public init(output: String) { self.output = output }
}
