internal import EventModel

/// The flow that changes a state, so that the states of a row's periods follow from each other.
protocol StateFlow {
  init()
  /// Sets the opening of the period to the previous period's closing.
  mutating func open(after previous: Self)
  mutating func add(_ other: Self)
  /// Whether the row has nothing to report.
  var isEmpty: Bool { get }
}

/// Flows by row and period, from which the states of all periods are computed at the end.
struct StateTable<Flow: StateFlow> {
  /// The rows without their periods, by place.
  private var rows = RowInterner<RowKey>()
  private var flows: [Flow] = []
  /// Indices into ``flows`` by place, then by period from one on, or -1. The first entry is the time before all
  /// periods.
  private var flowPlaces: [[Int32]] = []

  mutating func place(_ key: RowKey) -> Int {
    let place = Int(rows.intern(key))
    if place == flowPlaces.count { flowPlaces.append([]) }
    return place
  }

  /// Changes the flow of a row in the period that contains an instant, if any.
  @inline(__always)
  mutating func change(_ place: Int, at instant: Int64, in periods: Periods, _ change: (inout Flow) -> Void) {
    guard let period = periods.place(of: instant) else { return }
    change(&flows[flowPlace(place, period)])
  }

  /// Changes the flow of a row in the last period.
  mutating func changeLast(_ place: Int, in periods: Periods, _ change: (inout Flow) -> Void) {
    if periods.count > 0 { change(&flows[flowPlace(place, periods.count - 1)]) }
  }

  @inline(__always)
  private mutating func flowPlace(_ place: Int, _ period: Int) -> Int {
    if period + 1 < flowPlaces[place].count, case let known = flowPlaces[place][period + 1], known >= 0 {
      return Int(known)
    }
    while flowPlaces[place].count <= period + 1 { flowPlaces[place].append(-1) }
    flowPlaces[place][period + 1] = Int32(flows.count)
    flows.append(Flow())
    return flows.count - 1
  }

  private func flow(_ place: Int, _ period: Int) -> Flow? {
    guard period + 1 < flowPlaces[place].count, case let known = flowPlaces[place][period + 1], known >= 0 else {
      return nil
    }
    return flows[Int(known)]
  }

  /// Returns the states of all rows that are not empty.
  func rows(_ query: StateQuery) -> [RowKey: Flow] {
    var rows: [RowKey: Flow] = [:]
    for (row, key) in self.rows.rows.enumerated() {
      guard let periods = query.periods(of: key.app) else { continue }
      var previous = flow(row, -1) ?? Flow()
      for period in 0..<periods.count {
        var state = Flow()
        state.open(after: previous)
        if let own = flow(row, period) { state.add(own) }
        previous = state
        if !state.isEmpty, let key = query.key(key, period: period, of: periods) { rows[key] = state }
      }
    }
    return rows
  }
}
