internal import Basics
public import Store

/// The key numbers of some days, of each app and of all of them, compared with the days before.
///
/// Every number is one that another report has, by day or by week: nothing is defined here but which days are compared.
public struct Overview: Sendable {
  /// A number with its previous value and its course from week to week.
  public struct Number: Sendable {
    /// Money in units of its currency, shares as fractions of 1.
    public var value: Double?
    /// `nil` where there is nothing to compare with.
    public var before: Double?
    /// Of the difference between the two; `nil` where they rest on too few.
    public var change: Change?
    /// Whether both sides together rest on too few events, payments or units to say anything about the difference.
    public var isOfFew = false
    /// The number of units counted here.
    public var events = 0
    /// The denominator of a share; 0 for other numbers.
    public var of = 0
    /// The days of the value, since 1970.
    public var days: Range<Int>
    /// One per week of the data, oldest first.
    public var weeks: [Week] = []
  }

  /// A difference with its test against chance.
  public struct Change: Sendable {
    public var difference: Double
    /// 95% bounds of the difference.
    public var low: Double
    public var high: Double
    /// In one look at this number.
    public var p: Double

    public var isMoreThanChance: Bool { p < 0.05 }
  }

  /// A number in one week, Monday to Sunday.
  public struct Week: Sendable {
    /// Days since 1970.
    public var monday: Int
    /// `nil` where nothing is known.
    public var value: Double?
    /// 95% bounds of a share.
    public var low: Double?
    public var high: Double?
    public var events = 0
    public var of = 0
    /// How many may still change the share.
    public var open = 0
    /// Whether nothing that is still to come can change it.
    public var isSettled = true
  }

  /// The numbers of one app, or of all.
  public struct Part: Sendable {
    /// `nil` for all apps.
    public var app: String?
    /// In ``Overview/currency``.
    public var revenue: Number
    /// A month's recurring revenue at the end of the days; before: at their start.
    public var recurring: Number
    /// Recurring revenue of new subscriptions, and of those that churned; the second is negative.
    public var gained = 0.0
    public var lost = 0.0
    /// Subscriptions by their first payment.
    public var newPayers: Number
    /// Whether the days have sales of lifetime plans, which count as new payers but are in no cohort.
    public var sellsLifetime = false
    public var viewersWhoPay: Number
    /// The share of trials that convert.
    public var trialsThatPay: Number
    /// Whether ``trialsThatPay`` counts the trials that a store runs; without any, it counts those of apps.
    public var isOfStoreTrials = true
    /// The share of subscriptions active at a week's start that churned in it.
    public var churn: Number
    /// Active at the end of the days, in apps that have data to then; `nil` where none has.
    public var subscribers: Int? = 0
    /// The apps of the part whose data end at least a week before the days do, with the last day of each. Changes and
    /// numbers at the end of the days leave them out.
    public var ended: [(app: String, lastDay: Int)] = []
    /// Viewers who still have time to pay.
    public var undecided = 0
  }

  /// Days since 1970, in the time zone of the options.
  public var days: Range<Int>
  /// `nil` where nothing is compared or the data do not reach that far.
  public var before: Range<Int>?
  /// All days of the data; the last one ends with the newest event.
  public var data: Range<Int>
  /// How much of these days the data have.
  public var covered: CoveredDays
  /// Milliseconds since 1970; `nil` without events.
  public var asOf: Int64?
  public var timeZone: String
  /// Empty if there was never a payment.
  public var currency = ""
  /// Net revenue of the days in other currencies, most payments first, in units.
  public var otherCurrencies: [(currency: String, amount: Double)] = []
  public var all: Part
  /// In byte order; one for a store of one app, too.
  public var apps: [Part] = []
  /// Mondays of the weeks that have days of the data, in days since 1970.
  public var mondays: [Int] = []

  /// Whether the data have all days of a week.
  public func isWhole(_ monday: Int) -> Bool { covered.part(of: monday..<monday + 7) == nil }

  /// Whether the newest of the days is not over, so that the days before are cut to the same part.
  public var isOpen: Bool { days.upperBound > covered.whole.upperBound }
}

/// The reports of the home page.
public struct HomeReports: Sendable {
  public var overview: Overview
  /// ``Health``; `nil` while it is being made.
  public var health: Report?
  public var standing: Standing

  public init(overview: Overview, standing: Standing) { (self.overview, self.standing) = (overview, standing) }

  /// Makes all of them from one snapshot, over the last 28 days of the data.
  ///
  /// - Parameters:
  ///   - options: Dimensions have no effect.
  ///   - plans: Those of the experiments.
  public init(_ snapshot: StoreSnapshot, _ options: ReportOptions, plans: [PlanFile] = []) throws {
    overview = try Overview(snapshot, Self.plain(options))
    health = try ReportKind.health.report(snapshot, Self.plain(options))
    standing = try Standing(snapshot, options, plans: plans, hasVersions: true)
  }

  fileprivate static func plain(_ options: ReportOptions) -> ReportOptions {
    var plain = options.split(by: nil)
    plain.attribution = .last
    return plain
  }
}

extension HomeReports {
  /// The reports that are the same whichever days the page shows.
  public struct Standing: Sendable {
    /// ``Changes``.
    public var changes: Report
    /// ``ExperimentList``.
    public var experiments: Report
    /// ``Funnel`` by version and day; `nil` where no page of one app shows it.
    public var versions: Report?
    /// In the order of the list.
    public var readouts: [ExperimentReport] = []
    /// Why some experiments, or all, are not read out.
    public var experimentsNote: String?

    /// - Parameters:
    ///   - options: Dimensions have no effect.
    ///   - plans: Those of the experiments.
    ///   - hasVersions: Whether ``versions`` is made for several apps, too.
    public init(
      _ snapshot: StoreSnapshot, _ options: ReportOptions, plans: [PlanFile] = [], hasVersions: Bool = false
    ) throws {
      let plain = HomeReports.plain(options)
      changes = try Changes.report(snapshot, options)
      if try hasVersions || ReportQuery(snapshot, plain, defaultBy: []).apps.count == 1 {
        versions = try ReportKind.funnel.report(snapshot, plain.split(by: [.appVersion, .day]))
      }
      do {
        experiments = try ExperimentList.report(snapshot, plain)
      } catch let error as ReportError {
        guard case .notOfExposures = error else { throw error }
        experiments = try ExperimentList.emptyReport(snapshot, plain)
        experimentsNote = "Not shown: \(error)."
        return
      }
      var names: [String] = []
      for case .text(let name) in experiments.rows.map({ $0[1] }) where !names.contains(name) { names.append(name) }
      let large = try ExperimentList.tooLarge(snapshot, plain)
      if !large.isEmpty {
        let list = large.prefix(3).joined(separator: ", ") + (large.count > 3 ? ", ..." : "")
        experimentsNote =
          "Not shown here, with more than \(ExperimentReadout.mostCompared) variants: \(list). All experiments lists them."
      }
      do {
        for name in names where !large.contains(name) {
          var wanted = ExperimentOptions(experiment: name, isOverTime: true)
          wanted.plans = plans
          do {
            readouts.append(try Experiments.report(snapshot, plain, wanted))
          } catch let error as ConfigurationError {
            // Of one plan; the other experiments go on.
            experimentsNote = (experimentsNote.map { "\($0) " } ?? "") + "\(name) is not shown: \(error)."
          }
        }
      } catch let error as ExperimentError {
        guard case .unsupportedDimension = error else { throw error }
        readouts = []
        experimentsNote = "Not shown: \(error)."
      }
    }
  }
}
