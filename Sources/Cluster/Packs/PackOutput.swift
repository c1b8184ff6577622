internal import EventModel
internal import Foundation

/// Collects rows of tables into packs (``RowPackBuilder``) of an app, a month and, of events, a bucket of users, and writes
/// these as rows of ``WorkerProtocol/Tag/pack``.
final class PackOutput: RowSink {
  /// Rows that a pack has at most.
  private static let rowLimit = 1 << 16
  /// Bytes that all packs have that are begun.
  private static let byteLimit = 64 << 20

  private final class Pack {
    let rows: RowPackBuilder
    /// Of events, where each file or block of one begins.
    var parts: [(path: [UInt8], block: Int64, first: Int)] = []
    /// Which place of the output the last part is of.
    var placeNumber = 0

    init(_ layout: PackLayout) { rows = RowPackBuilder(layout.types) }

    deinit { rows.deallocate() }
  }

  private struct GroupKey: Hashable {
    var table: WorkerProtocol.Tag
    var app: UInt32
    /// Its first day.
    var month: CivilDate
  }

  /// Packs of a table, an app and a month, by bucket.
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
  /// Used where rows of packs are made, and there only.
  private let zstd = ZstdFrame(level: 1)
  private let layouts = PackLayout.all
  private let numberColumn = PackLayout.event.place("number")
  /// What packs of this process are named by.
  private let name = UUID().uuidString
  /// Of the ids of events.
  private var numbers: NumberSlices
  private var apps = ByteInterner()
  private var groups: [GroupKey: Group] = [:]
  /// The group of each table's last row, by ``tableNumber(of:)``.
  private var lastGroups: [Group?]
  private var byteCount = 0
  private var packCount = 0
  /// The file and block that events are of, and how many there have been.
  private var place: (path: [UInt8], block: Int64) = ([], 0)
  private var placeNumber = 0
  /// Where the row at hand goes.
  private struct Hand {
    var rows: RowPackBuilder
    var bucket: Int
    /// One of `groups`.
    var group: Unmanaged<Group>
    /// Bytes of the pack before the row.
    var bytesBefore: Int
    /// Whether the column at hand is the app, which stands beside the pack.
    var isAtApp = true
  }

  /// Behind a pointer, as each of some twenty values a row would be checked for exclusive access to it.
  private let hand = UnsafeMutablePointer<Hand?>.allocate(capacity: 1)

  /// - Parameter buckets: Of users, told apart by ``UserBucket``.
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

  /// Says which file and block the events that follow are of.
  func beginPlace(path: [UInt8], block: Int64) {
    if placeNumber > 0, place == (path, block) { return }
    place = (path, block)
    placeNumber += 1
  }

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
    guard let layout = layouts[tag] else { preconditionFailure("\(tag) is no table") }
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
      preconditionFailure("\(tag) is no table")
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

  /// Writes the packs that are begun.
  func flush() throws {
    // In some order that does not depend on hashes.
    let sorted = groups.values.sorted {
      ($0.key.table.rawValue, $0.key.app, $0.key.month) < ($1.key.table.rawValue, $1.key.app, $1.key.month)
    }
    for group in sorted {
      for bucket in group.packs.keys.sorted() { try write(group, bucket) }
    }
    groups.removeAll(keepingCapacity: true)
    for table in lastGroups.indices { lastGroups[table] = nil }
  }

  /// Writes all that is left.
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
    // Compression takes a third of a decoder's time, which goes on meanwhile.
    try output.append(rows: 1 + pack.parts.count, byteCount: pack.rows.byteCount) { [self] in
      try rows(of: pack, group.key, app: group.app, bucket: bucket, number: number)
    }
  }

  /// The rows of a pack that nothing is added to any more.
  private func rows(of pack: Pack, _ key: GroupKey, app: [UInt8], bucket: Int, number: Int) throws -> RowText {
    let isEvent = key.table == .event
    let name = "\(name)-\(number)"
    let rowCount = pack.rows.rowCount
    var rows = RowText()
    rows.append(WorkerProtocol.Tag.pack.rawValue)
    rows.append(key.table.rawValue)
    rows.append(app)
    // As 2026-03.
    rows.append(String(key.month.description.dropLast(3)))
    // Facts are of any user; their packs are spread over files by turns.
    rows.append(isEvent ? bucket : number)
    rows.append(name)
    rows.append(rowCount)
    rows.append(Base64.text(of: try pack.rows.pack(zstd)))
    rows.endRow()
    for (index, part) in pack.parts.enumerated() {
      let end = index + 1 < pack.parts.count ? pack.parts[index + 1].first : rowCount
      rows.append(WorkerProtocol.Tag.part.rawValue)
      rows.append(name)
      rows.append(part.path)
      rows.append(part.block)
      rows.append(part.first)
      rows.append(end - part.first)
      rows.endRow()
    }
    return rows
  }
}
