/// A way to call a difference significant, tested on users who were treated alike.
public enum ReplayMethod: Int, Hashable, Sendable, CaseIterable {
  /// The score test of conversion at a fixed level.
  case conversionScore
  case conversionFisher
  case conversionFisherMidP
  /// Adjusted by whether the user was active before.
  case conversionCUPED
  /// "Chance to win above 95%" with a flat prior, in the normal approximation, for either arm.
  case conversionChanceToWin
  case conversionObrienFleming
  case conversionPocock
  /// Tuned to the number of users.
  case conversionAsymptoticSequence
  /// Tuned to the number of conversions.
  case conversionShare
  /// The rule of `experiment` without a plan: ``UnplannedConversion``.
  case conversionUnplanned
  /// Welch's test of revenue per user at a fixed level.
  case revenueWelch
  /// Welch's test of revenue per user after the pooled 99.9% cap.
  case revenueWelchCapped
  /// Adjusted by the revenue before.
  case revenueCUPED
  case revenueObrienFleming
  case revenueAsymptoticSequence
  /// The delta method at a fixed level.
  case revenuePerPayerDelta

  /// The metric that is compared.
  public enum Target: Sendable {
    case conversion
    case revenue
    case revenuePerPayer
  }

  public var target: Target {
    switch self {
    case .revenueWelch, .revenueWelchCapped, .revenueCUPED, .revenueObrienFleming, .revenueAsymptoticSequence: .revenue
    case .revenuePerPayerDelta: .revenuePerPayer
    default: .conversion
    }
  }

  /// The printed name.
  public var name: String {
    switch self {
    case .conversionScore: "score test"
    case .conversionFisher: "Fisher"
    case .conversionFisherMidP: "Fisher mid-p"
    case .conversionCUPED, .revenueCUPED: "CUPED"
    case .conversionChanceToWin: "chance to win"
    case .conversionObrienFleming, .revenueObrienFleming: "O'Brien–Fleming"
    case .conversionPocock: "Pocock"
    case .conversionAsymptoticSequence, .revenueAsymptoticSequence: "asymptotic CS"
    case .conversionShare: "conversion share"
    case .conversionUnplanned: "experiment's own"
    case .revenueWelch: "Welch"
    case .revenueWelchCapped: "capped Welch"
    case .revenuePerPayerDelta: "delta method"
    }
  }

  /// Whether the method is made for daily looks, so that its rate must stay at the level.
  public var allowsDailyLooks: Bool {
    switch self {
    case .conversionObrienFleming, .conversionPocock, .conversionAsymptoticSequence, .conversionShare,
      .conversionUnplanned, .revenueObrienFleming, .revenueAsymptoticSequence:
      true
    default: false
    }
  }
}

struct ReplayMethods {
  private var bits: UInt32 = 0

  mutating func insert(_ method: ReplayMethod, if alarms: Bool) {
    if alarms { bits |= 1 << UInt32(method.rawValue) }
  }

  mutating func formUnion(_ other: ReplayMethods) { bits |= other.bits }
  func contains(_ method: ReplayMethod) -> Bool { bits & 1 << UInt32(method.rawValue) != 0 }
}

/// How often a method was wrong on users who were treated alike.
public struct ReplayRate: Hashable, Sendable {
  public var method: ReplayMethod
  /// Alarms at a single look at the end; for a method of daily looks, by its bound there.
  public var atEnd: Int
  /// Alarms at any daily look.
  public var daily: Int
  public var repetitions: Int
}
