import EventModel
public import Metrics
import Statistics

/// Reports of other rows or days that the key numbers of a page need.
public struct KeyReports: Sendable {
  /// Revenue by month and payment number.
  public var stages: Report?
  /// The days of the month so far, and revenue of as many days of the month before.
  public var month: (days: Range<Int>, before: Report?)?
  /// Whether the report is of the month so far alone.
  public var isOfMonth = false
  /// Recurring revenue at the end of the days.
  public var recurring: Report?
  /// Subscriptions of lifetime plans alone.
  public var lifetime: Report?

  public init() {}
}

/// The numbers above a report's charts: those that the overview has of it, and what the reader asks next.
struct KeyTiles {
  private let report: Report
  private let more: KeyReports
  private let compared: Report?
  /// All rows as one, in the report as a table shows it.
  private let whole: Whole?

  init(_ report: Report, _ more: KeyReports, compared: Report?) {
    (self.report, self.more, self.compared) = (report, more, compared)
    whole = Whole(report)
  }

  private struct Tile {
    var title: String
    var value: String
    var unit = ""
    var lines: [Markup] = []
  }

  var markup: Markup {
    let tiles = tiles.map { tile -> Markup in
      let unit: Markup = tile.unit.isEmpty ? "" : " <small>\(tile.unit)</small>"
      return """
        <div class="tile"><h2>\(tile.title)</h2><p class="big">\(tile.value)\(unit)</p><p class="delta">\
        \(tile.lines.enumerated().map { $0 == 0 ? $1 : "<br>\($1)" as Markup })</p></div>
        """
    }
    return tiles.isEmpty ? "" : "<section class=\"tiles few\" aria-label=\"Key numbers\">\(tiles)</section>\n"
  }

  private var tiles: [Tile] {
    if report.rows.isEmpty { return [] }
    return switch report.name {
    case "revenue": revenue
    case "mrr": recurring
    case "subscriptions": subscriptions
    case "retention": retention
    case "funnel" where period != nil:
      [share("Viewers who pay", "paid_rate", of: "users", in: "viewers"), recentViewers].compactMap(\.self)
    case "trials" where period != nil:
      [share(trialsTitle, "trial_to_paid_rate", of: "matured", in: "trials that are over")].compactMap(\.self)
    default: []
    }
  }

  private var period: String? {
    report.columns.first { $0.kind == .key && Dimension.period($0.name) != nil }?.name
  }

  /// Trials of stores are cancelled or not; those of apps are neither. The overview counts one kind of them.
  private var trialsTitle: String {
    let rows = ChartTable(report).rows.filter { $0.count("matured") ?? 0 > 0 }
    let ofStores = Set(rows.filter { $0.share("cancel_rate") != nil }.map(\.app))
    return ofStores.isEmpty || ofStores == Set(rows.map(\.app)) ? "Trials that pay" : "Store and app trials that pay"
  }

  // MARK: Money

  /// Marks amounts that leave out other currencies.
  private var only: String { Set(ChartTable(report).rows.compactMap(\.currency)).count > 1 ? " only" : "" }

  private var revenue: [Tile] {
    guard let net = whole?.money("revenue") else { return [] }
    let mode = report.parameter("mode") ?? "net"
    let payments = whole?.row.count("payments").map { "\(countText($0)) \($0 == 1 ? "payment" : "payments")" }
    let refunds = whole?.row.count("refunds").map { "\(countText($0)) \($0 == 1 ? "refund" : "refunds")" }
    let counts = [payments, refunds].compactMap(\.self).joined(separator: ", ")
    let month = monthLines
    var tiles = [
      Tile(
        title: "\(mode.capitalizedFirst) revenue", value: net.text, unit: net.currency + only,
        lines: change("revenue") ?? (more.isOfMonth ? month : []) + [muted(counts)])
    ]
    if !more.isOfMonth, let days = more.month?.days, let stages = more.stages.map(ChartTable.init) {
      let first = CivilDate(daysSince1970: days.lowerBound)
      let rows = stages.rows.filter {
        $0.key("month") == String(first.description.prefix(7)) && $0.currency == net.currency
      }
      let sum = rows.reduce(0) { $0 + ($1.number("revenue") ?? 0) }
      tiles.append(
        Tile(
          title: "\(monthName(first)) so far", value: ChartUnit.text(sum, decimals: 0), unit: net.currency, lines: month
        ))
    }
    if let recurring = more.recurring.flatMap(Whole.init), let amount = recurring.money("mrr") {
      let active = recurring.row.count("active_subscriptions").map { muted("\(countText($0)) active subscriptions") }
      tiles.append(
        Tile(
          title: "Monthly recurring", value: amount.text, unit: amount.currency, lines: [active].compactMap(\.self)))
    }
    if let gross = whole?.money("gross"), gross.amount > 0, let refunded = whole?.money("refunded") {
      let share = ChartUnit.share.value(refunded.amount / gross.amount)
      let of = muted("\(refunded.text) of \(gross.text) \(gross.currency)")
      tiles.append(Tile(title: "Refunded", value: share, unit: "of gross", lines: [of]))
      if let later = laterPayments(of: gross) { tiles.append(later) }
    }
    return tiles
  }

  /// How much of the month there is, and as many days of the month before.
  private var monthLines: [Markup] {
    guard let month = more.month else { return [] }
    let first = CivilDate(daysSince1970: month.days.lowerBound)
    let whole = first.addingMonths(1).daysSince1970 - first.daysSince1970
    let count = month.days.count
    let before = month.before.flatMap(Whole.init)?.money("revenue").map {
      muted("first \(count == 1 ? "day" : "\(count) days") of \(monthName(first.addingMonths(-1))): \($0.text)")
    }
    return [muted("\(count) of \(whole) days")] + [before].compactMap(\.self)
  }

  /// Payments of a subscription after its first: renewals, plan changes, and all of one that began before the data.
  private func laterPayments(of gross: Whole.Money) -> Tile? {
    guard let stages = more.stages.map(ChartTable.init) else { return nil }
    let later = stages.rows.filter { $0.key("stage") != "1" && $0.currency == gross.currency }
    let sum = later.reduce(0) { $0 + ($1.number("gross") ?? 0) }
    return Tile(
      title: "Later payments", value: ChartUnit.share.value(sum / gross.amount), unit: "of gross",
      lines: [muted("\(ChartUnit.text(sum, decimals: 0)) of \(gross.text) \(gross.currency)")])
  }

  /// Recurring revenue at the end of the rows, against that at their start.
  private var recurring: [Tile] {
    let table = ChartTable(report)
    let currencies = Set(table.rows.compactMap(\.currency))
    guard table.has("opening"), currencies.count == 1, let currency = currencies.first else { return [] }
    func sum(_ column: String, at key: String? = nil) -> Double {
      table.rows.reduce(0) { sum, row in
        key == nil || period.flatMap(row.key) == key ? sum + (row.number(column) ?? 0) : sum
      }
    }
    let keys = period.map { period in table.rows.compactMap { $0.key(period) }.sorted(by: precedesInBytes) } ?? []
    let (opening, closing) = (sum("opening", at: keys.first), sum("closing", at: keys.last))
    let (new, churned) = (sum("new"), sum("churned"))
    func text(_ amount: Double) -> String { ChartUnit.text(amount, decimals: 0) }
    var lines: [Markup] = []
    if opening > 0 {
      let tone: Markup = closing == opening ? "" : closing > opening ? #" class="good""# : #" class="bad""#
      let change = ChartUnit.text(closing - opening, decimals: 0, hasPlus: true)
      lines = ["<b\(tone)>\(percentChange(closing / opening - 1))</b> <span class=\"muted\">\(change)</span>"]
    }
    let share =
      opening > 0 ? muted("\(ChartUnit.share.value(-churned / opening)) of the \(text(opening)) at the start") : nil
    return [
      Tile(
        title: "Monthly recurring", value: text(closing), unit: currency,
        lines: lines + [muted("at the end of these days")]),
      Tile(title: "New", value: text(new), unit: "\(currency) a month", lines: [muted("over these days")]),
      Tile(
        title: "Churned", value: text(-churned), unit: "\(currency) a month",
        lines: [share ?? muted("over these days")]),
    ]
  }

  // MARK: Subscriptions

  private var subscriptions: [Tile] {
    guard let period, report.columns.contains(where: { $0.name == "churn_rate" }) else { return [] }
    let table = ChartTable(report)
    // An end is churn once its grace is over; files may end some hours before midnight.
    let grace = report.parameter("grace_days").flatMap(Double.init) ?? 0
    func isSettled(_ row: ChartTable.Row) -> Bool {
      guard let app = report.asOf.first(where: { $0.app == row.app }), let days = report.days(of: app),
        let dimension = Dimension.period(period), let first = row.key(period).flatMap(dimension.firstDay(ofPeriod:))
      else { return false }
      let end = Double(dimension.next(first).daysSince1970) + grace
      return first.daysSince1970 >= days.lowerBound && end <= Double(app.asOf) / 86_400_000 + 0.25
    }
    var (churned, opening) = (0.0, 0.0)
    for row in table.rows where isSettled(row) {
      guard let share = row.share("churn_rate"), let bounds = row.bounds("churn_rate"),
        let trials = wilsonTrials(of: share, low: bounds.lowerBound, high: bounds.upperBound)
      else { continue }
      (churned, opening) = (churned + (share * trials).rounded(), opening + trials)
    }
    let last = table.rows.compactMap { $0.key(period) }.max(by: precedesInBytes)
    let active = table.rows.filter { $0.key(period) == last }.reduce(0) { $0 + ($1.count("active") ?? 0) }
    var tiles: [Tile] = []
    if opening > 0 {
      let interval = wilsonInterval(successes: churned, trials: opening)
      let bounds = interval.map { muted(boundsText($0.low...max($0.low, $0.high))) }
      tiles.append(
        Tile(
          title: "Churn per \(period)", value: ChartUnit.share.value(churned / opening),
          lines: [bounds, muted("of those active at the start of each \(period) that is over")].compactMap(\.self)))
    }
    tiles.append(Tile(title: "Active at the end", value: countText(active)))
    for (title, column) in [("New", "new"), ("Churned", "churned")] {
      if let count = whole?.row.count(column) { tiles.append(Tile(title: title, value: countText(count))) }
    }
    return tiles
  }

  private var retention: [Tile] {
    guard let began = whole?.row.count("subscriptions") else { return [] }
    var payers = Tile(title: "New payers", value: countText(began), lines: [muted("by their first payment")])
    if let lifetime = more.lifetime.flatMap(Whole.init)?.row.count("new"), lifetime > 0 {
      payers.value = countText(began + lifetime)
      payers.unit = "incl. lifetime"
      payers.lines = [muted("\(countText(began)) subscriptions and \(countText(lifetime)) lifetime purchases")]
    }
    let ages = report.columns.map(\.name).filter { $0.hasPrefix("survival_") && !$0.hasSuffix("low") }
    let shares = ages.compactMap { name -> Tile? in
      guard let age = Int(name.dropFirst("survival_".count)), whole?.shows(name) == true else { return nil }
      return share("Still subscribed after \(age) d", name, of: nil, in: "")
    }
    return [payers] + shares.prefix(3)
  }

  private var recentViewers: Tile? {
    guard let recent = whole?.row.count("immature"), recent > 0 else { return nil }
    return Tile(title: "Too recent to count", value: countText(recent), unit: "viewers")
  }

  // MARK: Parts

  private func share(_ title: String, _ rate: String, of column: String?, in units: String) -> Tile? {
    guard let whole, let value = whole.row.share(rate) else { return nil }
    let bounds = whole.row.bounds(rate).map { muted(boundsText($0)) }
    let of = column.flatMap(whole.row.count).map { count in
      muted("\(countText(Int((value * Double(count)).rounded()))) of \(countText(count)) \(units)")
    }
    return Tile(title: title, value: ChartUnit.share.value(value), lines: [bounds, of].compactMap(\.self))
  }

  private func muted(_ text: String) -> Markup { "<span class=\"muted\">\(text)</span>" }

  private func monthName(_ day: CivilDate) -> String { monthNames[day.month - 1] }

  /// The change of a sum in the comparison of the page, whose table has its interval; `nil` where nothing is compared.
  private func change(_ column: String) -> [Markup]? {
    guard let compared else { return nil }
    let places = Dictionary(compared.columns.enumerated().map { ($1.name, $0) }) { first, _ in first }
    guard let name = places["column"], let lift = places["lift"], let before = places["before"],
      let words = places["word"]
    else { return nil }
    let rows = (compared.totals.isEmpty ? compared.rows : compared.totals).filter { $0[name].textValue == column }
    guard rows.count == 1, let share = rows[0][lift].share, case .money(let earlier?, _) = rows[0][before] else {
      return nil
    }
    if compared.asOf.contains(where: \.lacksDaysBefore) {
      return [muted("before \(ChartUnit.text(Double(earlier) / 1e6, decimals: 0)): the data lack some of those days")]
    }
    let counts = ["before_n", "now_n"].compactMap { places[$0].flatMap { rows[0][$0].quantity } }
    if counts.count == 2, counts[0] + counts[1] < Double(fewestCompared) {
      return [muted("before \(ChartUnit.text(Double(earlier) / 1e6, decimals: 0)): too few payers to say")]
    }
    let word = rows[0][words].textValue
    let isSure = word == "up" || word == "down"
    let judgement: Markup? =
      switch word {
      case "up", "down", "chance": "\(chanceWords(isSure, share > 0))"
      case "unknown": "too few users to compare"
      default: nil
      }
    return [
      "<b\(changeLook(isSure, share > 0))>\(percentChange(share))</b> \(muted("before \(ChartUnit.text(Double(earlier) / 1e6, decimals: 0))"))"
    ] + [judgement.map { "<span class=\"muted\">\($0)</span>" }].compactMap(\.self)
  }
}

/// All rows of a report as one: its total, or its only row.
private struct Whole {
  struct Money {
    var amount: Double
    var currency: String
    var text: String { ChartUnit.text(amount, decimals: 0) }
  }

  let row: ChartTable.Row
  private let shown: Set<String>

  /// - Returns: `nil` where rows do not add up.
  init?(_ report: Report) {
    guard let table = try? SummaryTable(report, RenderOptions()), let last = table.lines.last else { return nil }
    let columns = table.report.columns
    let app = table.report.place("app")
    let isOfApp = app.map { last.values[$0].textValue?.isEmpty == false } ?? false
    guard table.lines.count == 1 || last.isTotal && !(isOfApp && report.asOf.count > 1) else { return nil }
    row = ChartTable.Row(
      app: "", keys: [], values: Dictionary(zip(columns.map(\.name), last.values)) { first, _ in first })
    shown = Set(table.columns.map(\.name))
  }

  /// Returns whether the table shows the column; it hides an age to which too few are followed.
  func shows(_ name: String) -> Bool { shown.contains(name) }

  func money(_ name: String) -> Money? {
    guard case .money(let amount?, let currency) = row.values[name] else { return nil }
    return Money(amount: Double(amount) / 1e6, currency: currency)
  }
}
