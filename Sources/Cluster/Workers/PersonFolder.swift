internal import EventModel
internal import Ingest
internal import Lifecycle

/// A person by the least of its ids, in the order that workers fold persons in.
struct FoldedPerson: Comparable {
  /// Whether it is folded as a former build has, for what it then put into cells.
  var isFormer = false
  var app: [UInt8]
  var name: [UInt8]

  static func < (left: FoldedPerson, right: FoldedPerson) -> Bool {
    if left.isFormer != right.isFormer { return right.isFormer }
    return left.app == right.app
      ? left.name.lexicographicallyPrecedes(right.name) : left.app.lexicographicallyPrecedes(right.app)
  }
}

/// Folds persons whose events come one person behind the other, each person's as definitions 1.2 say, and writes their
/// facts, and what these put into cells; memory is bounded by the largest person.
struct PersonFolder<Sink: RowSink> {
  /// Lines that are decoded together.
  private static var batchEvents: Int { 4096 }
  /// Entries of the dictionaries from which on they are begun anew.
  private static var dictionaryLimit: Int { 1 << 20 }

  private let sink: Sink
  /// `nil` where no cells are kept.
  private var cells: CellRowWriter<Sink>?
  private var fold: PersonFold
  private var dictionaries = PartitionDictionaries()
  private let decoder: EventDecoder
  /// The person whose events have been taken last, and these.
  private var person: FoldedPerson?
  private var events = PersonBuffer()
  /// Events that have been decoded and not taken, and the persons that begin among them.
  private var pending = 0
  private var beginnings: [(event: Int, person: FoldedPerson)] = []
  private(set) var personCount = 0

  /// - Parameter hasCells: Whether cells are written, too.
  init(_ sink: Sink, _ options: FoldOptions, hasCells: Bool) {
    self.sink = sink
    cells = hasCells ? CellRowWriter(sink) : nil
    fold = PersonFold(options: options)
    guard let decoder = EventDecoder() else { preconditionFailure("JSON needs no header") }
    self.decoder = decoder
  }

  /// Begins a person: the events that follow are its.
  mutating func begin(_ person: FoldedPerson) throws {
    if dictionaries.count > Self.dictionaryLimit {
      try end()
      dictionaries = PartitionDictionaries()
    }
    beginnings.append((pending, person))
    if !person.isFormer { personCount += 1 }
  }

  /// Adds an event of the person.
  ///
  /// - Parameter row: Of the input, for what is wrong with it.
  mutating func add(_ content: UnsafeRawBufferPointer, row: Int) throws {
    if let rejected = decoder.decode(content, number: row) {
      throw WorkerFault(.data, "row \(row): is no event: \(rejected.reason)")
    }
    pending += 1
    if pending == Self.batchEvents { try take() }
  }

  /// Folds the last person.
  mutating func finish() throws {
    try take()
    try write()
  }

  /// Folds the last person, and writes the cells of all.
  mutating func end() throws {
    try finish()
    try cells?.write(dictionaries)
  }

  /// Takes what has been decoded, and folds the persons that end in it.
  private mutating func take() throws {
    if pending == 0 { return }
    let batch = decoder.takeBatch()
    let numbers = dictionaries.resolve(batch)
    var next = 0
    for beginning in beginnings {
      try events.append(batch, next..<beginning.event, numbers)
      next = beginning.event
      try write()
      person = beginning.person
    }
    try events.append(batch, next..<pending, numbers)
    beginnings.removeAll(keepingCapacity: true)
    pending = 0
  }

  /// Folds the person at hand and writes what comes of it.
  private mutating func write() throws {
    guard let person else { return }
    defer { events.removeAll() }
    self.person = nil
    fold.fold(events.events, dictionaries: dictionaries.forFold)
    if fold.facts.isEmpty { return }
    try cells?.add(fold.facts, app: person.app, isFormer: person.isFormer, &dictionaries)
    if person.isFormer { return }
    var rows = FactRowWriter((person.app, person.name), events.subscriptionIDs, sink)
    try rows.write(fold.facts, &dictionaries)
  }
}
