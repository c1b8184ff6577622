public import Basics
public import EventModel
public import Lifecycle
internal import Store

/// The options of a report, already checked.
public struct ReportOptions: Sendable, Equatable {
  /// The unit that a funnel counts (definitions 3.1).
  public enum Unit: String, CaseIterable, Sendable {
    case user
    case view
  }

  /// The part of the money that counts (definitions 7.1).
  public enum Mode: String, CaseIterable, Sendable {
    case gross
    case net
    case proceeds
  }

  /// A filter: the dimension has one of the values, or none of them.
  public struct Filter: Sendable, Hashable, CustomStringConvertible {
    public var dimension: Dimension
    public var values: [String]
    public var isExcluding = false

    public init(dimension: Dimension, values: [String]) {
      self.dimension = dimension
      self.values = values
    }

    /// Creates a filter from its command-line form.
    ///
    /// - Parameter name: The dimension; with a `!` at its end, the values are those left out.
    public init(_ name: String, values: [String]) throws(ReportError) {
      let isExcluding = name.hasSuffix("!")
      let dimension = try Dimension(name: isExcluding ? String(name.dropLast()) : name)
      self.init(dimension: dimension, values: values.map(dimension.value))
      self.isExcluding = isExcluding
    }

    /// The filter as on the command line, such as `country!=US,GB`.
    public var description: String {
      "\(dimension.name)\(isExcluding ? "!" : "")=\(values.joined(separator: ","))"
    }

    /// Warnings for values that no event can have, one sentence each.
    public var warnings: [String] {
      values.compactMap { value in
        dimension.expectation(for: value).map {
          "--where has \(dimension.name)=\(value), which no row can have: \(dimension.name) is \($0)"
        }
      }
    }
  }

  /// App names; empty for all.
  public var apps: [String] = []
  /// First cohort day.
  public var from: CivilDate?
  /// The day after the last cohort day.
  public var to: CivilDate?
  /// An IANA name.
  public var timeZone = "UTC"
  /// Milliseconds since 1970; `nil` for each app's newest (definitions 1.1).
  public var asOf: Int64?
  /// Instants of single apps, in milliseconds since 1970, in place of ``asOf``.
  var asOfs: [String: Int64] = [:]
  /// The events that exist, of a store before more came; `nil` for those before the as-of.
  var known: KnownEvents?
  /// The only users whose facts are needed, as far as there are no ``cohorts``; `nil` for all.
  var needed: UserSet?
  /// The instants before which units and payments of single apps count, in milliseconds since 1970. Of reports that read
  /// them by ``UnitRows``; unlike an as-of, it costs no other facts.
  var ends: [String: Int64] = [:]
  public var unit = Unit.user
  public var attribution = Attribution.last
  /// Milliseconds; `nil` for the app's own (definitions 3.3).
  public var horizon: Int64?
  /// Milliseconds.
  public var grace = FoldOptions.stored.grace
  public var mode = Mode.net
  /// The commission of payments that record none (definitions 7.1).
  public var storeFee = ExactShare.none
  /// The currency of amounts, ISO 4217; `nil` for one currency if all rates are known, or else each amount's own
  /// (definitions 1.4).
  public var currency: String?
  /// Whether amounts always stay in their own currencies; then ``currency`` is `nil`.
  public var isNative = false
  /// The assumed share that makes each renewal of a plan, where the data do not show it.
  public var assumedRenewals: [Plan: Double] = [:]
  /// Whether retention is by payments instead of days (definitions 6.4).
  public var isByPeriod = false
  /// The days at which retention is reported, or with ``isByPeriod`` the payment numbers from 2; `nil` for the report's
  /// own.
  public var points: [Int]?
  /// Whether refunds are dated by refund day instead of payment day.
  public var isByRefundDay = false
  /// Whether to report the changes between two instants instead of the state at the last (definitions 7.3).
  public var showsMovement = false
  /// The spacing of the days as of which forecasts are made and tested; `nil` for none.
  public var backtest: OriginStep?
  /// The dimensions; `nil` for the report's default.
  public var by: [Dimension]?
  public var filters: [Filter] = []
  /// The cohorts whose members count; all users without any.
  public var cohorts: [CohortFilter] = []
  /// The path of a file; `nil` for the checkout (definitions 11).
  public var path: PathPlan?
  /// The last step of the path that counts; `nil` for all steps.
  public var lastStep: String?
  /// The event property that holds a user's campaign.
  public var campaignProperty = "campaign"
  /// Whether `payback` predicts the day of rows that have not paid back.
  public var predictsPayback = false
  /// The entry points of screens that are shown to users who cancel; with any, `saves` has rows by screen.
  public var cancelScreens: [String] = []
  /// Of `recovery`: the grace to count with instead, in ms.
  public var graceWhatIf: Int64?
  /// Whether to add columns with the counts behind rates that no other column shows; ``Explanation``s need them.
  var showsBasis = false
  /// The prices whose impressions are counted by user, in savings.
  var pricePair: SavingsSums.Pair?
  /// The rates for want of which amounts are not in one currency, such as `EUR on 2026-03-01`, or `EUR` where there are
  /// no rates at all.
  var missingRates: [String] = []

  public init() {}

  /// Returns the options with rows by these dimensions.
  func split(by dimensions: [Dimension]?) -> ReportOptions {
    var options = self
    options.by = dimensions
    return options
  }
}

public enum ReportError: ReadableError {
  case unknownApp(String, known: [String])
  case unknownDimension(String)
  case repeatedDimension(String)
  case unknownTimeZone(String)
  case severalPeriods([String])
  case filteredPeriods(String)
  case missingRates(String, [MissingRates])
  /// Amounts in several currencies, where there can be only one; the last sentence says how to get there.
  case severalCurrencies([String], String)
  case convertedAmountTooLarge(String, String)
  case pairsNeedVariants([String])
  case periodNeeded([String])
  case notOfActivity(String)
  case notOfPayments(String)
  case notOfRenewals(String)
  case notOfExposures(String)
  case noCohorts(String, file: String)
  case unknownCohort(String, known: [String], file: String)
  case badCohorts(ConfigurationError)
  case unknownStep(String, known: [String])
  case horizonOfSteps

  /// The days on which a currency was paid in and has no rate, since 1970 and ascending.
  public struct MissingRates: Sendable {
    public var currency: String
    public var days: [Int]
  }

  /// Returns the first names of a list, and how many more there are.
  private static func list(_ names: [String], most: Int = 20, separator: String = ", ") -> String {
    names.prefix(most).joined(separator: separator) + (names.count > most ? " and \(names.count - most) more" : "")
  }

  public var description: String {
    switch self {
    case .unknownApp(let name, let known):
      known.isEmpty
        ? "the store has no events yet; load some with `tollgate ingest FILE...`"
        : name.isEmpty
          ? "--app is empty; apps: \(Self.list(known))"
          : "no app \(name) in this store"
            + (NearName.meant(by: name, in: known).map { "; did you mean \($0)? Apps: " } ?? "; apps: ")
            + Self.list(known)
    case .unknownDimension("app"):
      "app is not a dimension, as each app has rows of its own; choose apps with --app"
    case .unknownDimension(let name):
      "\(name.isEmpty ? "an empty name" : name) is not a dimension; expected one of "
        + Dimension.plainNames.joined(separator: ", ") + ", property:NAME"
        + NearName.hint(name, in: Dimension.plainNames)
    case .repeatedDimension(let name): "--by names \(name) twice"
    case .unknownTimeZone(let name): "--timezone is \(name), but must be an IANA name such as Europe/Berlin"
    case .severalPeriods(let names):
      "--by has \(names.joined(separator: " and ")), but each row of this report is one point in time: use only one of "
        + Dimension.periods.map(\.name).joined(separator: ", ")
    case .filteredPeriods(let name):
      "--where is on \(name), but each row of this report is one point in time: use --from and --to, or --by \(name)"
    case .missingRates(let target, let missing):
      "--currency is \(target), but there is no rate for \(Self.list(missing.map(\.description), most: 3, separator: "; ")). "
        + "Load some with `tollgate rates import FILE` (columns date, currency, usd_per_unit); a rate holds for its day "
        + "and the next 7"
    case .severalCurrencies(let names, let remedy): "amounts are in \(names.joined(separator: ", ")): \(remedy)"
    case .convertedAmountTooLarge(let target, let place):
      "--currency is \(target), but an amount in \(place) comes to 10^12 or more: check the rates of that day"
    case .pairsNeedVariants(let names):
      "--by is \(names.isEmpty ? "none" : names.joined(separator: ",")), but this report compares variants: add variant"
    case .periodNeeded(let names):
      "--by is \(names.isEmpty ? "none" : names.joined(separator: ",")), but activity is measured over time: add one of "
        + Dimension.periods.map(\.name).joined(separator: ", ")
    case .unknownStep(let name, let known):
      "--to-step is \(name), but must be one of \(known.joined(separator: ", "))\(NearName.hint(name, in: known))"
    case .horizonOfSteps: "--horizon works only with the path checkout: the steps of a file set their time with within"
    case .notOfActivity(let name): "\(name) describes products and trials; activity events have neither"
    case .notOfPayments(let name):
      "stage is the number of a payment in its subscription, and \(name) does not count payments: use it with revenue, refunds or recovery"
    case .notOfRenewals(let name):
      "renewing says whether auto-renew of an active subscription is on: use it with mrr; "
        + (name == ReportKind.trials.name
          ? "trials has pending_renewing and pending_cancelled" : "subscriptions has renewing and set_to_cancel")
    case .noCohorts(let name, let file):
      "--where is cohort:\(name), but there is no file \(file): define the cohort there, under `cohorts:`"
    case .unknownCohort(let name, let known, let file):
      "--where is cohort:\(name), but \(file) has \(known.isEmpty ? "no cohorts" : "only \(Self.list(known))")"
        + NearName.hint(name, in: known)
    case .badCohorts(let error): error.description
    case .notOfExposures(let name):
      "--where is on \(name), but exposures to experiments have none: expected experiment, variant, platform, store, "
        + "country, app_version, or one of \(Dimension.periods.map(\.name).joined(separator: ", "))"
    }
  }
}

extension ReportError.MissingRates: CustomStringConvertible {
  /// The days in the form `EUR on 2026-01-03, 2026-02-01 to 2026-02-09`.
  public var description: String {
    let runs = daysInRow(days)
    func text(_ day: Int) -> String { CivilDate(daysSince1970: day).description }
    let list = runs.prefix(3).map {
      $0.count == 1 ? text($0.lowerBound) : "\(text($0.lowerBound)) to \(text($0.upperBound))"
    }
    let rest = runs.dropFirst(3).reduce(0) { $0 + $1.count }
    return "\(currency) on \(list.joined(separator: ", "))"
      + (rest == 0 ? "" : " and \(rest) more \(rest == 1 ? "day" : "days")")
  }
}
