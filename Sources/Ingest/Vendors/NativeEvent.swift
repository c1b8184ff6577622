internal import Basics
internal import Crypto
internal import EventModel

/// An event in the native format (Events.md) that an adapter creates from a payload.
///
/// It is checked like a line of a native file, so an adapter cannot add an event that such a line could not.
struct NativeEvent {
  private var values: [(field: EventField, value: JSONNode)] = []
  /// The payload's unmapped fields.
  var properties: [JSONMember] = []
  /// Whether the event only says that two ids are one user (`joins` of a mapping).
  var isJoin = false
  /// Whether the payload is a state without a time, so that the event happened when it was received.
  var happensWhenReceived = false

  init(_ kind: EventKind, id: String) {
    self[.event] = .string(kind.name)
    self[.eventID] = .string(id)
  }

  /// The value of a field; setting an absent value removes the field.
  subscript(field: EventField) -> JSONNode? {
    get { values.first { $0.field == field }?.value }
    set {
      values.removeAll { $0.field == field }
      if let newValue, !newValue.isAbsent { values.append((field, Self.written(newValue, for: field))) }
    }
  }

  /// Sets an instant in milliseconds.
  mutating func set(_ field: EventField, milliseconds: Int64?) { self[field] = milliseconds.map { JSONNode($0) } }

  /// Sets an amount. That of a refund may be written as negative; without one, or of 0, it is of all that was paid.
  mutating func setMoney(_ price: JSONNode?, _ currency: JSONNode?, dollars: JSONNode?) {
    let isRefund = self[.event]?.text == EventKind.refund.name
    guard let price, !isRefund || price.double != 0 else { return }
    self[.price] = isRefund ? price.unsigned : price
    self[.currency] = currency
    self[.priceUSD] = isRefund ? dollars?.unsigned : dollars
  }

  /// Sets the instant of an expiration: access ends with the paid period, unless that ends after the notice.
  mutating func setExpired(at end: Int64?) {
    if let end, let noticed = self[.ts]?.integer, end < noticed { set(.ts, milliseconds: end) }
  }

  /// Sets the end of the paid period, which must be later than `ts` (Events.md); an earlier one becomes a property.
  mutating func setExpiresAt(_ milliseconds: Int64?, property: String) {
    guard let milliseconds else { return }
    if let ts = self[.ts]?.integer, milliseconds <= ts {
      properties.append(JSONMember(property, JSONNode(milliseconds)))
    } else {
      set(.expiresAt, milliseconds: milliseconds)
    }
  }

  /// Returns a text as a number if the field accepts only numbers.
  private static func written(_ value: JSONNode, for field: EventField) -> JSONNode {
    guard case .string(let text) = value else { return value }
    switch MappingValue.Form(field) {
    case .time, .number, .days:
      guard let number = JSONNode(parsing: Array(text.utf8)), case .number = number else { return value }
      return number
    case .text, .money: return value
    }
  }

  /// Returns an `identify` that says that two ids are one user, from the start of a day on.
  static func join(app: String, user: String, previous: String, day: Int64) -> NativeEvent {
    let key = digest(Array("\(app)\0\(user)\0\(previous)\0\(day)".utf8))
    var event = NativeEvent(.identify, id: SourceSettings.joinPrefix + key)
    event.isJoin = true
    event.set(.ts, milliseconds: day)
    event[.app] = .string(app)
    event[.userID] = .string(user)
    event[.previousUserID] = .string(previous)
    return event
  }

  func write(to text: inout [UInt8]) {
    var members = values.map { JSONMember($0.field.name, $0.value) }
    if !properties.isEmpty { members.append(JSONMember(EventField.properties.name, .object(Self.once(properties)))) }
    JSONNode.object(members).write(to: &text)
  }

  /// Returns the members without those that a later one with that name replaces.
  private static func once(
    _ members: [JSONMember]
  ) -> [JSONMember] {
    var met: Set<String> = []
    return members.reversed().filter { met.insert($0.name).inserted }.reversed()
  }

  /// Returns an event id from a vendor's keys; uses the SHA-256 if the text is too long for an id.
  static func id(_ parts: String?...) -> String {
    let id = parts.compactMap { $0 }.joined(separator: ":")
    if id.utf8.count <= Limits.stringBytes { return id }
    return parts[0].map { "\($0):" }.map { $0 + digest(id) } ?? digest(id)
  }

  /// Returns the text if it fits into a known string, else its SHA-256.
  static func short(_ text: String) -> String { text.utf8.count <= Limits.stringBytes ? text : digest(text) }

  private static func digest(_ text: String) -> String { digest(Array(text.utf8)) }

  /// Returns the SHA-256 in hexadecimal digits.
  static func digest(_ bytes: [UInt8]) -> String { SHA256.hash(data: bytes).hexadecimal }
}
