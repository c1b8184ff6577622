internal import Lifecycle
public import Statistics
public import Store

/// Expected money per viewer of an experiment's arms at 12 months (D6.9), and its difference to control (D6.10): the rows of
/// ``Value`` by variant of the users whose first paywall view was in the experiment.
///
/// These are the matured users of the funnel, by the context of their first paywall view ever: users whom the experiment met
/// later, or by an `exposure` alone, are not among them.
public struct ExperimentValue: Sendable {
  /// The grounds of an amount.
  public enum Basis: String, Sendable {
    case seen
    case predicted
    case assumed
  }

  /// An amount in micro-units of the currency.
  public struct Amount: Sendable {
    /// `nil` where a fit is at its boundary; the interval stands alone then.
    public var point: Double?
    /// 95 %, of a bootstrap.
    public var interval: Interval
    public var basis: Basis
  }

  public struct Arm: Sendable {
    public var variant: String
    public var viewers: Int
    public var buyers: Int
    /// `nil` for not known yet.
    public var value: Amount?
    /// Why the value or its point is missing; empty where neither is.
    public var note: String
    /// The difference to control; `nil` for control and where either is not known.
    public var difference: Amount?
    /// Of the resamples, those in which the arm is above control, and those in which it is below.
    public var shareAbove: Double?
    public var shareBelow: Double?
  }

  public var currency: String
  public var month: Int
  /// Control first, the others in byte order.
  public var arms: [Arm]
  public var daysOfData: Int

  /// - Parameters:
  ///   - options: The as-of, grace, mode, store fee and currency to read with; the currency is needed. Apps other than
  ///     `app` change nothing.
  ///   - month: In `1...24`.
  /// - Throws: ``ReportError`` as ``Value`` does, for missing rates among others.
  public init(
    _ snapshot: StoreSnapshot, app: String, experiment: String, control: String, month: Int = 12,
    _ options: ReportOptions
  ) throws {
    precondition((1...ValueEstimate.months).contains(month) && options.currency != nil)
    var options = options
    options.by = [.variant]
    options.filters = [ReportOptions.Filter(dimension: .experiment, values: [experiment])]
    options.from = nil
    options.to = nil
    let query = try Value.query(snapshot, options)
    let own = query.apps.first { $0.name == app }?.id
    let days = own.map { query.daysOfData($0) } ?? 0
    let rows = try Value.rows(query).filter { $0.key.app == own }.map {
      (variant: query.label(.variant, $0.key.codes[0]), row: $0)
    }
    .sorted { ($0.variant == control ? 0 : 1, $0.variant) < ($1.variant == control ? 0 : 1, $1.variant) }
    currency = options.currency ?? ""
    self.month = month
    daysOfData = days
    let base = rows.first.flatMap { $0.variant == control ? $0.row.estimate : nil }
    arms = rows.map { variant, row in
      let (estimate, place) = (row.estimate, month - 1)
      var arm = Arm(
        variant: variant, viewers: row.cell.users, buyers: row.buyers.values.reduce(0, +), value: nil,
        note: Value.note(estimate, days: days))
      arm.value = Self.amount(
        estimate.values[place], ValueEstimate.interval(estimate.resampled.map { $0[place] }), [estimate.bases[place]])
      if arm.value == nil, arm.note.isEmpty { arm.note = "no buyers" }
      guard variant != control, let base else { return arm }
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

  private static func amount(_ point: Double?, _ interval: Interval?, _ bases: [PlanSurvival.Basis?]) -> Amount? {
    let known = bases.compactMap(\.self)
    guard let interval, known.count == bases.count, let weakest = known.max(by: { $0.rawValue < $1.rawValue }),
      let basis = Basis(rawValue: Value.name(weakest))
    else { return nil }
    return Amount(point: point, interval: interval, basis: basis)
  }
}
