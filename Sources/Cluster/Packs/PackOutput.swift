internal import Basics
internal import EventModel
internal import Foundation

/// Collects rows of tables into packs (``RowPackBuilder``) by app, month and, for events, bucket of users, and writes
/// them as rows of ``WorkerProtocol/Tag/pack``.
final class PackOutput: RowSink {
  /// The most rows in a pack.
  private static let rowLimit = 1 << 16
  /// The most bytes in all open packs together.
  private static let byteLimit = 64 << 20

  private final class Pack {
    let rows: RowPackBuilder
    /// For events: the row at which each file or block starts.
    var parts: [(path: [UInt8], block: Int64, first: Int)] = []
    /// The number of the file or block of the last part.
    var placeNumber = 0

    init(_ layout: PackLayout) { rows = RowPackBuilder(layout.types) }

    deinit { rows.deallocate() }
  }

  private struct GroupKey: Hashable {
    var table: WorkerProtocol.Tag
    var app: UInt32
    /// The first day of the month.
    var month: CivilDate
  }

  /// The packs of a table, an app and a month, by bucket.
  private final class Group {
    let key: GroupKey
    let layout: PackLayout
    let app: [UInt8]
    /// The instants of the month.
    let instants: Range<Int64>
    var packs: [Int: Pack] = [:]

    init(_ key: GroupKey, _ layout: PackLayout, app: [UInt8]) {
      self.key = key
      self.layout = layout
      self.app = app
      let days = key.month.daysSince1970..<key.month.addingMonths(1).daysSince1970
      instants = Int64(days.lowerBound) * 86_400_000..<Int64(days.upperBound) * 86_400_000
    }

    func contains(app other: UnsafeRawBufferPointer, instant: Int64) -> Bool {
      instants.contains(instant) && other.count == app.count
        && app.withUnsafeBytes { memcmp($0.baseAddress!, other.baseAddress!, other.count) } == 0
    }
  }

  private let output: RowOutput
  private let buckets: UInt32
  /// Used only where the rows of packs are created.
  private let zstd = ZstdFrame(level: 1)
  private let layouts = PackLayout.all
  private let numberColumn = PackLayout.event.place("number")
  /// The prefix of the names of this process's packs.
  private let name = UUID().uuidString
  /// The numbers of event ids.
  private var numbers: NumberSlices
  private var apps = ByteInterner()
  private var groups: [GroupKey: Group] = [:]
  /// The group of each table's last row, by ``tableNumber(of:)``.
  private var lastGroups: [Group?]
  private var byteCount = 0
  private var packCount = 0
  /// The current file and block of events, and how many there have been.
  private var place: (path: [UInt8], block: Int64) = ([], 0)
  private var placeNumber = 0
  /// The destination of the current row.
  private struct Hand {
    var rows: RowPackBuilder
    var bucket: Int
    /// An element of `groups`.
    var group: Unmanaged<Group>
    /// Bytes of the pack before the row.
    var bytesBefore: Int
    /// Whether the next column is the app, which is stored outside the pack.
    var isAtApp = true
  }

  /// Behind a pointer, because Swift would check exclusive access for each of some twenty values in a row.
  private let hand = UnsafeMutablePointer<Hand?>.allocate(capacity: 1)

  /// - Parameter buckets: The number of buckets of users, see ``UserBucket``.
  init(_ output: RowOutput, buckets: Int) {
    self.output = output
    self.buckets = UInt32(buckets)
    numbers = NumberSlices(name: name, count: buckets)
    lastGroups = Array(repeating: nil, count: PackLayout.all.count)
    hand.initialize(to: nil)
  }

  deinit {
    hand.deinitialize(count: 1)
    hand.deallocate()
  }

  /// Sets the file and block of the following events.
  func beginPlace(path: [UInt8], block: Int64) {
    if placeNumber > 0, place == (path, block) { return }
    place = (path, block)
    placeNumber += 1
  }

  /// Starts a row.
  ///
  /// - Parameters:
  ///   - tag: The table: events, or one of the facts.
  ///   - app: The row's app, which is its first column.
  ///   - user: The event's user; ignored for facts.
  ///   - instant: The instant that determines the row's month.
  func begin(
    _ tag: WorkerProtocol.Tag, app: UnsafeRawBufferPointer, user: UnsafeRawBufferPointer, instant: Int64
  ) {
    let table = Self.tableNumber(of: tag)
    let group: Group
    if let last = lastGroups[table], last.contains(app: app, instant: instant) {
      group = last
    } else {
      group = self.group(tag, app, instant)
      lastGroups[table] = group
    }
    let isEvent = table == 0
    let bucket = isEvent && buckets > 1 ? Int(UserBucket.number(app: app, user: user, of: buckets)) : 0
    let pack: Pack
    if let begun = group.packs[bucket] {
      pack = begun
    } else {
      pack = Pack(group.layout)
      group.packs[bucket] = pack
    }
    if isEvent && pack.placeNumber != placeNumber {
      pack.parts.append((place.path, place.block, pack.rows.rowCount))
      pack.placeNumber = placeNumber
    }
    hand.pointee = Hand(
      rows: pack.rows, bucket: bucket, group: .passUnretained(group), bytesBefore: pack.rows.byteCount)
  }

  private func group(_ tag: WorkerProtocol.Tag, _ app: UnsafeRawBufferPointer, _ instant: Int64) -> Group {
    guard let layout = layouts[tag] else { preconditionFailure("\(tag) is not a table") }
    var month = Instant(millisecondsSince1970: instant).date
    month.day = 1
    let key = GroupKey(table: tag, app: apps.intern(app), month: month)
    if let known = groups[key] { return known }
    let group = Group(key, layout, app: Array(app))
    groups[key] = group
    return group
  }

  private static func tableNumber(of tag: WorkerProtocol.Tag) -> Int {
    switch tag {
    case .event: 0
    case .entry: 1
    case .exposure: 2
    case .trial: 3
    case .conversion: 4
    case .spell: 5
    case .payment: 6
    case .refund: 7
    case .cell: 8
    case .rejected, .file, .pack, .part, .join, .numbers, .number, .picked, .moved, .parquet, .end:
      preconditionFailure("\(tag) is not a table")
    }
  }

  func appendNull() { hand.pointee!.rows.appendNull() }

  func append(_ bytes: UnsafeRawBufferPointer) {
    if hand.pointee!.isAtApp { hand.pointee!.isAtApp = false } else { hand.pointee!.rows.append(bytes) }
  }

  func append(_ number: Int64) { hand.pointee!.rows.append(number) }

  func append(_ flag: Bool) { hand.pointee!.rows.append(flag) }

  func endRow() throws {
    guard let row = hand.pointee else { preconditionFailure("a row ends that has not begun") }
    row.rows.endRow()
    byteCount += row.rows.byteCount - row.bytesBefore
    if row.rows.rowCount == Self.rowLimit { try write(row.group.takeUnretainedValue(), row.bucket) }
    if byteCount > Self.byteLimit { try flush() }
  }

  /// Writes the open packs.
  func flush() throws {
    // In an order that does not depend on hashes.
    let sorted = groups.values.sorted {
      ($0.key.table.rawValue, $0.key.app, $0.key.month) < ($1.key.table.rawValue, $1.key.app, $1.key.month)
    }
    for group in sorted {
      for bucket in group.packs.keys.sorted() { try write(group, bucket) }
    }
    groups.removeAll(keepingCapacity: true)
    for table in lastGroups.indices { lastGroups[table] = nil }
  }

  /// Writes all remaining rows.
  func end() throws {
    try flush()
    try numbers.write(to: output)
  }

  private func write(_ group: Group, _ bucket: Int) throws {
    guard let pack = group.packs.removeValue(forKey: bucket) else { return }
    byteCount -= pack.rows.byteCount
    let number = packCount
    packCount += 1
    if group.key.table == .event {
      numbers.add(pack.rows.integers(numberColumn), pack: number)
      if numbers.isFull { try numbers.write(to: output) }
    }
    // Compresses in the background: it takes a third of a decoder's time.
    try output.append(rows: 1 + pack.parts.count, byteCount: pack.rows.byteCount) { [self] in
      try rows(of: pack, group.key, app: group.app, bucket: bucket, number: number)
    }
  }

  private func rows(of pack: Pack, _ key: GroupKey, app: [UInt8], bucket: Int, number: Int) throws -> RowText {
    let isEvent = key.table == .event
    let name = "\(name)-\(number)"
    let rowCount = pack.rows.rowCount
    let rows = RowText()
    rows.append(
      WorkerProtocol.Tag.pack.rawValue, key.table.rawValue, app,
      // Such as 2026-03.
      String(key.month.description.dropLast(3)),
      // Facts belong to any user; their packs are spread over files in turn.
      isEvent ? bucket : number, name, rowCount, Base64.text(of: try pack.rows.pack(zstd)))
    rows.endRow()
    for (index, part) in pack.parts.enumerated() {
      let end = index + 1 < pack.parts.count ? pack.parts[index + 1].first : rowCount
      rows.append(WorkerProtocol.Tag.part.rawValue, name, part.path, part.block, part.first, end - part.first)
      rows.endRow()
    }
    return rows
  }
}
