/// The Aalen–Johansen estimate of cumulative incidence with competing causes, and its Greenwood-type variance,
/// as a running sum over ascending distinct times:
///
///     F_j(t) = Σ S(u−)·d_j(u) / n(u),   S(t) = ∏ (1 − d/n)
///
/// The variance is the delta method's: with a = d/n, a_j = d_j/n, the state (F_j, S) moves by F_j + S·a_j and
/// S·(1 − a), and the a of one time are multinomial with n trials, so
///
///     V(F_j) ← V(F_j) + 2a_j·C + a_j²·V(S) + S²·a_j(1 − a_j)/n
///     C      ← (1 − a)·(C + a_j·V(S)) − S²·a_j(1 − a)/n          C = Cov(F_j, S)
///     V(S)   ← (1 − a)²·V(S) + S²·a(1 − a)/n
///
/// which expands to the sum of Greenwood's type, over the times u up to t, with A = (F_j(t) − F_j(u))/S(u):
///
///     Σ (S₋²/n)·{a_j(1 − A)² + (a − a_j)A² − [a_j(1 − A) − (a − a_j)A]²}
///
/// Times without censoring between them compose to one multinomial step exactly, so they are taken together: without
/// censoring F_j is d_j/n and V is F(1 − F)/n, rounded once.
/// Ends at a time come before the censorings at it.
///
/// Uses a few numbers per cause; the caller must pass times in order.
///
/// Source: Andersen, Borgan, Gill & Keiding (1993), section IV.4; R `etm`.
public struct AalenJohansen: Sendable {
  /// Estimates right after the last censoring.
  private struct Base: Sendable {
    var survival = 1.0
    var survivalVariance = 0.0
    var incidence: [Double]
    var variance: [Double]
    /// Cov(F_j, S).
    var covariance: [Double]
  }

  private var base: Base
  /// The number at risk right after the last censoring.
  private var baseAtRisk: Int
  /// Ends by cause since the last censoring.
  private var endsSince: [Int]
  /// Ends by cause so far.
  private var totals: [Int]

  /// The number at risk now: neither ended nor censored so far.
  public private(set) var atRisk: Int

  /// - Parameters:
  ///   - atRisk: The number who enter.
  ///   - causes: The number of competing causes, numbered from 0.
  public init(atRisk: Int, causes: Int) {
    precondition(atRisk >= 0 && causes >= 1)
    let zeros = [Double](repeating: 0, count: causes)
    base = Base(incidence: zeros, variance: zeros, covariance: zeros)
    baseAtRisk = atRisk
    endsSince = [Int](repeating: 0, count: causes)
    totals = endsSince
    self.atRisk = atRisk
  }

  /// Adds `ends` by `cause` at the next time, of subjects at risk until then.
  public mutating func end(_ ends: Int, cause: Int) {
    precondition(ends >= 0 && ends <= atRisk, "more end than are at risk")
    endsSince[cause] += ends
    totals[cause] += ends
    atRisk -= ends
  }

  /// Adds subjects who were last seen at the time of the last ends.
  public mutating func censor(_ count: Int) {
    precondition(count >= 0 && count <= atRisk, "more are censored than are at risk")
    guard count > 0 else { return }
    close()
    atRisk -= count
    baseAtRisk = atRisk
  }

  private mutating func close() {
    // The estimates of a cause do not depend on other causes, so they change in place: this runs for every censoring.
    for cause in endsSince.indices {
      let next = (incidence(of: cause), variance(of: cause), covariance(of: cause))
      (base.incidence[cause], base.variance[cause], base.covariance[cause]) = next
    }
    (base.survival, base.survivalVariance) = (survival, survivalVariance)
    baseAtRisk = atRisk
    for cause in endsSince.indices { endsSince[cause] = 0 }
  }

  /// Ends by any cause since the last censoring.
  private var ended: Int { baseAtRisk - atRisk }

  /// Returns a count as a share of those at risk after the last censoring.
  private func share(_ count: Int) -> Double { baseAtRisk == 0 ? 0 : Double(count) / Double(baseAtRisk) }

  /// S²/n since the last censoring; 0 if no one is left to make it matter.
  private var spread: Double { baseAtRisk == 0 ? 0 : base.survival * base.survival / Double(baseAtRisk) }

  /// S, the share without any end so far.
  public var survival: Double { base.survival * (baseAtRisk == 0 ? 1 : share(atRisk)) }

  /// The variance of S.
  public var survivalVariance: Double {
    let kept = baseAtRisk == 0 ? 1 : share(atRisk)
    return kept * kept * base.survivalVariance + spread * kept * share(ended)
  }

  /// Returns the current F_j, a fraction of 1; exactly 1 if no one is left and all ended by this cause.
  public func incidence(of cause: Int) -> Double {
    isCertain(cause) ? 1 : min(1, base.incidence[cause] + base.survival * share(endsSince[cause]))
  }

  /// Returns the current Greenwood-type variance of F_j; 0 at an incidence of 0 or 1.
  public func variance(of cause: Int) -> Double {
    guard totals[cause] > 0, !isCertain(cause) else { return 0 }
    let ended = share(endsSince[cause])
    let variance =
      base.variance[cause] + 2 * ended * base.covariance[cause] + ended * ended * base.survivalVariance
      + spread * ended * share(baseAtRisk - endsSince[cause])
    return max(0, variance)
  }

  private func covariance(of cause: Int) -> Double {
    let (ended, kept) = (share(endsSince[cause]), baseAtRisk == 0 ? 1 : share(atRisk))
    return kept * (base.covariance[cause] + ended * base.survivalVariance) - spread * ended * kept
  }

  /// Rounding would leave F_j close to 1 and a variance close to 0, whose quotient is meaningless.
  private func isCertain(_ cause: Int) -> Bool {
    survival == 0 && totals[cause] > 0 && totals[cause] == totals.reduce(0, +)
  }

  /// Returns the number of trials for which a plain proportion F_j would have this variance: F(1 − F)/V.
  ///
  /// - Returns: `nil` at an incidence of 0 or 1, which has no known variance.
  public func effectiveTrials(of cause: Int) -> Double? {
    let (incidence, variance) = (incidence(of: cause), variance(of: cause))
    guard incidence > 0, incidence < 1, variance > 0 else { return nil }
    return incidence * (1 - incidence) / variance
  }
}
