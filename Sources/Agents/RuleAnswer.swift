internal import Basics
internal import Metrics

/// A rule of the definitions with the columns that it defines: the answer of the tool `definition`, and a resource.
struct RuleAnswer: Sendable {
  let number: String
  let title: String?
  let json: JSONNode

  /// Creates `nil` for a number that no page and no column has.
  init?(_ number: String) {
    let rule = RuleText.of(number)
    var columns: [JSONNode] = []
    for kind in ReportKind.all {
      for column in kind.columns where Self.numbers(of: column).contains(number) {
        columns.append(.object([JSONMember("report", .string(kind.name))] + (column.json.members ?? [])))
      }
    }
    if rule == nil, columns.isEmpty { return nil }
    (self.number, title) = (number, rule?.title)
    json = .object([
      "rule": .string(number), "text": rule.map { .string($0.text) } ?? .null, "columns": .array(columns),
    ])
  }

  /// The numbers of all rules: those of the pages in their order, then those that only columns have.
  static let numbers: [String] = {
    let written = RuleText.all.map(\.number)
    let others = Set(ReportKind.all.flatMap(\.columns).flatMap(numbers)).subtracting(written)
    return written + others.sorted(by: precedesInBytes)
  }()

  private static func numbers(of column: ColumnInfo) -> [String] {
    column.rule.split(separator: ",").map { String($0.drop { $0 == " " }) }
  }
}

extension ColumnInfo {
  /// The column as agents read it.
  var json: JSONNode {
    .object([
      "column": .string(identifier), "heading": .string(heading), "unit": .string(unit), "rule": .string(rule),
      "help": .string(help),
    ])
  }
}
