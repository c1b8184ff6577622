/// A few columns of a block's events, for scans that read nothing else.
struct BlockNumbers: Sendable {
  /// The columns that are read, unless whole events are.
  static let columns: Set<EventBlock.Column> = [
    .user, .kind, .time, .timeRest, .client, .context, .terms, .properties,
  ]

  private(set) var users: [Int64] = []
  private(set) var kinds: [Int64] = []
  private(set) var instants: [Int64] = []
  private(set) var clients: [Int64] = []
  private(set) var contexts: [Int64] = []
  private(set) var terms: [Int64] = []
  private(set) var properties: [Int64] = []
  /// The whole events; empty unless asked for.
  private(set) var events = EventRows()
  /// The greatest numbers that the events refer to, as ``StoredEntries/require(_:)`` takes it.
  private(set) var greatest: [Int64] = [0, 0, 0, 0, 0]

  /// Reads users, instants and clients.
  mutating func readArrivals(_ view: BlockView) throws {
    greatest[0] = try view.users(into: &users)
    try readInstants(view)
    greatest[1] = try view.entries(.client, into: &clients)
  }

  /// Reads users and instants, and clients and optionally kinds if any event is at or after an instant.
  ///
  /// - Returns: `true`, as all blocks are wanted.
  mutating func readArrivals(_ view: BlockView, from instant: Int64, withKinds: Bool = false) throws -> Bool {
    greatest[0] = try view.users(into: &users)
    try readInstants(view)
    guard instants.contains(where: { $0 >= instant }) else { return true }
    if withKinds { try view.numbers(.kind, into: &kinds) }
    greatest[1] = try view.entries(.client, into: &clients)
    return true
  }

  mutating func readEvents(_ view: BlockView) throws {
    events.removeAll()
    try view.decode(0..<view.eventCount, into: &events)
  }

  /// Reads users, instants and clients, and optionally terms and property sets.
  mutating func readArrivals(_ view: BlockView, withTerms: Bool, withProperties: Bool) throws {
    try readArrivals(view)
    if withTerms { greatest[3] = try view.entries(.terms, into: &terms) }
    if withProperties { greatest[4] = try view.entries(.properties, into: &properties) }
  }

  /// Reads kinds, and all other columns if any event is of a requested kind.
  ///
  /// - Parameter mask: A bit for each kind's raw value.
  /// - Returns: Whether any event is of a requested kind.
  mutating func read(_ view: BlockView, ofKinds mask: UInt64) throws -> Bool {
    try view.numbers(.kind, into: &kinds)
    guard kinds.contains(where: { mask >> UInt64(truncatingIfNeeded: $0) & 1 != 0 }) else { return false }
    try readArrivals(view)
    greatest[2] = try view.entries(.context, into: &contexts)
    greatest[3] = try view.entries(.terms, into: &terms)
    greatest[4] = try view.entries(.properties, into: &properties)
    return true
  }

  /// Reads kinds, and users, instants, contexts and optionally terms if any event is of a given kind.
  ///
  /// - Returns: Whether any event is of that kind.
  mutating func readContexts(_ view: BlockView, ofKind kind: Int64, withTerms: Bool) throws -> Bool {
    try view.numbers(.kind, into: &kinds)
    guard kinds.contains(kind) else { return false }
    greatest[0] = try view.users(into: &users)
    try readInstants(view)
    greatest[2] = try view.entries(.context, into: &contexts)
    if withTerms { greatest[3] = try view.entries(.terms, into: &terms) }
    return true
  }

  private mutating func readInstants(_ view: BlockView) throws {
    try view.numbers(.time, times: view.header.unit, from: view.header.firstTime, into: &instants)
    try view.addNumbers(.timeRest, to: &instants)
    guard instants.allSatisfy(StoredRange.instants.contains) else { throw BlockView.malformed }
  }
}

extension BlockView {
  /// Replaces `values` with `first` + `unit` × the numbers of a column.
  fileprivate func numbers(
    _ column: EventBlock.Column, times unit: Int64 = 1, from first: Int64 = 0, into values: inout [Int64]
  ) throws {
    values.removeAll(keepingCapacity: true)
    values.append(contentsOf: repeatElement(first, count: eventCount))
    try addNumbers(column, times: unit, to: &values)
  }

  /// Replaces `values` with the users of the events.
  ///
  /// - Returns: The greatest of them.
  fileprivate func users(into values: inout [Int64]) throws -> Int64 {
    try numbers(.user, from: header.firstUser, into: &values)
    guard values.allSatisfy({ $0 > 0 }) else { throw Self.malformed }
    return values.max() ?? 0
  }

  /// Replaces `values` with a column's numbers of dictionary entries.
  ///
  /// - Returns: The greatest of them.
  fileprivate func entries(_ column: EventBlock.Column, into values: inout [Int64]) throws -> Int64 {
    try numbers(column, into: &values)
    if values.contains(where: { $0 < 0 }) { throw Self.malformed }
    return values.max() ?? 0
  }

  fileprivate func addNumbers(
    _ column: EventBlock.Column, times unit: Int64 = 1, to values: inout [Int64]
  ) throws {
    try values.withUnsafeMutableBufferPointer { values in
      try withNumbers(column, 0..<values.count) { numbers in
        for place in 0..<numbers.count { values[place] &+= numbers[place] &* unit }
      }
    }
  }
}
