internal import Basics
internal import CMalloc
internal import EventModel

/// The events of a user with many, in event order and in parts, so that they are never in memory together.
struct UserParts {
  /// A run that may have further events of the user.
  private struct Reading {
    let cursor: UserCursor
    let isNew: Bool
    /// The last event that was read; empty if that is not known.
    var last = EventRows()
  }

  /// The number of events of a user that makes a part.
  static let most = 16_384

  private let user: Int32
  private var readings: [Reading]
  /// Events that were read and not handed on.
  private var pending: EventRows
  /// Those of them that are from new runs.
  private var pendingNew = EventRows()

  /// - Parameters:
  ///   - group: Those of the user's events that have been read; if there are new runs, all of them from these.
  ///   - new: The cursors at the user of the new runs.
  ///   - old: Those of the store's runs.
  init(_ user: Int32, _ group: EventRows, new: [UserCursor], old: [UserCursor]) {
    // The arrays of a million events grow step by step; each one that is freed goes back to the system.
    _ = mallopt(M_MMAP_THRESHOLD, 1 << 20)
    self.user = user
    readings = new.map { Reading(cursor: $0, isNew: true) } + old.map { Reading(cursor: $0, isNew: false) }
    pending = group
    if !new.isEmpty { pendingNew = group }
  }

  mutating func forEach(
    newEvents: (EventRows) throws -> Void, _ body: (_ user: Int32, EventRows, _ isLast: Bool) throws -> Void
  ) throws {
    var goal = Self.most
    while true {
      try read(goal)
      let limit = readings.lazy.map(\.last).min(by: Self.precedes)
      let part = Self.take(&pending, before: limit)
      let partNew = Self.take(&pendingNew, before: limit)
      if !partNew.rows.isEmpty { try newEvents(partNew) }
      if limit == nil || !part.rows.isEmpty { try body(user, part, limit == nil) }
      if limit == nil { return }
      goal = pending.rows.count + Self.most
    }
  }

  /// Reads from the run that is least far, until each has told how far it is and there are enough events.
  private mutating func read(_ goal: Int) throws {
    while let next = readings.indices.min(by: { Self.precedes(readings[$0].last, readings[$1].last) }),
      readings[next].last.rows.isEmpty || pending.rows.count < goal
    {
      let first = pending.rows.count
      try readings[next].cursor.takeBlock(into: &pending)
      if readings[next].isNew { pendingNew.append(contentsOf: pending, first..<pending.rows.count) }
      readings[next].last.removeAll()
      readings[next].last.append(contentsOf: pending, pending.rows.count - 1..<pending.rows.count)
      if readings[next].cursor.user != user { readings.remove(at: next) }
    }
  }

  /// Removes the events before one, all if there is none, and returns them in order.
  private static func take(_ rows: inout EventRows, before limit: EventRows?) -> EventRows {
    rows.sort()
    var part = EventRows()
    swap(&part, &rows)
    guard let limit else { return part }
    let end = part.text.withUnsafeBytes { text in
      limit.text.withUnsafeBytes { limitText in
        part.rows.firstPlace { !EventRows.precedes($0, text, limit.rows[0], limitText) }
      }
    }
    rows.append(contentsOf: part, end..<part.rows.count)
    part.rows.removeLast(part.rows.count - end)
    return part
  }

  /// Compares the last events of two runs; one that is not known comes first.
  private static func precedes(_ left: EventRows, _ right: EventRows) -> Bool {
    guard let first = left.rows.first else { return !right.rows.isEmpty }
    guard let second = right.rows.first else { return false }
    return left.text.withUnsafeBytes { text in
      right.text.withUnsafeBytes { EventRows.precedes(first, text, second, $0) }
    }
  }
}
