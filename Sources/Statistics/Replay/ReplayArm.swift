/// The users of one arm so far.
struct ReplayArm {
  private var users = 0
  private var conversions = 0
  private var active = 0
  private var activeConversions = 0
  private var revenue = Moments()
  private var capped = Moments()
  private var history = PairMoments()
  private var perPayer = RatioSums()

  /// Adds the users of a block whose bits are set.
  mutating func add(_ block: ReplayBlocks.Block, members: UInt64) {
    users += members.nonzeroBitCount
    conversions += (block.converted & members).nonzeroBitCount
    active += (block.active & members).nonzeroBitCount
    activeConversions += (block.active & block.converted & members).nonzeroBitCount
    for payment in block.payments where payment.bit & members != 0 {
      revenue.add(payment.revenue)
      capped.add(payment.capped)
      history.add(before: payment.before, after: payment.revenue)
      perPayer.add(numerator: payment.revenue, denominator: payment.isPayer ? 1 : 0)
    }
  }

  var conversion: Proportion { Proportion(successes: Double(conversions), trials: Double(users)) }

  private func withZeros(_ payments: Moments) -> MeanArm? {
    var all = Moments(count: Double(users) - payments.count, sum: 0, sumOfSquares: 0)
    all.merge(payments)
    return MeanArm(all)
  }

  /// Revenue per user, including zeros; `nil` with fewer than two users.
  var revenuePerUser: MeanArm? { withZeros(revenue) }
  var cappedPerUser: MeanArm? { withZeros(capped) }

  /// Revenue per payer; `nil` without a payer.
  var revenuePerPayer: MeanArm? {
    var sums = perPayer
    sums.count = Double(users)
    return sums.arm
  }

  /// Whether users were active before, and whether they converted.
  var conversionHistory: PairMoments {
    PairMoments(
      users: Double(users), before: Double(active), after: Double(conversions), both: Double(activeConversions))
  }

  /// Revenue before and after, including zeros.
  var revenueHistory: PairMoments {
    var all = PairMoments(zeros: Double(users) - history.count)
    all.merge(history)
    return all
  }
}
