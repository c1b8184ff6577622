/// Goes through the events of one run user by user, in order of the users.
final class UserCursor {
  private let blocks: any BlockCursor
  /// Whether most users are wanted, so that blocks are best decoded whole.
  private let isDense: Bool
  private let withArrival: Bool
  @exclusivity(unchecked) private var users: [Int32] = []
  @exclusivity(unchecked) private var place = 0
  /// Of the block, where it is decoded whole.
  @exclusivity(unchecked) private var decoded = EventRows()
  @exclusivity(unchecked) private var isDecoded = false
  /// Users of the block whose events were taken.
  @exclusivity(unchecked) private var taken = 0
  /// To decode one user's events takes a look at half of the block, and to decode all of them as long as a few such looks.
  private static let fewUsers = 3
  /// The user that the cursor stands at; `Int32.max` at the end.
  @exclusivity(unchecked) private(set) var user: Int32 = .min

  /// - Parameters:
  ///   - first: Users before it are passed over.
  ///   - withArrival: See ``BlockView/decode(_:into:withArrival:)``.
  init(_ blocks: any BlockCursor, isDense: Bool, from first: Int32 = 0, withArrival: Bool = true) throws {
    self.withArrival = withArrival
    self.blocks = blocks
    self.isDense = isDense
    blocks.rewind()
    try load(from: first)
  }

  /// Moves to the first user from `user` on; never back.
  func advance(to user: Int32) throws {
    while self.user < user {
      // The users are in order: the last one tells whether the block is passed.
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

  /// Adds the events of the user that the cursor stands at, and moves to the next one.
  func take(into rows: inout EventRows) throws {
    try passUser { places in
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

  /// Finds events of the user that the cursor stands at, with the block and place that each lies at, and moves on.
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
    while user == passed {
      var end = place + 1
      while end < users.count, users[end] == passed { end += 1 }
      try body(place..<end)
      place = end
      if end < users.count { user = users[end] } else { try load(from: passed) }
    }
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
      // A block whose last events have gone may end before its key says.
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
