internal import EventModel
internal import Foundation
internal import GRDB

/// A row of `event` with everything that its numbers stand for.
struct StoredEvent {
  /// ``EventRowID``.
  var id: Int64
  var user: Int32 { EventRowID.user(of: id) }
  var ts: Int64
  var kind: Int64
  var eventID: String
  var app: Int32
  var file: Int64
  /// `received_at` − `ts`.
  var receivedAfter: Int64?
  var isIdentify: Bool { kind == Int64(EventKind.identify.rawValue) }
  /// The event as a line of a native file, without `received_at`.
  var line: String

  /// The events of users.
  ///
  /// - Parameter condition: On their ids.
  static func all(
    _ db: Database, ofUsers users: [Int32], segments: Segments, where condition: (String) -> Bool
  ) throws -> [StoredEvent] {
    let statement = try SQLiteStatement(db, "\(sql) WHERE event.id BETWEEN ? AND ?")
    var events: [StoredEvent] = []
    for user in users {
      for segment in segments.ids {
        let range = EventRowID.range(segment: segment, user: user)
        statement.bind(1, range.lowerBound)
        statement.bind(2, range.upperBound)
        while try statement.step() {
          guard let eventID = statement.coded(3), condition(eventID) else { continue }
          events.append(try read(statement, eventID: eventID))
        }
        statement.reset()
      }
    }
    return events
  }

  private static let texts = [
    ("app", "client.app"), ("platform", "client.platform"), ("store", "client.store"), ("country", "client.country"),
    ("app_version", "client.app_version"), ("entry_point", "context.entry_point"), ("experiment", "context.experiment"),
    ("variant", "context.variant"), ("paywall", "context.paywall"), ("offering", "terms.offering"),
    ("product_id", "terms.product"), ("currency", "terms.currency"), ("offer_type", "terms.offer_type"),
    ("offer_code", "terms.offer_code"), ("trial_kind", "terms.trial_kind"),
    ("previous_product_id", "terms.previous_product"), ("reason", "terms.reason"), ("limit_name", "terms.limit_name"),
  ]
  private static let prices = ["price_weekly", "price_monthly", "price_yearly", "price_lifetime", "price"]
  private static let numbers = ["tax_percentage", "commission_percentage", "\"limit\"", "used", "trial_days"]
  private static let instants = ["expires_at", "trial_ends_at", "grace_ends_at"]

  private static let sql = """
    SELECT
      event.id, event.ts, event.kind, event.event_id, event.file, event.received_after, client.app,
      user.name, event.subscription_id, event.transaction_id, property_set.json, previous.name,
      client.is_sandbox, terms.is_family_tier, terms.is_family_shared, terms.plan,
      \((texts.map { "(SELECT text FROM name WHERE id = nullif(\($0.1), 0))" }
        + prices.map { "terms.\($0)" } + numbers.map { "terms.\($0)" }
        + instants.map { "event.\($0)" }).joined(separator: ",\n  "))
    FROM event
    JOIN user ON user.id = \(EventRowID.userSQL("event.id"))
    JOIN client ON client.id = event.client
    JOIN context ON context.id = event.context
    JOIN terms ON terms.id = event.terms
    JOIN property_set ON property_set.id = event.properties
    LEFT JOIN user AS previous ON previous.id = event.previous_user
    """

  private static func read(_ row: SQLiteStatement, eventID: String) throws -> StoredEvent {
    guard let kind = EventKind(rawValue: UInt8(row.int64(2))) else {
      preconditionFailure("the store has an event of an unknown kind")
    }
    var fields: [(String, String)] = [
      ("event_id", quoted(eventID)), ("event", quoted(kind.name)), ("ts", String(row.int64(1))),
      ("user_id", quoted(row.string(7))),
    ]
    if let id = row.coded(8) { fields.append(("subscription_id", quoted(id))) }
    if let id = row.coded(9) { fields.append(("transaction_id", quoted(id))) }
    if row.string(10) != "{}" { fields.append(("properties", row.string(10))) }
    if let previous = row.optionalString(11) { fields.append(("previous_user_id", quoted(previous))) }
    if row.int64(12) != 0 { fields.append(("environment", "\"sandbox\"")) }
    if row.int64(13) != 0 { fields.append(("tier", "\"family\"")) }
    if row.int64(14) != 0 { fields.append(("ownership", "\"family_shared\"")) }
    if let plan = row.optionalInt64(15).flatMap({ Plan(rawValue: UInt8($0)) }) {
      fields.append(("plan", quoted(plan.name)))
    }
    var column: Int32 = 16
    for (field, _) in texts {
      if let text = row.optionalString(column) { fields.append((field, quoted(text))) }
      column += 1
    }
    for field in prices {
      if let price = row.optionalInt64(column) { fields.append((field, decimal(price))) }
      column += 1
    }
    for field in numbers {
      if let number = row.optionalDouble(column) {
        fields.append((field.filter { $0 != "\"" }, number.rounded() == number ? String(Int64(number)) : "\(number)"))
      }
      column += 1
    }
    for field in instants {
      if let instant = row.optionalInt64(column) { fields.append((field, String(instant))) }
      column += 1
    }
    return StoredEvent(
      id: row.int64(0), ts: row.int64(1), kind: row.int64(2), eventID: eventID, app: row.int32(6),
      file: row.int64(4), receivedAfter: row.optionalInt64(5),
      line: "{" + fields.map { "\"\($0.0)\":\($0.1)" }.joined(separator: ",") + "}")
  }

  /// A JSON string.
  private static func quoted(_ text: String) -> String {
    var quoted = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": quoted += "\\\""
      case "\\": quoted += "\\\\"
      case _ where scalar.value < 0x20:
        quoted += "\\u00" + (scalar.value < 16 ? "0" : "") + String(scalar.value, radix: 16)
      default: quoted.unicodeScalars.append(scalar)
      }
    }
    return quoted + "\""
  }

  /// Micro-units as a decimal number.
  private static func decimal(_ microUnits: Int64) -> String {
    let fraction = String(microUnits % 1_000_000 + 1_000_000).dropFirst()
    return "\(microUnits / 1_000_000).\(fraction)"
  }
}
