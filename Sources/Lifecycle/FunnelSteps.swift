/// The steps that a user reached after a funnel entry; implements definitions 3.2.
///
/// Every report with a funnel uses this one rule. The purchase at or after the entry tells who paid later.
public struct FunnelSteps: Equatable, Sendable {
  /// Whether an introductory trial started within the window.
  public var hasTrial = false
  /// Whether one of these trials converted.
  public var hasTrialPaid = false
  /// Whether there was a conversion within the window that belongs to no trial of the window.
  public var hasDirect = false
  /// Whether there was a purchase at or after the entry.
  public var hasPurchase = false

  public init() {}

  /// Adds the steps that the user reached by other units after the same entry.
  public mutating func formUnion(_ other: FunnelSteps) {
    hasTrial = hasTrial || other.hasTrial
    hasTrialPaid = hasTrialPaid || other.hasTrialPaid
    hasDirect = hasDirect || other.hasDirect
    hasPurchase = hasPurchase || other.hasPurchase
  }

  /// Adds an introductory trial.
  public mutating func add(trialAt start: Int64, isConverted: Bool, entry: Int64) {
    guard Self.isInWindow(start, entry: entry) else { return }
    hasTrial = true
    if isConverted { hasTrialPaid = true }
  }

  /// Adds a conversion.
  ///
  /// - Parameter introductoryStart: The start of the introductory trial that it belongs to; `nil` if there is none.
  public mutating func add(conversionAt ts: Int64, introductoryStart: Int64?, entry: Int64) {
    guard Self.isInWindow(ts, entry: entry) else { return }
    if introductoryStart.map({ $0 < entry }) ?? true { hasDirect = true }
  }

  /// Adds the first payment of a purchase.
  public mutating func add(purchaseAt start: Int64, entry: Int64) {
    if start >= entry { hasPurchase = true }
  }

  /// Returns whether the conversion that started a purchase is one of these steps: direct, or from a trial of the
  /// window.
  public static func counts(purchaseAt start: Int64, introductoryStart: Int64?, entry: Int64) -> Bool {
    var steps = FunnelSteps()
    if let introductoryStart { steps.add(trialAt: introductoryStart, isConverted: true, entry: entry) }
    return start >= entry && (steps.hasTrialPaid || isInWindow(start, entry: entry))
  }

  private static func isInWindow(_ instant: Int64, entry: Int64) -> Bool {
    instant >= entry && instant < entry + FoldOptions.attributionWindow
  }
}
