internal import Lifecycle
internal import Store

/// The persons of one experiment in one app, by variant (definitions 8.1).
///
/// Persons who were seen with two variants, and those in a variant without a share, are counted here and compared with
/// nobody.
struct ExposedPersons {
  let query: ReportQuery
  let app: StoreSnapshot.App
  let experiment: NameID
  let asOf: Int64
  let source: ExposureSource
  /// The variants compared, control first.
  let variants: [NameID]
  let names: [String]
  /// As planned, one per variant; they sum to 1.
  let shares: [Double]
  /// Exposed persons, one count per variant.
  let persons: [Int]
  let crossed: Int
  /// Persons in variants that the plan gives no share, by variant in byte order.
  let leaked: [(variant: String, persons: Int)]
  /// When the first and the last person was exposed.
  let exposures: ClosedRange<Int64>?

  private let plan: ExperimentPlan
  private let census: ExposureCensus
  private let places: [NameID: Int]
  private let found = Found()

  /// - Returns: `nil` when nobody is exposed in the app.
  /// - Throws: ``ExperimentError`` for a control that nobody has.
  init?(_ query: ReportQuery, app: StoreSnapshot.App, experiment: NameID, plan: ExperimentPlan) throws {
    self.query = query
    self.app = app
    self.experiment = experiment
    self.plan = plan
    asOf = query.asOf(of: app)
    source = try ExposureSource(
      query, app: app, experiment: experiment, plan: plan, needsPersons: !plan.metrics.isEmpty)
    census = try ExposureCensus(source)
    let seen = census.variants.map { (id: $0.key, name: query.facts.name(Int($0.key)), persons: $0.value.persons) }
      .sorted { precedesInBytes($0.name, $1.name) }
    crossed = census.crossed
    if seen.isEmpty && crossed == 0 { return nil }
    exposures = census.first <= census.last ? census.first...census.last : nil

    let weights = plan.shares.map { shares in
      shares.filter { $0.weight > 0 }
    }
    let compared = weights?.map(\.variant) ?? seen.map(\.name)
    let control = try Self.control(plan, of: compared, seen: seen.map(\.name))
    names = compared.isEmpty ? [] : [control] + compared.filter { $0 != control }.sorted(by: precedesInBytes)
    variants = names.map { name in
      seen.first { $0.name == name }?.id ?? query.facts.number(ofName: name).map(NameID.init) ?? -1
    }
    let total = weights?.reduce(0) { $0 + $1.weight } ?? Double(names.count)
    shares = names.map { name in (weights?.first { $0.variant == name }?.weight ?? 1) / total }
    persons = names.map { name in seen.first { $0.name == name }?.persons ?? 0 }
    leaked = seen.filter { !compared.contains($0.name) }.map { ($0.name, $0.persons) }
    places = Dictionary(zip(variants, variants.indices)) { first, _ in first }
  }

  private static func control(_ plan: ExperimentPlan, of compared: [String], seen: [String]) throws -> String {
    if let control = plan.control {
      guard compared.contains(control) else {
        throw ExperimentError.unknownVariant(key: "control", control, seen: compared)
      }
      return control
    }
    return compared.contains("control") ? "control" : compared.min(by: precedesInBytes) ?? ""
  }

  /// Which arm a variant is; `nil` for one that is not compared.
  func arm(_ variant: NameID) -> Int? { places[variant] }

  /// Each of them with what came of the exposure, from facts also where cells are read.
  func people() throws -> [ExposureSource.Person] {
    if !source.isOfCells { return source.persons }
    return try ExposureSource(query, app: app, experiment: experiment, plan: plan, needsPersons: true).persons
  }

  /// Finds arms of persons who come variant by variant.
  struct ArmFinder {
    fileprivate let places: [NameID: Int]
    private var last: (variant: NameID, arm: Int?) = (-1, nil)

    fileprivate init(_ places: [NameID: Int]) { self.places = places }

    /// `nil` for a variant that is not compared.
    @inline(__always)
    mutating func arm(_ variant: NameID) -> Int? {
      if variant != last.variant { last = (variant, places[variant]) }
      return last.arm
    }
  }

  var armFinder: ArmFinder { ArmFinder(places) }

  /// Finds exposed users by their number.
  struct UserFinder {
    /// All, those crossed among them.
    let users: [ExposedUser]
    /// By number: the place of one who is not crossed, else −1.
    private let places: [Int32]

    fileprivate init(_ users: [ExposedUser]) {
      self.users = users
      var places = [Int32](repeating: -1, count: Int(users.map(\.person).max() ?? 0) + 1)
      for (place, user) in users.enumerated() where !user.isCrossed { places[Int(user.person)] = Int32(place) }
      self.places = places
    }

    /// Whether it is one who is not crossed.
    func contains(_ number: Int32) -> Bool { Int(number) < places.count && places[Int(number)] >= 0 }

    /// `nil` for one who is crossed or not exposed.
    func user(_ number: Int32) -> ExposedUser? { contains(number) ? users[Int(places[Int(number)])] : nil }
  }

  /// The finder, once somebody asked for it.
  private final class Found {
    var finder: UserFinder?
  }

  /// Of facts, which are read once, where cells were before.
  func userFinder() throws -> UserFinder {
    if let finder = found.finder { return finder }
    var users: [ExposedUser] = []
    if source.isOfCells && plan.start == nil {
      try ExposedUser.forEach(
        of: experiment, app: app.id, before: source.end, withOutcomes: false, query.facts
      ) { user, _ in users.append(user) }
    } else {
      users = try people().map { ExposedUser($0) }
    }
    let finder = UserFinder(users)
    found.finder = finder
    return finder
  }

  /// Whole days from an exposure to the as-of.
  func age(_ exposedAt: Int64) -> Int { Int((asOf - exposedAt) / day) }

  /// By arm and UTC day, since 1970, oldest first.
  var byDay: [(day: Int, persons: [Int])] {
    let days = variants.map { census.variants[$0]?.days ?? [:] }
    return Set(days.flatMap(\.keys)).sorted().map { day in (Int(day), days.map { $0[day] ?? 0 }) }
  }

  /// By client and arm.
  func byClient() throws -> [(client: FactSource.Client, persons: [Int])] {
    let counts = variants.map { census.variants[$0]?.clients ?? [] }
    return try query.facts.clients().enumerated().compactMap { number, client in
      let persons = counts.map { number < $0.count ? $0[number] : 0 }
      return persons.contains { $0 > 0 } ? (client, persons) : nil
    }
  }
}
