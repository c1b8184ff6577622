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
  func decode(_ places: Range<Int>, into events: inout EventRows, withArrival: Bool = true) throws {
    guard header.events == eventCount, places.lowerBound >= 0, places.upperBound <= eventCount, header.unit > 0,
      header.receivedUnit > 0
    else { throw Self.malformed }
    let start = events.rows.count
    // A column that is empty is 0 in every row.
    var row = EventRow()
    row.user = Int32(truncatingIfNeeded: header.firstUser)
    row.ts = header.firstTime
    row.file = Int32(truncatingIfNeeded: header.firstFile)
    row.kind = .exposure
    events.rows.append(contentsOf: repeatElement(row, count: places.count))
    try events.rows.withUnsafeMutableBufferPointer { all in
      let rows = UnsafeMutableBufferPointer(rebasing: all[start...])
      try decodeNumbers(places, into: rows, withArrival: withArrival)
    }
    var text = events.text
    events.text = []
    defer { events.text = text }
    let isDecoded = events.rows.withUnsafeMutableBufferPointer { rows in
      IDColumn.decode(column(.eventID), isText: isText(.eventID), places: places, text: &text) { place, id in
        rows[start + place - places.lowerBound].eventID = id
      }
    }
    guard isDecoded else { throw Self.malformed }
    try events.rows.withUnsafeMutableBufferPointer { all in
      try decodeDetails(places, into: UnsafeMutableBufferPointer(rebasing: all[start...]), text: &text)
    }
    try requireSound(events.rows[start...])
  }

  /// - Throws: Where a row is none that an event becomes.
  private func requireSound(_ rows: ArraySlice<EventRow>) throws {
    let (instants, ends) = (StoredRange.instants, StoredRange.ends)
    func isEnd(_ end: Int64) -> Bool { end == EventRow.absent || ends.contains(end) }
    var greatest = (user: UInt32(0), client: UInt32(0), context: UInt32(0), terms: UInt32(0), set: UInt32(0))
    for row in rows {
      // Without a list of the ends, which would be allocated for each row.
      guard instants.contains(row.ts), row.user > 0, isEnd(row.expiresAt), isEnd(row.trialEndsAt),
        isEnd(row.graceEndsAt)
      else { throw Self.malformed }
      greatest.user = max(greatest.user, max(UInt32(bitPattern: row.user), UInt32(bitPattern: row.previousUser)))
      greatest.client = max(greatest.client, UInt32(bitPattern: row.client))
      greatest.context = max(greatest.context, UInt32(bitPattern: row.context))
      greatest.terms = max(greatest.terms, UInt32(bitPattern: row.terms))
      greatest.set = max(greatest.set, UInt32(bitPattern: row.properties))
    }
    try entries?.require(
      [greatest.user, greatest.client, greatest.context, greatest.terms, greatest.set].map(Int64.init))
  }

  private func column(_ column: EventBlock.Column) -> UnsafeRawBufferPointer { columns[column.rawValue] }

  private func isText(_ column: EventBlock.Column) -> Bool { textColumns & (1 << column.rawValue) != 0 }

  private func decodeNumbers(
    _ places: Range<Int>, into rows: UnsafeMutableBufferPointer<EventRow>, withArrival: Bool
  ) throws {
    let header = header
    @inline(__always)
    func each(_ column: EventBlock.Column, _ body: (inout EventRow, Int64) -> Void) throws {
      try withNumbers(column, places) { values in
        for place in 0..<values.count { body(&rows[place], values[place]) }
      }
    }
    var isKnown = true
    try each(.user) { $0.user &+= Int32(truncatingIfNeeded: $1) }
    try each(.kind) {
      if let kind = EventKind(rawValue: UInt8(truncatingIfNeeded: $1)) { $0.kind = kind } else { isKnown = false }
    }
    guard isKnown else { throw Self.malformed }
    try each(.time) { $0.ts &+= $1 &* header.unit }
    try each(.timeRest) { $0.ts &+= $1 }
    try each(.client) { $0.client = Int32(truncatingIfNeeded: $1) }
    try each(.context) { $0.context = Int32(truncatingIfNeeded: $1) }
    try each(.terms) { $0.terms = Int32(truncatingIfNeeded: $1) }
    try each(.properties) { $0.properties = Int32(truncatingIfNeeded: $1) }
    if !withArrival { return }
    try each(.file) { $0.file &+= Int32(truncatingIfNeeded: $1) }
    try each(.received) {
      if $1 == 0 { return }
      $0.receivedAfter =
        header.firstReceived &+ ($1 &- 1) &* header.receivedUnit &- EventBlock.milliseconds(of: $0.ts)
    }
    try each(.receivedRest) { if $1 > 0 { $0.receivedAfter &+= $1 } }
  }

  private func decodeDetails(
    _ places: Range<Int>, into rows: UnsafeMutableBufferPointer<EventRow>, text: inout [UInt8]
  ) throws {
    if column(.detail).isEmpty { return }
    // The events that have a detail; their details are stored next to each other.
    var of: [Int] = []
    var first: Int?
    try withNumbers(.detail, places) { values in
      for (place, detail) in values.enumerated() where detail > 0 {
        first = first ?? Int(detail - 1)
        of.append(place)
      }
    }
    guard let first else { return }
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
  }

  /// Calls `body` with the numbers at places of a column, unless all of them are 0.
  @inline(__always)
  func withNumbers(
    _ column: EventBlock.Column, _ places: Range<Int>, _ body: (UnsafeMutableBufferPointer<Int64>) throws -> Void
  ) throws {
    let bytes = columns[column.rawValue]
    if bytes.isEmpty { return }
    try withUnsafeTemporaryAllocation(of: Int64.self, capacity: places.count) { values in
      if header.isWide != 0 {
        guard Self.decodeWide(bytes, places, into: values) else { throw Self.malformed }
      } else {
        guard ColumnText.decode(bytes, places: places, into: values) else { throw Self.malformed }
      }
      try body(values)
    }
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
