internal import EventModel
internal import Lifecycle

/// The events of one person, in the form that the fold reads.
struct PersonEvents {
  private(set) var events: [PersonEvent] = []
  /// The greatest dictionary numbers that the events refer to.
  private(set) var greatest: (client: UInt32, context: UInt32, terms: UInt32) = (0, 0, 0)
  private var ids = PersonIDs()

  /// Reads rows in event order.
  mutating func read(_ source: borrowing EventRows, _ places: Range<Int>) {
    events.removeAll(keepingCapacity: true)
    ids.removeAll()
    var greatest: (client: UInt32, context: UInt32, terms: UInt32) = (0, 0, 0)
    source.text.withUnsafeBytes { text in
      source.rows.withUnsafeBufferPointer { rows in
        for place in places {
          let row = rows[place]
          var event = PersonEvent(ts: row.ts, kind: row.kind)
          event.context = row.context
          event.client = row.client
          event.terms = row.terms
          event.properties = row.properties
          greatest.client = max(greatest.client, UInt32(bitPattern: row.client))
          greatest.context = max(greatest.context, UInt32(bitPattern: row.context))
          greatest.terms = max(greatest.terms, UInt32(bitPattern: row.terms))
          if row.hasDetail {
            event.subscription = ids.numberOfSubscription(row.subscriptionID, in: text)
            event.transaction = ids.numberOfTransaction(row.transactionID, in: text)
            event.expiresAt = EventRow.optional(row.expiresAt)
            event.trialEndsAt = EventRow.optional(row.trialEndsAt)
            event.graceEndsAt = EventRow.optional(row.graceEndsAt)
            event.startedAt = EventRow.optional(row.startedAt)
          }
          events.append(event)
        }
      }
    }
    self.greatest = greatest
  }

  /// Returns the subscription ids in the order of ``PersonEvent/subscription``, from 1.
  func subscriptionIDs(_ source: borrowing EventRows) -> [CodedID] {
    source.text.withUnsafeBytes { ids.codedSubscriptions(in: $0) }
  }
}

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
  ///   - persons: In ascending order; numbers that are not a person in the graph are left out.
  ///   - newEvents: Called with the events of the new runs, in the order of user and time, once each.
  func forEach(
    _ persons: [Int32], newEvents: ((EventRows) throws -> Void)? = nil,
    _ body: (_ person: Int32, EventRows) throws -> Void
  ) throws {
    var persons = persons.filter { graph.person(of: $0) == $0 }
    var newEvents = newEvents
    while !persons.isEmpty {
      persons = try walk(persons, newEvents: newEvents, body)
      newEvents = nil
    }
  }

  /// Walks through the runs once.
  ///
  /// - Returns: The persons that are left for another walk.
  private func walk(
    _ persons: [Int32], newEvents: ((EventRows) throws -> Void)?,
    _ body: (_ person: Int32, EventRows) throws -> Void
  ) throws -> [Int32] {
    let users = users(of: persons)
    guard let first = users.first, let last = users.last else { return [] }
    let isDense = Int(last) - Int(first) < users.count * 8
    var new = try UserCursors(new, isDense: isDense, from: first)
    var old = try UserCursors(old, isDense: isDense, from: first, withArrival: withArrival)
    var group = EventRows()
    // Persons with several users of which some have been met.
    var kept: [Int32: EventRows] = [:]
    var keptCount = 0
    var left = Set<Int32>()
    for user in users {
      group.removeAll()
      try new.take(user, into: &group)
      if let newEvents, !group.rows.isEmpty {
        group.sort()
        try newEvents(group)
      }
      guard graph.isJoined(user) else {
        try old.take(user, into: &group)
        if group.rows.isEmpty { continue }
        group.sort()
        try body(user, group)
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
        try body(person, together)
      } else {
        kept[person] = together
      }
    }
    return left.sorted()
  }

  /// Returns the users of persons, in order.
  private func users(of persons: [Int32]) -> [Int32] {
    var users: [Int32] = []
    users.reserveCapacity(persons.count)
    for person in persons {
      if graph.isJoined(person) { users.append(contentsOf: graph.users(of: person)) } else { users.append(person) }
    }
    users.sort()
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
  mutating func take(_ user: Int32, into group: inout EventRows) throws {
    for index in users.indices where users[index] <= user {
      let cursor = cursors[index]
      if cursor.user < user { try cursor.advance(to: user) }
      if cursor.user == user { try cursor.take(into: &group) }
      users[index] = cursor.user
    }
  }
}
