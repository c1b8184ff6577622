/// Visits the events of persons, in one walk through the runs as far as possible.
struct PersonScan {
  /// The number of events held for persons with several users until the walk has met all of these users; further
  /// persons are left for another walk.
  private static let keptEvents = 60_000

  let graph: IdentityGraph
  /// The runs that the store already has.
  let old: [any BlockCursor]
  /// The runs that will be merged into a new run of the store.
  let new: [any BlockCursor]
  /// Whether to read the files and times of receipt of stored events.
  var withArrival = true

  /// Calls `body` with the events of each person, in event order; persons without events are left out.
  ///
  /// - Parameters:
  ///   - persons: Numbers that are not a person in the graph are left out.
  func forEach(_ persons: some Sequence<Int32>, _ body: (_ person: Int32, EventRows) throws -> Void) throws {
    try forEach(persons, inParts: false, newEvents: { _ in }) { person, rows, _ in try body(person, rows) }
  }

  /// Calls `body` with the events of each person, those of a person with many in parts.
  ///
  /// - Parameters:
  ///   - persons: Numbers that are not a person in the graph are left out.
  ///   - newEvents: Called with the events of the new runs, in the order of user and time, once each.
  func forEach(
    _ persons: some Sequence<Int32>, inParts: Bool, newEvents: (EventRows) throws -> Void,
    _ body: (_ person: Int32, EventRows, _ isLast: Bool) throws -> Void
  ) throws {
    var users = users(of: persons)
    var isFirst = true
    while let bounds = users.bounds {
      let left = try walk(
        users, bounds, most: inParts ? UserParts.most : .max, newEvents: { if isFirst { try newEvents($0) } }, body)
      users = self.users(of: left)
      isFirst = false
    }
  }

  /// Walks through the runs once.
  ///
  /// - Returns: The persons that are left for another walk.
  private func walk(
    _ users: UserSet, _ bounds: ClosedRange<Int32>, most: Int, newEvents: (EventRows) throws -> Void,
    _ body: (_ person: Int32, EventRows, _ isLast: Bool) throws -> Void
  ) throws -> Set<Int32> {
    let isDense = Int(bounds.upperBound) - Int(bounds.lowerBound) < users.count * 8
    var new = try UserCursors(new, isDense: isDense, from: bounds.lowerBound)
    var old = try UserCursors(old, isDense: isDense, from: bounds.lowerBound, withArrival: withArrival)
    var group = EventRows()
    // Persons with several users of which some have been met.
    var kept: [Int32: EventRows] = [:]
    var keptCount = 0
    var left = Set<Int32>()
    for user in users {
      group.removeAll()
      let isJoined = graph.isJoined(user)
      try new.take(user, into: &group, most: isJoined ? .max : most)
      if !isJoined && group.rows.count >= most {
        var parts = try UserParts(user, group, new: new.cursors(at: user), old: old.cursors(at: user))
        try parts.forEach(newEvents: newEvents, body)
        new.moved()
        old.moved()
        continue
      }
      if !group.rows.isEmpty {
        group.sort()
        try newEvents(group)
      }
      guard isJoined else {
        try old.take(user, into: &group, most: most)
        if group.rows.isEmpty { continue }
        if group.rows.count >= most {
          var parts = try UserParts(user, group, new: [], old: old.cursors(at: user))
          try parts.forEach(newEvents: { _ in }, body)
          old.moved()
          continue
        }
        group.sort()
        try body(user, group, true)
        continue
      }
      let person = graph.person(of: user)
      let all = graph.users(of: person)
      if user == all[0] && keptCount > Self.keptEvents { left.insert(person) }
      // The next walk reads their events.
      if left.contains(person) { continue }
      try old.take(user, into: &group)
      var together = kept.removeValue(forKey: person) ?? EventRows()
      together.append(contentsOf: group, 0..<group.rows.count)
      keptCount += group.rows.count
      if user == all[all.count - 1] {
        keptCount -= together.rows.count
        if together.rows.isEmpty { continue }
        together.sort(userByUser: false)
        try body(person, together, true)
      } else {
        kept[person] = together
      }
    }
    return left
  }

  /// Returns the users of those numbers that are a person.
  private func users(of persons: some Sequence<Int32>) -> UserSet {
    var users = UserSet()
    for person in persons where person > 0 && graph.person(of: person) == person {
      if graph.isJoined(person) {
        for user in graph.users(of: person) { users.insert(user) }
      } else {
        users.insert(person)
      }
    }
    return users
  }
}

/// The cursors of several runs, moved together.
private struct UserCursors {
  private let cursors: [UserCursor]
  /// The user at each cursor; for most users, comparing it is the only work that most runs need.
  private var users: [Int32]

  init(_ runs: [any BlockCursor], isDense: Bool, from first: Int32, withArrival: Bool = true) throws {
    cursors = try runs.map { try UserCursor($0, isDense: isDense, from: first, withArrival: withArrival) }
    users = cursors.map(\.user)
  }

  /// Appends the events of a user from all runs; users must be requested in ascending order.
  ///
  /// - Parameter most: The number of events from which on the rest is left to ``cursors(at:)``.
  mutating func take(_ user: Int32, into group: inout EventRows, most: Int = .max) throws {
    for index in users.indices where users[index] <= user {
      let cursor = cursors[index]
      if cursor.user < user { try cursor.advance(to: user) }
      while cursor.user == user && group.rows.count < most { try cursor.takeBlock(into: &group) }
      users[index] = cursor.user
    }
  }

  /// Returns the cursors that have events of a user; ``moved()`` must follow.
  func cursors(at user: Int32) throws -> [UserCursor] {
    for cursor in cursors where cursor.user < user { try cursor.advance(to: user) }
    return cursors.filter { $0.user == user }
  }

  /// Notes where the cursors are.
  mutating func moved() { users = cursors.map(\.user) }
}
