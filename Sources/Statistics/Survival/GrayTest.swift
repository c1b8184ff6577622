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
///     U_k = Σ_u [d_1k − D₁·R_k/ΣR],   R_k = h_k(1 − F_1k(u−))
///
/// and its variance, with a_ij = h_i(δ_ij − h_j/H), c_ij(u) = Σ_{v ≤ u} a_ij·dF₀/(1 − F₀−), κ_k = (1 − F₀)/S_k,
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
public func grayTest(_ records: [SurvivalRecord], cause: Int) -> GrayTest? {
  guard let causes = records.lazy.map(\.cause).max(), causes >= cause else { return nil }
  let groups = 1 + (records.lazy.map(\.group).max() ?? 0)
  guard groups >= 2 else { return nil }
  let score = GrayScore(records.sorted { $0.time < $1.time }, groups: groups, cause: cause)
  let free = groups - 1
  let matrix = score.variance().prefix(free).map { Array($0.prefix(free)) }
  guard let chiSquare = Cholesky(matrix)?.quadraticForm(Array(score.score.prefix(free))) else { return nil }
  return GrayTest(
    chiSquare: chiSquare, degrees: free, p: ChiSquareDistribution.survival(chiSquare, degrees: Double(free)))
}

/// Walks over the times twice, as the variance needs sums over all of them: nothing is kept of a single one, since there
/// may be as many as there are subjects.
private struct GrayScore {
  /// One time at which something ends; all by group.
  private struct Moment {
    /// Y_k.
    var atRisk: [Double]
    /// d_1k, and d_1k + d_2k.
    var own: [Double]
    var all: [Double]
    /// s_k and S_k.
    var before: [Double]
    var after: [Double]
    var h: [Double]
    /// F_1k before.
    var incidence: [Double]
    var total = 0.0
    var events = 0.0
    /// dF₀, and F₀ before.
    var step = 0.0
    var pooled = 0.0

    init(groups: Int) {
      let zeros = [Double](repeating: 0, count: groups)
      (atRisk, own, all, h, incidence) = (zeros, zeros, zeros, zeros, zeros)
      before = [Double](repeating: 1, count: groups)
      after = before
    }

    /// a_ij.
    func a(_ i: Int, _ j: Int) -> Double { h[i] * ((i == j ? 1 : 0) - h[j] / total) }

    /// The step of c_ij.
    func c(_ i: Int, _ j: Int) -> Double { step > 0 ? a(i, j) * step / (1 - pooled) : 0 }
  }

  private let records: [SurvivalRecord]
  private let groups: Int
  private let cause: Int
  private(set) var score: [Double]
  /// C_ij.
  private var sum: [[Double]]

  /// - Parameter records: In order of time.
  init(_ records: [SurvivalRecord], groups: Int, cause: Int) {
    (self.records, self.groups, self.cause) = (records, groups, cause)
    var score = [Double](repeating: 0, count: groups)
    var sum = [[Double]](repeating: score, count: groups)
    Self.walk(records, groups: groups, cause: cause) { moment in
      if moment.events > 0 {
        let reach = (0..<groups).map { moment.h[$0] * (1 - moment.incidence[$0]) }
        let reachTotal = reach.reduce(0, +)
        for i in 0..<groups where moment.atRisk[i] > 0 {
          score[i] += moment.own[i] - moment.events * (reach[i] / reachTotal)
        }
      }
      for i in 0..<groups {
        for j in 0..<groups { sum[i][j] += moment.c(i, j) }
      }
    }
    self.score = score
    self.sum = sum
  }

  /// Calls `body` with each time at which something ends, in order.
  private static func walk(
    _ records: [SurvivalRecord], groups: Int, cause: Int, _ body: (borrowing Moment) -> Void
  ) {
    var moment = Moment(groups: groups)
    for record in records { moment.atRisk[record.group] += 1 }
    var censored = [Double](repeating: 0, count: groups)
    var first = 0
    while first < records.count {
      for k in 0..<groups { (moment.own[k], moment.all[k], censored[k]) = (0, 0, 0) }
      let time = records[first].time
      while first < records.count, records[first].time == time {
        let record = records[first]
        if record.cause == 0 {
          censored[record.group] += 1
        } else {
          moment.all[record.group] += 1
          if record.cause == cause { moment.own[record.group] += 1 }
        }
        first += 1
      }
      if moment.all.contains(where: { $0 > 0 }) {
        moment.total = 0
        for k in 0..<groups {
          moment.h[k] = moment.before[k] > 0 ? moment.atRisk[k] / moment.before[k] : 0
          moment.total += moment.h[k]
          moment.after[k] = moment.before[k]
          if moment.atRisk[k] > 0 { moment.after[k] *= (moment.atRisk[k] - moment.all[k]) / moment.atRisk[k] }
        }
        moment.events = moment.own.reduce(0, +)
        moment.step = moment.events / moment.total
        body(moment)
        for k in 0..<groups where moment.atRisk[k] > 0 {
          moment.incidence[k] += moment.before[k] * (moment.own[k] / moment.atRisk[k])
          moment.before[k] = moment.after[k]
        }
        moment.pooled += moment.step
      }
      for k in 0..<groups { moment.atRisk[k] -= moment.all[k] + censored[k] }
    }
  }

  func variance() -> [[Double]] {
    var variance = [[Double]](repeating: [Double](repeating: 0, count: groups), count: groups)
    // C_ij − c_ij.
    var left = sum
    Self.walk(records, groups: groups, cause: cause) { moment in
      for i in 0..<groups {
        for j in 0..<groups { left[i][j] -= moment.c(i, j) }
      }
      let pooled = moment.pooled + moment.step
      for k in 0..<groups where moment.h[k] > 0 {
        let kappa = moment.after[k] > 0 ? (1 - pooled) / moment.after[k] : 0
        // τ₁ and τ₂: ties as draws without replacement.
        let ties = moment.events > 1 ? 1 - (moment.events - 1) / (moment.total * moment.before[k] - 1) : 1
        let weight = ties * moment.step / moment.h[k]
        var competing = moment.all[k] - moment.own[k]
        if competing > 0, moment.after[k] > 0 {
          let ties = competing > 1 ? 1 - (competing - 1) / (moment.atRisk[k] - 1) : 1
          competing = ties * competing / moment.h[k] / moment.h[k] * kappa * kappa
        } else {
          competing = 0
        }
        // Zero is not added to each pair of groups: there may be hundreds.
        if weight == 0, competing == 0 { continue }
        let rest = left.map { $0[k] }
        let own = rest.indices.map { moment.a($0, k) + (1 - kappa) * rest[$0] }
        for i in 0..<groups {
          let (first, second) = (weight * own[i], competing * rest[i])
          for j in 0..<groups { variance[i][j] += first * own[j] + second * rest[j] }
        }
      }
    }
    return variance
  }
}
