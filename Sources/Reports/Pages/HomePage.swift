import EventModel
public import Metrics
import Statistics

/// "How are we doing?": key numbers, net revenue by week, what needs attention, verdicts, apps, viewers who pay.
public struct HomePage: Sendable {
  private let reports: HomeReports
  private let links: PageLinks
  /// The number of apps in the store, if the page shows only the first few.
  private let storeApps: Int?
  private let notes: [DayNote]
  private let appNames: [String]
  private var overview: Overview { reports.overview }

  /// - Parameters:
  ///   - notes: For axes of time.
  ///   - appNames: All apps of the store, for their colours; empty for those of the reports.
  ///   - storeApps: How many apps the store has, where the page shows only the first of them.
  public init(
    _ reports: HomeReports, links: PageLinks, notes: [DayNote] = [], appNames: [String] = [], storeApps: Int? = nil
  ) {
    var reports = reports
    reports.overview = reports.overview.withWeeksNearDays
    (self.reports, self.links, self.notes) = (reports, links, notes)
    (self.appNames, self.storeApps) = (appNames, storeApps)
  }

  /// The only app, where there is one only.
  private var part: Overview.Part { overview.apps.count == 1 ? overview.apps[0] : overview.all }

  /// Such as `16 Feb to 15 Mar 2026, UTC · compared with the 28 days before`.
  public var subtitle: String {
    if overview.data.isEmpty { return "The store has no events yet." }
    let days = "\(shortDays(overview.days, hasYear: true)), \(overview.timeZone)"
    // The part of a month that begins with its first day.
    let first = CivilDate(daysSince1970: overview.days.lowerBound)
    let month = first.addingMonths(1).daysSince1970 - overview.days.lowerBound
    let part =
      first.day == 1 && overview.days.count < month ? " · \(overview.days.count) of \(month) days" : ""
    let short = overview.before.map { " · compared with \(overview.words(for: $0))" }
    let apps = storeApps.map { "the first \(overview.apps.count) of \(countText($0)) apps · " } ?? ""
    return apps + days + part + (short ?? " · nothing to compare with")
  }

  /// The app of each warning of the data's health; `nil` while the checks run.
  public var warnedApps: [String]? { HomeFindings(reports: reports, links: links, part: part).warnedApps }

  public var markup: Markup {
    if overview.data.isEmpty {
      return pageCard(
        "No events yet",
        """
        <p class="soft">Load event files into this store; the page shows them a moment later.</p>\
        <pre>tollgate ingest events/</pre><p class="note">Without files of your own, <code>tollgate sample</code> writes some.</p>

        """)
    }
    let tiles = HomeTiles(overview: overview, links: links, part: part).markup
    let findings = HomeFindings(reports: reports, links: links, part: part).markup
    let revenue =
      overview.currency.isEmpty
      ? pageCard("Net revenue by week", "<p class=\"soft\">No payments yet.</p>") : revenueChart.markup
    return """
      \(tiles)<div class="row c21">\(revenue)\(findings)</div>
      \(experiments)\(overview.apps.count > 1 ? "<div class=\"row c21\">\(appTable)\(viewersChart.markup)</div>" : viewersChart.markup)
      """
  }

  // MARK: Net revenue by week

  var revenueChart: Chart {
    let mondays = overview.mondays
    let shown = overview.days
    let periods = mondays.map {
      ChartPeriod(CivilDate(daysSince1970: $0).description, of: "week", data: overview.covered)
    }
    let inDays = mondays.indices.filter { shown.contains(mondays[$0]) && mondays[$0] + 6 < shown.upperBound + 6 }
    let isWhole = shown.lowerBound == mondays.first { $0 >= shown.lowerBound } && !inDays.isEmpty
    let apps = overview.apps.isEmpty ? [overview.all] : overview.apps
    let colors = appColors
    let total = ChartUnit.text(part.revenue.value ?? 0, decimals: 0)
    var chart = StackedChart(
      title: "Net revenue by week",
      subtitle: overview.currency.isEmpty ? "" : "\(overview.currency), less refunds",
      periods: periods,
      series: apps.map { app in (name: app.app ?? "all apps", values: app.revenue.weeks.map { $0.value ?? 0 }) },
      unit: .money(overview.currency), colors: colors, periodName: "Week",
      highlight: nil, mark: nil)
    if let first = mondays.first {
      chart.marks = ownMarks.compactMap { mark in
        let place = Double(mark.day - first) / 7
        return mark.day >= first && place < Double(mondays.count) ? (place, mark.text) : nil
      }
    }
    if isOfMany { (chart.series, chart.colors) = (rest(chart.series), [1, 2, 3, 4, 0]) }
    // Only whole weeks can stand for the days that the page is about.
    if isWhole, let first = inDays.first, let last = inDays.last, inDays.count < mondays.count {
      chart.highlight = (first..<last + 1, shortDays(shown), total)
      if let before = overview.before, let value = part.revenue.before,
        let place = mondays.firstIndex(of: before.lowerBound)
      {
        chart.mark = (place, "\(shortDays(before)): \(ChartUnit.text(value, decimals: 0))")
      }
    }
    let open = periods.compactMap { period in period.note.map { "\(period.title.lowercasedFirst) (\($0))" } }
    chart.note =
      open.isEmpty
      ? overview.data.last.map { "Every week is complete: the data run to \(shortDay($0, hasYear: true))." } ?? ""
      : "Hatched, because incomplete: \(listText(open))."
    if mondays.count == Overview.mostWeeks, mondays[0] > shown.lowerBound {
      chart.note = "The newest \(mondays.count) weeks: the revenue report has every month. \(chart.note)"
    }
    return chart.chart
  }

  /// Events on days of all apps.
  var marks: [TimeMark] {
    TimeMark.all(versions: reports.standing.versions, experiments: reports.standing.experiments, notes: notes)
  }

  /// The marks of the app on the page, and those of all apps; marks of several apps would be too many.
  private var ownMarks: [TimeMark] { marks.filter { $0.isOf(part.app) } }

  /// The largest with names of their own, the others together.
  private func rest(_ series: [(name: String, values: [Double])]) -> [(name: String, values: [Double])] {
    let order = series.sorted { $0.values.reduce(0, +) > $1.values.reduce(0, +) }
    let others = order.dropFirst(4)
    return order.prefix(4)
      + [
        (
          name: "rest (\(others.count))",
          values: overview.mondays.indices.map { place in others.reduce(0) { $0 + $1.values[place] } }
        )
      ]
  }

  /// Whether the chart adds up the smaller apps.
  private var isOfMany: Bool { overview.apps.count > chartSeriesLimit - 1 }

  private var appColors: [Int] {
    // The chart's own, and grey for its rest.
    if isOfMany {
      let series = overview.apps.map { (name: $0.app ?? "", values: $0.revenue.weeks.map { $0.value ?? 0 }) }
      let largest = rest(series).map(\.name)
      return overview.apps.map { app in largest.prefix(4).firstIndex { $0 == app.app }.map { $0 + 1 } ?? 0 }
    }
    let names = appNames.isEmpty ? overview.apps.compactMap(\.app) : appNames
    return overview.apps.map { appColor($0.app, among: names) }
  }

  // MARK: Experiments

  private var experiments: Markup {
    let order: [ExperimentDecision.Outcome] = [.ship, .doNotShip, .none, .noDifference, .undecided]
    func rank(_ readout: ExperimentReadout) -> Int { order.firstIndex(of: readout.decision.outcome) ?? order.count }
    let readouts = reports.standing.readouts.flatMap(\.readouts).filter { part.app == nil || $0.app == part.app }
      .enumerated().sorted { (rank($0.element), $0.offset) < (rank($1.element), $1.offset) }.map(\.element)
    if readouts.isEmpty && reports.standing.experimentsNote == nil { return "" }
    let shown = readouts.prefix(12).map { VerdictCard($0, links: links) }
    let reaches = VerdictCard.reaches(shown)
    let cards = shown.map { $0.markup(reaches) }
    let note: Markup = reports.standing.experimentsNote.map { "<p class=\"note\">\(spoken($0))</p>" } ?? ""
    let all = links.report("experiments", []).map { linked("All experiments", to: $0, class: "sm") } ?? ""
    return """
      <div class="row"><section aria-labelledby="tests"><header class="head"><h2 id="tests">Experiments</h2>\(all)</header>\
      \(note)</section><div class="row c4">\(cards)</div></div>

      """
  }

  // MARK: Apps

  /// The most apps that the table lists.
  private static let listedApps = 50

  private var appTable: Markup {
    let colors = appColors
    func cells(_ part: Overview.Part) -> Markup {
      let revenue = part.revenue
      func money(_ value: Double?) -> Markup {
        guard let value else { return "<td>\(undefinedMark)</td>" }
        return "<td data-v=\"\(value)\">\(ChartUnit.text(value, decimals: 0))</td>"
      }
      func share(_ number: Overview.Number) -> Markup {
        guard let value = number.value, number.of >= fewestCompared else { return "<td>\(undefinedMark)</td>" }
        return "<td data-v=\"\(value * 100)\">\(ChartUnit.share.value(value))</td>"
      }
      let subscribers: Markup =
        part.subscribers.map { "<td data-v=\"\($0)\">\(countText($0))</td>" } ?? "<td>\(undefinedMark)</td>"
      var change: Markup = "<td>\(undefinedMark)</td>"
      if let difference = revenue.change, let before = revenue.before, before > 0 {
        let share = difference.difference / before
        let half = (difference.high - difference.low) / 2 / before
        let look: Markup =
          difference.isMoreThanChance ? (share > 0 ? #" class="good""# : #" class="bad""#) : ""
        change = """
          <td class="nw" data-v="\(share * 100)"><span\(look)>\(ChartUnit.text(share * 100, decimals: 0, hasPlus: true))%\
          </span> <small>±\(ChartUnit.text(half * 100, decimals: 0))</small></td>
          """
      } else if revenue.isOfFew {
        change = "<td><small>too few</small></td>"
      }
      return """
        \(money(revenue.value))\(change)\(money(part.recurring.value))\
        \(subscribers)\(share(part.viewersWhoPay))\(share(part.churn))
        """
    }
    let rows = zip(overview.apps, colors).prefix(Self.listedApps).map { app, color -> Markup in
      let name = app.app ?? ""
      let end: Markup = app.ended.first.map { "<br><small>data to \(shortDay($0.lastDay))</small>" } ?? ""
      return """
        <tr><th scope="row"><span class="sw v\(color)"></span>\(linked(shortName(name), to: links.app(name)))\(end)</th>\
        \(cells(app))</tr>

        """
    }
    let total: Markup = storeApps == nil ? "All apps" : "These apps"
    let foot: Markup =
      overview.apps.count > 1
      ? "<tfoot><tr><th scope=\"row\">\(total)</th>\(cells(overview.all))</tr></tfoot>" : ""
    let heads = ["App", "Net revenue", "Change", "Recurring", "Subscribers", "Viewers who pay", "Weekly churn"]
      .enumerated().map { place, name -> Markup in
        #"<th scope="col"\#(place == 0 ? #" class="t""# : "" as Markup) data-k>\#(name)</th>"#
      }
    let days = part.viewersWhoPay.days
    let note =
      part.viewersWhoPay.value == nil
      ? "" : "Viewers who pay: of the newest weeks that are not too recent to count, \(shortDays(days)). "
    let unlisted =
      overview.apps.count > Self.listedApps
      ? "The first \(Self.listedApps) of \(countText(overview.apps.count)) apps; `tollgate revenue` has a row for each. "
      : ""
    let ended =
      part.ended.isEmpty
      ? "" : "The totals of recurring revenue, subscribers and changes leave out \(listText(part.ended.map(\.app))). "
    return pageCard(
      "By app",
      subtitle: "\(shortDays(overview.days))" + (overview.before == nil ? "" : "; changes are against the days before"),
      """
      <div class="scroll" tabindex="0" role="group" aria-label="By app"><table data-sort><thead><tr>\(heads)</tr></thead>\
      <tbody>
      \(rows)</tbody>\(foot)</table></div><p class="note">\(ended)\(unlisted)\(note)\(overview.currency.isEmpty ? "" : "Amounts in \(overview.currency).")</p>
      """)
  }

  // MARK: Viewers who pay

  var viewersChart: Chart {
    let weeks = part.viewersWhoPay.weeks
    let known = weeks.filter { $0.of > 0 }
    let open = weeks.first { !$0.isSettled }.map { Double($0.monday) }
    var chart = LineChart(
      title: "Viewers who pay", subtitle: "by week of the first paywall, 95% interval",
      lines: [
        LineChart.Line(
          name: "viewers who pay",
          points: known.map { week in
            let of = "\(countText(week.events)) of \(counted(week.of, "viewer")) paid"
            return LineChart.Point(
              x: Double(week.monday), y: week.value ?? 0,
              bounds: week.low.flatMap { low in week.high.map { low...max(low, $0) } },
              note: week.open > 0 ? "\(of), \(countText(week.open)) can still buy" : of, isSettled: week.isSettled)
          })
      ], color: overview.apps.count == 1 ? appColors[0] : 1, unit: .share, xText: { shortDay(Int($0)) },
      xName: "Week of",
      hasDots: known.count <= 30, openFrom: open, height: 260,
      width: overview.apps.count == 1 ? 900 : 230)
    chart.marks = ownMarks.map { (Double($0.day), $0.text) }
    if part.undecided > 0 {
      let viewers = part.undecided == 1 ? "viewer of the last weeks still has" : "viewers of the last weeks still have"
      chart.note = "Hatched: \(countText(part.undecided)) \(viewers) time to buy."
    }
    return chart.chart
  }
}

extension Overview {
  /// As many as a chart has room for: a year and a half.
  fileprivate static let mostWeeks = 78

  /// The numbers with half a year of weeks up to the days, or with ``mostWeeks`` at most of longer days and those before.
  var withWeeksNearDays: Overview {
    let end = (mondays.lastIndex { $0 < days.upperBound } ?? -1) + 1
    let first = min(days.lowerBound, before?.lowerBound ?? .max)
    let begin = max(0, end - Self.mostWeeks, min(mondays.lastIndex { $0 <= first } ?? 0, end - 26))
    guard mondays.count > 26, begin < end else { return self }
    func cut(_ part: inout Part) {
      for number in [
        \Part.revenue, \Part.recurring, \Part.newPayers, \Part.viewersWhoPay, \Part.trialsThatPay, \Part.churn,
      ] where part[keyPath: number].weeks.count == mondays.count {
        part[keyPath: number].weeks = Array(part[keyPath: number].weeks[begin..<end])
      }
    }
    var near = self
    cut(&near.all)
    for place in near.apps.indices { cut(&near.apps[place]) }
    near.mondays = Array(mondays[begin..<end])
    return near
  }

  /// Whether too few renewals were due in the days before.
  var isYoung: Bool {
    before.map { CoveredDays.arePoorInRenewals(from: $0.lowerBound, since: data.lowerBound) } ?? false
  }

  /// Returns the days before in words, such as `the 28 days before`.
  func words(for before: Range<Int>) -> String {
    let days = before.count == 1 ? "the day before" : "the \(before.count) days before"
    let name = before.upperBound == self.days.lowerBound ? days : shortDays(before, hasYear: true)
    return isOpen ? "the same part of \(name)" : name
  }
}
