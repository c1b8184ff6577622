/// How many simulations each of several methods alarmed in.
struct Tally {
  private var hits: [String: Int] = [:]
  private var repetition: Set<String> = []

  /// Notes that a method alarmed in this simulation; more often than once counts once.
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
