internal import Basics
internal import Lifecycle
internal import Store

/// The users of one experiment in one app, by the variant that `PersonUnits.completeExposures` keeps.
///
/// Users seen with two variants, and users in a variant without a share, are counted here but not compared.
struct ExposedPersons {
  let query: ReportQuery
  let app: StoreSnapshot.App
  let experiment: NameID
  let asOf: Int64
  let source: ExposureSource
  /// The variants compared, control first.
  let variants: [NameID]
  let names: [String]
  /// The planned shares, one per variant; they sum to 1.
  let shares: [Double]
  /// Exposed users, one count per variant.
  let persons: [Int]
  let crossed: Int
  /// Users in variants to which the plan gives no share, by variant in byte order.
  let leaked: [(variant: String, persons: Int)]
  /// The instants of the first and the last exposure.
  let exposures: ClosedRange<Int64>?

  private let plan: ExperimentPlan
  private let census: ExposureCensus
  private let places: [NameID: Int]
  private let found = Found()

  /// - Returns: `nil` if no user is exposed in the app.
  /// - Throws: ``ExperimentError`` for a control that no user has.
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
    let unplanned = seen.map(\.name).filter { !compared.contains($0) }
    for name in compared where !seen.contains(where: { $0.name == name }) {
      if NearName.of(name, in: unplanned) != nil {
        throw ExperimentError.unseenVariant(name, seen: seen.map(\.name))
      }
    }
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

  /// The variant that others are compared with if no plan names one.
  static let standardControl = "control"

  private static func control(_ plan: ExperimentPlan, of compared: [String], seen: [String]) throws -> String {
    if let control = plan.control {
      guard compared.contains(control) else {
        throw ExperimentError.unknownVariant(key: "control", control, seen: compared)
      }
      return control
    }
    return compared.contains(Self.standardControl) ? Self.standardControl : compared.min(by: precedesInBytes) ?? ""
  }

  /// Returns the arm of a variant; `nil` for one that is not compared.
  func arm(_ variant: NameID) -> Int? { places[variant] }

  /// Returns 0 for a user of control and 1 for one of the given arm; `nil` for others, and for crossed users.
  func side(of user: ExposedUser, against arm: Int) -> Int? {
    guard !user.isCrossed, let place = places[user.variant] else { return nil }
    return place == 0 ? 0 : place == arm ? 1 : nil
  }

  /// Returns each exposed user with the outcome of the exposure, from facts even if counts come from cells.
  func people() throws -> [ExposureSource.Person] {
    if !source.isOfCells { return source.persons }
    return try ExposureSource(query, app: app, experiment: experiment, plan: plan, needsPersons: true).persons
  }

  /// Finds the arms of users who come variant by variant.
  struct ArmFinder {
    fileprivate let places: [NameID: Int]
    private var last: (variant: NameID, arm: Int?) = (-1, nil)

    fileprivate init(_ places: [NameID: Int]) { self.places = places }

    /// Returns the arm; `nil` for a variant that is not compared.
    @inline(__always)
    mutating func arm(_ variant: NameID) -> Int? {
      if variant != last.variant { last = (variant, places[variant]) }
      return last.arm
    }
  }

  var armFinder: ArmFinder { ArmFinder(places) }

  /// Finds exposed users by their number.
  struct UserFinder {
    /// All exposed users, crossed ones included.
    let users: [ExposedUser]
    let persons: UserSet
    /// The place of each user by number; −1 for crossed or unexposed users.
    private let places: [Int32]

    fileprivate init(_ users: [ExposedUser]) {
      self.users = users
      var places = [Int32](repeating: -1, count: Int(users.map(\.person).max() ?? 0) + 1)
      var persons = UserSet()
      for (place, user) in users.enumerated() where !user.isCrossed {
        places[Int(user.person)] = Int32(place)
        persons.insert(user.person)
      }
      (self.places, self.persons) = (places, persons)
    }

    func contains(_ number: Int32) -> Bool { Int(number) < places.count && places[Int(number)] >= 0 }

    /// Returns an exposed user; `nil` if crossed or not exposed.
    func user(_ number: Int32) -> ExposedUser? { contains(number) ? users[Int(places[Int(number)])] : nil }
  }

  /// The finder, cached after its first use.
  private final class Found {
    var finder: UserFinder?
  }

  /// Returns the finder, reading facts once if counts came from cells.
  func userFinder() throws -> UserFinder {
    if let finder = found.finder { return finder }
    var users: [ExposedUser] = []
    if source.isOfCells && plan.start == nil {
      try ExposedUser.forEach(
        of: experiment, app: app.id, before: source.end, withOutcomes: false, query.facts
      ) { user, _ in users.append(user) }
    } else {
      users = try people().map(\.user)
    }
    let finder = UserFinder(users)
    found.finder = finder
    return finder
  }

  /// Returns the whole days from an exposure to the as-of.
  func age(_ exposedAt: Int64) -> Int { Int((asOf - exposedAt) / day) }

  /// Users by arm and UTC day since 1970, oldest first.
  var byDay: [(day: Int, persons: [Int])] {
    let days = variants.map { census.variants[$0]?.days ?? [:] }
    return Set(days.flatMap(\.keys)).sorted().map { day in (Int(day), days.map { $0[day] ?? 0 }) }
  }

  /// Returns the users by client and arm.
  func byClient() throws -> [(client: FactSource.Client, persons: [Int])] {
    let counts = variants.map { census.variants[$0]?.clients ?? [] }
    return try query.facts.clients().enumerated().compactMap { number, client in
      let persons = counts.map { number < $0.count ? $0[number] : 0 }
      return persons.contains { $0 > 0 } ? (client, persons) : nil
    }
  }
}
