internal import Basics
internal import EventModel
internal import Lifecycle

/// The question of a bridge: why a vendor shows another number than we do (definitions 13).
public struct BridgeQuestion: Sendable {
  var vendor: VendorPreset
  var metric: VendorMetric
  var readings: [VendorPreset.Reading]
  /// Days from the first event in which payments count, for metrics of users first seen.
  let days: Int
  let period: Reconciliation.Period
  /// The vendor's own number; `nil` if only its definition is wanted.
  let number: VendorNumber?
  /// The step whose users are listed; `nil` for the table of steps.
  let step: BridgeStep?

  /// The names of the vendors, such as `revenuecat-v3`.
  public static var vendors: [String] { VendorPreset.names }

  /// - Parameters: As on the command line.
  /// - Throws: ``OptionError``.
  public init(
    vendor: String, metric: String, number: String?, days: Int, by period: Reconciliation.Period, step: String?
  ) throws {
    guard let metric = VendorMetric(rawValue: metric) else {
      throw OptionError("metric", metric, mustBeOneOf: VendorMetric.allCases.map(\.rawValue))
    }
    self.metric = metric
    self.vendor = try VendorPreset.named(vendor)
    readings = try self.vendor.readings(of: metric)
    guard (1...3_650).contains(days) else { throw OptionError("--days is \(days), but must be from 1 to 3650") }
    self.days = days
    self.period = period
    self.number = try number.map { try VendorNumber($0, metric.unit) }
    if number != nil, period != .none {
      throw OptionError("--vendor-value is one number: leave out --by \(period.rawValue), and name its days")
    }
    let steps = readings.map(\.setting.step)
    self.step = try step.map { name in
      guard let step = steps.first(where: { $0.rawValue == name }) else {
        let names = steps.map { "\($0.rawValue) (\($0.title))" }
        throw OptionError("--step is \(name), but must be one of \(names.joined(separator: ", "))")
      }
      if period != .none {
        throw OptionError("--step lists the users of one number: leave out --by \(period.rawValue)")
      }
      return step
    }
  }

  /// Returns the command that lists the users whom a step changes.
  ///
  /// - Parameters:
  ///   - app: Its name.
  ///   - options: Those of the number, with its days.
  func command(listing step: BridgeStep, of app: String, _ options: ReportOptions) -> String {
    var words = ["tollgate", "reconcile", "--app=\(app)", "--vendor=\(vendor.name)", "--metric=\(metric.rawValue)"]
    if metric.isOfFirstSeen { words.append("--days=\(days)") }
    words += options.scopeWords
    if options.timeZone != ReportOptions().timeZone { words.append("--timezone=\(options.timeZone)") }
    if let asOf = options.asOfs[app] ?? options.asOf { words.append("--as-of=\(ReportQuery.instant(asOf))") }
    if options.grace != FoldOptions.stored.grace { words.append("--grace=\(ReportQuery.days(options.grace))") }
    if metric.unit == .money {
      words.append("--currency=\(options.currency ?? "native")")
      if options.mode != ReportOptions().mode { words.append("--mode=\(options.mode.rawValue)") }
    }
    return CommandLineText(words + ["--step=\(step.rawValue)"]).description
  }
}

/// A vendor's number as its page shows it, exact to its digits; implements definitions 13.3.
struct VendorNumber: Sendable {
  /// In millionths: of 1 for shares and counts, of the currency for money.
  let millionths: Int128
  /// The worth of its last digit, in the same unit.
  let lastDigit: Int128

  /// - Throws: ``OptionError`` for a text that is not a number.
  init(_ text: String, _ unit: VendorMetric.Unit) throws {
    let isPercent = text.hasSuffix("%")
    var digits = text.filter { $0 != "," && $0 != " " && $0 != "%" }
    let isNegative = digits.hasPrefix("-")
    if isNegative { digits.removeFirst() }
    let parts = digits.split(separator: ".", omittingEmptySubsequences: false)
    // A share in percent has two decimals fewer than its fraction of 1.
    let most = unit == .share ? 4 : unit == .count ? 0 : 6
    guard (1...2).contains(parts.count), !parts[0].isEmpty, digits.count <= 20, !isPercent || unit == .share,
      let whole = Int128(parts.joined()), digits.allSatisfy({ $0.isASCII && ($0.isNumber || $0 == ".") })
    else {
      throw OptionError(
        "--vendor-value is \(text), but must be \(unit == .share ? "a percentage such as 34.1" : "a number")")
    }
    let decimals = parts.count == 2 ? parts[1].count : 0
    guard decimals <= most else {
      throw OptionError("--vendor-value is \(text), but must have at most \(counted(most, "decimal"))")
    }
    let last = powerOfTen(most - decimals)
    // Counts are whole.
    lastDigit = unit == .count ? 1_000_000 : last
    millionths = (isNegative ? -1 : 1) * whole * lastDigit
  }
}

/// A requested bridge; without a vendor, there is none.
public struct BridgeRequest: Sendable {
  var vendor: String?
  var metric: String?
  var number: String?
  var step: String?
  var days: Int?

  /// Whether a vendor's number is asked for.
  public var isGiven: Bool { vendor != nil }

  /// - Parameter period: Rows for each period.
  /// - Returns: `nil` without a vendor.
  /// - Throws: ``OptionError``.
  public func question(by period: Reconciliation.Period) throws -> BridgeQuestion? {
    guard (vendor == nil) == (metric == nil) else { throw OptionError("give --vendor and --metric together") }
    guard let vendor, let metric else {
      let own = [("vendor-value", number != nil), ("step", step != nil), ("days", days != nil)]
      if let name = own.first(where: \.1)?.0 { throw OptionError("--\(name) needs --vendor and --metric") }
      return nil
    }
    let question = try BridgeQuestion(
      vendor: vendor, metric: metric, number: number, days: days ?? 30, by: period, step: step)
    if let days, !question.metric.isOfFirstSeen {
      throw OptionError("--days is \(days), but \(metric) does not follow users for a number of days")
    }
    return question
  }
}

extension ReportOptions {
  /// The days and filters, as on the command line.
  fileprivate var scopeWords: [String] {
    var words: [String] = []
    if let from { words.append("--from=\(from)") }
    if let to { words.append("--to=\(to)") }
    return words + filters.map { "--where=\($0)" } + cohorts.map { "--where=\($0)" }
  }

  /// The days and filters as a command line has them; empty without any.
  var scope: String { CommandLineText(scopeWords).description }
}
