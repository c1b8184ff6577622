internal import Lifecycle
internal import Store

/// Reads the plan's own metrics in one pass over the app's events.
struct OwnOutcomes {
  let exposed: ExposedPersons
  let own: [OwnMetric]

  func add(to table: inout OutcomeTable) throws {
    if own.isEmpty { return }
    let persons = exposed.source.persons.compactMap { person in
      person.unit.isCrossed ? nil : exposed.arm(person.variant).map { (arm: $0, person: person) }
    }
    let metrics = try OwnMetricScan.read(own, of: persons.map(\.person), exposed)
    for metric in metrics {
      for (place, (arm, person)) in persons.enumerated() {
        table.change(person.slice) { outcomes in
          metric.add(
            place, exposedAt: person.unit.ts, asOf: exposed.asOf, arm: arm, arms: exposed.variants.count, to: &outcomes)
        }
      }
    }
  }
}

extension OwnMetricScan {
  private static let nobody: Int32 = -1

  /// Reads metrics of the given users in one pass over the app's events.
  static func read(
    _ own: [OwnMetric], of persons: [ExposureSource.Person], _ exposed: ExposedPersons
  ) throws -> [OwnMetricScan] {
    let last = persons.map(\.person).max() ?? 0
    var places = [Int32](repeating: nobody, count: Int(last) + 1)
    for (place, person) in persons.enumerated() { places[Int(person.person)] = Int32(place) }
    let exposedAt = persons.map(\.unit.ts)
    var metrics = try own.map { try OwnMetricScan($0, exposed.query.facts, persons: persons.count) }
    try exposed.query.facts.forEachEvent { event in
      guard event.app == exposed.app.id else { return }
      let number = Int(event.person)
      guard number < places.count, case let place = Int(places[number]), place >= 0 else { return }
      for index in metrics.indices { metrics[index].take(event, since: event.ts - exposedAt[place], person: place) }
    }
    return metrics
  }
}
