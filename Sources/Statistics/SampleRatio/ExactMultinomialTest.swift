internal import RealModule

/// Returns the exact p of counts against planned shares: the probability of all outcomes no likelier than the observed
/// one. Use it if an expected count is below 5.
///
/// - Parameters:
///   - observed: Whole counts, one per arm.
///   - shares: One per arm, above 0, summing to 1.
/// - Returns: `nil` without users, or with more than two million outcomes (χ² is good enough then).
public func exactMultinomialTest(observed: [Double], shares: [Double]) -> Double? {
  precondition(observed.count == shares.count && shares.allSatisfy { $0 > 0 }, "one positive share per arm")
  let users = observed.reduce(0, +)
  guard users > 0 else { return nil }
  var outcomes = 1.0
  for arm in 1..<observed.count { outcomes *= (users + Double(arm)) / Double(arm) }
  guard outcomes <= 2_000_000 else { return nil }
  func term(_ count: Double, _ share: Double) -> Double { count * Double.log(share) - Double.logGamma(count + 1) }
  let constant = Double.logGamma(users + 1)
  let bound = zip(observed, shares).reduce(constant) { $0 + term($1.0, $1.1) } + 1e-7
  var p = 0.0
  func spread(_ arm: Int, _ left: Double, _ sum: Double) {
    if arm == shares.count - 1 {
      let value = sum + term(left, shares[arm])
      if value <= bound { p += Double.exp(value) }
      return
    }
    for count in stride(from: 0, through: left, by: 1) {
      spread(arm + 1, left - count, sum + term(count, shares[arm]))
    }
  }
  spread(0, users, constant)
  return min(1, p)
}
