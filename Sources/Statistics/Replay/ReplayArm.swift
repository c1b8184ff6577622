/// What one arm has seen so far.
struct ReplayArm {
  private var users = 0
  private var conversions = 0
  private var revenue = Moments()
  private var capped = Moments()

  /// Takes the users of a block whose bits are set.
  mutating func add(_ block: ReplayBlocks.Block, members: UInt64) {
    users += members.nonzeroBitCount
    conversions += (block.converted & members).nonzeroBitCount
    for payment in block.payments where payment.bit & members != 0 {
      revenue.add(payment.revenue)
      capped.add(payment.capped)
    }
  }

  var conversion: Proportion { Proportion(successes: Double(conversions), trials: Double(users)) }

  private func withZeros(_ payments: Moments) -> MeanArm? {
    var all = Moments(count: Double(users) - payments.count, sum: 0, sumOfSquares: 0)
    all.merge(payments)
    return MeanArm(all)
  }

  /// Per user, zeros included; `nil` with fewer than two users.
  var revenuePerUser: MeanArm? { withZeros(revenue) }
  var cappedPerUser: MeanArm? { withZeros(capped) }
}
