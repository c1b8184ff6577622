internal import EventModel
internal import Lifecycle
public import Store

/// Explains the numbers of one row of a report with a report by user, which counts the same units with the same
/// functions.
///
/// Belongs to one snapshot and one thread.
public final class Explainer: RowExplainer {
  private let snapshot: StoreSnapshot
  private let report: ReportKind
  private let options: ReportOptions
  private let base: Report
  private let row: [ReportValue]
  private var tables: [ReportKind.Persons: ByPerson] = [:]
  private var wholes: Wholes?

  /// - Parameters:
  ///   - cell: Key columns with the values of the row.
  ///   - column: The number to explain, if it is known; several rows are refused for it if none has an explanation.
  /// - Throws: ``ExplanationError`` for a row that the report does not have.
  public init(
    _ snapshot: StoreSnapshot, report: ReportKind, options: ReportOptions, cell: [(name: String, value: String)],
    column: String? = nil
  ) throws {
    self.snapshot = snapshot
    self.report = report
    base = try report.report(snapshot, options)
    // The parts of the report use the same currency.
    self.options = options.settled(by: base)
    let found = try base.matchingRows(of: cell)
    row = found[0]
    guard found.count > 1 else { return }
    // More keys would not help.
    if let column, let place = try? base.place(ofNumber: column),
      !found.contains(where: { Explanation.explains(base.columns[place], $0, of: base) })
    {
      _ = try described(column)
    }
    throw base.severalRows(found)
  }

  private func described(_ column: String) throws -> (place: Int, info: ColumnInfo) {
    let place = try base.place(ofNumber: column)
    guard let info = report.described(base.columns[place]), let sum = info.sum else {
      throw ExplanationError.refused(column, "is not a number that users add up to")
    }
    if case .refused(let reason) = sum { throw ExplanationError.refused(column, reason) }
    if row[place].isEmpty { throw ExplanationError.undefined(column) }
    if report.persons(of: base.columns[place]) == .shownPrices && pricePair == nil {
      let reason =
        "comes from the prices paid most often (5.2), because no paywall view of the row shows a monthly and a yearly "
        + "price; prices do not add up over users"
      throw ExplanationError.refused(column, reason)
    }
    return (place, info)
  }

  /// The prices of a savings row, if impressions showed them.
  private var pricePair: SavingsSums.Pair? {
    guard base.value("price_source", in: row)?.keyText == SavingsSums.shownSource,
      case .money(let monthly?, _) = base.value("monthly_price", in: row),
      case .money(let yearly?, _) = base.value("yearly_price", in: row)
    else { return nil }
    return SavingsSums.Pair(monthly: Int64(monthly), yearly: Int64(yearly))
  }

  /// A user's row of the report.
  private struct PersonRow {
    var person: Int32
    /// Values by column of ``Explainer/byPerson``'s report.
    var values: [ReportValue]
    /// The user's values in other currencies.
    var others: [[ReportValue]] = []
  }

  private struct ByPerson {
    var report: ReportKind
    var columns: [ReportColumn]
    var rows: [PersonRow]

    /// Returns the reader of a sum of columns, such as `converted+lapsed`, in a user's row.
    func reader(_ names: [String]) -> (PersonRow) -> Explanation.Amount {
      let places = names.compactMap { name in
        columns.firstIndex { $0.name == name }.map { (place: $0, isOfPersons: report.isOfPersons(name)) }
      }
      return { row in
        var sum = Explanation.Amount.zero
        for (place, isOfPersons) in places {
          var value = row.values.isEmpty ? Explanation.Amount.zero : Explanation.Amount(row.values[place])
          if isOfPersons {
            for other in row.others where Explanation.Amount(other[place]).millionths > value.millionths {
              value = Explanation.Amount(other[place])
            }
          }
          sum = sum + value
        }
        return sum
      }
    }
  }

  /// The options of the report by user, for the row's app and, if the result stays the same, the row's dimensions
  /// only.
  private func personOptions(_ persons: ReportKind.Persons) -> ReportOptions {
    var options = options
    options.showsBasis = true
    options.apps = [cell[0].value]
    if persons == .shownPrices { options.pricePair = pricePair }
    if persons == .others {
      options.by = [.person]
      options.filters = []
      options.from = nil
      options.to = nil
      return options
    }
    let dimensions = base.columns.compactMap { $0.kind == .key ? try? Dimension(name: $0.name) : nil }
    // Of two hits at one instant, a gate takes one that is selected.
    if report != .gates {
      for (name, value) in cell {
        guard let dimension = try? Dimension(name: name), (options.by ?? dimensions).contains(dimension) else {
          continue
        }
        options.filters.append(ReportOptions.Filter(dimension: dimension, values: [value]))
      }
    }
    options.by = (options.by ?? defaultDimensions) + [.person]
    return options
  }

  /// The report's default dimensions: those of its key columns that an option could name.
  private var defaultDimensions: [Dimension] {
    base.columns.compactMap { column in
      guard column.kind == .key, let dimension = try? Dimension(name: column.name) else { return nil }
      return report == .savings && dimension == .tier ? nil : dimension
    }
  }

  private var cell: [(name: String, value: String)] {
    base.cell(of: row)
  }

  private func byPerson(_ wanted: ReportKind.Persons) throws -> ByPerson {
    if let table = tables[wanted] { return table }
    let report = try self.report.report(snapshot, personOptions(wanted))
    guard let person = report.place(ofKey: Dimension.person.name) else {
      preconditionFailure("a report by user has a column of users")
    }
    let cell = cell
    let keys = cell.compactMap { key in
      report.place(ofKey: key.name).map { (place: $0, name: key.name, value: key.value) }
    }
    var persons: [Int32: PersonRow] = [:]
    for row in report.rows {
      guard let number = Int32(row[person].keyText) else { continue }
      let differing = keys.filter { !row[$0.place].keyText.utf8.elementsEqual($0.value.utf8) }
      if differing.isEmpty {
        persons[number, default: PersonRow(person: number, values: [])].values = row
      } else if differing.count == 1, differing[0].name == "currency" {
        persons[number, default: PersonRow(person: number, values: [])].others.append(row)
      }
    }
    let made = ByPerson(
      report: self.report, columns: report.columns, rows: persons.values.sorted { $0.person < $1.person })
    tables[wanted] = made
    return made
  }

  /// The users' contributions to the number and to its denominator.
  private struct Parts {
    var amount: (PersonRow) -> Explanation.Amount
    var of: ((PersonRow) -> Explanation.Amount)?
    var others: [OtherUnits]
    /// The description of the amounts, and of the denominator.
    var text: String
    var textOf: String?
  }

  /// Returns a rule's text with the days of the app's horizon.
  private func withDays(_ text: String) -> String {
    let notes = base.asOf.first { $0.app == cell[0].value }?.notes ?? []
    let noted = notes.compactMap { $0.wholeMatch(of: #/horizon ([0-9.]+) d/#).map { String($0.1) } }.first
    let given = base.parameters.first { $0.name == "horizon_days" }?.value
    let days = (noted ?? given).flatMap { days in Double(days).map { $0 == 1 ? "1 day" : "\(days) days" } }
    return text.replacing("the horizon", with: days ?? "7 days, a trial and grace")
  }

  private func parts(_ table: ByPerson, _ info: ColumnInfo) -> Parts {
    func read(_ columns: String) -> (PersonRow) -> Explanation.Amount {
      table.reader(columns.split(separator: "+").map(String.init))
    }
    func own(_ column: String) -> ColumnInfo? { report.described(ReportColumn(column, .count)) }
    func others(_ column: String) -> [OtherUnits] { own(column).map(report.allOthers) ?? [] }
    func text(_ column: String) -> String {
      own(column).map { "\(column): \(report.formula($0)) (\($0.rule))" } ?? column.replacing("+", with: " + ")
    }
    switch info.sum {
    case .units, .refused, nil:
      return Parts(amount: read(info.identifier), others: report.allOthers(info), text: report.formula(info))
    case .rate(let part, let column):
      return Parts(amount: read(part), others: others(part), text: text(part), textOf: column)
    case .estimate(let column): return Parts(amount: read(column), others: others(column), text: text(column))
    case .ratio(let part, let whole):
      return Parts(amount: read(part), of: read(whole), others: others(whole), text: text(part), textOf: text(whole))
    case .mean(let count):
      let (mean, of) = (read(info.identifier), read(count))
      return Parts(
        amount: { row in
          let (mean, of) = (mean(row), of(row))
          return Explanation.Amount(millionths: mean.millionths * of.millionths / 1_000_000, currency: mean.currency)
        }, of: of, others: others(count), text: info.phrase, textOf: text(count))
    }
  }

  /// Returns the place of a bound's rate; other columns' own place.
  private func ratePlace(_ place: Int) -> Int {
    switch base.columns[place].kind {
    case .low: place - 1
    case .high: place - 2
    default: place
    }
  }

  // MARK: - The whole

  public func explanation(
    of asked: String, offset: Int = 0, limit: Int? = nil, user: String? = nil
  ) throws -> Explanation {
    let (place, info) = try described(asked)
    // As CSV has it, also of a table's heading.
    let column = base.columns[place].name
    let wanted = report.persons(of: base.columns[place])
    let table = try byPerson(wanted)
    let parts = self.parts(table, info)
    var list = PersonList()
    var leftOut = parts.others.map { _ in Explanation.Amount.zero }
    let (texts, readers) = (
      parts.others.map { withDays($0.text) }, parts.others.map { (table.reader($0.columns), table.reader($0.less)) }
    )
    let isMoney = column == "revenue"
    let made = isMoney ? [table.reader(["payments"]), table.reader(["refunds"])] : []
    for row in table.rows {
      let others = readers.map { columns, less in
        let amount = columns(row)
        return Explanation.Amount(millionths: amount.millionths - less(row).millionths, currency: amount.currency)
      }
      let (amount, of) = (parts.amount(row), parts.of?(row))
      // Payments refunded in full add up to 0, but still count.
      let isMade = made.contains { !$0(row).isZero }
      if amount.isZero, of?.isZero ?? true, others.allSatisfy(\.isZero), !isMade { continue }
      var reasons = amount.isZero && !isMoney ? [] : ["counted"]
      for (place, amount) in others.enumerated() {
        leftOut[place] = leftOut[place] + amount
        if !amount.isZero { reasons.append(texts[place]) }
      }
      if reasons.isEmpty { reasons = ["not in the numerator"] }
      list.entries.append(PersonList.Entry(person: row.person, amount: amount, of: of, reasons: reasons))
    }
    let total = list.total
    let of: Explanation.Amount? =
      if case .rate(_, let column)? = info.sum, let own = base.value(column, in: row) {
        Explanation.Amount(own)
      } else {
        parts.of.map { _ in list.denominator }
      }
    let rounding = try rounding(total, of: of, persons: list.entries.count, place, info)

    var counts = [Explanation.Count(place: .counted, reason: withDays(parts.text), amount: total + rounding)]
    if let of, let text = parts.textOf {
      counts.append(Explanation.Count(place: .counted, reason: withDays(text), amount: of))
    }
    for (text, amount) in zip(texts, leftOut) {
      counts.append(Explanation.Count(place: .leftOut, reason: text, amount: amount))
    }
    counts += try elsewhere(total + rounding, column, info)

    let topics = wanted == .shownPrices ? [.prices] : report.topics
    let page = try list.page(
      try ReportQuery(snapshot, personOptions(wanted), defaultBy: []).facts, offset: offset, limit: limit, user: user,
      telling: { topics.contains(.first) || EventRoles.isOfTopic($0, topics) }
    ) { EventRoles($0, topics: topics, attribution: options.attribution).events() }
    let isEstimate = if case .estimate? = info.sum { true } else { false }
    return Explanation(
      report: base.name, column: column, cell: cell, value: row[place], kind: base.columns[place].kind,
      rules: info.rule, rule: withDays(report.formula(info)), parameters: base.parameters,
      asOf: base.asOf.filter { $0.app == cell[0].value }, total: total + rounding, of: of, isEstimate: isEstimate,
      counts: counts, persons: page.persons, personCount: list.entries.count, offset: page.first, rounding: rounding)
  }

  /// Returns the difference between the row and the sum of the users' rounded amounts.
  ///
  /// - Throws: ``ExplanationError`` if it is more than rounding.
  private func rounding(
    _ total: Explanation.Amount, of: Explanation.Amount?, persons: Int, _ place: Int, _ info: ColumnInfo
  ) throws -> Explanation.Amount {
    var lack = Explanation.Amount(millionths: 0, currency: total.currency)
    switch info.sum {
    case .units:
      let value = Explanation.Amount(row[place])
      lack.millionths = value.millionths - total.millionths
      // Rounding to the micro-unit changes each amount by less than one.
      guard lack.millionths.magnitude <= (value.currency == nil ? 0 : persons + 1) else {
        throw ExplanationError.disagrees(
          column: base.columns[place].name, cell: "\(value.millionths) millionths", listed: "\(total.millionths)")
      }
    case .ratio, .mean, .rate:
      // Bounds come from the same two numbers as their rate.
      let value = Explanation.Amount(row[ratePlace(place)])
      guard let of, of.millionths != 0 else { throw ExplanationError.undefined(base.columns[place].name) }
      let quotient = Double(total.millionths) / Double(of.millionths) * 1e6
      let noise = max(
        1,
        value.currency == nil
          ? 0.5 + Double(value.millionths.magnitude) * 1e-12 : Double(persons) / (Double(of.millionths) / 1e6) + 1)
      guard abs(quotient - Double(value.millionths)) <= noise else {
        throw ExplanationError.disagrees(
          column: base.columns[place].name, cell: "\(value.millionths) millionths", listed: "\(quotient)")
      }
    case .estimate, .refused, nil: break
    }
    return lack
  }

  /// The report beyond the row: as requested, without filters, and without days.
  private struct Wholes {
    var asked: Report
    /// `nil` if other days or rows have payments in currencies without a rate.
    var unfiltered: Report?
    var all: Report?
  }

  private func makeWholes() throws -> Wholes {
    if let wholes { return wholes }
    var options = options
    options.apps = [cell[0].value]
    let asked = try report.report(snapshot, options)
    options.filters = []
    let unfiltered = self.options.filters.isEmpty ? asked : try? report.report(snapshot, options)
    options.from = nil
    options.to = nil
    let hasDays = self.options.from != nil || self.options.to != nil
    let made = Wholes(
      asked: asked, unfiltered: unfiltered, all: hasDays ? try? report.report(snapshot, options) : unfiltered)
    wholes = made
    return made
  }

  /// Returns the app's amount of the column outside the row.
  private func elsewhere(
    _ total: Explanation.Amount, _ column: String, _ info: ColumnInfo
  ) throws -> [Explanation.Count] {
    guard info.sum == .units, report.rowsAddUp, options.attribution != .all,
      report.persons(of: ReportColumn(column, .count)) == .row
    else { return [] }
    let wholes = try makeWholes()
    guard let unfiltered = wholes.unfiltered, let all = wholes.all else { return [] }
    func count(_ reason: String, _ more: Explanation.Amount, _ less: Explanation.Amount) -> Explanation.Count {
      Explanation.Count(
        place: .elsewhere, reason: reason,
        amount: Explanation.Amount(millionths: more.millionths - less.millionths, currency: total.currency))
    }
    let (asked, ofAllRows) = (sum(column, wholes.asked), sum(column, unfiltered))
    let rows = "in other rows of the app\(total.currency.map { " in \($0)" } ?? "")"
    var counts = [count(rows, asked, total)]
    if !options.filters.isEmpty { counts.append(count("left out by --where", ofAllRows, asked)) }
    if options.from != nil || options.to != nil {
      counts.append(count("outside --from and --to", sum(column, all), ofAllRows))
    }
    return counts
  }

  /// Returns the column's sum over all rows of the app: for money, the rows in the row's currency; for rows that
  /// overlap, those of the row's split.
  private func sum(_ column: String, _ report: Report) -> Explanation.Amount {
    guard let place = report.place(column) else { return Explanation.Amount.zero }
    let names: Set = report.columns[place].kind == .money ? ["app", "currency", "split"] : ["app", "split"]
    let fixed = cell.filter { names.contains($0.name) }.compactMap { key in
      report.place(ofKey: key.name).map { (place: $0, value: key.value) }
    }
    return report.rows.filter { row in fixed.allSatisfy { row[$0.place].keyText.utf8.elementsEqual($0.value.utf8) } }
      .reduce(Explanation.Amount.zero) { $0 + Explanation.Amount($1[place]) }
  }
}
