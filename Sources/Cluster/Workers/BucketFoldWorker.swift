internal import EventModel
public import Lifecycle

/// The kinds of rows in a bucket (``WorkerInput/bucketColumns``), in this order.
enum BucketRow: Int64 {
  /// A user that is folded elsewhere: the id, and its person.
  case user = 0
  /// A pack of events: ``DroppedRows``, and the bytes in base 64.
  case pack = 1
  /// A pack of a bucket that does not fit in memory: none of its users is folded here.
  case largePack = 2
}

/// Folds the users of buckets from packs of events in any order, each user as a person. Events of users that are folded
/// elsewhere are written as rows of ``WorkerProtocol/Tag/moved``.
///
/// Memory is bounded by the largest bucket, whose events are all in memory, except those of ``BucketRow/largePack``.
public struct BucketFoldWorker {
  /// An event of the current bucket.
  private struct Place {
    var user: UInt64
    var ts: Int64
    var kind: EventKind
    var pack: UInt32
    var id: Range<UInt32>
    var content: Range<UInt32>
  }

  private let input: RowInput
  private let output: RowOutput
  private let packs: PackOutput
  private var folder: PersonFolder
  private let events = EventPackReader()
  // The current bucket.
  private var apps = ByteInterner()
  /// The ids of users, by app.
  private var users: [ByteInterner] = []
  /// The persons of users that are folded elsewhere, by app and user.
  private var elsewhere: [UInt64: [UInt8]] = [:]
  private var texts: [[UInt8]] = []
  private var places: [Place] = []

  public init(input: RowInput, output: RowOutput, options: FoldOptions) {
    self.input = input
    self.output = output
    packs = PackOutput(output, buckets: 1)
    folder = PersonFolder(packs, options)
  }

  public mutating func run() throws {
    var bucket: Int64?
    while try input.next(columns: WorkerInput.bucketColumns) {
      let number = try input.required(input.integer(0), 0)
      if number != bucket {
        if let bucket, bucket > number {
          throw WorkerFault(
            .data, "row \(input.count): bucket \(number) comes after \(bucket); expected order of buckets")
        }
        try foldBucket()
        bucket = number
      }
      let app = try input.withBytes(2) { (name) throws -> Int in try self.app(input.required(name, 2)) }
      switch BucketRow(rawValue: try input.required(input.integer(1), 1)) {
      case .user:
        guard places.isEmpty else {
          throw WorkerFault(.data, "row \(input.count): a user comes after a pack; expected users of a bucket first")
        }
        let user = try input.withBytes(3) { (id) throws -> UInt64 in try self.user(input.required(id, 3), of: app) }
        elsewhere[user] = try input.required(input.bytes(4), 4)
      case .pack: try read(of: app)
      case .largePack: try move(of: app)
      case nil: throw WorkerFault(.data, "row \(input.count), column 2: names no kind of row")
      }
    }
    try foldBucket()
    try folder.end()
    try packs.end()
    try output.end(input, persons: folder.personCount)
  }

  private mutating func app(_ name: UnsafeRawBufferPointer) -> Int {
    let app = Int(apps.intern(name))
    while users.count <= app { users.append(ByteInterner()) }
    return app
  }

  private mutating func user(_ id: UnsafeRawBufferPointer, of app: Int) -> UInt64 {
    UInt64(app) << 32 | UInt64(users[app].intern(id))
  }

  /// Reads the pack of the current row.
  private mutating func read(of app: Int) throws {
    let events = events
    let bytes = try events.forEachEvent(of: input, dropped: 3, bytes: 4) { bytes, event in
      places.append(
        Place(
          user: user(UnsafeRawBufferPointer(rebasing: bytes[event.user]), of: app), ts: event.ts, kind: event.kind,
          pack: UInt32(texts.count), id: UInt32(event.id.lowerBound)..<UInt32(event.id.upperBound),
          content: UInt32(event.content.lowerBound)..<UInt32(event.content.upperBound)))
    }
    texts.append(bytes)
  }

  /// Writes the events of the current row's pack under their persons.
  private mutating func move(of app: Int) throws {
    let events = events
    try events.forEachEvent(of: input, dropped: 3, bytes: 4) { bytes, event in
      func cell(_ range: Range<Int>) -> UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: bytes[range]) }
      let user = user(cell(event.user), of: app)
      try write(
        UInt32(app), elsewhere[user] ?? Array(cell(event.user)), event.kind, event.ts, id: cell(event.id),
        content: cell(event.content))
    }
  }

  private func write(
    _ app: UInt32, _ person: [UInt8], _ kind: EventKind, _ ts: Int64, id: UnsafeRawBufferPointer,
    content: UnsafeRawBufferPointer
  ) throws {
    output.begin(.moved)
    apps.withBytes(app) { output.append($0) }
    output.append(person, kind.name, ts, id, content)
    try output.endRow()
  }

  /// Folds the users of the current bucket and clears it.
  private mutating func foldBucket() throws {
    defer {
      places.removeAll(keepingCapacity: true)
      texts.removeAll(keepingCapacity: true)
      elsewhere.removeAll(keepingCapacity: true)
      apps = ByteInterner()
      users.removeAll(keepingCapacity: true)
    }
    sortPlaces()
    let texts = texts
    var last: UInt64?
    var person: [UInt8]?
    for place in places {
      let (app, user) = (UInt32(place.user >> 32), UInt32(truncatingIfNeeded: place.user))
      if place.user != last {
        last = place.user
        person = elsewhere[place.user]
        if person == nil {
          try folder.begin(
            FoldedPerson(
              app: apps.withBytes(app) { Array($0) }, name: users[Int(app)].withBytes(user) { Array($0) }))
        }
      }
      try texts[Int(place.pack)].withUnsafeBytes { text in
        let content = UnsafeRawBufferPointer(rebasing: text[Self.range(place.content)])
        guard let person else { return try folder.add(content, row: input.count) }
        let id = UnsafeRawBufferPointer(rebasing: text[Self.range(place.id)])
        try write(app, person, place.kind, place.ts, id: id, content: content)
      }
    }
    try folder.finish()
  }

  /// Sorts events by user, and each user's events in event order (definitions 1.2).
  private mutating func sortPlaces() {
    let texts = texts
    places.sort { left, right in
      if left.user != right.user { return left.user < right.user }
      return EventOrder.precedes((left.ts, left.kind), (right.ts, right.kind))
        ?? texts[Int(left.pack)][Self.range(left.id)].lexicographicallyPrecedes(
          texts[Int(right.pack)][Self.range(right.id)])
    }
  }

  private static func range(_ range: Range<UInt32>) -> Range<Int> { Int(range.lowerBound)..<Int(range.upperBound) }
}
