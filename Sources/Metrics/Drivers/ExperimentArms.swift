internal import Statistics
internal import Store

/// Control and one treatment of an experiment in one app: the two sides whose difference is split (implements definitions 10.9).
struct ExperimentArms {
  let app: String
  /// Milliseconds since 1970.
  let asOf: Int64
  let metric: ExperimentMetric
  let control: String
  /// The treatment whose share differs most from control's; empty without one.
  private(set) var treatment = ""
  /// How many treatments there are.
  let treatments: Int
  private(set) var before = DriverCounts.Side()
  private(set) var now = DriverCounts.Side()
  /// Why nothing can be split, in words; empty if it can be.
  private(set) var reason = ""
  /// Whether users were not split as planned (D1.2).
  let isSampleRatioOff: Bool

  /// The noun for the users that the metric covers.
  var units: String { metric.conditionalOn == nil ? "users" : "users with a trial" }

  /// Whether both arms have enough users and outcomes for an interval (D2.3).
  var areLargeEnough: Bool {
    let shares = [before, now].map { side in
      let count = side.rows.reduce(DriverCounts.Count()) { $0 + $1.count }
      return Proportion(successes: Double(count.sum), trials: Double(count.units))
    }
    return AsymptoticSequence.isReady(shares[1], shares[0])
  }

  private typealias Sides = (before: [Int32: DriverCounts.Count], now: [Int32: DriverCounts.Count])

  /// - Throws: ``OptionError`` for a metric that is not a share of users; ``ExperimentError`` for dimensions that a
  ///   variant can change.
  init(_ builder: ReadoutBuilder, _ question: DriverQuestion) throws {
    let exposed = builder.exposed
    (app, asOf, control) = (exposed.app.name, exposed.asOf, exposed.names.first ?? "")
    treatments = max(0, exposed.names.count - 1)
    if let wrong = question.cuts.first(where: { !ClientSegments.dimensions.contains($0) }) {
      throw ExperimentError.unsupportedDimension(option: "--cut", wrong.name)
    }
    metric = try Self.metric(named: question.column, builder)
    isSampleRatioOff = try ExperimentHealth(exposed, plan: builder.plan, immature: 0).isSampleRatioOff
    if metric == .retained, !builder.metrics.hasUsage {
      reason = "no user has an activity event, so it is not known who stayed"
      return
    }
    guard treatments > 0 else {
      reason = "there is no treatment to compare with control"
      return
    }
    var best: (sides: Sides, difference: Double)?
    for arm in exposed.names.indices.dropFirst() {
      var sides: Sides = ([:], [:])
      try UserOutcomes(exposed: exposed, plan: builder.plan, metric: metric, arm: arm).forEach { user in
        let count = DriverCounts.Count(units: 1, sum: user.amount != 0 ? 1 : 0)
        if user.side == 0 {
          sides.before[user.client, default: DriverCounts.Count()] += count
        } else {
          sides.now[user.client, default: DriverCounts.Count()] += count
        }
      }
      let (earlier, later) = (Self.share(sides.before), Self.share(sides.now))
      let difference = earlier.flatMap { earlier in later.map { abs($0 - earlier) } } ?? -1
      if best.map({ difference > $0.difference }) ?? true {
        (best, treatment) = ((sides, difference), exposed.names[arm])
      }
    }
    guard let (sides, _) = best else { return }
    let dimensions = question.cuts.isEmpty ? ClientSegments.dimensions : question.cuts
    let clients = try ClientSegments(exposed)
    func side(_ counts: [Int32: DriverCounts.Count]) -> DriverCounts.Side {
      DriverCounts.Side(
        rows: counts.sorted { $0.key < $1.key }.map { client, count in
          DriverCounts.Row(values: dimensions.map { clients.value($0, of: client) }, count: count)
        })
    }
    (before, now) = (side(sides.before), side(sides.now))
  }

  private static func share(_ counts: [Int32: DriverCounts.Count]) -> Double? {
    counts.values.reduce(DriverCounts.Count(), +).mean
  }

  /// - Parameter name: Empty for the goal.
  private static func metric(named name: String, _ builder: ReadoutBuilder) throws -> ExperimentMetric {
    let own = builder.plan.metrics.map(\.name)
    let shares = builder.metrics.metrics.filter {
      $0.kind == .proportion && (ExperimentMetric.builtInNames.contains($0.name) || own.contains($0.name))
    }
    let asked = name.isEmpty ? builder.primary.name : name
    if let metric = shares.first(where: { $0.name == asked }) { return metric }
    let names = shares.map(\.name)
    let list = names.joined(separator: ", ")
    if name.isEmpty {
      throw OptionError("the goal is \(asked), which is not a share of users: name one with --column: \(list)")
    }
    if builder.metrics.metric(named: name) != nil || ExperimentMetric.builtInNames.contains(name) {
      throw OptionError("--column is \(name), but must be a share of users: \(list)")
    }
    throw OptionError("column", name, mustBeOneOf: names)
  }
}
