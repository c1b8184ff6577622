internal import Basics
public import EventModel
internal import GRDB

/// The changes that turn the events known to an earlier report into those of a later one, cause by cause.
public final class StoreChanges {
  private let after: StoreSnapshot
  /// For each event of the later store, in the order of its blocks, the cause that brought it; -1 if it was already
  /// known.
  private var causes: [Int8] = []
  /// Events that changed or disappeared, with their earlier content and the cause.
  private var gone: [(content: ReceivedContent, cause: ChangeCause)] = []
  /// The number of events by cause.
  public private(set) var counts: [ChangeCause: Int] = [:]

  /// Compares two stores.
  ///
  /// - Parameter asOf: The instant up to which the earlier report knew events, in ms, by name of the app; an app that is
  ///   missing was not known.
  public init(
    from before: StoreSnapshot, to after: StoreSnapshot, asOf: [String: Int64], apps: Set<String>
  ) throws {
    self.after = after
    if before === after {
      try readLater(asOf, apps)
      return
    }
    var known = try Self.prints(before, asOf)
    known.sort(by: EventPrints.Print.precedes)
    // By place in `known`: 0 gone, 1 unchanged, 2 restated.
    var states = [UInt8](repeating: 0, count: known.count)
    let prints = try EventPrints(after.db)
    let limits = try Self.limits(after, asOf)
    let names = try StoredDictionaries.names(after.db)
    let isCompared = try StoredDictionaries.clientApps(after.db).map { apps.contains(names[Int($0)]) }
    try SortedRuns.forEachRow(after.db) { row, text in
      guard isCompared[Int(row.client)] else {
        causes.append(-1)
        return
      }
      let print = prints.print(row, text)
      var cause: ChangeCause?
      if let place = Self.place(of: print, in: known) {
        let isSame = known[place].content == print.content
        states[place] = isSame ? 1 : 2
        if !isSame { cause = .restated }
      } else {
        cause = Self.cause(row.kind, isLate: row.ts < limits[Int(row.client)])
      }
      causes.append(cause.map { Int8($0.rawValue) } ?? -1)
      if let cause { counts[cause, default: 0] += 1 }
    }
    if states.contains(where: { $0 != 1 }) { try readGone(before, asOf, known, states) }
  }

  /// Compares a store with itself at an earlier instant: the events before it were known as they are.
  private func readLater(_ asOf: [String: Int64], _ apps: Set<String>) throws {
    let limits = try Self.limits(after, asOf)
    let names = try StoredDictionaries.names(after.db)
    let isCompared = try StoredDictionaries.clientApps(after.db).map { apps.contains(names[Int($0)]) }
    try SortedRuns.forEachNumbers(
      after.db,
      of: [.user, .kind, .time, .timeRest, .client], read: { try $0.readArrivals($1, from: .min, withKinds: true) }
    ) { numbers in
      for (place, ts) in numbers.instants.enumerated() {
        let client = Int(numbers.clients[place])
        guard isCompared[client], ts >= limits[client] else {
          causes.append(-1)
          continue
        }
        guard let kind = EventKind(rawValue: UInt8(truncatingIfNeeded: numbers.kinds[place])) else {
          throw BlockView.malformed
        }
        let cause = Self.cause(kind, isLate: false)
        causes.append(Int8(cause.rawValue))
        counts[cause, default: 0] += 1
      }
    }
  }

  /// Returns each client's as-of; the least value if its app was not known.
  private static func limits(_ snapshot: StoreSnapshot, _ asOf: [String: Int64]) throws -> [Int64] {
    let names = try StoredDictionaries.names(snapshot.db)
    return try StoredDictionaries.clientApps(snapshot.db).map { asOf[names[Int($0)]] ?? .min }
  }

  private static func prints(_ snapshot: StoreSnapshot, _ asOf: [String: Int64]) throws -> [EventPrints.Print] {
    let prints = try EventPrints(snapshot.db)
    let limits = try limits(snapshot, asOf)
    var known: [EventPrints.Print] = []
    try SortedRuns.forEachRow(snapshot.db) { row, text in
      if row.ts < limits[Int(row.client)] { known.append(prints.print(row, text)) }
    }
    return known
  }

  private static func place(of print: EventPrints.Print, in known: [EventPrints.Print]) -> Int? {
    let place = known.firstPlace { !EventPrints.Print.precedes($0, print) }
    return place < known.count && known[place].isOfSameID(print) ? place : nil
  }

  /// Returns the kinds of the events since an as-of that a cause and those before it bring.
  public static func laterKinds(upTo cause: ChangeCause) -> Set<EventKind> {
    Set(EventKind.allCases.filter { Self.cause($0, isLate: false).rawValue <= cause.rawValue })
  }

  /// Returns the cause that brings an event which was not known.
  private static func cause(_ kind: EventKind, isLate: Bool) -> ChangeCause {
    switch kind {
    case .identify: .identityJoins
    case .refund: .refunds
    default: isLate ? .lateEvents : .newEvents
    }
  }

  /// Reads the earlier content of events that have changed or disappeared.
  private func readGone(
    _ before: StoreSnapshot, _ asOf: [String: Int64], _ known: [EventPrints.Print], _ states: [UInt8]
  ) throws {
    let prints = try EventPrints(before.db)
    let texts = try StoredTexts(before.db)
    let limits = try Self.limits(before, asOf)
    try SortedRuns.forEachRow(before.db) { row, text in
      guard row.ts < limits[Int(row.client)], let place = Self.place(of: prints.print(row, text), in: known),
        states[place] != 1
      else { return }
      let cause: ChangeCause = states[place] == 2 ? .restated : .removed
      var content = texts.content(row, text).received
      // The later store has other files.
      content.file = 0
      gone.append((content, cause))
      if cause == .removed { counts[.removed, default: 0] += 1 }
    }
  }

  /// Returns the events known to the earlier report, with the changes up to and including a cause applied.
  ///
  /// - Parameter last: The store after the cause before; it may be changed into the one that is returned.
  public func store(
    after cause: ChangeCause, from last: (cause: ChangeCause, store: HistoricalStore)? = nil
  ) throws -> HistoricalStore {
    var place = 0
    if let last, gone.isEmpty {
      try last.store.add(from: after) { _, _ in
        defer { place += 1 }
        return Int(causes[place]) > last.cause.rawValue && Int(causes[place]) <= cause.rawValue
      }
      return last.store
    }
    return try HistoricalStore(
      of: after,
      isKept: { _, _ in
        defer { place += 1 }
        return Int(causes[place]) <= cause.rawValue && causes[place] != ChangeCause.maturity.rawValue
      },
      contents: { (gone.filter { $0.cause.rawValue > cause.rawValue }.map(\.content), []) })
  }
}
