internal import Crypto
internal import EventModel

/// An event of the native format (Events.md) that an adapter makes of a payload.
///
/// It is judged by the same rules as a line of a native file: an adapter cannot add what such a line could not.
struct NativeEvent {
  private var values: [(field: EventField, value: PayloadValue)] = []
  /// What the adapter has not mapped.
  var properties: [PayloadMember] = []

  init(_ kind: EventKind, id: String) {
    self[.event] = .string(kind.name)
    self[.eventID] = .string(id)
  }

  /// An absent value takes the field away.
  subscript(field: EventField) -> PayloadValue? {
    get { values.first { $0.field == field }?.value }
    set {
      values.removeAll { $0.field == field }
      if let newValue, !newValue.isAbsent { values.append((field, Self.written(newValue, for: field))) }
    }
  }

  /// Takes an instant in milliseconds.
  mutating func set(_ field: EventField, milliseconds: Int64?) { self[field] = milliseconds.map { PayloadValue($0) } }

  /// The end of the paid period, which has to be later than `ts` (Events.md); an earlier one is kept as a property.
  mutating func setExpiresAt(_ milliseconds: Int64?, property: String) {
    guard let milliseconds else { return }
    if let ts = self[.ts]?.integer, milliseconds <= ts {
      properties.append(PayloadMember(property, PayloadValue(milliseconds)))
    } else {
      set(.expiresAt, milliseconds: milliseconds)
    }
  }

  /// A number that was written as a text, where a field takes a number only.
  private static func written(_ value: PayloadValue, for field: EventField) -> PayloadValue {
    guard case .string(let text) = value else { return value }
    switch field {
    case .ts, .receivedAt, .expiresAt, .trialEndsAt, .graceEndsAt, .taxPercentage, .commissionPercentage, .limit, .used,
      .trialDays:
      guard let number = PayloadValue(parsing: Array(text.utf8)), case .number = number else { return value }
      return number
    default: return value
    }
  }

  func write(to text: inout [UInt8]) {
    var members = values.map { PayloadMember($0.field.name, $0.value) }
    if !properties.isEmpty { members.append(PayloadMember(EventField.properties.name, .object(Self.once(properties)))) }
    PayloadValue.object(members).write(to: &text)
  }

  /// Members without those that a later one of the same name replaces.
  private static func once(
    _ members: [PayloadMember]
  ) -> [PayloadMember] {
    var met: Set<String> = []
    return members.reversed().filter { met.insert($0.name).inserted }.reversed()
  }

  /// An event id of a vendor's own keys; a text past what an id can have is replaced by its SHA-256.
  static func id(_ parts: String?...) -> String {
    let id = parts.compactMap { $0 }.joined(separator: ":")
    if id.utf8.count <= Limits.stringBytes { return id }
    return parts[0].map { "\($0):" }.map { $0 + digest(id) } ?? digest(id)
  }

  /// A text as it is where a known string can hold it, else its SHA-256.
  static func short(_ text: String) -> String { text.utf8.count <= Limits.stringBytes ? text : digest(text) }

  private static func digest(_ text: String) -> String { digest(Array(text.utf8)) }

  /// SHA-256 in hexadecimal digits.
  static func digest(_ bytes: [UInt8]) -> String { SHA256.hash(data: bytes).hexadecimal }
}
