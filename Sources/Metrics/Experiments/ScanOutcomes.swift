internal import EventModel
internal import Lifecycle
internal import Store

/// What no fact tells of the exposed persons, in one walk through the app's events: `retained`, and the plan's
/// own metrics.
struct ScanOutcomes {
  let exposed: ExposedPersons
  let own: [OwnMetric]

  /// An exposed person.
  private struct Person {
    var ts: Int64
    var arm: Int
    var age: Int
    var slice: Int
  }

  /// - Parameter table: Gets the events of `retained`, and the own metrics whole.
  func add(to table: inout OutcomeTable) throws {
    var slices: [[Int64]] = []
    let (places, persons) = try readPersons(&slices)
    var returned = [Bool](repeating: false, count: persons.count)
    let retained = ExperimentMetric.retained.horizon / 2..<ExperimentMetric.retained.horizon
    var metrics = try own.map { try OwnMetricScan($0, exposed.query.facts, persons: persons.count) }
    try exposed.query.facts.forEachEvent(of: exposed.app.id) { event in
      let person = Int(event.person)
      guard person < places.count, places[person] >= 0 else { return }
      let place = Int(places[person])
      let since = event.ts - persons[place].ts
      if retained.contains(since) { returned[place] = true }
      for index in metrics.indices { metrics[index].take(event, since: since, person: place) }
    }
    for place in persons.indices where returned[place] {
      let person = persons[place]
      table.addEvents(.retained, slices[person.slice], arm: person.arm, age: person.age, count: 1)
    }
    for metric in metrics {
      for place in persons.indices {
        let person = persons[place]
        table.change(slices[person.slice]) { outcomes in
          metric.add(
            place, exposedAt: person.ts, asOf: exposed.asOf, arm: person.arm, arms: exposed.variants.count,
            to: &outcomes)
        }
      }
    }
  }

  /// The exposed persons, and the place of each by its number, −1 for others.
  private func readPersons(_ slices: inout [[Int64]]) throws -> (places: [Int32], persons: [Person]) {
    var places: [Int32] = []
    var persons: [Person] = []
    var known: [[Int64]: Int] = [:]
    try exposed.forEachGroup(
      "SELECT e.variant, e.age\(exposed.dimensions), e.person, e.ts FROM \(ExposedPersons.table) AS e ORDER BY e.person"
    ) { arm, age, codes, row, first in
      let number = row.int(first)
      if number >= places.count { places += [Int32](repeating: -1, count: number + 1 - places.count) }
      places[number] = Int32(persons.count)
      let slice = known[codes] ?? slices.count
      if slice == slices.count {
        known[codes] = slice
        slices.append(codes)
      }
      persons.append(Person(ts: row[first + 1], arm: arm, age: age, slice: slice))
    }
    return (places, persons)
  }
}
