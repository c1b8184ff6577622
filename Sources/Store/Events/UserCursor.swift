/// Moves through the events of one run user by user, in the order of the users.
final class UserCursor {
  private let blocks: any BlockCursor
  /// Whether most users are wanted, so that decoding whole blocks is faster.
  private let isDense: Bool
  private let withArrival: Bool
  @exclusivity(unchecked) private var users: [Int32] = []
  @exclusivity(unchecked) private var place = 0
  /// The events of the current block, if it has been decoded as a whole.
  @exclusivity(unchecked) private var decoded = EventRows()
  @exclusivity(unchecked) private var isDecoded = false
  /// The number of users in the block whose events have been read.
  @exclusivity(unchecked) private var taken = 0
  /// The number of users decoded one by one before the whole block is. Decoding one user's events scans half of the
  /// block; decoding the whole block costs a few such scans.
  private static let fewUsers = 3
  /// The user at the cursor; `Int32.max` at the end.
  @exclusivity(unchecked) private(set) var user: Int32 = .min

  /// - Parameters:
  ///   - first: The first user to visit; earlier ones are skipped.
  ///   - withArrival: See ``BlockView/decode(_:into:withArrival:)``.
  init(_ blocks: any BlockCursor, isDense: Bool, from first: Int32 = 0, withArrival: Bool = true) throws {
    self.withArrival = withArrival
    self.blocks = blocks
    self.isDense = isDense
    blocks.rewind()
    try load(from: first)
  }

  /// Moves forward to the first user from `user` on.
  func advance(to user: Int32) throws {
    while self.user < user {
      // Users are in order, so the last one shows whether the block can be skipped.
      if let last = users.last, last >= user {
        var low = place
        var high = users.count
        while low < high {
          let middle = (low + high) / 2
          if users[middle] < user { low = middle + 1 } else { high = middle }
        }
        place = low
        self.user = users[low]
      } else {
        try load(from: user)
      }
    }
  }

  /// Appends the events of the user at the cursor in the block there, and moves behind them.
  @inline(__always)
  func takeBlock(into rows: inout EventRows) throws {
    try passBlock { places in
      if !isDecoded {
        taken += 1
        if taken > Self.fewUsers { try decodeBlock() }
      }
      if isDecoded {
        rows.append(contentsOf: decoded, places)
      } else {
        try blocks.view.decode(places, into: &rows, withArrival: withArrival)
      }
    }
  }

  /// Calls `body` with each event of the user at the cursor and its block and place, then moves to the next user.
  func visit(_ body: (_ rows: EventRows, _ index: Int, _ key: Int64, _ place: Int) throws -> Void) throws {
    var rows = EventRows()
    try passUser { places in
      rows.removeAll()
      try blocks.view.decode(places, into: &rows)
      for index in rows.rows.indices { try body(rows, index, blocks.key, places.lowerBound + index) }
    }
  }

  /// Calls `body` with the places of the user's events in each block that has any, and moves to the next user.
  @inline(__always)
  private func passUser(_ body: (_ places: Range<Int>) throws -> Void) throws {
    let passed = user
    guard passed != .max else { return }
    while user == passed { try passBlock(body) }
  }

  @inline(__always)
  private func passBlock(_ body: (_ places: Range<Int>) throws -> Void) throws {
    let passed = user
    var end = place + 1
    while end < users.count, users[end] == passed { end += 1 }
    try body(place..<end)
    place = end
    if end < users.count { user = users[end] } else { try load(from: passed) }
  }

  private func load(from user: Int32) throws {
    while true {
      guard try blocks.next(from: user) else {
        users.removeAll()
        self.user = .max
        return
      }
      try blocks.view.users(into: &users)
      place = 0
      guard let last = users.last else { continue }
      // If the last events of a block were removed, it ends earlier than its key says.
      if last < user { continue }
      while users[place] < user { place += 1 }
      self.user = users[place]
      isDecoded = false
      taken = 0
      if isDense { try decodeBlock() }
      return
    }
  }

  private func decodeBlock() throws {
    decoded.removeAll()
    try blocks.view.decode(0..<users.count, into: &decoded, withArrival: withArrival)
    isDecoded = true
  }
}
