import Basics
import EventModel
import Metrics

/// Findings that need attention: data-quality warnings of all apps, worst first, then unsettled users and changes.
struct HomeFindings {
  static let most = 5

  let reports: HomeReports
  let links: PageLinks
  let part: Overview.Part

  private struct Finding {
    var isWarning: Bool
    var title: String
    var text: Markup
  }

  var markup: Markup {
    let warnings = self.warnings
    let others = [running, undecided, moved].compactMap(\.self)
    let first = [missingRates].compactMap(\.self)
    let shown = first + warnings.prefix(max(1, Self.most - others.count - first.count)) + others
    let items = shown.map { finding -> Markup in
      """
      <li><span class="i \(finding.isWarning ? "w" : "n")" aria-hidden="true">\(finding.isWarning ? "!" : "i")</span>\
      <div><b>\(finding.title)</b><p>\(finding.text)</p></div></li>

      """
    }
    let count = warnedApps?.count ?? 0
    let all: Markup =
      count == 0
      ? ""
      : links.report("health", []).map {
        linked(count == 1 ? "1 warning" : "All \(countText(count)) warnings", to: $0, class: "sm")
      } ?? "<span class=\"sm muted\">\(count == 1 ? "1 warning" : "\(countText(count)) warnings")</span>"
    let body: Markup = items.isEmpty ? #"<p class="soft">Nothing.</p>"# : "<ul class=\"finds\">\n\(items)</ul>"
    return pageCard("Needs attention", aside: all, body)
  }

  /// The app of each check that warns; `nil` while they run.
  var warnedApps: [String]? {
    reports.health == nil ? nil : rows.filter { $0.severity == "warning" }.map(\.app)
  }

  private var running: Finding? {
    if reports.health != nil { return nil }
    return Finding(
      isWarning: false, title: "Data-quality checks are running",
      text: "Reload the page in a moment to see their warnings.")
  }

  private struct Row {
    var app: String
    var check: String
    var cases: Int
    var share: Double?
    var severity: String
    var meaning: String
  }

  private var rows: [Row] {
    guard let health = reports.health else { return [] }
    // The checks may be those of all apps.
    let apps = Set(reports.overview.apps.compactMap(\.app)).union([Health.allApps])
    return ChartTable(health).rows.filter { apps.contains($0.app) }.map { row in
      func text(_ name: String) -> String { if case .text(let text) = row.values[name] { text } else { "" } }
      return Row(
        app: row.app, check: text("check"), cases: row.count("cases") ?? 0, share: row.share("share"),
        severity: text("severity"), meaning: text("meaning"))
    }
  }

  private var warnings: [Finding] {
    let warned = rows.filter { $0.severity == "warning" }
    let checks = warned.inGroups(by: \.check).map(\.key)
    func rank(_ check: String) -> Int { Self.order.firstIndex { check.hasPrefix($0) } ?? Self.order.count }
    return checks.enumerated().sorted { (rank($0.element), $0.offset) < (rank($1.element), $1.offset) }.map {
      _, check in
      let own = rows.filter { $0.check == check && $0.cases > 0 }
      let cases = own.reduce(0) { $0 + $1.cases }
      let apps = own.filter { $0.app != Health.allApps }
      let named = apps.count > Self.most ? apps.sorted { $0.cases > $1.cases }.prefix(Self.most) : apps[...]
      let list =
        named.map { "\($0.app) \(countText($0.cases))" }.joined(separator: ", ")
        + (named.count < apps.count ? " and \(counted(apps.count - named.count, "more app"))" : "")
      let address = links.report("health", part.app.map { [("app", $0)] } ?? [])
      let anchor = HTMLTable.anchor(ofFinding: Health.finding(ofCheck: check))
      // In a folder, the address is a part of a page already.
      let target = address.map { $0.contains("#") ? $0 : "\($0)#\(anchor)" }
      let more: Markup = target.map { " <a class=\"in\" href=\"\($0)\">Which</a>" } ?? ""
      let words = Self.words(check, cases, apps.map(\.app), own.first?.meaning ?? "")
      return Finding(
        isWarning: true, title: words.title,
        text: "\(apps.count > 1 ? "\(list). " : "")\(spoken(words.text.sentenceCased)).\(more)")
    }
  }

  /// Worst first.
  private static let order = [
    "failed files", "days since the last event", Health.sinceLastViewer, "every ", "quarantined", "conflicting lines",
    "days without an event of",
    "days without an event",
    "payments without an exchange rate", "purchases without an impression", "persons with impressions and no later",
    "subscriptions that began before",
  ]

  private static func words(
    _ check: String, _ cases: Int, _ apps: [String], _ meaning: String
  ) -> (title: String, text: String) {
    let count = countText(cases)
    if check.hasPrefix("days without an event of ") {
      let kind = String(check.dropFirst("days without an event of ".count))
      return (
        "\(kind.replacing("-", with: " ").replacing("paywall impressions", with: "paywall views").capitalizedFirst): \(counted(cases, "day")) without an event",
        kind == "churn"
          ? "if files are missing, churn on these days looks too low and retention too high"
          : "if files are missing, numbers of these days are too low"
      )
    }
    switch check {
    case _ where check.hasPrefix("every "): return ("\(check.capitalizedFirst): \(count) lines", meaning)
    case _ where check.hasPrefix(Health.sinceLastViewer):
      let name = check.dropFirst(Health.sinceLastViewer.count)
      return ("\(counted(cases, "day")) since the last viewer of \(name)", meaning)
    case "days since the last event":
      return (
        apps.count == 1 ? "\(apps[0]): no event for \(count) days" : "\(apps.count) apps have no new events", meaning
      )
    case "purchases without an impression":
      return (
        "\(counted(cases, "purchase")) without a paywall",
        "\(cases == 1 ? "this user" : "these users") saw no paywall in the 7 days before, so \(cases == 1 ? "the purchase is" : "their purchases are") not counted for any variant"
      )
    case "subscriptions that began before the data":
      return ("\(counted(cases, "subscription")) older than the data", "revenue counts them, but no cohort does")
    case "persons with impressions and no later identity":
      return (
        "\(counted(cases, "user")) never signed in or bought", "a purchase under another id would not count as theirs"
      )
    default:
      let finding = Health.finding(ofCheck: check)
      let days = finding.hasPrefix("days ") ? counted(cases, "day") + finding.dropFirst("days".count) : nil
      return (days ?? "\(count) \(finding)", meaning)
    }
  }

  /// Money that the page leaves out.
  private var missingRates: Finding? {
    let others = reports.overview.otherCurrencies
    if others.isEmpty { return nil }
    let amounts = others.prefix(3).map { "\($0.currency) \(ChartUnit.text($0.amount, decimals: 0))" }
    let rest = others.count > 3 ? " and more" : ""
    return Finding(
      isWarning: true, title: "Amounts are in \(reports.overview.currency) only",
      text: "\(spoken("Left out: \(amounts.joined(separator: ", "))\(rest). Add rates with `tollgate rates import`."))")
  }

  private var undecided: Finding? {
    if part.undecided == 0 { return nil }
    return Finding(
      isWarning: false,
      title: "\(countText(part.undecided)) \(part.undecided == 1 ? "viewer" : "viewers") can still buy",
      text: "They saw their first paywall too recently to count in any rate.")
  }

  /// Which of the tiles, and of the apps' net revenue, changed by more than chance against the days before, as a
  /// sentence; empty where none did.
  private var movedInDays: String {
    let overview = reports.overview
    guard let before = overview.before else { return "" }
    // Tiles neither show a change from nothing nor judge churn of young data.
    let amounts = [("net revenue", part.revenue), ("new payers", part.newPayers)].filter { $0.1.before ?? 0 > 0 }
    let shares =
      [("viewers who pay", part.viewersWhoPay), ("trials that pay", part.trialsThatPay)]
      + (overview.isYoung ? [] : [("weekly churn", part.churn)])
    var names = (amounts + shares).filter { $0.1.change?.isMoreThanChance == true }.map(\.0)
    let apps = overview.apps.filter { $0.revenue.change?.isMoreThanChance == true && $0.revenue.before ?? 0 > 0 }
      .compactMap(\.app)
    if part.app == nil, overview.apps.count > 1, !apps.isEmpty {
      names.append("net revenue of \(apps.count > 3 ? counted(apps.count, "app") : listText(apps))")
    }
    return names.isEmpty ? "" : "Compared with \(overview.words(for: before)): \(listText(names))."
  }

  private var moved: Finding? {
    let table = ChartTable(reports.standing.changes)
    let rows = table.rows.filter { part.app == nil || $0.app == part.app }
    let known = rows.compactMap { row -> (row: ChartTable.Row, p: Double)? in
      guard case .probability(let p?) = row.values["p_adjusted"] else { return nil }
      return (row, p)
    }
    if known.isEmpty { return nil }
    let sure = known.filter { $0.p < 0.05 }
    if sure.isEmpty {
      let none =
        "Last full week, compared with the week before: none of \(counted(known.count, "number"))."
      return Finding(
        isWarning: false,
        title: movedInDays.isEmpty ? "Nothing moved by more than chance" : "What moved by more than chance",
        text: "\([movedInDays, none].filter { !$0.isEmpty }.joined(separator: " "))")
    }
    let names = sure.prefix(3).map { change -> String in
      let (number, report) = (change.row.key("number") ?? "", change.row.key("report") ?? "")
      let kind = ReportKind.all.first { $0.name == report }
      let heading = kind?.info(of: ReportColumn(number, .rate))?.heading ?? columnHeading(number).lowercasedFirst
      return "\(heading)\(part.app == nil ? " of \(change.row.app)" : "") (\(kind?.title.lowercasedFirst ?? report))"
    }
    return Finding(
      isWarning: true,
      title: "\(countText(sure.count)) of \(counted(known.count, "number")) moved from week to week",
      text:
        "By more than chance, last full week against the one before: \(names.joined(separator: ", "))\(sure.count > 3 ? " and more" : "")."
        + (movedInDays.isEmpty ? "" : " \(movedInDays)")
    )
  }
}
