internal import EventModel

/// Decodes lines into records of a batch, with the checks in the order of `Events.md`.
struct LineDecoder: ~Copyable {
  var fields = LineFields()
  /// The current CSV record.
  var record = CSVRecord()
  var filler = BatchFiller()
  let keywords = Keywords.shared
  var pendingUsers = PendingUsers()
  /// The app of the previous line and the hash of its name.
  private(set) var appNumber: UInt32 = 0
  private(set) var appHash: UInt64 = 0

  var own = VaryingValues()
  var spans = LineSpans()
  /// Lines to decode without looking them up in the cache, because it did not help with earlier ones.
  var templatePause = 0
  /// Lines looked up in the cache since its benefit was last checked, all lines ever found in it, and those found by
  /// that check.
  var templateTries = 0
  var templateHits = 0
  var templateHitsBefore = 0

  init() {}

  /// Returns whether the batch has as much as it may have.
  @inline(__always)
  func isFull(_ limits: BatchLimits, _ progress: LineProgress) -> Bool {
    filler.records.count >= limits.records || filler.byteCount + progress.rejectedByteCount >= limits.bytes
  }

  /// Decodes one line of NDJSON, without its end.
  ///
  /// - Parameter start: Must be followed by a line feed, or a carriage return and a line feed, and
  ///   ``LineBuffer/padding`` readable bytes.
  /// - Returns: `nil` if a record was added, else the reason why not.
  @inline(__always)
  mutating func decodeJSON(_ start: UnsafePointer<UInt8>, count: Int, line: Int) -> Rejection? {
    if templatePause == 0 {
      switch decodeRemembered(start, end: start + count, line: line) {
      case .added: return nil
      case .isNew:
        let rejection = decodeCarefully(start, count: count, line: line)
        if rejection == nil { rememberLast() }
        return rejection
      case .isOdd: break
      }
    } else {
      templatePause &-= 1
    }
    return decodeCarefully(start, count: count, line: line)
  }

  /// Decodes one line without the cache.
  mutating func decodeCarefully(_ start: UnsafePointer<UInt8>, count: Int, line: Int) -> Rejection? {
    if !TextCheck.isPlain(start, count: count) {
      if !TextCheck.isUTF8(start, count: count) { return .invalidUTF8 }
      if TextCheck.hasNul(start, count: count) { return .nul }
    }
    fields.begin(lineCount: count)
    let isObject = fields.readObject(start, end: start + count)
    if !isObject || fields.hasEscape {
      if TextCheck.hasNulEscape(start, count: count) { return .nul }
      if !isObject { return .notJSONObject }
    }
    return appendRecord(line: line)
  }

  /// Checks the fields found and adds a record if they form a valid event.
  mutating func appendRecord(line: Int) -> Rejection? {
    if let field = fields.twice { return .fieldTwice(field) }
    let nameCount = filler.names.count
    var draft = EventDraft()
    draft.record.line = UInt32(truncatingIfNeeded: line)
    if let rejection = judge(&draft) {
      if filler.names.count > nameCount {
        filler.rollBackNames(to: nameCount)
        forgetApp()
      }
      return rejection
    }
    add(&draft)
    return nil
  }

  /// Forgets the app, whose number belongs to the batch that was taken or rolled back.
  mutating func forgetApp() {
    appNumber = 0
    appHash = 0
  }

  /// Adds a record; its names are numbered already, its texts still point into the line.
  private mutating func add(_ draft: inout EventDraft) {
    let app = draft.client.app
    if app != appNumber {
      appNumber = app
      appHash = filler.names.withBytes(app) { ByteHash.hash($0) }
    }
    let eventID = fields[.eventID].bytes
    draft.record.identityHash = ByteHash.hash(eventID, seed: appHash)
    draft.record.eventID = filler.text.append(eventID)
    if fields.has(.subscriptionID) { draft.record.subscriptionID = filler.text.append(fields[.subscriptionID].bytes) }
    if fields.has(.transactionID) { draft.record.transactionID = filler.text.append(fields[.transactionID].bytes) }
    draft.record.client = filler.clients.intern(draft.client, hash: draft.clientHash)
    draft.record.context = filler.contexts.intern(draft.context, hash: draft.contextHash)
    draft.record.terms =
      draft.termsHash == 0 ? filler.noTerms() : filler.terms.intern(draft.terms, hash: draft.termsHash)
    if !fields.properties.isEmpty {
      PropertyText.write(&fields.properties, to: &filler.propertyText)
      draft.record.properties = filler.propertyText.withUnsafeBytes { filler.properties.intern($0) }
    }
    filler.records.append(draft.record)
    addUsers(of: draft)
  }

  private mutating func addUsers(of draft: EventDraft) {
    let record = filler.records.count &- 1
    let id = fields[.userID].bytes
    let entry = PendingUsers.Entry(record: record, app: appNumber, hash: ByteHash.hash(id, seed: appHash), id: id)
    pendingUsers.append(entry)
    // Scratch memory is reused for the next line.
    let isOwnMemory = fields.isInScratch(id)
    if pendingUsers.isFull || isOwnMemory || draft.record.kind == .identify { resolveUsers() }
    if draft.record.kind == .identify {
      let id = fields[.previousUserID].bytes
      let hash = ByteHash.hash(id, seed: appHash)
      filler.records[record].previousUser = filler.users.index(app: appNumber, id: id, hash: hash, text: &filler.text)
    }
  }

  /// Looks up the users of the last records; call it before the memory of their lines is reused.
  mutating func resolveUsers() {
    pendingUsers.resolve(in: &filler.users, text: &filler.text, records: &filler.records)
  }
}
