internal import EventModel
internal import Lifecycle
internal import Store

/// A trial, identified by what later events do not change.
struct TrialID: Hashable {
  /// A person as known at the time.
  var person: Int32
  var start: Int64
  var product: NameID
}

struct OpenTrial {
  var id: TrialID
  var state: TrialState
}

/// The trials of a store as known at an origin: those that are open, and what became of those that were open at an earlier
/// midnight.
struct OriginTrials {
  /// Trials that are open for longer have no forecast.
  private static let longest = 366

  /// By row and currency.
  private var open: [RowKey: [OpenTrial]] = [:]
  /// By row and currency; without codes, of the app.
  private var ends: [RowKey: [TrialState: TrialEnds]] = [:]

  struct Row {
    var open: [OpenTrial]
    /// Returns what became of trials in a state: the row's, those of the app if they are few, `nil` if those are few, too.
    var ends: (TrialState) -> TrialEnds?
  }

  init() {}

  /// - Parameters:
  ///   - later: Has the money known at the origin; takes in the conversions.
  ///   - origin: A UTC midnight, or the end of the data.
  init(
    _ query: ReportQuery, _ currencies: CurrenciesSold, _ currency: ReportCurrency, _ later: inout LaterMoney,
    at origin: Int64
  ) throws {
    var switches = RenewalSwitches()
    try query.facts.forEachEvent(RenewalSwitches.kinds) { switches.add($0) }
    var rows = try UnitRows(query)
    try query.facts.forEachPersonWithCredits { person, units, cellKey in
      for trial in units.trials {
        let terms = cellKey(trial.key.cellKey)
        let id = TrialID(person: person, start: trial.unit.start, product: terms.offer.product)
        later.add(id, convertedAt: trial.unit.convertedAt)
        guard let sold = currencies.currency(trial.app, trial.key.client) else { continue }
        let code = currency.code(sold)
        let places = rows.rowPlaces(trial.key, units.credits[trial.credits], at: trial.unit.start, cellKey)
        let keys =
          [RowKey(app: trial.app, codes: [])]
          + places.map { RowKey(app: trial.app, codes: rows.keys[$0].codes + [code]) }
        var state = TrialState(
          plan: terms.plan < 0 ? nil : Plan(rawValue: UInt8(terms.plan)), isOff: false, age: 0)
        let own = trial.isIntroductory ? switches.switches(of: person, from: id.start) : []
        func set(_ state: inout TrialState, at instant: Int64) {
          state.age = Int((instant - id.start) / day)
          state.isOff = own.last { $0.ts < instant }?.isOn == false
        }
        let paid = trial.unit.convertedAt.flatMap { later.firstPayment(of: person, at: $0) }
        let origin = min(origin, query.asOfs[trial.app] ?? origin)
        let isOpen = trial.unit.convertedAt == nil && trial.unit.deadline > origin
        let result: TrialEnds.End =
          if let paid, currency.code(paid.currency) == code { .converted(paid.plan) } else { isOpen ? .open : .lapsed }
        // The last instant at which it was open, as known at the origin.
        let last = trial.unit.convertedAt ?? min(trial.unit.deadline, origin) - 1
        var midnight = (floorDays(id.start) + 1) * day
        while midnight <= last, midnight - id.start <= Int64(Self.longest) * day {
          set(&state, at: midnight)
          for key in keys {
            ends[key, default: [:]][state, default: TrialEnds()].add(result, after: Int((last - midnight) / day))
          }
          midnight += day
        }
        guard isOpen else { continue }
        set(&state, at: origin)
        for key in keys.dropFirst() where state.age <= Self.longest {
          open[key, default: []].append(OpenTrial(id: id, state: state))
        }
      }
    }
  }

  /// - Parameter row: With the currency.
  subscript(row: RowKey) -> Row {
    let known = [row, RowKey(app: row.app, codes: [])].compactMap { ends[$0] }
    return Row(open: open[row] ?? []) { state in
      known.lazy.compactMap { $0[state] }.first { $0.count >= TrialEnds.leastKnown }
    }
  }
}

/// The currencies that purchases were paid in, to tell that of a trial, which has none.
struct CurrenciesSold {
  private struct Place: Hashable {
    var app: NameID
    /// `nil` for all countries.
    var country: NameID?
  }

  private var counts: [Place: [NameID: Int]] = [:]
  private let facts: FactSource
  private let countries: [NameID]

  init(_ facts: FactSource) throws {
    self.facts = facts
    countries = try facts.clients().map(\.country)
  }

  private func country(_ client: Int32) -> NameID { countries[Int(client)] }

  mutating func add(_ app: NameID, client: Int32, _ currency: NameID) {
    if currency == 0 { return }
    for country in [country(client), nil] {
      counts[Place(app: app, country: country), default: [:]][currency, default: 0] += 1
    }
  }

  /// Returns the currency of most purchases in the country of a client, else in the app, of several the first by name; `nil`
  /// if nothing was bought.
  func currency(_ app: NameID, _ client: Int32) -> NameID? {
    let sold = counts[Place(app: app, country: country(client))] ?? counts[Place(app: app, country: nil)]
    return sold?.min { one, other in
      one.value != other.value
        ? one.value > other.value : precedesInBytes(facts.name(Int(one.key)), facts.name(Int(other.key)))
    }?.key
  }
}
