internal import RealModule

/// The sequential sample-ratio check: raises an alarm when the Bayes factor passes 1/α, at any look.
///
///     ln BF = lnΓ(κ) − lnΓ(κ + n) + Σ[lnΓ(κρ_i + n_i) − lnΓ(κρ_i)] − Σ n_i ln ρ_i
///
/// The mixture of ``ConversionShare``, over users instead of conversions.
///
/// Source: Lindon & Malek (2022), arXiv 2011.03567; Optimizely's `ssrm`, whose κ is 10,000.
public struct SequentialSampleRatio: Hashable, Sendable {
  /// The level of every alarm about the split of users (D1.2): a false alarm costs more here than a late one.
  public static let alpha = 0.001

  /// Users so far, one per arm.
  public private(set) var counts: [Double]
  public private(set) var logBayesFactor = 0.0
  /// The least 1/BF so far, at most 1.
  public private(set) var p = AlwaysValidP()
  private let process: ConversionShare

  /// - Parameters:
  ///   - weights: Planned, one per arm, above 0, on any scale.
  ///   - concentration: κ, frozen at the start.
  public init(weights: [Double], concentration: Double = 500) {
    process = ConversionShare(allocation: weights, concentration: concentration)
    counts = [Double](repeating: 0, count: weights.count)
  }

  /// Returns κ = planned users / 16.5 at the usual α; 500 if unknown.
  public static func tunedConcentration(plannedUsers: Double?, alpha: Double = Self.alpha) -> Double {
    guard let plannedUsers else { return 500 }
    return ConversionShare.tunedConcentration(plannedConversions: plannedUsers, alpha: alpha)
  }

  /// Adds the users of one more look, one count per arm.
  public mutating func add(_ users: [Double]) {
    precondition(users.count == counts.count, "one count per arm")
    for (arm, count) in users.enumerated() { counts[arm] += count }
    logBayesFactor = process.logEValue(counts)
    p.look(logEValue: logBayesFactor)
  }

  /// The current Bayes factor for a mismatch; above 1/α, it raises the alarm.
  public var bayesFactor: Double { Double.exp(logBayesFactor) }

  /// The current probability of a mismatch, from even odds: BF/(1 + BF).
  public var posteriorProbability: Double { 1 / (1 + Double.exp(-logBayesFactor)) }

  /// Whether the check has raised an alarm at any look so far.
  public var isAlarmed: Bool { p.value < Self.alpha }
}
