internal import Lifecycle
public import Store

/// Reports how many cancellations are taken back before the end, and when (definitions 12.5).
public enum Saves {
  /// The days after a cancellation at which the share that was saved is given.
  public static let ages = [1, 3, 7, 14, 30]

  struct Sums {
    var cancellations = 0
    var regretted = 0
    var open = 0
    var matured = 0
    var maturedSaved = 0
    var saved = 0
    var savedByPayment = 0
    var lost = 0
    var acceptedOffer = 0
    var waits = AgedTimes(ages)
  }

  public static func report(_ snapshot: StoreSnapshot, _ options: ReportOptions) throws -> Report {
    let query = try ReportQuery(snapshot, options, by: .saves)
    let hasScreens = !options.cancelScreens.isEmpty
    let rows = query.rows(try sumsOfRows(query), keys: hasScreens ? ["screen"] : []) {
      hasScreens ? [name(ofScreen: Int($0.codes[query.by.count]), query)] : []
    }
    return query.report(
      "saves", title: "Cancellations taken back",
      definition: [
        "cancellations: auto-renew turned off by the user, in a trial or while a subscription is active, by their day. "
          + "regretted: those turned on again within the hour, in no other column (12.5)",
        "saved: auto-renew was on again before the end, or the next payment came. lost: neither, and grace is over; open: "
          + "not known yet. saved_rate is of those whose end and grace are past, with Wilson's 95% interval (12.5)",
        "saved_N_rate: Aalen–Johansen estimate N days after the cancellation, from the most recent ones too (12.5)",
        "These are counts of what happened. Only an experiment can show what a screen or an offer changes",
      ]
        + (hasScreens
          ? ["screen: the last screen of --cancel-screens that the user saw within an hour of the cancellation (12.5)"]
          : []),
      own: [Report.Parameter(name: "cancel_screens", value: options.cancelScreens.joined(separator: ","))],
      readsEvents: true, columns: columns, rows: rows)
  }

  private static let columns: [SumsColumn<Sums>] = [
    .count("cancellations", \.cancellations), .count("regretted", \.regretted), .count("open", \.open),
    .count("matured", \.matured), .count("saved", \.saved), .count("lost", \.lost),
    .share("saved_rate", \.maturedSaved, of: \.matured),
    .incidence("saved", at: ages, \.waits, median: ("hours_p50", day / 24)),
    .count("reactivated") { $0.saved - $0.savedByPayment }, .count("paid", \.savedByPayment),
    .count("accepted_offer", \.acceptedOffer), .count("matured_saved", \.maturedSaved).basis,
  ]

  private static func name(ofScreen screen: Int, _ query: ReportQuery) -> String {
    screen == 0 ? Dimension.absent : query.facts.name(screen)
  }

  /// Returns sums by row, whose key ends with the name of the screen; 0 for none.
  private static func sumsOfRows(_ query: ReportQuery) throws -> [RowKey: Sums] {
    var rows = try UnitRows(query)
    var sumsOfRows: [RowKey: Sums] = [:]
    let asOfs = query.asOfs
    let screens = Set(query.options.cancelScreens)
    try query.facts.forEachCancellation { stored, cellKey in
      guard let asOf = asOfs[stored.app] else { return }
      rows.person = stored.person
      let screen = stored.fact.screen
      let name = name(ofScreen: Int(screen), query)
      let isNamed = name != Dimension.absent && screens.contains(name)
      var places: [Int] = []
      rows.forEachRow(stored.credits[...], at: stored.fact.ts, cellKey) { places.append($0) }
      for place in places {
        var key = rows.keys[place]
        key.codes.append(isNamed ? Int64(screen) : 0)
        sumsOfRows[key, default: Sums()].add(stored.fact, asOf: asOf)
      }
    }
    return sumsOfRows
  }
}

extension Saves.Sums {
  fileprivate mutating func add(_ cancellation: CancellationFact, asOf: Int64) {
    if cancellation.isRegretted {
      regretted += 1
      return
    }
    cancellations += 1
    let isMature = cancellation.graceEnd <= asOf
    if isMature { matured += 1 }
    if cancellation.hasAcceptedOffer { acceptedOffer += 1 }
    waits.observe(from: cancellation.ts, until: asOf)
    switch cancellation.outcome {
    case .open:
      open += 1
      waits.times.add(openAfter: asOf - cancellation.ts)
    case .saved:
      saved += 1
      if isMature { maturedSaved += 1 }
      if cancellation.isSavedByPayment { savedByPayment += 1 }
      waits.times.add(happenedAfter: cancellation.ended - cancellation.ts)
    case .lost:
      lost += 1
      waits.times.add(missedAfter: cancellation.ended - cancellation.ts)
    }
  }
}
