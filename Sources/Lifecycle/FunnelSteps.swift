/// The steps that a user reached after a funnel entry; implements definitions 3.2.
///
/// Every report with a funnel uses this one rule. The purchase at or after the entry tells who paid later.
public struct FunnelSteps: OptionSet, Sendable {
  public let rawValue: UInt8

  @inlinable
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// An introductory trial started within the window.
  @inlinable public static var hasTrial: Self { Self(rawValue: 1) }
  /// One of these trials converted.
  @inlinable public static var hasTrialPaid: Self { Self(rawValue: 2) }
  /// There was a conversion within the window that belongs to no trial of the window.
  @inlinable public static var hasDirect: Self { Self(rawValue: 4) }
  /// There was a purchase at or after the entry.
  @inlinable public static var hasPurchase: Self { Self(rawValue: 8) }

  /// Adds an introductory trial.
  public mutating func add(trialAt start: Int64, isConverted: Bool, entry: Int64) {
    guard Self.isInWindow(start, entry: entry) else { return }
    formUnion(isConverted ? [.hasTrial, .hasTrialPaid] : .hasTrial)
  }

  /// Adds a conversion.
  ///
  /// - Parameter introductoryStart: The start of the introductory trial that it belongs to; `nil` if there is none.
  public mutating func add(conversionAt ts: Int64, introductoryStart: Int64?, entry: Int64) {
    guard Self.isInWindow(ts, entry: entry) else { return }
    if introductoryStart.map({ $0 < entry }) ?? true { insert(.hasDirect) }
  }

  /// Adds the first payment of a purchase.
  public mutating func add(purchaseAt start: Int64, entry: Int64) {
    if start >= entry { insert(.hasPurchase) }
  }

  /// Returns whether the conversion that started a purchase is one of these steps: direct, or from a trial of the
  /// window.
  public static func counts(purchaseAt start: Int64, introductoryStart: Int64?, entry: Int64) -> Bool {
    var steps = FunnelSteps()
    if let introductoryStart { steps.add(trialAt: introductoryStart, isConverted: true, entry: entry) }
    return start >= entry && (steps.contains(.hasTrialPaid) || isInWindow(start, entry: entry))
  }

  private static func isInWindow(_ instant: Int64, entry: Int64) -> Bool {
    instant >= entry && instant < entry + FoldOptions.attributionWindow
  }
}
