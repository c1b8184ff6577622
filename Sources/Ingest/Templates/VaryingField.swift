internal import EventModel

/// The fields whose values differ from line to line: ids and instants. Other fields repeat.
enum VaryingField: UInt8, CaseIterable {
  case eventID
  case ts
  case userID
  case receivedAt
  case expiresAt
  case trialEndsAt
  case graceEndsAt
  case subscriptionID
  case transactionID
  case subscriptionStartedAt

  var field: EventField {
    switch self {
    case .eventID: .eventID
    case .ts: .ts
    case .userID: .userID
    case .receivedAt: .receivedAt
    case .expiresAt: .expiresAt
    case .trialEndsAt: .trialEndsAt
    case .graceEndsAt: .graceEndsAt
    case .subscriptionID: .subscriptionID
    case .transactionID: .transactionID
    case .subscriptionStartedAt: .subscriptionStartedAt
    }
  }

  /// The number of the fields, used for none of them.
  static let none = 10
  /// The bits of the fields with an instant.
  static let instants: UInt32 = 0b10_0111_1010
  /// The bits of the fields that every event has.
  static let required: UInt32 = 0b00_0000_0111
}
