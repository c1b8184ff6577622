internal import Basics
internal import Statistics

/// The source of a share or an amount, most trusted first.
public enum ValueBasis: String, Sendable, CaseIterable {
  case seen
  case predicted
  case assumed

  /// Returns the least trusted one; `nil` of none.
  static func weakest(_ bases: [ValueBasis]) -> ValueBasis? { allCases.last { bases.contains($0) } }
}

/// The share of a plan's buyers who make payment 1, 2, …: Kaplan–Meier over payment numbers, due by ``DueDates``,
/// where enough are known, the shifted beta-geometric fit beyond (definitions 7.6).
struct PlanSurvival {
  /// The shares that make payment 1, 2, …, up to the last known one.
  private(set) var shares: [Double] = [1]
  private(set) var bases: [ValueBasis] = [.seen]
  /// The fit that shares are taken from, if any.
  private(set) var fit: RetentionFit?
  /// Renewals made or missed.
  let known: Double

  /// - Parameters:
  ///   - assumed: The share that makes each renewal without data, and each renewal of a plan with too few known ones;
  ///     `nil` to end there.
  ///   - payments: The number of payments to cover.
  ///   - other: The fit to use if these counts identify none.
  init(_ counts: RenewalCounts, assumed: Double?, payments: Int, standIn other: RetentionFit? = nil) {
    known = counts.known
    if known < RenewalSupport.leastKnown, let assumed {
      while shares.count < payments, let last = shares.last { append(last * assumed, .assumed) }
      return
    }
    // Computed on first use: most resamples only need seen shares.
    var fitted: [Double]??
    func beyond(_ fit: inout RetentionFit?) -> [Double]? {
      if fitted == nil {
        let found = Self.fit(counts, standIn: other)
        fitted = .some(found.survival(through: payments))
        fit = found
      }
      return fitted ?? nil
    }
    var isSeen = true
    while shares.count < payments, let last = shares.last {
      let renewal = shares.count
      let known = renewal <= counts.lost.count ? counts.lost[renewal - 1] + counts.kept[renewal - 1] : 0
      isSeen = isSeen && known >= RenewalSupport.leastKnown
      if isSeen {
        append(last * counts.kept[renewal - 1] / known, .seen)
      } else if let fitted = beyond(&fit) {
        append(fitted[renewal - 1] > 0 ? last * fitted[renewal] / fitted[renewal - 1] : 0, .predicted)
      } else if known > 0 {
        append(last * counts.kept[renewal - 1] / known, .predicted)
      } else if let assumed {
        append(last * assumed, .assumed)
      } else {
        return
      }
    }
  }

  private mutating func append(_ share: Double, _ basis: ValueBasis) {
    shares.append(share)
    bases.append(.weakest(bases.suffix(1) + [basis]) ?? basis)
  }

  /// - Parameter other: A fit of similar counts.
  static func fit(_ counts: RenewalCounts, standIn other: RetentionFit? = nil) -> RetentionFit {
    var start: ShiftedBetaGeometric?
    if case .fitted(let model, _) = other { start = model }
    let fit = shiftedBetaGeometricFit(counts, from: start)
    return fit == .notIdentified ? other ?? fit : fit
  }

  /// The sum of the shares of payments 2 to n, for n = 1, 2, ….
  var renewalSums: [Double] {
    var sums = [0.0]
    for share in shares.dropFirst() { sums.append(sums[sums.count - 1] + share) }
    return sums
  }

  /// Returns how many payments are known: of a plan that matters, only the first without enough renewals.
  func knownPayments(matters: Bool) -> Int {
    matters && known < RenewalSupport.leastKnown && bases.last != .assumed ? 1 : shares.count
  }

  /// Whether the share that makes a payment rests on a fit at its boundary, and so has no point estimate.
  func isAtBoundary(_ payment: Int) -> Bool {
    payment <= bases.count && bases[payment - 1] == .predicted
      && RenewalSupport.boundary("", fit ?? .notIdentified) != nil
  }

  /// Returns something of the survival of each resample of a plan's renewals, with a new fit each.
  ///
  /// - Parameters:
  ///   - payments: The number of payments to cover.
  ///   - generator: Numbers the draws, so that a resample is the same on every thread.
  static func resampled<Result>(
    _ counts: RenewalCounts, assumed: Double?, payments: Int, times: Int, _ generator: CounterGenerator,
    _ make: (PlanSurvival) -> Result
  ) -> [Result] {
    let fit = fit(counts)
    return (0..<times).concurrentMap { resample in
      let drawn = counts.resampled(generator, at: UInt64(resample) * UInt64(max(1, counts.lost.count)))
      return make(PlanSurvival(drawn, assumed: assumed, payments: payments, standIn: fit))
    }
  }
}

extension RenewalCounts {
  /// Returns the counts with each renewal resampled: kept ~ Binomial(known, kept ÷ known). A share of 0 or 1 is
  /// replaced with Jeffreys' half.
  ///
  /// - Parameter place: The first of as many draws as there are renewals.
  func resampled(_ generator: CounterGenerator, at place: UInt64) -> RenewalCounts {
    var (lost, kept) = (lost, kept)
    for renewal in lost.indices {
      let known = lost[renewal] + kept[renewal]
      if known == 0 { continue }
      let isExtreme = kept[renewal] == 0 || lost[renewal] == 0
      let share = isExtreme ? (kept[renewal] + 0.5) / (known + 1) : kept[renewal] / known
      kept[renewal] = binomialDraw(
        trials: known, probability: share, uniform: generator.uniform(at: place + UInt64(renewal)))
      lost[renewal] = known - kept[renewal]
    }
    return RenewalCounts(lost: lost, kept: kept)
  }
}
