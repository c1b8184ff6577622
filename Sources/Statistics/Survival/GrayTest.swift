/// Gray's test of equal cumulative incidence of one cause between groups.
public struct GrayTest: Hashable, Sendable {
  public var chiSquare: Double
  public var degrees: Int
  public var p: Double
}

/// Tests equal cumulative incidence of a cause between groups, with competing causes.
///
/// With s_k = S_k(u−), S_k = S_k(u), h_k = Y_k/s_k, H = Σh_k, D₁ = Σd_1k and pooled dF₀ = D₁/H, the score is
///
///     U_k = Σ_u W·[d_1k − D₁·R_k/ΣR],   R_k = h_k(1 − F_1k(u−)),   W = (1 − F₀−)^ρ
///
/// and its variance, with a_ij = W·h_i(δ_ij − h_j/H), c_ij(u) = Σ_{v ≤ u} a_ij·dF₀/(1 − F₀−), κ_k = (1 − F₀)/S_k,
/// A_i = a_ik + (1 − κ_k)(C_ik − c_ik), B_i = κ_k(C_ik − c_ik):
///
///     V_ij = Σ_u Σ_k τ₁·(s_k/Y_k)·dF₀·A_iA_j + Σ_u Σ_k τ₂·(s_k/Y_k)²·d_2k·B_iB_j
///
/// with the tie corrections τ of R `cmprsk`. Groups with no one at risk are skipped.
///
/// - Parameters:
///   - records: 0 is censored.
///   - cause: From 1; all others compete.
/// - Returns: `nil` with fewer than two groups or without an end by the cause, or if the variance is singular.
///
/// Source: Gray (1988), doi:10.1214/aos/1176350951; R `cmprsk::cuminc`.
public func grayTest(_ records: [SurvivalRecord], cause: Int, rho: Int = 0) -> GrayTest? {
  grayTest(records.map { SurvivalCount($0, count: 1) }, cause: cause, rho: rho)
}

/// Performs Gray's test on counts of subjects with equal records.
public func grayTest(_ subjects: [SurvivalCount], cause: Int, rho: Int = 0) -> GrayTest? {
  guard let causes = subjects.lazy.map(\.record.cause).max(), causes >= cause else { return nil }
  let groups = 1 + (subjects.lazy.map(\.record.group).max() ?? 0)
  guard groups >= 2 else { return nil }
  let score = GrayScore(
    SurvivalTime.table(subjects, groups: groups, causes: causes), groups: groups, cause: cause, rho: rho)
  let free = groups - 1
  let matrix = score.variance().prefix(free).map { Array($0.prefix(free)) }
  guard let chiSquare = quadraticForm(Array(score.score.prefix(free)), inverseOf: matrix) else { return nil }
  return GrayTest(
    chiSquare: chiSquare, degrees: free, p: ChiSquareDistribution.survival(chiSquare, degrees: Double(free)))
}

private struct GrayScore {
  /// The values of one time that the variance needs.
  struct Moment {
    /// Y_k, by group.
    var atRisk: [Double]
    /// s_k and S_k.
    var before: [Double]
    var after: [Double]
    /// d_2k.
    var competing: [Double]
    var h: [Double]
    var total: Double
    var events: Double
    /// dF₀ and F₀ after.
    var step: Double
    var pooled: Double
    /// a_ij and c_ij.
    var a: [[Double]]
    var c: [[Double]]
  }

  let groups: Int
  private(set) var score: [Double]
  private var moments: [Moment] = []
  /// C_ij.
  private var sum: [[Double]]

  init(_ table: [SurvivalTime], groups: Int, cause: Int, rho: Int) {
    self.groups = groups
    let zeros = [Double](repeating: 0, count: groups)
    score = zeros
    sum = [[Double]](repeating: zeros, count: groups)
    var atRisk = zeros
    for moment in table {
      for k in 0..<groups { atRisk[k] += Double(moment.ends(group: k) + moment.censored[k]) }
    }
    var survival = [Double](repeating: 1, count: groups)
    var incidence = zeros
    var pooled = 0.0
    for moment in table {
      let own = (0..<groups).map { Double(moment.ends[$0][cause - 1]) }
      let all = (0..<groups).map { Double(moment.ends(group: $0)) }
      let live = (0..<groups).filter { atRisk[$0] > 0 }
      if all.contains(where: { $0 > 0 }) {
        var h = zeros
        for k in live where survival[k] > 0 { h[k] = atRisk[k] / survival[k] }
        let total = h.reduce(0, +)
        let events = own.reduce(0, +)
        let step = events / total
        var weight = 1.0
        for _ in 0..<rho { weight *= 1 - pooled }
        let reach = (0..<groups).map { h[$0] * (1 - incidence[$0]) }
        let reachTotal = reach.reduce(0, +)
        var a = [[Double]](repeating: zeros, count: groups)
        for i in live {
          if events > 0 { score[i] += weight * (own[i] - events * (reach[i] / reachTotal)) }
          for j in live {
            a[i][j] = weight * h[i] * ((i == j ? 1 : 0) - h[j] / total)
            if step > 0 { sum[i][j] += a[i][j] * step / (1 - pooled) }
          }
        }
        var after = survival
        for k in live {
          incidence[k] += survival[k] * (own[k] / atRisk[k])
          after[k] = survival[k] * ((atRisk[k] - all[k]) / atRisk[k])
        }
        pooled += step
        moments.append(
          Moment(
            atRisk: atRisk, before: survival, after: after, competing: (0..<groups).map { all[$0] - own[$0] }, h: h,
            total: total, events: events, step: step, pooled: pooled, a: a, c: sum))
        survival = after
      }
      for k in 0..<groups { atRisk[k] -= all[k] + Double(moment.censored[k]) }
    }
  }

  func variance() -> [[Double]] {
    var variance = [[Double]](repeating: [Double](repeating: 0, count: groups), count: groups)
    for moment in moments {
      for k in 0..<groups where moment.h[k] > 0 {
        let kappa = moment.after[k] > 0 ? (1 - moment.pooled) / moment.after[k] : 0
        let rest = (0..<groups).map { sum[$0][k] - moment.c[$0][k] }
        let own = (0..<groups).map { moment.a[$0][k] + (1 - kappa) * rest[$0] }
        // τ₁ and τ₂: ties as draws without replacement.
        let ties = moment.events > 1 ? 1 - (moment.events - 1) / (moment.total * moment.before[k] - 1) : 1
        let weight = ties * moment.step / moment.h[k]
        var competing = 0.0
        if moment.competing[k] > 0, moment.after[k] > 0 {
          let ties = moment.competing[k] > 1 ? 1 - (moment.competing[k] - 1) / (moment.atRisk[k] - 1) : 1
          competing = ties * moment.competing[k] / moment.h[k] / moment.h[k] * kappa * kappa
        }
        for i in 0..<groups {
          for j in 0..<groups { variance[i][j] += weight * own[i] * own[j] + competing * rest[i] * rest[j] }
        }
      }
    }
    return variance
  }
}
