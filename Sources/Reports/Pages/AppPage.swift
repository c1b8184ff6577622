import EventModel
import Metrics

/// One app of a report folder: key numbers, then what its reports have of it.
struct AppPage {
  let app: String
  let page: PageReports
  let links: PageLinks
  /// For axes of time.
  let marks: [TimeMark]

  /// The most rows of all tables together that stand on the page.
  private static let mostRows = 80
  /// The most periods of a picture; the files have all.
  private static let mostPeriods = 18

  var markup: Markup {
    let overview = page.home.overview.withWeeksNearDays
    var own = overview
    own.apps = overview.apps.filter { $0.app.map(isApp) ?? false }
    guard let part = own.apps.first else { return "" }
    let reports = page.reports.map { $0.ofApp(app) }
    let names = overview.apps.compactMap(\.app)
    let pictures = reports.flatMap { report -> [Chart] in
      let newest = report.ofNewestPeriods(Self.mostPeriods)
      return charts(of: newest.report, marks: marks, apps: names).map { chart in
        var chart = chart
        // Others show the last period alone.
        if chart.table.rows.count < Self.mostPeriods { return chart }
        chart.note = [newest.note ?? "", chart.note].filter { !$0.isEmpty }.joined(separator: " ")
        return chart
      }
    }.map(\.markup)
    var look = PageLook(links: links)
    // On paper, a page has fewer than six sheets; the files have all rows.
    look.rowLimit = reports.reduce(0) { $0 + $1.rows.count } > Self.mostRows ? 10 : PageLook.fewRows
    let tables = reports.map { report -> Markup in
      look.everyRow = ReportPage.csvName(report)
      let card = (try? tableCard(report, look)) ?? ""
      return "<section class=\"part\" id=\"\(report.name)\"><h2>\(report.title)</h2>\(card)</section>\n"
    }
    let rows = stride(from: 0, to: pictures.count, by: 2).map { place -> Markup in
      place + 1 < pictures.count
        ? "<div class=\"row c11\">\(pictures[place])\(pictures[place + 1])</div>\n" : pictures[place]
    }
    return "\(HomeTiles(overview: own, links: links, part: part).markup)\(allDays(of: reports))\(rows)\(tables)"
  }

  /// The days of what comes after the key numbers, if they are others.
  private func allDays(of reports: [Report]) -> Markup {
    let known = reports.compactMap { report in report.asOf.first.flatMap { report.days(of: $0) } }
    guard let days = known.first, days != page.home.overview.days else { return "" }
    return "<h2 class=\"part\">All \(counted(days.count, "day")): \(shortDays(days, hasYear: true))</h2>\n"
  }

  private func isApp(_ name: String) -> Bool { name.utf8.elementsEqual(app.utf8) }
}

extension Report {
  /// Returns the rows of the newest periods, and a sentence where others are left out; cohorts have their own limit.
  fileprivate func ofNewestPeriods(_ most: Int) -> (report: Report, note: String?) {
    guard name != "retention_cohorts",
      let place = columns.firstIndex(where: { $0.kind == .key && Dimension.period($0.name) != nil })
    else { return (self, nil) }
    let periods = Set(rows.compactMap { $0[place].textValue }).sorted(by: precedesInBytes)
    guard periods.count > most else { return (self, nil) }
    let kept = Set(periods.suffix(most))
    var newest = self
    newest.rows.removeAll { row in row[place].textValue.map { !kept.contains($0) } ?? true }
    return (newest, "The newest \(most) of \(counted(periods.count, columns[place].name)).")
  }

  /// Returns the report's rows of one app.
  func ofApp(_ name: String) -> Report {
    var report = self
    guard let place = place("app") else { return report }
    report.rows = rows.filter { row in
      if case .text(let app) = row[place] { app.utf8.elementsEqual(name.utf8) } else { false }
    }
    report.asOf = asOf.filter { $0.app.utf8.elementsEqual(name.utf8) }
    return report
  }
}
