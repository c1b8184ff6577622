internal import EventModel

/// The batch being filled.
///
/// A separate value rather than an ``EventBatch``, so that the hot path has no reference counting and no checks for
/// exclusive access.
struct BatchFiller: ~Copyable {
  var records: [EventRecord] = []
  var names = ByteInterner()
  var nameCache = NameCache()
  var contexts = RowInterner<ContextNames>()
  var clients = RowInterner<ClientNames>()
  var terms = RowInterner<TermsNames>()
  var properties = ByteInterner()
  var propertyText: [UInt8] = []
  var users = UserTable()
  var text = TextBuffer()
  var templates = LineTemplateCache()
  private var noTermsNumber: UInt32?
  /// Reusable memory for the next batch's text.
  private var spareText: [UInt8] = []

  init() {}

  /// Approximate bytes of the batch besides its records. Terms take up to three times theirs while their table grows.
  var byteCount: Int {
    text.count + names.bytes.count + properties.bytes.count + terms.rows.count * 3 * MemoryLayout<TermsNames>.stride
  }

  /// A state to return to if a file or a line turns out not to count.
  struct Mark {
    var records = 0
    var names = 1
    var contexts = 0
    var clients = 0
    var terms = 0
    var properties = 1
    var users = 0
    var text = 0
  }

  var mark: Mark {
    Mark(
      records: records.count, names: names.count, contexts: contexts.rows.count, clients: clients.rows.count,
      terms: terms.rows.count, properties: properties.count, users: users.users.count, text: text.count)
  }

  /// Removes everything added after the mark.
  mutating func rollBack(to mark: Mark) {
    records.removeSubrange(mark.records...)
    names.shrink(to: mark.names)
    contexts.shrink(to: mark.contexts)
    clients.shrink(to: mark.clients)
    terms.shrink(to: mark.terms)
    properties.shrink(to: mark.properties)
    users.shrink(to: mark.users)
    text.shrink(to: mark.text)
    forgetCached()
  }

  /// Removes the names that a rejected line added; nothing else changes before a line is accepted.
  mutating func rollBackNames(to count: Int) {
    names.shrink(to: count)
    nameCache.removeAll()
  }

  /// Returns the batch and starts the next one.
  mutating func takeBatch(parts: [FilePart]) -> EventBatch {
    let batch = EventBatch()
    batch.parts = parts
    swap(&batch.records, &records)
    swap(&batch.names, &names)
    swap(&batch.contexts, &contexts)
    swap(&batch.clients, &clients)
    swap(&batch.terms, &terms)
    swap(&batch.properties, &properties)
    batch.users = users.takeAll()
    text.takeAll(into: &spareText)
    swap(&batch.text, &spareText)
    forgetCached()
    return batch
  }

  /// Reuses the memory of a batch that its consumer has finished with.
  ///
  /// A batch is tens of megabytes, and new memory of that size costs a page fault every 4 KiB.
  mutating func recycle(_ batch: EventBatch) {
    if records.isEmpty && records.capacity < batch.records.capacity {
      swap(&records, &batch.records)
      records.removeAll(keepingCapacity: true)
    }
    if spareText.capacity < batch.text.capacity { swap(&spareText, &batch.text) }
    users.recycle(&batch.users)
  }

  /// Returns the number of the row without any terms, which half of all events have.
  @inline(__always)
  mutating func noTerms() -> UInt32 {
    if let noTermsNumber { return noTermsNumber }
    let number = terms.intern(TermsNames(), hash: 0)
    noTermsNumber = number
    return number
  }

  /// Reserves memory for a batch of events at once, so that it does not grow step by step.
  mutating func reserveRecords(_ count: Int) {
    if records.isEmpty && records.capacity == 0 { records.reserveCapacity(count) }
  }

  private mutating func forgetCached() {
    noTermsNumber = nil
    nameCache.removeAll()
    templates.removeAll()
  }
}
