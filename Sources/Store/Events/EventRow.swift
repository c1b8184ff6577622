internal import EventModel

/// An id of an event, as the store holds it.
struct RowID: Sendable {
  enum Form: UInt8, Sendable {
    case absent
    /// A UUID in lower case: `first` and `second` are its 16 bytes as big-endian numbers.
    case uuid
    /// Any other text: `first` is the offset of its bytes in the rows' text, `second` the number of bytes.
    case text
  }

  var first: UInt64 = 0
  var second: UInt64 = 0
  var form = Form.absent

  static let absent = RowID()
}

extension RowID {
  /// Creates the id in a slice of a text.
  @inline(__always)
  init(_ slice: TextSlice, in text: UnsafeRawBufferPointer) {
    if slice.length == 0 {
      self = .absent
    } else {
      self.init(text.slice(slice), at: Int(slice.offset))
    }
  }

  /// Creates an id from at least one byte at an offset of the rows' text.
  @inline(__always)
  init(_ bytes: UnsafeRawBufferPointer, at offset: Int) {
    if let uuid = CodedText.uuid(bytes) {
      self.init(first: UInt64(bigEndian: uuid.0), second: UInt64(bigEndian: uuid.1), form: .uuid)
    } else {
      self.init(first: UInt64(offset), second: UInt64(bytes.count), form: .text)
    }
  }

  @inline(__always)
  func bytes(in text: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: text[Int(first)..<Int(first + second)])
  }

  /// Returns the id as text; empty if absent.
  func text(in text: UnsafeRawBufferPointer) -> [UInt8] {
    switch form {
    case .absent: []
    case .uuid: CodedText.uuidText(first, second)
    case .text: [UInt8](bytes(in: text))
    }
  }

  /// Returns whether two ids are equal; each comes with the text of its rows.
  @inline(__always)
  static func areEqual(
    _ left: RowID, in leftText: UnsafeRawBufferPointer, _ right: RowID, in rightText: UnsafeRawBufferPointer
  ) -> Bool {
    guard left.form == right.form else { return false }
    switch left.form {
    case .absent: return true
    case .uuid: return left.first == right.first && left.second == right.second
    case .text: return left.bytes(in: leftText).elementsEqual(right.bytes(in: rightText))
    }
  }

  /// Returns whether an id comes before another in the order of their bytes; each comes with the text of its rows.
  static func precedes(
    _ left: RowID, in leftText: UnsafeRawBufferPointer, _ right: RowID, in rightText: UnsafeRawBufferPointer
  ) -> Bool {
    switch (left.form, right.form) {
    case (.uuid, .uuid): left.first != right.first ? left.first < right.first : left.second < right.second
    case (.text, .text): left.bytes(in: leftText).lexicographicallyPrecedes(right.bytes(in: rightText))
    default: left.text(in: leftText).lexicographicallyPrecedes(right.text(in: rightText))
    }
  }
}

/// One event as the store holds it: instants in ms since 1970, numbers from the dictionaries, and ids.
struct EventRow: Sendable {
  /// Stands for an absent number of milliseconds.
  static let absent = Int64.min

  var ts: Int64 = 0
  /// `received_at` − `ts`, or ``absent``.
  var receivedAfter = absent
  var expiresAt = absent
  var trialEndsAt = absent
  var graceEndsAt = absent
  /// When the subscription of a `payment` began, or ``absent``.
  var startedAt = absent
  var eventID = RowID.absent
  var subscriptionID = RowID.absent
  var transactionID = RowID.absent
  var user: Int32 = 0
  /// The number of the user that an `identify` event joins; 0 if absent.
  var previousUser: Int32 = 0
  var file: Int32 = 0
  var client: Int32 = 0
  var context: Int32 = 0
  var terms: Int32 = 0
  var properties: Int32 = 0
  var kind = EventKind.activity

  /// Whether the event has any of the fields that few events have.
  @inline(__always)
  var hasDetail: Bool {
    expiresAt != Self.absent || trialEndsAt != Self.absent || graceEndsAt != Self.absent || startedAt != Self.absent
      || previousUser != 0 || subscriptionID.form != .absent || transactionID.form != .absent
  }

  @inline(__always)
  static func optional(_ value: Int64) -> Int64? { value == absent ? nil : value }

  /// Returns whether two events with one id have the same content, whatever file and time of receipt they have; each
  /// comes with the text of its rows.
  func hasContent(
    of other: EventRow, _ text: UnsafeRawBufferPointer, _ otherText: UnsafeRawBufferPointer
  ) -> Bool {
    ts == other.ts && kind == other.kind && user == other.user && client == other.client && context == other.context
      && terms == other.terms && properties == other.properties && expiresAt == other.expiresAt
      && trialEndsAt == other.trialEndsAt && graceEndsAt == other.graceEndsAt && startedAt == other.startedAt
      && previousUser == other.previousUser
      && RowID.areEqual(subscriptionID, in: text, other.subscriptionID, in: otherText)
      && RowID.areEqual(transactionID, in: text, other.transactionID, in: otherText)
  }
}

/// Events with the texts of their ids.
struct EventRows: Sendable {
  var rows: [EventRow] = []
  var text: [UInt8] = []

  mutating func removeAll() {
    rows.removeAll(keepingCapacity: true)
    text.removeAll(keepingCapacity: true)
  }

  /// Appends a row whose ids refer to another text.
  @inline(__always)
  mutating func append(_ row: EventRow, text source: UnsafeRawBufferPointer) {
    var row = row
    if row.eventID.form == .text { copy(&row.eventID, from: source) }
    if row.subscriptionID.form == .text { copy(&row.subscriptionID, from: source) }
    if row.transactionID.form == .text { copy(&row.transactionID, from: source) }
    rows.append(row)
  }

  /// Appends some of the rows of another instance.
  @inline(__always)
  mutating func append(contentsOf other: borrowing EventRows, _ places: Range<Int>) {
    // Most ids are UUIDs, which need no text.
    if other.text.isEmpty {
      rows.append(contentsOf: other.rows[places])
      return
    }
    other.text.withUnsafeBytes { text in
      for place in places { append(other.rows[place], text: text) }
    }
  }

  private mutating func copy(_ id: inout RowID, from source: UnsafeRawBufferPointer) {
    let offset = text.count
    text.append(contentsOf: id.bytes(in: source))
    id.first = UInt64(offset)
  }

  /// Sorts the rows in event order (definitions 1.2), either user by user or across all users.
  mutating func sort(userByUser: Bool = true) {
    let isSorted = rows.withUnsafeBufferPointer { rows in
      for place in 1..<max(1, rows.count) {
        guard Self.precedesButForID(rows[place - 1], rows[place], userByUser) ?? false else { return false }
      }
      return true
    }
    if isSorted { return }
    text.withUnsafeBytes { text in
      rows.sort { left, right in
        Self.precedesButForID(left, right, userByUser)
          ?? RowID.precedes(left.eventID, in: text, right.eventID, in: text)
      }
    }
  }

  /// Returns whether a row comes before another; `nil` if their ids tell.
  @inline(__always)
  private static func precedesButForID(_ left: EventRow, _ right: EventRow, _ userByUser: Bool) -> Bool? {
    if userByUser && left.user != right.user { return left.user < right.user }
    return EventOrder.precedes((left.ts, left.kind), (right.ts, right.kind))
  }

  /// Returns whether an event comes before another of its user (definitions 1.2); each comes with the text of its rows.
  static func precedes(
    _ left: EventRow, _ text: UnsafeRawBufferPointer, _ right: EventRow, _ otherText: UnsafeRawBufferPointer
  ) -> Bool {
    precedesButForID(left, right, false) ?? RowID.precedes(left.eventID, in: text, right.eventID, in: otherText)
  }
}
