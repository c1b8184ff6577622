internal import Store

/// What a state is made of, so that states of a row's periods follow from one another.
protocol StateFlow {
  init()
  /// What the period starts with: what the last one ended with.
  mutating func open(after previous: Self)
  mutating func add(_ other: Self)
  /// Whether a row has nothing to say.
  var isEmpty: Bool { get }
}

/// Flows by row and period, which are spread to the states of all periods at the end.
struct StateTable<Flow: StateFlow> {
  /// By place, the row without its period.
  private(set) var keys: [CellKey] = []
  private var places: [CellKey: Int] = [:]
  /// By place, then by period; -1 is what was before the first.
  private var flows: [[Int: Flow]] = []

  /// The place of a row.
  mutating func place(_ key: CellKey) -> Int {
    if let place = places[key] { return place }
    places[key] = keys.count
    keys.append(key)
    flows.append([:])
    return keys.count - 1
  }

  /// Changes the flow of a row in the period that an instant lies in, if any.
  @inline(__always)
  mutating func change(_ place: Int, at instant: Int64, in periods: Periods, _ change: (inout Flow) -> Void) {
    guard let period = periods.place(of: instant) else { return }
    change(&flows[place][period, default: Flow()])
  }

  /// The same of the last period.
  mutating func changeLast(_ place: Int, in periods: Periods, _ change: (inout Flow) -> Void) {
    guard periods.count > 0 else { return }
    change(&flows[place][periods.count - 1, default: Flow()])
  }

  /// The states of all rows that have something in them.
  func rows(_ state: StateQuery) -> [CellKey: Flow] {
    var rows: [CellKey: Flow] = [:]
    for (key, flows) in zip(keys, flows) {
      guard let periods = state.periods(of: key.app) else { continue }
      var previous = flows[-1] ?? Flow()
      for place in 0..<periods.count {
        var flow = Flow()
        flow.open(after: previous)
        if let own = flows[place] { flow.add(own) }
        previous = flow
        if !flow.isEmpty, let key = state.key(key, period: place, of: periods) { rows[key] = flow }
      }
    }
    return rows
  }
}
