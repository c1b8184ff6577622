internal import Basics
internal import EventModel
internal import Lifecycle
internal import Store

/// The path from the first paywall over the store's sheet to payment; implements definitions 11.1 and 11.2.
enum CheckoutPath {
  enum Step: String, CaseIterable {
    /// The store's sheet opened.
    case sheet
    /// A trial or a direct purchase of definitions 3.2.
    case started
    /// Paid by definitions 3.2.
    case paid
  }

  /// The counts of a row, with how the others left.
  struct Sums {
    var path: PathSums
    var startedWithSheet = 0
    var sheetLeft = 0
    var dismissed = 0
    var noTrace = 0
    /// Whether any user of the row has ever sent a `purchase_started`.
    var sendsSheets = false

    /// Whether the row's clients do not send sheets (definitions 11.2): the count is empty, not 0.
    var lacksSheets: Bool { !sendsSheets && hasStarts }

    /// Whether so many users started that a lack of sheets means that clients do not send them.
    var hasStarts: Bool { path.steps.count > 1 && path.steps[1].reached >= CheckoutPath.fewestStarted }

    /// Adds the users of another row.
    mutating func add(_ other: Sums) {
      path.add(other.path)
      startedWithSheet += other.startedWithSheet
      sheetLeft += other.sheetLeft
      dismissed += other.dismissed
      noTrace += other.noTrace
      sendsSheets = sendsSheets && other.sendsSheets
    }
  }

  fileprivate static let fewestStarted = 5

  /// Returns the sums of the rows, and the horizon in ms by app.
  ///
  /// - Parameter steps: How many of the steps count.
  static func sumsOfRows(
    _ query: ReportQuery, steps: Int
  ) throws -> (sumsOfRows: [RowKey: Sums], horizons: [NameID: Int64]) {
    var horizons = try Funnel.horizons(query)
    if steps < Step.allCases.count, query.options.horizon == nil {
      // Without payment, no trial has to end.
      for app in horizons.keys { horizons[app] = FoldOptions.attributionWindow }
    }
    let traces = try traces(query)
    let none = Sums(path: PathSums(steps: steps))
    let asOfs = query.asOfs
    func add(
      _ entry: Int64, app: NameID, traces: ArraySlice<ScannedEvent>, _ units: borrowing PersonUnits,
      to sums: inout Sums,
      where isCredited: (Range<Int>) -> Bool = { _ in true }, isOfRow: (ScannedEvent) -> Bool = { _ in true }
    ) {
      let asOf = asOfs[app] ?? .min
      let isMature = entry <= asOf - (horizons[app] ?? 0)
      let way = Way(entry: entry, units, traces.lazy.filter(isOfRow), where: isCredited)
      sums.path.add(Array(way.reach.prefix(steps)), isMature: isMature, asOf: asOf)
      if !sums.sendsSheets { sums.sendsSheets = traces.contains { $0.kind == .purchaseStarted } }
      guard isMature else { return }
      if way.started != nil {
        if let sheet = way.sheet, let started = way.started, sheet <= started { sums.startedWithSheet += 1 }
      } else if way.sheet != nil {
        sums.sheetLeft += 1
      } else if way.isDismissed {
        sums.dismissed += 1
      } else {
        sums.noTrace += 1
      }
    }
    if query.options.unit == .view {
      let units = try CellQuery(query, [])
      let views = try units.views()
      let contexts = try RowContexts(query)
      var sumsOfRows = views.rows.map { _ in none }
      var credits = units.creditRows
      try query.facts.forEachPersonWithCredits(withEntries: true) { person, units, cellKey in
        for place in views.places(of: person) {
          let view = views.entries[place]
          let row = views.rows[Int(view.row)]
          add(
            view.entry, app: row.app, traces: own(traces, person), units, to: &sumsOfRows[Int(view.row)],
            where: { places in units.credits[places].contains { credits.counts($0, cellKey, in: row) } },
            isOfRow: { contexts.isOf($0, row) })
        }
      }
      var byKey: [RowKey: Sums] = [:]
      for (key, sums) in zip(views.rows, sumsOfRows) where sums.path.users + sums.path.immature > 0 {
        byKey[key] = sums
      }
      return (byKey, horizons)
    }
    var rows = try UnitRows(query)
    var sumsOfRows = RowSums(none)
    try query.facts.forEachPersonWithCredits(withEntries: true) { person, units, cellKey in
      guard let (unit, key) = units.entry else { return }
      let app = cellKey(key.cellKey).app
      rows.person = person
      guard asOfs[app] != nil, let row = rows.place(of: key, at: unit.ts, cellKey) else { return }
      add(unit.ts, app: app, traces: own(traces, person), units, to: &sumsOfRows[row])
    }
    return (sumsOfRows.byKey(rows.keys), horizons)
  }

  /// Returns when users reached a step, in ms by user, with the exposure as the entry.
  ///
  /// - Parameter exposures: Instants in ms, by user.
  /// - Returns: `nil` for sheets if the users' clients do not send them.
  static func reached(
    _ step: Step, _ query: ReportQuery, from exposures: [Int32: Int64]
  ) throws -> [Int32: Int64]? {
    var reached: [Int32: Int64] = [:]
    var starts = 0
    try query.facts.forEachPersonWithCredits { person, units, _ in
      guard let entry = exposures[person] else { return }
      let way = Way(entry: entry, units, EmptyCollection<ScannedEvent>()) { _ in true }
      if way.started != nil { starts += 1 }
      switch step {
      case .sheet: break
      case .started: reached[person] = way.started
      case .paid: reached[person] = way.paid
      }
    }
    guard step == .sheet else { return reached }
    var sendsSheets = false
    for trace in try traces(query) where trace.kind == .purchaseStarted {
      guard let entry = exposures[trace.person] else { continue }
      sendsSheets = true
      if Way.isInWindow(trace, entry: entry) { reached[trace.person] = min(reached[trace.person] ?? .max, trace.ts) }
    }
    return sendsSheets || starts < fewestStarted ? reached : nil
  }

  /// Returns ``Cell/sendsSheets`` and ``Cell/hasStarts`` of the rows, by user.
  static func sheets(_ query: ReportQuery) throws -> [RowKey: (areSent: Bool, hasStarts: Bool)] {
    let (horizons, asOfs) = (try Funnel.horizons(query), query.asOfs)
    var senders = UserSet()
    try query.facts.forEachEvent([.purchaseStarted]) { senders.insert($0.person) }
    var rows = try UnitRows(query)
    var sumsOfRows = RowSums((sends: false, starts: 0))
    try query.facts.forEachPersonWithCredits(withEntries: true, withPurchases: false) { person, units, cellKey in
      let sends = senders.contains(person)
      guard let (unit, key) = units.entry, sends || !units.trials.isEmpty || !units.conversions.isEmpty else { return }
      let app = cellKey(key.cellKey).app
      rows.person = person
      guard let asOf = asOfs[app], let row = rows.place(of: key, at: unit.ts, cellKey) else { return }
      if sends { sumsOfRows[row].sends = true }
      let isMature = unit.ts <= asOf - (horizons[app] ?? 0)
      if isMature, Way(entry: unit.ts, units, EmptyCollection<ScannedEvent>(), where: { _ in true }).started != nil {
        sumsOfRows[row].starts += 1
      }
    }
    return sumsOfRows.byKey(rows.keys).mapValues { ($0.sends, $0.starts >= fewestStarted) }
  }

  /// One user's way through the steps.
  private struct Way {
    private(set) var sheet: Int64?
    private(set) var started: Int64?
    private(set) var paid: Int64?
    private(set) var isDismissed = false
    private(set) var reach: [PathSums.Reach] = []

    init(
      entry: Int64, _ units: borrowing PersonUnits, _ traces: some Sequence<ScannedEvent>,
      where isCredited: (Range<Int>) -> Bool
    ) {
      let windowEnd = entry + FoldOptions.attributionWindow
      for trace in traces where Self.isInWindow(trace, entry: entry) {
        if trace.kind == .purchaseStarted { sheet = min(sheet ?? .max, trace.ts) } else { isDismissed = true }
      }
      var end = windowEnd
      for trial in units.trials where trial.isIntroductory && isCredited(trial.credits) {
        var steps = FunnelSteps()
        steps.add(trialAt: trial.unit.start, isConverted: trial.unit.convertedAt != nil, entry: entry)
        guard steps.contains(.hasTrial) else { continue }
        started = min(started ?? .max, trial.unit.start)
        end = max(end, trial.unit.deadline)
        if steps.contains(.hasTrialPaid), let converted = trial.unit.convertedAt { paid = min(paid ?? .max, converted) }
      }
      for conversion in units.conversions where isCredited(conversion.credits) {
        var steps = FunnelSteps()
        steps.add(conversionAt: conversion.ts, introductoryStart: conversion.introductoryStart, entry: entry)
        guard steps.contains(.hasDirect) else { continue }
        started = min(started ?? .max, conversion.ts)
        paid = min(paid ?? .max, conversion.ts)
      }
      reach = [
        PathSums.Reach(anchor: entry, reached: sheet, end: windowEnd),
        PathSums.Reach(anchor: entry, reached: started, end: windowEnd),
        PathSums.Reach(anchor: started, reached: paid, end: end),
      ]
    }

    static func isInWindow(_ trace: ScannedEvent, entry: Int64) -> Bool {
      trace.ts >= entry && trace.ts < entry + FoldOptions.attributionWindow
    }
  }

  /// Returns the sheets and dismissals, by person.
  private static func traces(_ query: ReportQuery) throws -> [ScannedEvent] {
    var traces: [ScannedEvent] = []
    try query.facts.forEachEvent([.purchaseStarted, .paywallDismissal]) { traces.append($0) }
    return sortedByKey(traces) { Int64($0.person) }
  }

  private static func own(_ traces: [ScannedEvent], _ person: Int32) -> ArraySlice<ScannedEvent> {
    traces[traces.firstPlace { $0.person >= person }...].prefix { $0.person == person }
  }
}
