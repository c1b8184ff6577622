public import Basics
public import Store

/// Explains one number of a report: its rule, the units that count and do not count, and the users with the events that
/// decided.
public struct Explanation: Sendable {
  /// An exact amount that adds up.
  public struct Amount: Sendable, Equatable {
    /// Millionths of a count, of a currency's unit or of a number.
    public var millionths: Int128
    /// The currency of money; `nil` for counts.
    public var currency: String?

    init(millionths: Int128, currency: String? = nil) {
      self.millionths = millionths
      self.currency = currency
    }

    static let zero = Amount(millionths: 0)

    init(count: Int) { self.init(millionths: Int128(count) * 1_000_000) }

    /// Reads the value of a cell; 0 where it has none.
    init(_ value: ReportValue) {
      switch value {
      case .count(let count): self.init(count: count)
      case .money(let microUnits, let currency): self.init(millionths: microUnits ?? 0, currency: currency)
      case .number(let number), .rate(let number):
        self.init(millionths: number.map { Int128(($0 * 1e6).rounded()) } ?? 0)
      default: self = .zero
      }
    }

    public static func + (left: Amount, right: Amount) -> Amount {
      Amount(millionths: left.millionths + right.millionths, currency: left.currency ?? right.currency)
    }

    public var isZero: Bool { millionths == 0 }
  }

  /// Units of the row, or of the app, by the reason why they count or not.
  public struct Count: Sendable {
    public enum Place: String, Sendable {
      case counted = "in"
      /// In the row, but not in the number.
      case leftOut = "out"
      /// Not in the row.
      case elsewhere
    }

    public var place: Place
    public var reason: String
    public var amount: Amount
  }

  /// A user of the row, with all joined ids.
  public struct Person: Sendable {
    /// The first of the ids in byte order.
    public var user: String
    public var users: [String]
    /// The contribution to the number, or to the numerator.
    public var amount: Amount
    /// The contribution to the denominator, if there is one.
    public var of: Amount?
    /// Why the user counts or not.
    public var reasons: [String]
    /// Those with a role, in order of time.
    public var events: [PersonHistory.Event]
  }

  public var report: String
  public var column: String
  /// The key columns of the row with their values, in the report's order.
  public var cell: [(name: String, value: String)]
  /// The value as in the report.
  public var value: ReportValue
  public var kind: ReportColumn.Kind
  /// The rules' numbers, such as `3.1, 3.3`.
  public var rules: String
  public var rule: String
  public var parameters: [Report.Parameter]
  public var asOf: [Report.AppInstant]
  /// The sum over the listed users: the number, or the numerator.
  public var total: Amount
  /// The denominator, if there is one.
  public var of: Amount?
  /// Whether the number is an estimate from the listed amounts instead of their sum.
  public var isEstimate: Bool
  public var counts: [Count]
  /// The users on the page; those that count first, then in byte order of their ids.
  public var persons: [Person]
  /// The number of users on all pages.
  public var personCount: Int
  /// The number of users before this page.
  public var offset: Int
  /// Whether one user was asked for, so that there is no page to go on to.
  public var isOfOneUser = false
  /// The difference between the number and the sum of the users' amounts, each rounded to the micro-unit.
  public var rounding: Amount
}

extension Explanation {
  /// Whether the number is a bound of the rate that the sums give.
  public var isBound: Bool { kind == .low || kind == .high }

  /// The parameters without those options that have their default.
  public var chosenParameters: [Report.Parameter] {
    let options = ReportKind.named(report)?.options ?? []
    let plan = ["shares": "even", "primary": "paid", "level": "0.95", "minimum_lift": "0.1"]
    return parameters.filter { parameter in
      // The header says them in words.
      if ["from", "to", "timezone"].contains(parameter.name) { return true }
      let name = parameter.name == "grace_days" ? "grace" : parameter.name.replacing("_", with: "-")
      var standard = options.first { $0.name == name }?.standard
      if report == "experiment" {
        standard = standard ?? ExperimentReport.commonSettings[parameter.name] ?? plan[parameter.name]
      }
      return parameter.value != standard
    }
  }

  /// Whether the number of a row has an explanation, if it is there.
  public static func explains(_ column: ReportColumn, _ row: [ReportValue], of report: Report) -> Bool {
    func text(_ name: String) -> String { report.value(name, in: row)?.keyText ?? "" }
    switch report.name {
    case "experiments": return ExperimentListExplainer.columns.contains(column.name)
    case "health":
      return HealthExplainer.columns.contains(column.name) && Health.PersonCheck(rawValue: text("check")) != nil
    default:
      guard let kind = ReportKind.named(report.name), kind.explains(column) else { return false }
      return kind.persons(of: column) != .shownPrices || text("price_source") == SavingsSums.shownSource
    }
  }
}

/// Explains the numbers of one row of a report.
public protocol RowExplainer {
  /// Explains one number of the row.
  ///
  /// - Parameters:
  ///   - offset: The number of users before the page.
  ///   - limit: The number of users on the page; `nil` for all.
  ///   - user: An id of the only user to show; `nil` for a page of all.
  /// - Throws: ``ExplanationError``.
  func explanation(of column: String, offset: Int, limit: Int?, user: String?) throws -> Explanation
}

/// The reason why a number cannot be explained.
public enum ExplanationError: ReadableError {
  case unknownColumn(String, [String])
  case keyColumn(String)
  /// - Parameter others: The option that gives other rows, if any.
  case unknownKey(String, [String], others: String? = "--by")
  /// - Parameter values: The values of each key column in the report's rows.
  case noRow([(name: String, value: String)], rows: Int, values: [String: [String]] = [:])
  case severalRows(Int, missing: [String])
  case refused(String, String)
  case undefined(String)
  case disagrees(column: String, cell: String, listed: String)
  case unlisted(user: String, of: Int)

  public var description: String {
    switch self {
    case .unknownColumn(let name, let known):
      "--column is \(name), but must be one of \(known.joined(separator: ", "))" + NearName.hint(name, in: known)
    case .keyColumn(let name): "--column is \(name), which names a row; put it into --cell"
    case .unknownKey(let name, let known, let others):
      "the cell names \(name), but the report's rows are by \(known.joined(separator: ", "))"
        + (others.map { "; \($0) says otherwise" } ?? "") + NearName.hint(name, in: known)
    case .noRow(let cell, _, _) where cell.isEmpty:
      "the report has no rows, so there is no number to explain: print it to see why"
    case .noRow(let cell, let rows, let values):
      if let wrong = cell.first(where: { values[$0.name].map { [value = $0.value] in !$0.contains(value) } ?? false }) {
        "no row has \(wrong.name)=\(wrong.value)"
          + (NearName.meant(by: wrong.value, in: values[wrong.name] ?? []).map { "; did you mean \($0)?" }
            ?? "; print the report to see its \(rows) rows")
      } else {
        "no row has \(cell.map { "\($0.name)=\($0.value)" }.joined(separator: " and ")); print the report to see its \(rows) rows"
      }
    case .severalRows(let count, let missing):
      "--cell matches \(count) rows; add \(missing.map { "\($0)=VALUE" }.joined(separator: ", "))"
    case .refused(let column, let reason): "\(column) cannot be explained: it \(reason)"
    case .undefined(let column):
      "\(column) is empty in this cell: too few users count, or none has been followed long enough (1.6); "
        + "explain the counts next to it to see the users"
    case .disagrees(let column, let cell, let listed):
      "\(column) is \(cell) in the report, but its users add up to \(listed): the store's cells and its facts disagree; run "
        + "`tollgate doctor --rebuild-check`"
    case .unlisted(let user, let count):
      "--user is \(user), but none of the \(count) users behind this column has this id; upper and lower case count"
    }
  }
}
