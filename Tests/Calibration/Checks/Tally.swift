/// Counts, for each of several methods, the simulations in which it raised an alarm.
struct Tally {
  private var hits: [String: Int] = [:]
  private var repetition: Set<String> = []

  /// Records that a method raised an alarm in this simulation; repeated alarms count once.
  mutating func alarm(_ name: String, if isAlarmed: Bool = true) {
    if isAlarmed { repetition.insert(name) }
  }

  /// Ends a simulation.
  mutating func endRepetition() {
    for name in repetition { hits[name, default: 0] += 1 }
    repetition.removeAll(keepingCapacity: true)
  }

  subscript(name: String) -> Int { hits[name] ?? 0 }
}
