extension EventBlock {
  /// Encodes events, in the order of user and time: at least one, at most ``limit``.
  init(_ events: borrowing EventRows) {
    self = events.rows.withUnsafeBufferPointer { rows in events.text.withUnsafeBytes { EventBlock(rows, text: $0) } }
  }

  /// Encodes rows, in the order of user and time: at least one, at most ``limit``.
  init(_ rows: UnsafeBufferPointer<EventRow>, text: UnsafeRawBufferPointer) {
    precondition(!rows.isEmpty && rows.count <= Self.limit, "a block has 1 to \(Self.limit) events")
    header.events = Int64(rows.count)
    header.firstUser = Int64(rows[0].user)
    lastUser = rows[rows.count - 1].user
    header.firstTime = .max
    header.firstFile = .max
    var bases = (received: Int64.max, expires: Int64.max, trialEnd: Int64.max, graceEnd: Int64.max, started: Int64.max)
    var lastTime = Int64.min
    var lastReceived = Int64.min
    var details: [Int32] = []
    for place in 0..<rows.count {
      let row = rows[place]
      header.firstTime = min(header.firstTime, row.ts)
      lastTime = max(lastTime, row.ts)
      header.firstFile = min(header.firstFile, Int64(row.file))
      if row.receivedAfter != EventRow.absent {
        bases.received = min(bases.received, Self.received(row))
        lastReceived = max(lastReceived, Self.received(row))
      }
      guard row.hasDetail else { continue }
      details.append(Int32(place))
      if row.expiresAt != EventRow.absent { bases.expires = min(bases.expires, row.expiresAt - row.ts) }
      if row.trialEndsAt != EventRow.absent { bases.trialEnd = min(bases.trialEnd, row.trialEndsAt - row.ts) }
      if row.graceEndsAt != EventRow.absent { bases.graceEnd = min(bases.graceEnd, row.graceEndsAt - row.ts) }
      if row.startedAt != EventRow.absent { bases.started = min(bases.started, row.startedAt - row.ts) }
    }
    header.firstReceived = bases.received == .max ? 0 : bases.received
    header.firstExpires = bases.expires == .max ? 0 : bases.expires
    header.firstTrialEnd = bases.trialEnd == .max ? 0 : bases.trialEnd
    header.firstGraceEnd = bases.graceEnd == .max ? 0 : bases.graceEnd
    header.firstStarted = bases.started == .max ? 0 : bases.started
    // With a unit of 50 s, a rest takes a character of 3 bytes; with a longer unit, 4 bytes.
    header.unit = (lastTime - header.firstTime) / 50_000 < ColumnText.limit ? 50_000 : 1_000_000
    let receivedSpan = bases.received == .max ? 0 : lastReceived - bases.received
    header.receivedUnit = [1000, 50_000].first { receivedSpan / $0 < ColumnText.limit - 1 } ?? 1_000_000
    if !encodeNumbers(rows, details) {
      header.isWide = 1
      _ = encodeNumbers(rows, details)
    }
    encodeIDs(.eventID, count: rows.count, { rows[$0].eventID }, text)
    encodeIDs(.subscriptionID, count: details.count, { rows[Int(details[$0])].subscriptionID }, text)
    encodeIDs(.transactionID, count: details.count, { rows[Int(details[$0])].transactionID }, text)
  }

  /// Returns `received_at` minus `ts`, with `ts` cut to the whole second.
  @inline(__always)
  private static func received(_ row: borrowing EventRow) -> Int64 { row.receivedAfter + milliseconds(of: row.ts) }

  private mutating func encodeIDs(
    _ column: Column, count: Int, _ id: (_ place: Int) -> RowID, _ text: UnsafeRawBufferPointer
  ) {
    let (bytes, isText) = IDColumn.encode(count: count, id, text: text)
    columns[column.rawValue] = bytes
    if isText { textColumns |= 1 << column.rawValue }
  }

  /// Fills the columns of numbers; returns `false` if a number has no character and the block is not wide.
  private mutating func encodeNumbers(_ rows: UnsafeBufferPointer<EventRow>, _ details: [Int32]) -> Bool {
    let header = header
    let unit = header.unit
    let absent = EventRow.absent
    var number: Int64 = 0
    return withUnsafeTemporaryAllocation(of: Int64.self, capacity: rows.count) { values in
      withUnsafeTemporaryAllocation(of: Int64.self, capacity: rows.count) { rests in
        @inline(__always)
        func all(_ column: Column, _ value: (borrowing EventRow) -> Int64) -> Bool {
          for place in 0..<rows.count { values[place] = value(rows[place]) }
          return encode(column, UnsafeBufferPointer(values))
        }
        /// Splits a duration into units above its base, counted from 1, and a rest; both are 0 if it is absent.
        @inline(__always)
        func duration(_ value: Int64, from base: Int64, in unit: Int64, at place: Int) {
          values[place] = value == absent ? 0 : (value - base) / unit + 1
          rests[place] = value == absent ? 0 : (value - base) % unit
        }
        @inline(__always)
        func ofDetails(_ column: Column, _ rest: Column, base: Int64, _ value: (borrowing EventRow) -> Int64) -> Bool {
          for (place, row) in details.enumerated() {
            let end = value(rows[Int(row)])
            duration(end == absent ? absent : end - rows[Int(row)].ts, from: base, in: unit, at: place)
          }
          return encode(column, UnsafeBufferPointer(rebasing: values[..<details.count]))
            && encode(rest, UnsafeBufferPointer(rebasing: rests[..<details.count]))
        }
        for place in 0..<rows.count {
          let time = rows[place].ts - header.firstTime
          values[place] = time / unit
          rests[place] = time % unit
        }
        guard encode(.time, UnsafeBufferPointer(values)), encode(.timeRest, UnsafeBufferPointer(rests)) else {
          return false
        }
        for place in 0..<rows.count {
          duration(
            rows[place].receivedAfter == absent ? absent : Self.received(rows[place]), from: header.firstReceived,
            in: header.receivedUnit, at: place)
        }
        guard encode(.received, UnsafeBufferPointer(values)), encode(.receivedRest, UnsafeBufferPointer(rests)) else {
          return false
        }
        guard all(.user, { Int64($0.user) - header.firstUser }), all(.kind, { Int64($0.kind.rawValue) }),
          all(.client, { Int64($0.client) }), all(.context, { Int64($0.context) }), all(.terms, { Int64($0.terms) }),
          all(.properties, { Int64($0.properties) }), all(.file, { Int64($0.file) - header.firstFile })
        else { return false }
        if details.isEmpty { return true }
        guard
          all(
            .detail,
            { row in
              guard row.hasDetail else { return 0 }
              number += 1
              return number
            })
        else { return false }
        guard ofDetails(.expires, .expiresRest, base: header.firstExpires, { $0.expiresAt }),
          ofDetails(.trialEnd, .trialEndRest, base: header.firstTrialEnd, { $0.trialEndsAt }),
          ofDetails(.graceEnd, .graceEndRest, base: header.firstGraceEnd, { $0.graceEndsAt }),
          ofDetails(.started, .startedRest, base: header.firstStarted, { $0.startedAt })
        else { return false }
        for (place, row) in details.enumerated() {
          values[place] = Int64(rows[Int(row)].previousUser) / Self.previousUnit
          rests[place] = Int64(rows[Int(row)].previousUser) % Self.previousUnit
        }
        return encode(.previousHigh, UnsafeBufferPointer(rebasing: values[..<details.count]))
          && encode(.previousLow, UnsafeBufferPointer(rebasing: rests[..<details.count]))
      }
    }
  }

  private mutating func encode(_ column: Column, _ values: UnsafeBufferPointer<Int64>) -> Bool {
    var any: Int64 = 0
    var isWithin = true
    for value in values {
      any |= value
      isWithin = isWithin && value < ColumnText.limit
    }
    if any == 0 {
      columns[column.rawValue] = []
    } else if header.isWide != 0 {
      columns[column.rawValue] = Array("[\(values.map(String.init).joined(separator: ","))]".utf8)
    } else if isWithin {
      columns[column.rawValue] = ColumnText.encode(values)
    } else {
      return false
    }
    return true
  }
}
