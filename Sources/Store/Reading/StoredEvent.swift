internal import Basics
internal import EventModel
internal import Foundation
internal import GRDB

/// An event of the store with the texts of everything that its numbers refer to.
struct StoredEvent {
  var row: EventRow
  var location: EventFinder.Location
  var app: Int32
  /// `received_at` − `ts`; `nil` if absent.
  var receivedAfter: Int64? { EventRow.optional(row.receivedAfter) }
  /// The event as a line of a native file, without `received_at`.
  var line: String

  /// Returns the events with an id, given as bytes, among the events of some users.
  static func all(
    _ db: Database, ofUsers users: [Int32], finder: EventFinder, eventID: [UInt8]
  ) throws -> [StoredEvent] {
    var events: [StoredEvent] = []
    try finder.visit(users) { rows, index, location in
      let row = rows.rows[index]
      try rows.text.withUnsafeBytes { text in
        guard row.eventID.text(in: text) == eventID else { return }
        events.append(try read(db, row, text, location))
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
  private static let prices = ["price_weekly", "price_monthly", "price_yearly", "price_lifetime", "price", "price_usd"]
  private static let numbers = ["tax_percentage", "commission_percentage", "\"limit\"", "used", "trial_days"]

  private static let sql = """
    SELECT
      client.app, user.name, property_set.json, (SELECT name FROM user WHERE id = ?6),
      client.is_sandbox, terms.is_family_tier, terms.is_family_shared, terms.plan,
      \((texts.map { "(SELECT text FROM name WHERE id = nullif(\($0.1), 0))" }
        + prices.map { "terms.\($0)" } + numbers.map { "terms.\($0)" }).joined(separator: ",\n  "))
    FROM user, client, context, terms, property_set
    WHERE user.id = ?1 AND client.id = ?2 AND context.id = ?3 AND terms.id = ?4 AND property_set.id = ?5
    """

  static func read(
    _ db: Database, _ event: EventRow, _ text: UnsafeRawBufferPointer, _ location: EventFinder.Location
  ) throws -> StoredEvent {
    let row = try SQLiteStatement(db, sql)
    for (place, id) in [
      event.user, event.client, event.context, event.terms, event.properties, event.previousUser,
    ].enumerated() {
      row.bind(Int32(place) + 1, id)
    }
    guard try row.step() else {
      throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "an event points to no entry of a dictionary")
    }
    func id(_ id: RowID) -> String { JSONText.quoted(String(decoding: id.text(in: text), as: UTF8.self)) }
    var fields: [(String, String)] = [
      ("event_id", id(event.eventID)), ("event", JSONText.quoted(event.kind.name)), ("ts", String(event.ts)),
      ("user_id", JSONText.quoted(row.string(1))),
    ]
    if event.subscriptionID.form != .absent { fields.append(("subscription_id", id(event.subscriptionID))) }
    if event.transactionID.form != .absent { fields.append(("transaction_id", id(event.transactionID))) }
    if row.string(2) != "{}" { fields.append(("properties", row.string(2))) }
    if let previous = row.optionalString(3) { fields.append(("previous_user_id", JSONText.quoted(previous))) }
    if row.int64(4) != 0 { fields.append(("environment", "\"sandbox\"")) }
    if row.int64(5) != 0 { fields.append(("tier", "\"family\"")) }
    if row.int64(6) != 0 { fields.append(("ownership", "\"family_shared\"")) }
    if let plan = row.optionalInt64(7).flatMap({ Plan(rawValue: UInt8($0)) }) {
      fields.append(("plan", JSONText.quoted(plan.name)))
    }
    var column: Int32 = 8
    for (field, _) in texts {
      if let text = row.optionalString(column) { fields.append((field, JSONText.quoted(text))) }
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
    for (field, end) in [
      ("expires_at", event.expiresAt), ("trial_ends_at", event.trialEndsAt), ("grace_ends_at", event.graceEndsAt),
      ("subscription_started_at", event.startedAt),
    ] where end != EventRow.absent {
      fields.append((field, String(end)))
    }
    return StoredEvent(
      row: event, location: location, app: row.int32(0),
      line: "{" + fields.map { "\"\($0.0)\":\($0.1)" }.joined(separator: ",") + "}")
  }

  /// Returns micro-units as a decimal number.
  private static func decimal(_ microUnits: Int64) -> String {
    let fraction = String(microUnits % 1_000_000 + 1_000_000).dropFirst()
    return "\(microUnits / 1_000_000).\(fraction)"
  }
}
