internal import EventModel
internal import Ingest
internal import Lifecycle

/// A person by its smallest id, in the order in which workers fold persons.
struct FoldedPerson: Comparable {
  /// Whether this is the person as an earlier build folded it, to subtract its cells.
  var isFormer = false
  var app: [UInt8]
  var name: [UInt8]

  static func < (left: FoldedPerson, right: FoldedPerson) -> Bool {
    if left.isFormer != right.isFormer { return right.isFormer }
    return left.app == right.app
      ? left.name.lexicographicallyPrecedes(right.name) : left.app.lexicographicallyPrecedes(right.app)
  }
}

/// Folds persons and writes their facts and cells.
///
/// Persons must come one after the other, each person's events in event order. Memory is bounded by the
/// largest person.
struct PersonFolder {
  /// Events that are decoded together.
  private static let batchEvents = 4096
  /// The number of dictionary entries at which new dictionaries are started.
  private static let dictionaryLimit = 1 << 20

  private let packs: PackOutput
  /// They hold units of the default rules only, so `nil` with others.
  private var cells: CellRowWriter?
  private var fold: PersonFold
  private var dictionaries = PartitionDictionaries()
  private let decoder: EventDecoder
  /// The person whose events were taken last, and these events.
  private var person: FoldedPerson?
  private var events = PersonBuffer()
  /// Events that are decoded but not taken yet, and the persons that start among them.
  private var pending = 0
  private var beginnings: [(event: Int, person: FoldedPerson)] = []
  private(set) var personCount = 0

  init(_ packs: PackOutput, _ options: FoldOptions) {
    self.packs = packs
    cells = options == .stored ? CellRowWriter(packs) : nil
    fold = PersonFold(options: options)
    guard let decoder = EventDecoder() else { preconditionFailure("JSON needs no header") }
    self.decoder = decoder
  }

  /// Starts a person, to which the following events belong.
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
  /// - Parameter row: The row of the input, for error messages.
  mutating func add(_ content: UnsafeRawBufferPointer, row: Int) throws {
    if let rejected = decoder.decode(content, number: row) {
      throw WorkerFault(.data, "row \(row): is not an event: \(rejected.reason)")
    }
    pending += 1
    if pending == Self.batchEvents { try take() }
  }

  /// Folds the last person.
  mutating func finish() throws {
    try take()
    try write()
  }

  /// Folds the last person and writes all cells.
  mutating func end() throws {
    try finish()
    try cells?.write(dictionaries)
  }

  /// Takes the decoded events and folds the persons that end among them.
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

  /// Folds the current person and writes its facts and cells.
  private mutating func write() throws {
    guard let person else { return }
    defer { events.removeAll() }
    self.person = nil
    var source = events.events
    fold.fold(taking: &source, dictionaries: dictionaries.forFold, most: .max) { _ in }
    if fold.facts.isEmpty { return }
    try cells?.add(fold.facts, app: person.app, isFormer: person.isFormer, &dictionaries)
    if person.isFormer { return }
    var rows = FactRowWriter(
      person: (person.app, person.name), subscriptionIDs: events.subscriptionIDs, output: packs)
    try rows.write(fold.facts, &dictionaries)
  }
}
