/// The tables of facts as queries see them; stored and recomputed facts have the same ones.
///
/// Each is a view `NAME_fact` over a table `NAME_row`. In the table, the dimensions with few combinations are one
/// number that refers to a cell key, which saves columns, time and space for every unit.
public enum FactTable: Int, CaseIterable, Sendable {
  case entry
  case exposure
  case trial
  case conversion
  case spell
  case payment
  case refund

  /// Returns the table of cell keys that rows of facts refer to.
  static func cellKeySQL(schema: String) -> String {
    let columns = (["app"] + context + units).map { "\($0) INTEGER\($0 == "plan" ? "" : " NOT NULL")" }
    return "CREATE TABLE \(schema).origin (id INTEGER NOT NULL PRIMARY KEY, \(columns.joined(separator: ", "))) STRICT"
  }

  /// Returns the statements that create the table and its view.
  ///
  /// The key is (person, place in the fold's list, place in the unit's contexts): a unit that is credited to several
  /// contexts has a row for each (only with `--attribution all`).
  func createSQL(schema: String) -> [String] {
    let key = columns.filter(\.isKey).map(\.name).joined(separator: ", ")
    let isRowID = columns.count(where: \.isKey) == 1
    let definitions = columns.map { column in
      "  \(column.name) \(column.type)\(isRowID && column.isKey ? " PRIMARY KEY" : "")"
    }
    let table = """
      CREATE TABLE \(schema).\(rowTable) (
      \((definitions + (isRowID ? [] : ["  PRIMARY KEY (\(key))"])).joined(separator: ",\n"))
      ) \(isRowID ? "STRICT" : "STRICT, WITHOUT ROWID")
      """
    let shown = columns.flatMap(\.shown).map { "\($0.expression) AS \($0.name)" }
    let join = columns.contains { $0.name == "origin" } ? " JOIN origin AS o ON o.id = f.origin" : ""
    let view = """
      CREATE VIEW \(schema).\(view) AS
      SELECT \(shown.joined(separator: ", "))
      FROM \(rowTable) AS f\(join)
      """
    return [table, view]
  }

  static func dropSQL(schema: String) -> String {
    (allCases.flatMap {
      ["DROP VIEW IF EXISTS \(schema).\($0.view);", "DROP TABLE IF EXISTS \(schema).\($0.rowTable);"]
    } + ["DROP TABLE IF EXISTS \(schema).origin;"]).joined(separator: "\n")
  }

  /// A view with the dimensions of each fact, over the table of its numbers.
  var view: String { "\(self)_fact" }
  var rowTable: String { "\(self)_row" }

  /// The column whose values are bytes; see ``RowValues/append(text:)``.
  var bytesColumn: Int { self == .exposure ? columns.count - 1 : -1 }

  var columnCount: Int { columns.count }

  /// A column of the table, and how the view shows it.
  private struct Column {
    var name: String
    var type = "INTEGER NOT NULL"
    var isKey = false
    var shown: [(name: String, expression: String)]

    init(
      _ name: String, _ type: String = "INTEGER NOT NULL", isKey: Bool = false, shownAs shown: [(String, String)]? = nil
    ) {
      self.name = name
      self.type = type
      self.isKey = isKey
      self.shown = (shown ?? [(name, "f.\(name)")]).map { (name: $0.0, expression: $0.1) }
    }
  }

  private var columns: [Column] {
    switch self {
    case .entry:
      [Column("person", isKey: true), Column("ts"), Self.cellKey(["app"] + Self.context + Self.units)] + Self.dimensions
    case .exposure:
      [
        Column("person", isKey: true),
        Column("origin", isKey: true, shownAs: ["app", "experiment", "variant"].map { ($0, "o.\($0)") }),
        Column("ts"), Column("client"), Column("outcome", "BLOB NOT NULL"),
      ]
    case .trial:
      Self.unitKey
        + [
          Column("start"),
          Column("length", shownAs: [("trial_end", "f.start + f.length")]),
          Column("grace", shownAs: [("deadline", "f.start + f.length + f.grace")]),
          Column("converted_after", "INTEGER", shownAs: [("converted_at", "f.start + f.converted_after")]),
          Column("is_cancelled"), Column("product"), Self.cellKey(["app"] + Self.context + Self.units),
        ] + Self.dimensions
    case .conversion:
      Self.unitKey
        + [
          Column("ts"), Column("trial_start", "INTEGER"), Column("conversion_trial_kind"),
          Self.cellKey(["app"] + Self.context),
        ]
    case .spell:
      Self.unitKey
        + ["ordinal", "start", "cover_end", "grace_end", "reason", "is_purchase"].map { Column($0) }
        + ["product", "price", "currency", "has_offer_type", "payments", "last_payment_at"].map { Column($0) }
        + [
          // Bits: auto-renew off at 35, 95 and 370 days, and now.
          Column(
            "is_off",
            shownAs: [
              ("is_off_35", "(f.is_off & 1)"), ("is_off_95", "(f.is_off >> 1 & 1)"),
              ("is_off_370", "(f.is_off >> 2 & 1)"), ("is_off_now", "(f.is_off >> 3 & 1)"),
            ]),
          Column("first_cancelled_at", "INTEGER"), Column("first_refunded_at", "INTEGER"),
          Column("subscription_id", "ANY"), Self.cellKey(["app"] + Self.context + Self.units),
        ] + Self.dimensions
    case .payment:
      [Column("person", isKey: true), Column("number", isKey: true)]
        + ["app", "spell", "ts", "kind", "product", "plan", "price", "currency", "terms"].map { Column($0) }
        + ["cover_end", "paid_until", "refunded"].map { Column($0) } + [Column("refunded_at", "INTEGER")]
    case .refund:
      [Column("person", isKey: true), Column("number", isKey: true)]
        + ["app", "payment", "spell", "ts", "amount", "currency"].map { Column($0) }
    }
  }

  private static let unitKey = ["person", "number", "credit"].map { Column($0, isKey: true) }
  static let context = ["experiment", "variant", "paywall", "entry_point"]
  static let units = [
    "plan", "is_family_tier", "trial_kind", "product", "offering", "offer_type", "offer_code",
  ]
  private static let dimensions = [Column("client"), Column("properties")]

  private static func cellKey(_ names: [String]) -> Column {
    Column("origin", shownAs: names.map { ($0 == "product" ? "own_product" : $0, "o.\($0)") })
  }
}
