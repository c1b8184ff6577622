internal import EventModel
internal import Lifecycle
public import Statistics
internal import Store

/// Checks whether an experiment's comparison can be trusted at all (Methods.md 2.8; Experiments.md,
/// "Health checks").
public struct ExperimentHealth: Sendable {
  /// The level of every alarm.
  public static let alpha = SequentialSampleRatio.alpha

  /// The sequential test over users in order of arrival, day by day; `nil` with fewer than two variants.
  public var sequential: Sequential?
  /// A descriptive test: daily looks multiply its alarms.
  public var chiSquare: SampleRatioTest?
  /// Slices by platform, country, app version and day, in this order.
  public var slices: [Slicing]
  /// Users seen with two variants, who are excluded.
  public var crossed: Int
  /// Exposed users, crossed ones included.
  public var persons: Int
  /// Users in variants without a planned share, by variant.
  public var leaks: [Leak]
  /// Users whose primary metric is not known yet.
  public var immature: Int

  public struct Sequential: Sendable {
    public var logBayesFactor: Double
    /// The least 1 / Bayes factor of all days so far.
    public var p: Double
    public var concentration: Double
  }

  public struct Slicing: Sendable {
    public var dimension: String
    /// The slices, in byte order of their values.
    public var slices: [Slice]

    /// The slice with the least adjusted p; `nil` if none can be tested.
    public var worst: Slice? {
      slices.filter { $0.adjustedP != nil }.min { ($0.adjustedP ?? 1, $0.p ?? 1) < ($1.adjustedP ?? 1, $1.p ?? 1) }
    }
  }

  public struct Slice: Sendable {
    public var value: String
    /// One per arm.
    public var persons: [Int]
    public var p: Double?
    /// p adjusted by Holm's method among the slices of the dimension.
    public var adjustedP: Double?
  }

  /// The days on which a variant took users, if these are not all days. Days are written `2026-01-31`.
  public enum DaysWithUsers: Sendable {
    /// From a day on; `wholeFrom` is the next day if the variant began within that day.
    case from(String, wholeFrom: String)
    case until(String, next: String)
  }

  public struct Leak: Sendable {
    public var variant: String
    public var persons: Int
  }

  /// Whether planned and observed shares mismatch, which rules out a verdict.
  public var isSampleRatioOff: Bool { (sequential?.p ?? 1) < Self.alpha }

  /// Whether one look would call the split off, while the sequential test, which allows for daily looks, does not.
  public var isSplitDoubtful: Bool { !isSampleRatioOff && (chiSquare?.p ?? 1) < Self.alpha }

  /// The dimensions with several slices: a single one repeats the whole.
  public var comparedSlices: [Slicing] { slices.filter { $0.slices.count > 1 } }

  /// The slices whose shares mismatch, even if the total shares do not.
  public var alarmedSlices: [(dimension: String, slice: Slice)] {
    comparedSlices.flatMap { slicing in
      slicing.slices.filter { ($0.adjustedP ?? 1) < Self.alpha }.map { (slicing.dimension, $0) }
    }
  }

  /// Users, by its share, that a variant lacks on days without any of its users; below it, that may be chance.
  private static let leastMissing = 20.0

  /// Returns the days of a variant that began late or stopped early; `nil` if it took users on all days.
  ///
  /// - Parameters:
  ///   - arm: The variant's place among the arms.
  ///   - share: The variant's planned share, as a fraction of 1.
  public func daysWithUsers(of arm: Int, share: Double) -> DaysWithUsers? {
    let days = slices.first { $0.dimension == "day" }?.slices ?? []
    func isMissing(in days: ArraySlice<Slice>) -> Bool {
      Double(days.reduce(0) { $0 + $1.persons.reduce(0, +) }) * share >= Self.leastMissing
    }
    let own = days.indices.filter { days[$0].persons[arm] > 0 }
    guard let first = own.first, let last = own.last else { return nil }
    if isMissing(in: days[..<first]) {
      // If it began within a day, that day is not split evenly either.
      let isWhole = (days[first].p ?? 1) > 0.01 || first == last
      return .from(days[first].value, wholeFrom: days[isWhole ? first : first + 1].value)
    }
    return isMissing(in: days[(last + 1)...]) ? .until(days[last].value, next: days[last + 1].value) : nil
  }
}

extension ExperimentHealth {
  init(_ exposed: ExposedPersons, plan: ExperimentPlan, immature: Int) throws {
    crossed = exposed.crossed
    leaks = exposed.leaked.map { Leak(variant: $0.variant, persons: $0.persons) }
    persons = exposed.persons.reduce(0, +) + exposed.crossed + leaks.reduce(0) { $0 + $1.persons }
    self.immature = immature
    slices = []
    guard exposed.variants.count >= 2 else { return }
    let days = exposed.byDay
    let counts = exposed.persons.map(Double.init)
    chiSquare = sampleRatioTest(observed: counts, weights: exposed.shares)
    let concentration = SequentialSampleRatio.tunedConcentration(plannedUsers: plan.plannedUsers, alpha: Self.alpha)
    var ratio = SequentialSampleRatio(weights: exposed.shares, concentration: concentration)
    for day in days { ratio.add(day.persons.map(Double.init)) }
    sequential = Sequential(
      logBayesFactor: ratio.logBayesFactor, p: ratio.p.value, concentration: concentration)
    let clients = try exposed.byClient()
    let dimensions: [(String, KeyPath<FactSource.Client, NameID>)] = [
      ("platform", \.platform), ("country", \.country), ("app_version", \.appVersion),
    ]
    slices = dimensions.map { dimension, part in
      var persons: [String: [Int]] = [:]
      for (client, counts) in clients {
        let name = exposed.query.facts.name(Int(client[keyPath: part]))
        let none = [Int](repeating: 0, count: counts.count)
        persons[name] = zip(persons[name] ?? none, counts).map { $0 + $1 }
      }
      return Self.slicing(dimension, persons.map { ($0.key, $0.value) }, shares: exposed.shares)
    }
    slices.append(
      Self.slicing(
        "day", days.map { (CivilDate(daysSince1970: $0.day).description, $0.persons) }, shares: exposed.shares))
  }

  private static func slicing(
    _ dimension: String, _ persons: [(value: String, persons: [Int])], shares: [Double]
  ) -> Slicing {
    var slices = persons.sorted { precedesInBytes($0.value, $1.value) }.map { slice in
      Slice(value: slice.value, persons: slice.persons, p: p(slice.persons.map(Double.init), shares: shares))
    }
    let adjusted = Adjustment.holm.adjusted(slices.map(\.p))
    for place in slices.indices { slices[place].adjustedP = adjusted[place] }
    return Slicing(dimension: dimension, slices: slices)
  }

  /// Returns p of χ², exact if an expected count is below 5.
  private static func p(_ observed: [Double], shares: [Double]) -> Double? {
    let users = observed.reduce(0, +)
    if shares.contains(where: { $0 * users < 5 }) {
      if shares.count == 2 {
        return exactBinomialTest(Proportion(successes: observed[0], trials: users), share: shares[0])
      }
      if let exact = exactMultinomialTest(observed: observed, shares: shares) { return exact }
    }
    return sampleRatioTest(observed: observed, weights: shares).p
  }
}
