internal import EventModel
internal import Lifecycle

/// The words of the answer about recurring revenue (definitions 10.3).
extension DriverReport {
  /// Dimensions of a subscription's first payment; it keeps their values until it ends.
  static let dimensionsOfSubscriptions: [Dimension] = [
    .plan, .tier, .country, .platform, .store, .appVersion, .variant, .entryPoint, .paywall, .experiment, .offerType,
  ]

  var isOfMovements: Bool { if case .recurring = measure { true } else { false } }

  static let movementDefinition = [
    "part: what moved the segment's recurring revenue (7.3); movements that did not occur have no row. The parts of one "
      + "cut add up to the change",
    "there is no search and no driver: most users are on both sides, so a random split of users says nothing about chance",
  ]

  /// The answer in one sentence.
  ///
  /// - Parameter printed: The change in the last printed decimal.
  func sentence(_ app: String, _ number: ComparedNumber, printed: Int, isAlone: Bool) -> String {
    let name = isAlone ? "" : "\(app): "
    guard let p = number.p, printed != 0 else { return "\(name)it did not change" }
    return "\(name)it \(printed < 0 ? "fell" : "rose") by \(amountText(abs(printed))) a month, "
      + (p < 0.05 ? "more than chance explains" : "which chance alone can explain")
  }

  /// A clause on the segment whose revenue moved most unlike the days before; empty if chance alone finds one.
  private func clause(of first: DriverMovements.First, _ decimals: Int) -> String {
    guard first.isFound else { return "" }
    func amount(_ change: Double) -> String {
      signedAmountText(Int((change / 1e6 * Double(powerOfTen(decimals))).rounded()))
    }
    let name = dimensions[first.dimension].name
    return
      ". It moved most unlike the days before in \(Report.words(ofSegment: "\(name)=\(first.value)", cut: name)): by "
      + "\(amount(first.change)), after \(amount(first.earlier))"
  }

  /// Returns a change of an amount with its sign and currency; 0 has no sign.
  ///
  /// - Parameter printed: In the last printed decimal.
  func signedAmountText(_ printed: Int) -> String { (printed > 0 ? "+" : "") + amountText(printed) }

  /// Returns an amount with its currency.
  ///
  /// - Parameter printed: In the last printed decimal.
  func amountText(_ printed: Int) -> String {
    let decimals = money?.decimals ?? 2
    let (whole, rest) = abs(printed).quotientAndRemainder(dividingBy: Int(powerOfTen(decimals)))
    let fraction = decimals == 0 ? "" : "." + String(rest + Int(powerOfTen(decimals))).dropFirst()
    return "\(printed < 0 ? "−" : "")\(grouped(whole))\(fraction) \(money?.currency ?? "")"
  }

  /// Splits the change of recurring revenue by what moved each segment.
  mutating func addMovements(_ app: String, _ sides: ComparedSides, isAlone: Bool) throws {
    asOf.append(Report.AppInstant(app: app, asOf: sides.now.asOf, notes: []))
    var options = sides.now.options
    options.from = sides.before.options.to
    let own = try DriverMovements.read(snapshot, options, by: dimensions)[app] ?? DriverMovements()
    try money?.settle(on: own.currencies)
    let number = ComparedNumber(amounts: try DriverMovements.users(snapshot, options), scale: 1)
    let (all, decimals) = (own.total, money?.decimals ?? 0)
    let whole = (before: all.before, now: all.now)
    let printed = DriverMovements.printed(all.change, decimals: decimals)
    rows += try findings(app, sides, Daily()).map { values($0, whole) }
    if own.strata.isEmpty {
      sentences.append("\(isAlone ? "" : "\(app): ")not known: no subscription is active before or now")
      return
    }
    var first: DriverMovements.First?
    if let begin = sides.before.first, let middle = sides.before.end, let end = sides.now.end {
      (options.from, options.to) = (sides.before.options.from, sides.before.options.to)
      let past = try DriverMovements.read(snapshot, options, by: dimensions)[app] ?? DriverMovements()
      let known = min(Double(end), Double(sides.now.asOf) / Double(day))
      // New subscriptions are of new versions anyhow, so those of older ones only fall.
      let places = dimensions.indices.filter { !question.cuts.isEmpty || dimensions[$0] != .appVersion }
      first = own.first(past, scale: (known - Double(middle)) / Double(middle - begin), among: places)
    }
    sentences.append(
      sentence(app, number, printed: printed, isAlone: isAlone)
        + (printed == 0 ? "" : first.map { clause(of: $0, decimals) } ?? ""))
    func amount(_ printed: Int) -> Double { Double(printed) / Double(powerOfTen(decimals)) }
    let total = Row(
      app: app, verdict: .total, before: whole.before, now: whole.now, contribution: amount(printed))
    rows.append(values(total, whole))
    let table = DriverCounts(
      dimensions, before: own.strata.map { DriverCounts.Row(values: $0.values, count: $0.sum.before) },
      now: own.strata.map { DriverCounts.Row(values: $0.values, count: $0.sum.now) }, isOfMoney: true)
    for row in try suspects(app, sides, table, []) { rows.append(values(row, whole)) }
    let places = Dictionary(uniqueKeysWithValues: dimensions.enumerated().map { ($1, $0) })
    let best = first.flatMap { own in table.dimensions.firstIndex(of: dimensions[own.dimension]) }
    for cut in table.cuts.filter({ $0 == [best] }) + table.cuts.filter({ $0 != [best] }) {
      let names = cut.compactMap { own in places[table.dimensions[own]].map { (table.dimensions[own].name, $0) } }
      for part in own.parts(cut: names, decimals: decimals) {
        let row = Row(
          app: app, verdict: .part, cut: table.name(cut: cut), segment: part.segment, part: "\(part.movement)",
          before: part.before, now: part.now, contribution: amount(part.printed))
        rows.append(values(row, whole))
      }
    }
  }
}
