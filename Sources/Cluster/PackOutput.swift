internal import EventModel
internal import Foundation

/// Collects rows of tables into packs (``RowPackBuilder``) of an app, a month and, of events, a bucket of users, and writes
/// these as rows of ``WorkerProtocol/Tag/pack``. Rows of other tags go out as they are.
final class PackOutput: RowSink {
  /// Rows that a pack has at most.
  private static let rowLimit = 1 << 16
  /// Bytes that all packs have that are begun.
  private static let byteLimit = 64 << 20

  private struct Key: Hashable {
    var table: WorkerProtocol.Tag
    var app: UInt32
    /// Its first day.
    var month: CivilDate
    var bucket: UInt32
  }

  private final class Pack {
    var rows: RowPackBuilder
    /// Of events, the numbers of their ids.
    var numbers: [Int64] = []
    /// Of events, where each file or block of one begins.
    var parts: [(path: [UInt8], block: Int64, first: Int)] = []
    /// Which place of the output the last part is of.
    var placeNumber = 0

    init(_ layout: PackLayout) { rows = RowPackBuilder(layout.types) }
  }

  private let output: RowOutput
  private let buckets: UInt32
  private let zstd = ZstdFrame(level: 1)
  private let layouts = PackLayout.all
  /// What packs of this process are named by.
  private let name = UUID().uuidString
  private var apps = ByteInterner()
  private var packs: [Key: Pack] = [:]
  private var byteCount = 0
  private var packCount = 0
  /// The file and block that events are of, and how many there have been.
  private var place: (path: [UInt8], block: Int64) = ([], 0)
  private var placeNumber = 0
  /// The row at hand; behind a pointer, as each of some twenty values a row would be checked for exclusive access to it.
  private let row = UnsafeMutablePointer<PackRow>.allocate(capacity: 1)

  /// - Parameter buckets: Of users, told apart by ``UserBucket``.
  init(_ output: RowOutput, buckets: Int) {
    self.output = output
    self.buckets = UInt32(buckets)
    row.initialize(to: PackRow())
  }

  deinit {
    row.deinitialize(count: 1)
    row.deallocate()
  }

  func begin(_ tag: WorkerProtocol.Tag) {
    row.pointee.begin(layouts[tag])
    if row.pointee.layout == nil { output.begin(tag) }
  }

  func appendNull() {
    if row.pointee.layout == nil { output.appendNull() } else { row.pointee.cells.append(nil) }
  }

  func append(_ bytes: UnsafeRawBufferPointer) {
    if row.pointee.layout == nil { output.append(bytes) } else { row.pointee.append(bytes) }
  }

  func append(_ number: Int64) {
    if row.pointee.layout == nil { return output.append(number) }
    withUnsafeBytes(of: number.littleEndian) { row.pointee.append($0) }
  }

  func append(_ flag: Bool) {
    if row.pointee.layout == nil { return output.append(flag) }
    withUnsafeBytes(of: flag ? 1 : 0 as UInt8) { row.pointee.append($0) }
  }

  func endRow() throws {
    guard let layout = row.pointee.layout else { return try output.endRow() }
    let hand = row
    let full = row.pointee.bytes.withUnsafeBytes { row -> Key? in
      func cell(_ column: Int) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: row[hand.pointee.cells[column] ?? 0..<0])
      }
      func number(_ column: Int) -> Int64 { Int64(littleEndian: cell(column).loadUnaligned(as: Int64.self)) }
      let app = cell(layout.app)
      var key = Key(
        table: layout.table, app: apps.intern(app), month: Self.month(of: number(layout.instant)), bucket: 0)
      if let event = layout.event {
        if place.block != number(event.block) || !place.path.elementsEqual(cell(event.path)) {
          place = (Array(cell(event.path)), number(event.block))
          placeNumber += 1
        }
        key.bucket = UserBucket.number(app: app, user: cell(event.user), of: buckets)
      }
      let pack: Pack
      if let known = packs[key] {
        pack = known
      } else {
        pack = Pack(layout)
        packs[key] = pack
      }
      if let event = layout.event {
        pack.numbers.append(number(event.number))
        if pack.placeNumber != placeNumber {
          pack.parts.append((place.path, place.block, pack.rows.rowCount))
          pack.placeNumber = placeNumber
        }
      }
      let before = pack.rows.byteCount
      pack.rows.append(row, hand.pointee.cells, layout.packed)
      byteCount += pack.rows.byteCount - before
      return pack.rows.rowCount == Self.rowLimit ? key : nil
    }
    if let full { try write(full) }
    if byteCount > Self.byteLimit { try flush() }
  }

  /// Writes what has been collected.
  func flush() throws {
    // In some order that does not depend on hashes.
    let keys = packs.keys.sorted {
      ($0.table.rawValue, $0.app, $0.month, $0.bucket) < ($1.table.rawValue, $1.app, $1.month, $1.bucket)
    }
    for key in keys { try write(key) }
  }

  private func write(_ key: Key) throws {
    guard let pack = packs.removeValue(forKey: key) else { return }
    let isEvent = layouts[key.table]?.event != nil
    let name = "\(name)-\(packCount)"
    let rowCount = pack.rows.rowCount
    byteCount -= pack.rows.byteCount
    output.begin(.pack)
    output.append(key.table.rawValue)
    apps.withBytes(key.app) { output.append($0) }
    // As 2026-03.
    output.append(String(key.month.description.dropLast(3)))
    // Facts are of any user; their packs are spread over files by turns.
    output.append(isEvent ? Int64(key.bucket) : Int64(packCount))
    output.append(name)
    output.append(rowCount)
    if isEvent {
      var numbers: [UInt8] = []
      numbers.reserveCapacity(pack.numbers.count * 21)
      for number in pack.numbers {
        if !numbers.isEmpty { numbers.append(UInt8(ascii: ",")) }
        DecimalDigits.append(number, to: &numbers)
      }
      output.append(numbers)
    } else {
      output.appendNull()
    }
    output.append(Base64.text(of: try pack.rows.take(zstd)))
    try output.endRow()
    for (index, part) in pack.parts.enumerated() {
      let end = index + 1 < pack.parts.count ? pack.parts[index + 1].first : rowCount
      output.begin(.part)
      output.append(name)
      output.append(part.path)
      output.append(part.block)
      output.append(part.first)
      output.append(end - part.first)
      try output.endRow()
    }
    packCount += 1
  }

  /// The values of a row behind one another.
  private struct PackRow {
    /// `nil` for a row that goes out as it is.
    var layout: PackLayout?
    var bytes: [UInt8] = []
    var cells: [Range<Int>?] = []

    mutating func begin(_ layout: PackLayout?) {
      self.layout = layout
      bytes.removeAll(keepingCapacity: true)
      cells.removeAll(keepingCapacity: true)
    }

    mutating func append(_ value: UnsafeRawBufferPointer) {
      cells.append(bytes.count..<bytes.count + value.count)
      bytes.append(contentsOf: value)
    }
  }

  private static func month(of instant: Int64) -> CivilDate {
    var month = Instant(millisecondsSince1970: instant).date
    month.day = 1
    return month
  }
}
