internal import EventModel

/// The spans of the current line, kept until the line is decoded and can be remembered.
struct LineSpans: ~Copyable {
  struct Span {
    var start: UnsafePointer<UInt8>
    var count: Int
    /// The varying fields before it, one bit each.
    var own: UInt32
  }

  /// A line has at most one span before each varying field and one after the last.
  private let all: UnsafeMutablePointer<Span>
  private(set) var count = 0

  init() { all = UnsafeMutablePointer<Span>.allocate(capacity: VaryingField.none + 1) }

  deinit { all.deallocate() }

  @inline(__always)
  mutating func removeAll() { count = 0 }

  /// Adds a span; returns `false` if there is no room, as ordinary lines never have that many.
  @inline(__always)
  mutating func append(_ start: UnsafePointer<UInt8>, to end: UnsafePointer<UInt8>, own: UInt32) -> Bool {
    if count > VaryingField.none { return false }
    (all + count).initialize(to: Span(start: start, count: start.distance(to: end), own: own))
    count &+= 1
    return true
  }

  subscript(index: Int) -> Span { all[index] }
}

extension LineDecoder {
  enum Recollection {
    /// The line's record has been added.
    case added
    /// ``spans`` has the line's spans, of which at least the last is unknown.
    case isNew
    /// The line does not fit the cache and should not be remembered.
    case isOdd
  }

  /// The number of lines after which the benefit of the cache is checked.
  private static let templateTrial = 4_096

  /// Decodes a line of known spans and plain varying values only; leaves all other lines, and all checks except the
  /// range of varying values, to ``decodeCarefully(_:count:line:)``.
  mutating func decodeRemembered(_ start: UnsafePointer<UInt8>, end: UnsafePointer<UInt8>, line: Int) -> Recollection {
    templateTries &+= 1
    if templateTries == Self.templateTrial { judgeTemplates() }
    guard ByteWord.loadPair(start) == ByteWord.braceQuote else { return .isOdd }
    spans.removeAll()
    let guesses = filler.templates.guesses
    var place = start + 1
    /// The node of the previous span, as long as all are known.
    var node: UInt32 = 0
    var isKnown = true
    var met: UInt32 = 0
    /// The guess for the varying field that follows.
    var fieldGuess = own.successors + VaryingField.none
    while true {
      // Reads consecutive own members.
      while case let field = Int(fieldGuess.pointee), field != VaryingField.none,
        let value = own.value(of: field, at: place)
      {
        let bit: UInt32 = 1 &<< UInt32(field)
        guard met & bit == 0, let behind = own.read(field, at: value, lineEnd: end) else { return .isOdd }
        met |= bit
        fieldGuess = own.successors + field
        if ByteWord.loadPair(behind) == ByteWord.commaQuote {
          place = behind + 1
        } else {
          place = JSONSyntax.skipSpace(behind)
          if place.pointee == UInt8(ascii: ",") {
            place = JSONSyntax.skipSpace(place + 1)
            guard place.pointee == UInt8(ascii: "\"") else { return .isOdd }
          } else if place.pointee == UInt8(ascii: "}") {
            break
          } else {
            return .isOdd
          }
        }
      }
      guard place < end else { return .isOdd }

      // Tries a span up to the line's end if that is likely, then recent spans, then searches for its end.
      let rest = place.distance(to: end)
      var next: UInt32 = 0
      if isKnown {
        let guess = guesses + Int(filler.templates.node(node).pointee.guess)
        if guess.pointee.isLastButOne {
          next = filler.templates.find(place, count: rest, after: node, own: met)
          if next != 0 && filler.templates.node(next).pointee.isLast {
            return addRemembered(next, met: met, line: line)
          }
        }
        next = filler.templates.guessed(guess, at: place, limit: rest, own: met)
      }
      let behind: UnsafePointer<UInt8>
      if next != 0 {
        behind = place + filler.templates.node(next).pointee.count
      } else {
        guard let spanEnd = own.endOfSpan(place, end: end) else { return .isOdd }
        if spanEnd == place {
          // There is no span here: the guess was wrong.
          guard let field = own.field(at: place) else { return .isOdd }
          fieldGuess.pointee = field
          continue
        }
        fieldGuess.pointee = UInt8(VaryingField.none)
        behind = spanEnd
        if isKnown {
          next = filler.templates.find(place, count: place.distance(to: behind), after: node, own: met)
          isKnown = next != 0
          if isKnown {
            if filler.templates.node(next).pointee.isLast { return addRemembered(next, met: met, line: line) }
            filler.templates.note(next, after: guesses + Int(filler.templates.node(node).pointee.guess))
          }
        }
      }
      guard spans.append(place, to: behind, own: met) else { return .isOdd }
      if behind == end { return isKnown ? .isOdd : .isNew }
      node = next
      place = behind
      fieldGuess =
        isKnown
        ? filler.templates.fields + Int(filler.templates.node(node).pointee.guess) : own.successors + VaryingField.none
    }
  }

  /// Adds the record of a line whose last span is that node.
  @inline(__always)
  private mutating func addRemembered(_ node: UInt32, met: UInt32, line: Int) -> Recollection {
    guard met & VaryingField.required == VaryingField.required else { return .isOdd }
    let outcome = filler.templates.node(node).pointee
    func has(_ field: VaryingField) -> Bool { met & (1 &<< UInt32(field.rawValue)) != 0 }
    var record = EventRecord()
    record.ts = own.instant(.ts)
    guard Instant(millisecondsSince1970: record.ts).isInRangeOfEvents else { return .isOdd }
    if has(.receivedAt) {
      let receivedAt = own.instant(.receivedAt)
      guard Instant(millisecondsSince1970: receivedAt).isInRangeOfEvents else { return .isOdd }
      record.receivedAt = receivedAt
    }
    if has(.expiresAt) {
      guard own.instant(.expiresAt) > record.ts else { return .isOdd }
      record.expiresAt = own.instant(.expiresAt)
    }
    if has(.trialEndsAt) {
      guard outcome.kind != .trialStart || own.instant(.trialEndsAt) > record.ts else { return .isOdd }
      record.trialEndsAt = own.instant(.trialEndsAt)
    }
    if has(.graceEndsAt) { record.graceEndsAt = own.instant(.graceEndsAt) }
    if has(.subscriptionStartedAt) { record.subscriptionStartedAt = own.instant(.subscriptionStartedAt) }

    let eventID = own.id(.eventID)
    record.identityHash = ByteHash.hash(eventID, seed: outcome.appHash)
    record.eventID = filler.text.append(eventID)
    if has(.subscriptionID) { record.subscriptionID = filler.text.append(own.id(.subscriptionID)) }
    if has(.transactionID) { record.transactionID = filler.text.append(own.id(.transactionID)) }
    record.client = outcome.client
    record.context = outcome.context
    record.terms = outcome.terms
    record.properties = outcome.properties
    record.line = UInt32(truncatingIfNeeded: line)
    record.kind = outcome.kind
    let index = filler.records.count
    filler.records.append(record)

    let userID = own.id(.userID)
    pendingUsers.append(
      PendingUsers.Entry(
        record: index, app: outcome.app, hash: ByteHash.hash(userID, seed: outcome.appHash), id: userID))
    if pendingUsers.isFull { resolveUsers() }
    templateHits &+= 1
    return .added
  }

  /// Remembers the result of the line of ``spans``, which is the last record added.
  mutating func rememberLast() {
    guard let record = filler.records.last, record.kind != .identify else { return }
    var line = LineTemplateCache.Node()
    line.appHash = appHash
    line.app = appNumber
    line.client = record.client
    line.context = record.context
    line.terms = record.terms
    line.properties = record.properties
    line.kind = record.kind
    var node: UInt32 = 0
    for index in 0..<spans.count {
      let span = spans[index]
      let isLast = index + 1 == spans.count
      let known = filler.templates.find(span.start, count: span.count, after: node, own: span.own)
      guard
        let next = known != 0
          ? known
          : filler.templates.add(
            span.start, count: span.count, after: node, own: span.own, line: isLast ? line : nil)
      else { return }
      node = next
    }
  }

  /// Pauses the cache if it finds few lines.
  private mutating func judgeTemplates() {
    if (templateHits - templateHitsBefore) * 4 < templateTries { templatePause = 16 * Self.templateTrial }
    templateTries = 0
    templateHitsBefore = templateHits
  }
}
