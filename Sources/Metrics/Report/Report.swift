public import EventModel

/// A finished report: names and numbers without layout.
public struct Report: Sendable, Codable {
  /// The command's name, such as `funnel`.
  public var name: String
  public var title: String
  /// The meaning of the columns, one sentence each, with the rule numbers.
  public var definition: [String]
  /// Every option with its value, defaults included, in the order of the command line's help.
  public var parameters: [Parameter]
  /// As-of by app, in byte order; empty for an app without a production event.
  public var asOf: [AppInstant]
  public var columns: [ReportColumn]
  /// Rows, in byte order of the key columns.
  public var rows: [[ReportValue]] = []
  /// A row for all of an app, with its name and empty further keys, where its numbers do not follow from those of the
  /// rows, and one without a name for all apps: for tables, in neither CSV nor JSON.
  public var totals: [[ReportValue]] = []
  /// Why there are no rows, where options leave none.
  public var emptyNote: String?
  /// Whether no unit of the days asked for counts yet, in any app.
  public var isTooRecent = false
  /// The newest full week of which all do.
  public var settledDays: (from: CivilDate, to: CivilDate)?
  /// The currency that a table shows, of several; `nil` where it is not known.
  public var mainCurrency: String?
  /// Further sentences without which the numbers mislead, such as values of a filter that match nothing.
  public var notes: [String] = []
  /// Whether some app has no trials because each of their lines was rejected.
  public var hasRejectedTrials = false
  /// The rates of outcomes that the data have no events of, so that 0 says nothing: tables leave them empty.
  public var unknownRates: Set<String> = []
  /// The counts of ``unknownRates``: charts leave them empty.
  public var unknownCounts: Set<String> = []
  /// How many of the subscriptions that count as new began before the data.
  public var newOlderThanData = 0
  /// Whether the rows are by currency because that was asked for.
  public var keepsCurrencies = false
  /// The rates for want of which amounts are in several currencies, such as `EUR on 2026-03-01`.
  public var missingRates: [String] = []

  /// The parts of a head, which the ``ReportCache`` stores before rows and totals.
  enum CodingKeys: CodingKey { case name, title, definition, parameters, newOlderThanData, asOf, columns }

  public init(
    name: String, title: String, definition: [String], parameters: [Parameter], asOf: [AppInstant],
    columns: [ReportColumn], rows: [[ReportValue]], totals: [[ReportValue]] = []
  ) {
    self.name = name
    self.title = title
    self.definition = definition
    self.parameters = parameters
    self.asOf = asOf
    self.columns = columns
    self.rows = rows
    self.totals = totals
  }

  public func parameter(_ name: String) -> String? { parameters.first { $0.name == name }?.value }

  /// Returns where each row has the value of a column.
  public func place(_ column: String) -> Int? { columns.firstIndex { $0.name == column } }

  public func place(ofKey name: String) -> Int? { columns.firstIndex { $0.kind == .key && $0.name == name } }

  public struct Parameter: Hashable, Codable, Sendable {
    public var name: String
    public var value: String

    public init(name: String, value: String) {
      self.name = name
      self.value = value
    }
  }

  public struct AppInstant: Codable, Sendable {
    public var app: String
    /// Milliseconds since 1970.
    public var asOf: Int64
    /// Anything else that the report depends on by app, such as `horizon 17 d`.
    public var notes: [String]
    /// Milliseconds since 1970 of the app's first UTC day with a production event; `nil` where the report has none.
    public var firstDay: Int64?
    /// The app's variants by first exposure, of a report with rows by variant.
    public var variants: [String] = []

    /// The notes without which the numbers mislead; machine-readable formats have no place for them.
    public var warnings: [String] {
      notes.filter { note in
        [Self.pruned, Self.begins, Self.ends, Self.unsettled, Self.openTrials].contains { note.hasPrefix($0) }
      }
    }

    /// Whether the data begin after the first of the days that the report is compared with, so that their sums are too low.
    public var lacksDaysBefore: Bool { notes.contains { $0.hasPrefix(Self.begins) } }

    /// Returns a clause on data that begin on a day after the first of the days before, which may end sooner.
    static func begin(_ day: Int, beforeEnd end: Int) -> String {
      let (first, last) = (CivilDate(daysSince1970: day), CivilDate(daysSince1970: end))
      if end <= day { return "\(begins) on \(first), after the days before" }
      return
        "\(begins) on \(first), after the first of the days before: `--compare \(first)..\(last)` leaves out what is missing"
    }

    static let pruned = "prune removed raw events before"
    static let begins = "the data begin"
    static let ends = "the data end"
    static let unsettled = "no user of these days counts yet"
    static let openTrials = "no trial of these days is over yet"

    public init(app: String, asOf: Int64, notes: [String], firstDay: Int64? = nil) {
      self.app = app
      self.asOf = asOf
      self.notes = notes
      self.firstDay = firstDay
    }
  }
}

/// A column's name and the kind of its values.
public struct ReportColumn: Sendable, Hashable, Codable {
  public enum Kind: String, Sendable, Hashable, Codable {
    /// Identifies the row.
    case key
    case count
    /// A share, as a fraction of 1.
    case rate
    /// The 95% bound of the rate column before it.
    case low
    case high
    case money
    /// A number of months, days or the like.
    case number
    /// Whole percents.
    case percent
    case text
  }

  public var name: String
  public var kind: Kind
  /// Whether the column is not printed: explanations, drivers and comparisons compute with it
  /// (``ReportOptions/showsBasis``).
  var isBasis: Bool

  public init(_ name: String, _ kind: Kind) {
    self.init(name, kind, isBasis: false)
  }

  init(_ name: String, _ kind: Kind, isBasis: Bool) {
    (self.name, self.kind, self.isBasis) = (name, kind, isBasis)
  }

  static func rate(_ name: String) -> [ReportColumn] { bounded(name, .rate) }

  static func bounded(_ name: String, _ kind: Kind) -> [ReportColumn] {
    [ReportColumn(name, kind), ReportColumn("\(name)_low", .low), ReportColumn("\(name)_high", .high)]
  }

  /// Returns the columns of an estimated share with its bounds and, as its basis, the variance (definitions 9.5).
  static func estimate(_ name: String, of share: EstimatedShare) -> [ReportColumn] {
    rate(name) + [ReportColumn(share.variance(of: name), .number, isBasis: true)]
  }
}

/// One value of a report; undefined is `nil`, never 0.
public enum ReportValue: Sendable, Hashable {
  case text(String)
  case count(Int)
  /// A share or a bound of one.
  case rate(Double?)
  /// Micro-units of a currency.
  case money(Int128?, currency: String)
  /// An estimated amount, in micro-units of a currency.
  case estimate(Double?, currency: String)
  case number(Double?)
  case percent(Int?)
  /// A p-value or a probability, with six significant digits however small it is.
  case probability(Double?)
}

/// Orders names by their UTF-8 bytes, as in every report.
public func precedesInBytes(_ left: String, _ right: String) -> Bool {
  left.utf8.lexicographicallyPrecedes(right.utf8)
}

/// Orders keys by the first parts that differ, as in every report.
func precedesInBytes(_ left: [[UInt8]], _ right: [[UInt8]]) -> Bool {
  for (a, b) in zip(left, right) where a != b { return a.lexicographicallyPrecedes(b) }
  return false
}

/// Orders rows by the first labels that differ, as in every report.
func precedesInBytes(_ left: [String], _ right: [String]) -> Bool {
  for (a, b) in zip(left, right) where !a.utf8.elementsEqual(b.utf8) { return precedesInBytes(a, b) }
  return false
}
