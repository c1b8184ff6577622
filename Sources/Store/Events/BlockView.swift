internal import EventModel
internal import GRDB

/// An encoded block whose bytes stay where they are: in SQLite's memory or in a buffer.
struct BlockView {
  var header = EventBlock.Header()
  /// The columns' bytes, by ``EventBlock/Column``; empty for NULL.
  var columns = [UnsafeRawBufferPointer](
    repeating: UnsafeRawBufferPointer(start: nil, count: 0), count: EventBlock.Column.allCases.count)

  /// The id columns that are text, not blob: a bit for each ``EventBlock/Column``.
  var textColumns = 0

  /// The error for bytes that ``EventBlock`` cannot have written.
  static var malformed: DatabaseError {
    DatabaseError(resultCode: .SQLITE_CORRUPT, message: "a block of events is malformed")
  }

  /// At most as many as a block has; none where the header says otherwise.
  var eventCount: Int { (0...Int64(EventBlock.limit)).contains(header.events) ? Int(header.events) : 0 }

  /// The entries that the events point into; `nil` for blocks that were written in this commit.
  var entries: StoredEntries?

  /// Reads the users of the block's events.
  func users(into users: inout [Int32]) throws {
    users.removeAll(keepingCapacity: true)
    users.append(contentsOf: repeatElement(Int32(truncatingIfNeeded: header.firstUser), count: eventCount))
    try withNumbers(.user, 0..<eventCount) { values in
      for place in 0..<values.count { users[place] &+= Int32(truncatingIfNeeded: values[place]) }
    }
    guard users.allSatisfy({ $0 > 0 }) else { throw Self.malformed }
  }

  /// Appends the events at places of the block to rows.
  ///
  /// - Parameter withArrival: Whether to read the file and the time of receipt, which no fold needs.
  /// - Returns: The greatest numbers that the events refer to, as ``StoredEntries/require(_:)`` takes it.
  @discardableResult
  func decode(_ places: Range<Int>, into events: inout EventRows, withArrival: Bool = true) throws -> [Int64] {
    guard header.events == eventCount, places.lowerBound >= 0, places.upperBound <= eventCount, header.unit > 0,
      header.receivedUnit > 0
    else { throw Self.malformed }
    let start = events.rows.count
    events.rows.append(contentsOf: repeatElement(EventRow(), count: places.count))
    var greatest: [Int64] = []
    try events.rows.withUnsafeMutableBufferPointer { all in
      let rows = UnsafeMutableBufferPointer(rebasing: all[start...])
      greatest = try decodeNumbers(places, into: rows)
      if withArrival { try decodeArrival(places, into: rows) }
    }
    var text = events.text
    events.text = []
    defer { events.text = text }
    try events.rows.withUnsafeMutableBufferPointer { all in
      let rows = UnsafeMutableBufferPointer(rebasing: all[start...])
      let isDecoded = IDColumn.decode(column(.eventID), isText: isText(.eventID), places: places, text: &text) {
        rows[$0 - places.lowerBound].eventID = $1
      }
      guard isDecoded else { throw Self.malformed }
      greatest[0] = max(greatest[0], try decodeDetails(places, into: rows, text: &text))
    }
    try entries?.require(greatest)
    return greatest
  }

  private func column(_ column: EventBlock.Column) -> UnsafeRawBufferPointer { columns[column.rawValue] }

  private func isText(_ column: EventBlock.Column) -> Bool { textColumns & (1 << column.rawValue) != 0 }

  /// The columns of what every event has.
  private static let numbers: [EventBlock.Column] = [
    .user, .kind, .time, .timeRest, .client, .context, .terms, .properties,
  ]

  /// Sets what every event has, in one walk through the rows, which are wider than all their columns.
  ///
  /// - Returns: See ``decode(_:into:withArrival:)``; without the users that events join.
  private func decodeNumbers(
    _ places: Range<Int>, into rows: UnsafeMutableBufferPointer<EventRow>
  ) throws -> [Int64] {
    let (header, count, columns, instants) = (header, places.count, Self.numbers, StoredRange.instants)
    return try withUnsafeTemporaryAllocation(of: Int64.self, capacity: columns.count * count) { values in
      // A column that is empty is 0 in every row.
      values.initialize(repeating: 0)
      for (number, column) in columns.enumerated() {
        try read(
          column, places, into: UnsafeMutableBufferPointer(rebasing: values[number * count..<(number + 1) * count]))
      }
      var greatest: (UInt32, UInt32, UInt32, UInt32, UInt32) = (0, 0, 0, 0, 0)
      for place in 0..<count {
        func int32(_ number: Int) -> Int32 { Int32(truncatingIfNeeded: values[number * count + place]) }
        func note(_ number: Int32, _ greatest: inout UInt32) -> Int32 {
          greatest = max(greatest, UInt32(bitPattern: number))
          return number
        }
        let user = Int32(truncatingIfNeeded: header.firstUser) &+ int32(0)
        let ts = header.firstTime &+ values[2 * count + place] &* header.unit &+ values[3 * count + place]
        guard let kind = EventKind(rawValue: UInt8(truncatingIfNeeded: values[count + place])), user > 0,
          instants.contains(ts)
        else { throw Self.malformed }
        rows[place].user = note(user, &greatest.0)
        rows[place].kind = kind
        rows[place].ts = ts
        rows[place].client = note(int32(4), &greatest.1)
        rows[place].context = note(int32(5), &greatest.2)
        rows[place].terms = note(int32(6), &greatest.3)
        rows[place].properties = note(int32(7), &greatest.4)
      }
      return [greatest.0, greatest.1, greatest.2, greatest.3, greatest.4].map(Int64.init)
    }
  }

  private func decodeArrival(_ places: Range<Int>, into rows: UnsafeMutableBufferPointer<EventRow>) throws {
    let header = header
    @inline(__always)
    func each(_ column: EventBlock.Column, _ body: (inout EventRow, Int64) -> Void) throws {
      try withNumbers(column, places) { values in
        for place in 0..<values.count { body(&rows[place], values[place]) }
      }
    }
    for place in rows.indices { rows[place].file = Int32(truncatingIfNeeded: header.firstFile) }
    try each(.file) { $0.file &+= Int32(truncatingIfNeeded: $1) }
    try each(.received) {
      if $1 == 0 { return }
      $0.receivedAfter =
        header.firstReceived &+ ($1 &- 1) &* header.receivedUnit &- EventBlock.milliseconds(of: $0.ts)
    }
    try each(.receivedRest) { if $1 > 0 { $0.receivedAfter &+= $1 } }
  }

  /// - Returns: The greatest number of a user that an event joins.
  /// - Throws: Where an end is none that an event has.
  private func decodeDetails(
    _ places: Range<Int>, into rows: UnsafeMutableBufferPointer<EventRow>, text: inout [UInt8]
  ) throws -> Int64 {
    if column(.detail).isEmpty { return 0 }
    // The events that have a detail; their details are stored next to each other.
    var of: [Int] = []
    var first: Int?
    try withNumbers(.detail, places) { values in
      for (place, detail) in values.enumerated() where detail > 0 {
        first = first ?? Int(detail - 1)
        of.append(place)
      }
    }
    guard let first else { return 0 }
    guard first < EventBlock.limit else { throw Self.malformed }
    let details = first..<first + of.count
    @inline(__always)
    func each(_ column: EventBlock.Column, _ body: (inout EventRow, Int64) -> Void) throws {
      try withNumbers(column, details) { values in
        for (place, value) in values.enumerated() where value > 0 { body(&rows[of[place]], value) }
      }
    }
    let header = header
    try each(.expires) { $0.expiresAt = $0.ts &+ header.firstExpires &+ ($1 &- 1) &* header.unit }
    try each(.expiresRest) { $0.expiresAt &+= $1 }
    try each(.trialEnd) { $0.trialEndsAt = $0.ts &+ header.firstTrialEnd &+ ($1 &- 1) &* header.unit }
    try each(.trialEndRest) { $0.trialEndsAt &+= $1 }
    try each(.graceEnd) { $0.graceEndsAt = $0.ts &+ header.firstGraceEnd &+ ($1 &- 1) &* header.unit }
    try each(.graceEndRest) { $0.graceEndsAt &+= $1 }
    try each(.started) { $0.startedAt = $0.ts &+ header.firstStarted &+ ($1 &- 1) &* header.unit }
    try each(.startedRest) { $0.startedAt &+= $1 }
    try each(.previousHigh) { $0.previousUser = Int32(truncatingIfNeeded: $1 &* EventBlock.previousUnit) }
    try each(.previousLow) { $0.previousUser &+= Int32(truncatingIfNeeded: $1) }
    let hasSubscriptions = IDColumn.decode(
      column(.subscriptionID), isText: isText(.subscriptionID), places: details, text: &text
    ) { place, id in rows[of[place - first]].subscriptionID = id }
    let hasTransactions = IDColumn.decode(
      column(.transactionID), isText: isText(.transactionID), places: details, text: &text
    ) { place, id in rows[of[place - first]].transactionID = id }
    guard hasSubscriptions, hasTransactions else { throw Self.malformed }
    let ends = StoredRange.ends
    func isEnd(_ end: Int64) -> Bool { end == EventRow.absent || ends.contains(end) }
    var greatest: UInt32 = 0
    for place in of {
      let row = rows[place]
      // Without a list of the ends, which would be allocated for each row.
      guard isEnd(row.expiresAt), isEnd(row.trialEndsAt), isEnd(row.graceEndsAt) else { throw Self.malformed }
      greatest = max(greatest, UInt32(bitPattern: row.previousUser))
    }
    return Int64(greatest)
  }

  /// Calls `body` with the numbers at places of a column, unless all of them are 0.
  @inline(__always)
  func withNumbers(
    _ column: EventBlock.Column, _ places: Range<Int>, _ body: (UnsafeMutableBufferPointer<Int64>) throws -> Void
  ) throws {
    if columns[column.rawValue].isEmpty { return }
    try withUnsafeTemporaryAllocation(of: Int64.self, capacity: places.count) { values in
      try read(column, places, into: values)
      try body(values)
    }
  }

  /// Reads the numbers at places of a column; leaves `values` as they are where all of its numbers are 0.
  private func read(
    _ column: EventBlock.Column, _ places: Range<Int>, into values: UnsafeMutableBufferPointer<Int64>
  ) throws {
    let bytes = columns[column.rawValue]
    if bytes.isEmpty { return }
    let isRead =
      header.isWide != 0
      ? Self.decodeWide(bytes, places, into: values) : ColumnText.decode(bytes, places: places, into: values)
    guard isRead else { throw Self.malformed }
  }

  /// Reads numbers from a JSON array.
  private static func decodeWide(
    _ bytes: UnsafeRawBufferPointer, _ places: Range<Int>, into values: UnsafeMutableBufferPointer<Int64>
  ) -> Bool {
    guard bytes.count >= 2 else { return false }
    let numbers = bytes[(bytes.startIndex + 1)..<(bytes.endIndex - 1)].split(separator: UInt8(ascii: ","))
    guard numbers.count >= places.upperBound else { return false }
    for (index, place) in places.enumerated() {
      guard let value = Int64(String(decoding: numbers[place], as: UTF8.self)) else { return false }
      values[index] = value
    }
    return true
  }
}
