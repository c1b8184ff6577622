/// The tables that the fold fills; the same columns serve for facts folded again in memory.
public enum FactTable: String, CaseIterable, Sendable {
  case entry
  case exposure
  case trial
  case conversion
  case spell
  case payment

  /// The key is (person, place in the fold's list, place in the unit's contexts): a unit that is credited to
  /// several contexts has a row for each (only with `--attribution all`).
  func createSQL(schema: String) -> String {
    let layout = columns.contains { $0.hasPrefix("PRIMARY KEY") } ? "STRICT, WITHOUT ROWID" : "STRICT"
    return "CREATE TABLE \(schema).\(rawValue)_fact (\n\(columns.joined(separator: ",\n"))\n) \(layout)"
  }

  func insertSQL(schema: String) -> String {
    let count = columns.count { !$0.hasPrefix("PRIMARY KEY") }
    let values = Array(repeating: "?", count: count).joined(separator: ", ")
    return "INSERT INTO \(schema).\(rawValue)_fact VALUES (\(values))"
  }

  private var columns: [String] {
    switch self {
    case .entry:
      ["person INTEGER NOT NULL PRIMARY KEY", "app INTEGER NOT NULL", "ts INTEGER NOT NULL"]
        + Self.context + Self.dimensions
    case .exposure:
      [
        "person INTEGER NOT NULL", "experiment INTEGER NOT NULL", "variant INTEGER NOT NULL", "app INTEGER NOT NULL",
        "ts INTEGER NOT NULL", "client INTEGER NOT NULL", "PRIMARY KEY (person, experiment, variant)",
      ]
    case .trial:
      Self.unitKey
        + [
          "start INTEGER NOT NULL", "trial_end INTEGER NOT NULL", "deadline INTEGER NOT NULL", "converted_at INTEGER",
          "is_cancelled INTEGER NOT NULL", "product INTEGER NOT NULL",
        ] + Self.context + Self.dimensions + [Self.unitPrimaryKey]
    case .conversion:
      Self.unitKey
        + ["ts INTEGER NOT NULL", "trial_start INTEGER", "conversion_trial_kind INTEGER NOT NULL"]
        + Self.context + [Self.unitPrimaryKey]
    case .spell:
      Self.unitKey
        + [
          "ordinal INTEGER NOT NULL", "start INTEGER NOT NULL", "cover_end INTEGER NOT NULL",
          "grace_end INTEGER NOT NULL", "reason INTEGER NOT NULL", "is_purchase INTEGER NOT NULL",
          "product INTEGER NOT NULL", "price INTEGER NOT NULL", "currency INTEGER NOT NULL",
          "has_offer_type INTEGER NOT NULL", "payments INTEGER NOT NULL", "last_payment_at INTEGER NOT NULL",
          "is_off_35 INTEGER NOT NULL", "is_off_95 INTEGER NOT NULL", "is_off_370 INTEGER NOT NULL",
          "first_cancelled_at INTEGER", "first_refunded_at INTEGER", "subscription_id ANY",
        ] + Self.context + Self.dimensions + [Self.unitPrimaryKey]
    case .payment:
      [
        "person INTEGER NOT NULL", "number INTEGER NOT NULL", "app INTEGER NOT NULL", "spell INTEGER NOT NULL",
        "ts INTEGER NOT NULL", "kind INTEGER NOT NULL", "product INTEGER NOT NULL", "plan INTEGER NOT NULL",
        "price INTEGER NOT NULL", "currency INTEGER NOT NULL", "terms INTEGER NOT NULL", "cover_end INTEGER NOT NULL",
        "refunded INTEGER NOT NULL", "refunded_at INTEGER", "PRIMARY KEY (person, number)",
      ]
    }
  }

  private static let unitKey = [
    "person INTEGER NOT NULL", "number INTEGER NOT NULL", "credit INTEGER NOT NULL", "app INTEGER NOT NULL",
  ]
  private static let unitPrimaryKey = "PRIMARY KEY (person, number, credit)"
  private static let context = [
    "experiment INTEGER NOT NULL", "variant INTEGER NOT NULL", "paywall INTEGER NOT NULL",
    "entry_point INTEGER NOT NULL",
  ]
  private static let dimensions = [
    "client INTEGER NOT NULL", "plan INTEGER", "is_family_tier INTEGER NOT NULL", "trial_kind INTEGER NOT NULL",
    "properties INTEGER NOT NULL",
  ]
}
