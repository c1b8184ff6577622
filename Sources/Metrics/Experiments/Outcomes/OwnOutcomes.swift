internal import Store

/// Reads the plan's own metrics: those of events in one pass over the app's events.
struct OwnOutcomes {
  let exposed: ExposedPersons
  let own: [OwnMetric]

  func add(to table: inout OutcomeTable) throws {
    if own.isEmpty { return }
    let users = try exposed.userFinder().users.compactMap { user in
      user.isCrossed ? nil : exposed.arm(user.variant).map { (arm: $0, user: user) }
    }
    let metrics = try OwnMetricScan.read(own, of: users.map(\.user), exposed)
    for metric in metrics {
      for (place, (arm, user)) in users.enumerated() {
        table.change(user.slice) { outcomes in
          metric.add(
            place, exposedAt: user.exposedAt, asOf: exposed.asOf, arm: arm, to: &outcomes)
        }
      }
    }
  }
}

extension OwnMetricScan {
  private static let nobody: Int32 = -1

  static func read(
    _ own: [OwnMetric], of users: [ExposedUser], _ exposed: ExposedPersons
  ) throws -> [OwnMetricScan] {
    let last = users.map(\.person).max() ?? 0
    var places = [Int32](repeating: nobody, count: Int(last) + 1)
    for (place, person) in users.enumerated() { places[Int(person.person)] = Int32(place) }
    let exposedAt = users.map(\.exposedAt)
    var metrics = try own.map { try OwnMetricScan($0, exposed.query.facts, persons: users.count) }
    for index in metrics.indices { try metrics[index].readStep(of: users, exposed) }
    if own.allSatisfy(\.isOfStep) { return metrics }
    try exposed.query.facts.forEachEvent { event in
      guard event.app == exposed.app.id else { return }
      let number = Int(event.person)
      guard number < places.count, case let place = Int(places[number]), place >= 0 else { return }
      for index in metrics.indices { metrics[index].take(event, since: event.ts - exposedAt[place], person: place) }
    }
    return metrics
  }
}
