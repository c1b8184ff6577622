/// How users add up to the numbers of a column.
enum ColumnSum: Sendable, Hashable {
  /// The sum of the users' values in the column.
  case units
  /// The sum of a column, or of several joined by `+`, over that of another.
  case ratio(String, over: String)
  /// A column's sum over the row's value of another column, to which single users do not contribute.
  case rate(String, per: String)
  /// The sum of the users' values in the column, each times another column, over the sum of that other column.
  case mean(over: String)
  /// An estimate from the units that a column counts.
  case estimate(from: String)
  /// A column that cannot be split by user, with the reason.
  case refused(String)

  func map(_ change: (String) -> String) -> ColumnSum {
    switch self {
    case .units, .refused: self
    case .ratio(let part, let whole): .ratio(change(part), over: change(whole))
    case .rate(let part, let count): .rate(change(part), per: change(count))
    case .mean(let count): .mean(over: change(count))
    case .estimate(let column): .estimate(from: change(column))
    }
  }
}

/// The unit of a column's numbers, and how users add up to them; as a text the unit alone, of which each user has some.
struct ColumnNumber: ExpressibleByStringLiteral {
  var unit: String
  var sum: ColumnSum?

  init(_ unit: String, _ sum: ColumnSum?) { (self.unit, self.sum) = (unit, sum) }

  init(stringLiteral unit: String) { self.init(unit, unit.isEmpty || unit == "text" ? nil : .units) }

  /// A share of counts; several columns are joined by `+`.
  static func share(_ part: String, of whole: String) -> ColumnNumber {
    ColumnNumber("share", .ratio(part, over: whole))
  }

  static func estimate(_ unit: String, from column: String) -> ColumnNumber {
    ColumnNumber(unit, .estimate(from: column))
  }

  static func refused(_ unit: String, _ reason: String) -> ColumnNumber { ColumnNumber(unit, .refused(reason)) }
}

/// Units of a row that a column does not count: those of some columns less those of others.
struct OtherUnits: Sendable, Hashable {
  /// The reason; empty for what the first column says.
  var text = ""
  var columns: [String]
  var less: [String] = []
  /// Whether the units are not old enough yet.
  var isTooRecent = false
  /// Whether they are those of the columns that the described column does not count.
  var isRest = false

  /// The units of another column.
  static func units(of column: String, less: String..., as text: String) -> OtherUnits {
    OtherUnits(text: text, columns: [column], less: less)
  }

  /// The units of another column that this one does not count.
  static func rest(of column: String, less: String..., as text: String, isTooRecent: Bool = false) -> OtherUnits {
    OtherUnits(text: text, columns: [column], less: less, isTooRecent: isTooRecent, isRest: true)
  }

  /// The units of another column that are too recent for this one.
  static func young(of column: String, _ text: String) -> OtherUnits {
    .rest(of: column, as: "too recent to count: \(text)", isTooRecent: true)
  }

  func less(_ column: String) -> OtherUnits {
    var others = self
    others.less.insert(column, at: 0)
    return others
  }

  func map(_ change: (String) -> String) -> OtherUnits {
    OtherUnits(
      text: change(text), columns: columns.map(change), less: less.map(change), isTooRecent: isTooRecent,
      isRest: isRest)
  }
}
