/// The steps that a user came to behind an entry to the funnel (definitions 3.2, 3.4): the one rule of every report that
/// has a funnel in it.
public struct FunnelSteps: Equatable, Sendable {
  /// An introductory trial within the window.
  public var hasTrial = false
  /// One of these converted.
  public var hasTrialPaid = false
  /// A conversion within the window that belongs to no trial of it.
  public var hasDirect = false
  /// A purchase at or after the entry.
  public var hasPurchase = false

  public init() {}

  /// Takes an introductory trial.
  public mutating func add(trialAt start: Int64, isConverted: Bool, entry: Int64) {
    guard Self.isInWindow(start, entry: entry) else { return }
    hasTrial = true
    if isConverted { hasTrialPaid = true }
  }

  /// Takes a conversion.
  ///
  /// - Parameter introductoryStart: Of the introductory trial that it belongs to; `nil` for none.
  public mutating func add(conversionAt ts: Int64, introductoryStart: Int64?, entry: Int64) {
    guard Self.isInWindow(ts, entry: entry) else { return }
    if introductoryStart.map({ $0 < entry }) ?? true { hasDirect = true }
  }

  /// Takes the first payment of a purchase.
  public mutating func add(purchaseAt start: Int64, entry: Int64) {
    if start >= entry { hasPurchase = true }
  }

  /// Whether the conversion that a purchase began with is one of these steps: direct, or of a trial of the window.
  public static func counts(purchaseAt start: Int64, introductoryStart: Int64?, entry: Int64) -> Bool {
    var steps = FunnelSteps()
    if let introductoryStart { steps.add(trialAt: introductoryStart, isConverted: true, entry: entry) }
    return start >= entry && (steps.hasTrialPaid || isInWindow(start, entry: entry))
  }

  private static func isInWindow(_ instant: Int64, entry: Int64) -> Bool {
    instant >= entry && instant < entry + FoldOptions.attributionWindow
  }
}
