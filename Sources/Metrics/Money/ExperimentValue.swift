internal import Lifecycle
internal import Statistics
internal import Store

/// Estimates money per exposed user of each arm at 12 months, and the difference to control; implements D6.9.
///
/// It follows the definitions of ``Value`` with the first exposure in place of the first paywall view. It counts the
/// purchases of the metric `paid`, within 14 days of the exposure, and those of an introductory trial started in the first 7,
/// by users who had the time for both (3.3, 8.2). Crossed users and variants without a share are excluded, as in every
/// metric.
struct ExperimentValue {
  /// An amount in micro-units of the currency.
  struct Amount {
    /// The point estimate; `nil` if a fit is at its boundary, where only the interval is reported.
    var point: Double?
    /// The 95% bootstrap interval.
    var interval: Interval
    var basis: ValueBasis
  }

  struct Arm {
    var variant: String
    /// Users whose exposure is long enough ago.
    var users: Int
    var buyers: Int
    /// The value; `nil` if it is not known yet.
    var value: Amount?
    /// The reason why the value or its point is missing; empty if neither is.
    var note: String
    /// The difference to control; `nil` for control, and if either value is unknown.
    var difference: Amount?
    /// The share of resamples in which the arm is above control, and the share in which it is below.
    var shareAbove: Double?
    var shareBelow: Double?
  }

  /// Control first, in the order of the exposed users' arms.
  let arms: [Arm]
  let daysOfData: Int

  /// - Parameters:
  ///   - currency: ISO 4217; payments without a rate to it are an error.
  ///   - month: In `1...24`.
  /// - Throws: ``ReportError/missingRates(_:_:)``.
  init(_ exposed: ExposedPersons, currency: String, month: Int = 12) throws {
    precondition((1...ValueEstimate.months).contains(month))
    var options = exposed.query.options
    options.currency = currency
    options.mode = .net
    let query = exposed.query.with(options)
    let app = exposed.app.id
    let days = query.daysOfData(app)
    let bought = try ExposedPurchases(exposed, PaymentRemainder(query))
    var estimator = RowEstimator(query, AppPurchases(query, bought.remainder, apps: [app]))
    let rows = try exposed.names.indices.map { arm in
      let estimates = try estimator.estimates(
        bought.purchases[arm], app: app, labels: exposed.names[arm], viewers: bought.users[arm])
      return (variant: exposed.names[arm], users: bought.users[arm], row: estimates[0])
    }
    try bought.remainder.money.check()
    daysOfData = days
    let base = rows.first?.row?.value
    arms = rows.enumerated().map { number, arm in
      guard let estimate = arm.row?.value else {
        return Arm(variant: arm.variant, users: arm.users, buyers: 0, value: nil, note: "no buyers")
      }
      let (users, buyers, place) = (arm.users, arm.row?.buyers.values.reduce(0, +) ?? 0, month - 1)
      var arm = Arm(
        variant: arm.variant, users: users, buyers: buyers, value: nil, note: Value.note(estimate, days: days))
      arm.value = Self.amount(
        estimate.values[place], ValueEstimate.interval(estimate.resampled.map { $0[place] }), [estimate.bases[place]])
      if arm.value == nil, arm.note.isEmpty { arm.note = "no buyers" }
      guard number > 0, let base else { return arm }
      let draws = zip(base.resampled, estimate.resampled).map { base, own in
        base[place].flatMap { base in own[place].map { $0 - base } }
      }
      arm.difference = Self.amount(
        base.values[place].flatMap { base in estimate.values[place].map { $0 - base } }, ValueEstimate.interval(draws),
        [base.bases[place], estimate.bases[place]])
      if arm.difference != nil {
        let known = draws.compactMap(\.self)
        arm.shareAbove = Double(known.count { $0 > 0 }) / Double(known.count)
        arm.shareBelow = Double(known.count { $0 < 0 }) / Double(known.count)
      }
      return arm
    }
  }

  private static func amount(_ point: Double?, _ interval: Interval?, _ bases: [ValueBasis?]) -> Amount? {
    let known = bases.compactMap(\.self)
    guard let interval, known.count == bases.count, let basis = ValueBasis.weakest(known) else { return nil }
    return Amount(point: point, interval: interval, basis: basis)
  }
}
