/// The rule by which users add up to a column.
struct ColumnRule: Sendable {
  enum Kind: Sendable {
    /// The sum of the users' values in the column.
    case sum
    case ratio(String, over: String)
    /// A column's sum over the row's value of another column, to which single users do not contribute.
    case rate(String, per: String)
    /// The sum of the users' values in the column, each times another column, over the sum of that other column.
    case mean(over: String)
    /// An estimate from the units that a column counts.
    case estimate(from: String)
    /// A column that cannot be split by user, with the reason.
    case refused(String)
  }

  /// Why units of the row do not count: the units of some columns less those of others.
  struct Others: Sendable {
    var text: String
    var columns: [String]
    var less: [String] = []
    /// Whether the units are not old enough yet.
    var isTooRecent = false
  }

  var kind: Kind
  /// The numbers of the definitions, such as `3.1, 3.3`.
  var numbers: String
  var text: String
  var others: [Others] = []

  static func sum(_ numbers: String, _ text: String, _ others: [Others] = []) -> ColumnRule {
    ColumnRule(kind: .sum, numbers: numbers, text: text, others: others)
  }

  static func ratio(_ part: String, over whole: String, _ numbers: String, _ text: String) -> ColumnRule {
    ColumnRule(kind: .ratio(part, over: whole), numbers: numbers, text: text)
  }

  static func mean(over count: String, _ numbers: String, _ text: String) -> ColumnRule {
    ColumnRule(kind: .mean(over: count), numbers: numbers, text: text)
  }

  static func estimate(from column: String, _ numbers: String, _ text: String) -> ColumnRule {
    ColumnRule(kind: .estimate(from: column), numbers: numbers, text: text)
  }

  static func refused(_ reason: String) -> ColumnRule {
    ColumnRule(kind: .refused(reason), numbers: "", text: "")
  }

  /// The names of a quotient's two numbers in its text.
  var quotientWords: (part: String, whole: String) {
    let parts = text.split(separator: " ÷ ", maxSplits: 1).map(String.init)
    return parts.count == 2 ? (parts[0], parts[1]) : (text, text)
  }

  /// Returns the rule of `NAME_*` for one number.
  func with(number: String) -> ColumnRule {
    func filled(_ text: String) -> String {
      text.split(separator: "*", omittingEmptySubsequences: false).joined(separator: number)
    }
    var rule = self
    rule.text = filled(text)
    rule.others = others.map {
      Others(
        text: filled($0.text), columns: $0.columns.map(filled), less: $0.less.map(filled), isTooRecent: $0.isTooRecent)
    }
    switch kind {
    case .sum, .refused: break
    case .ratio(let part, let whole): rule.kind = .ratio(filled(part), over: filled(whole))
    case .rate(let part, let count): rule.kind = .rate(filled(part), per: filled(count))
    case .mean(let count): rule.kind = .mean(over: filled(count))
    case .estimate(let column): rule.kind = .estimate(from: filled(column))
    }
    return rule
  }
}

extension ColumnRule.Others {
  init(_ text: String, of columns: String..., less: String..., isTooRecent: Bool = false) {
    self.init(text: text, columns: columns, less: less, isTooRecent: isTooRecent)
  }
}
