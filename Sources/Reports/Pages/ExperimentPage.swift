public import Metrics
import Statistics

/// One experiment in one app, verdict first.
public struct ExperimentPage: Sendable {
  let readout: ExperimentReadout
  private let report: ExperimentReport
  let links: PageLinks
  private let text: ReadoutText
  let scorecard: Scorecard
  /// Events in the app, for the axis of time.
  private let marks: [TimeMark]

  public init(
    _ readout: ExperimentReadout, of report: ExperimentReport, links: PageLinks, marks: [TimeMark] = []
  ) {
    (self.readout, self.report, self.links) = (readout, report, links)
    // Its own start and end come first; other tests of those days would hide them.
    let own = marks.filter { $0.app == readout.app && $0.text.hasPrefix("\(readout.experiment) ") }
    let days = Set(own.map(\.day))
    self.marks =
      own + marks.filter { mark in mark.isOf(readout.app) && !own.contains(mark) && !days.contains(mark.day) }
    text = ReadoutText(readout)
    scorecard = Scorecard(readout)
  }

  public var subtitle: String {
    let users = userText(text.userCount)
    let days = text.dates ?? "data to \(dayText(readout.asOf, hasYear: true))"
    return [readout.plan.hypothesis, days, users].compactMap(\.self).joined(separator: " · ")
  }

  /// The difference over time and by week; none without a verdict.
  var charts: [Chart] { text.isReadable ? Reports.charts(of: readout, marks: marks) : [] }

  /// - Parameter charts: ``charts``, with their addresses.
  func markup(_ charts: [Chart]) -> Markup {
    let course = charts.map(\.markup)
    let pictures: Markup
    if text.isReadable, !readout.segments.isEmpty {
      pictures = #"<div class="row c11 course"><div class="stack">\#(course)</div>\#(segments)</div>"# + "\n"
    } else {
      pictures = course.isEmpty ? "" : #"<div class="row c11">\#(course)</div>"# + "\n"
    }
    return "\(verdict)\(health)\(scores)\(pictures)\(methods)"
  }

  // MARK: Verdict

  /// The banner, the next step, and the money of a year.
  var verdict: Markup {
    let state =
      switch readout.decision.outcome {
      case .ship, .doNotShip, .noDifference: "Decided"
      case .undecided: "Open"
      case .none: "No verdict"
      }
    var lead: Markup = "<p class=\"lead\">\(text.answer.capitalizedFirst)</p>"
    if let ranking = text.ranking { lead += "<p class=\"soft\">\(ranking)</p>" }
    return """
      <section class="verdict \(readout.decision.outcome.tone)" aria-labelledby="v"><div>\
      <span class="pill \(readout.decision.outcome.tone)">\(state)</span><h2 id="v">\(text.title)</h2>\(lead)\
      <p class="next"><b>Next:</b> \(spoken(text.nextClause))</p></div>\(money)</section>

      """
  }

  /// A sentence on the range of an undecided goal's difference, which is not the range of its lift above.
  private var otherRange: Markup {
    guard let cell = scorecard.goal(text)?.cell, let possible = text.possibleOfControl(cell.interval) else { return "" }
    return """
      <p>The difference, \(cell.change), is \(possible) in \(text.control). The lift, which decides, has a different range, \
      because control's value is uncertain too.</p>
      """
  }

  private var money: Markup {
    guard text.isReadable, readout.money != nil else { return "" }
    let place = text.leaderPlace
    let rest = [text.longTerm, text.risk].compactMap(\.self).map { "<p class=\"note\">\($0)</p>" as Markup }
    guard let money = readout.money, money.annual.indices.contains(place), let annual = money.annual[place] else {
      let lines = text.money.map { "<p class=\"soft\">\(spoken($0))</p>" as Markup }
      return lines.isEmpty && rest.isEmpty
        ? "" : "<div class=\"money\"><h3>Money</h3>\(lines)\(rest)</div>"
    }
    let (low, high) = (annual.interval.low, annual.interval.high)
    let isOpen = low < 0 && high > 0
    let value = yearlyText(annual.value, hasSign: true)
    let pace = text.pace.map { ", at \($0) new users a day" } ?? ""
    let bounds = "\(yearlyText(low, hasSign: true)) to \(yearlyText(high, hasSign: true)) \(money.currency)"
    // Where a loss is possible too, the range is the answer.
    let (big, soft) =
      text.isYearOpenShip
      ? (
        "\(value) \(money.currency)",
        "\(text.yearRange(annual))\(pace). \(text.gain(annual)). \(text.moneyRole)"
      )
      : isOpen ? (bounds, "Not known to be a gain\(pace)") : ("\(value) \(money.currency)", "\(bounds)\(pace)")
    let assumption: Markup =
      text.money.count > 1 ? "<p class=\"note\">\(text.money.dropFirst().joined(separator: " "))</p>" : ""
    return """
      <div class="money\(isOpen ? " open" : "")"><h3>\(isOpen || annual.value >= 0 ? "Worth" : "Loss") a year, if everyone had \(text.hasSeveralTreatments ? text.leader : "it")</h3><p class="big">\(big)</p>\
      <p class="soft">\(soft)</p>\(assumption)\(rest)</div>
      """
  }

  // MARK: Health

  private var health: Markup {
    let line = text.health.first ?? ""
    let isSound = line.hasPrefix(ReadoutText.passed)
    let pill = isSound ? "Sound" : "Look here"
    func list(_ sentences: some Sequence<String>) -> Markup {
      let items = sentences.map { sentence -> Markup in
        "<li><span class=\"i w\" aria-hidden=\"true\">!</span><div><p>\(spoken(sentence))</p></div></li>\n"
      }
      return items.isEmpty ? "" : "<ul class=\"finds\">\(items)</ul>"
    }
    // Of sound data too, a caveat bears on the decision.
    let caveats = text.shownCaveats(rest: "below, at every number").filter { !text.memoHealth.contains($0) }
    let checks = healthChecks(readout)
    let table: Markup =
      checks.table.map { table in
        HTMLTable.markup(table, caption: "Checks")
      } ?? ""
    return """
      <section class="card"><details class="fold flat"><summary><span class="pill \(isSound ? "good" : "warn")">\(pill)</span> \
      <span>\(spoken(line.replacing(ReadoutText.passed, with: "").capitalizedFirst))</span></summary><div>\
      \(list(text.memoHealth.dropFirst()))\(table)</div></details>\(list(caveats))</section>

      """
  }

  // MARK: Segments

  private var segments: Markup {
    guard let primary = readout.primary else { return "" }
    let numbers = MetricText(primary)
    let own = readout.segments.filter {
      $0.segments.count > 1 && visible($0.variant) == text.leader && $0.dimension != "week"
    }
    let all = own.flatMap(\.segments)
    let end = barReach(
      of: all.compactMap(\.interval).filter { $0.low <= $0.high }.map { $0.low...$0.high })
    var lines: [Markup] = []
    var hidden: [String] = []
    for dimension in own {
      let answer =
        dimension.p.map {
          dimension.answer == .differs
            ? "they differ (\(probabilityClause($0)))" : dimension.answer == .same ? "the same" : "no difference shown"
        }
        ?? ""
      lines.append(
        "<tr class=\"group\"><th colspan=\"5\" scope=\"rowgroup\">\(Self.name(dimension.dimension)) <span>\(answer)</span></th></tr>\n"
      )
      let shown = dimension.segments.sorted {
        $0.control.users + $0.treatment.users > $1.control.users + $1.treatment.users
      }
      for segment in shown.prefix(Self.mostSegments) {
        let isUp = (segment.interval?.low ?? 0) > 0
        let isDown = (segment.interval?.high ?? 0) < 0
        let isGood = isUp == (primary.metric.goodDirection != .down)
        let tone = isUp || isDown ? (isGood ? "good" : "bad") : "calm"
        let interval = segment.interval.flatMap { $0.low <= $0.high ? $0.low...$0.high : nil }
        let bar =
          segment.interval != nil && segment.difference.isFinite
          ? intervalBar(segment.difference, interval, ends: -end...end, tone: tone) : "" as Markup
        let bounds: Markup = numbers.bounds(segment.interval).map { " <small>\($0)</small>" } ?? ""
        lines.append(
          """
          <tr><th scope="row"><bdi>\(segment.value)</bdi> <small class="muted">\
          \(countText(segment.control.users + segment.treatment.users))</small></th>\
          <td data-h="\(cutName(text.control))">\(numbers.value(segment.control.estimate) ?? undefinedMark)</td>\
          <td data-h="\(cutName(text.leader))">\(numbers.value(segment.treatment.estimate) ?? undefinedMark)</td>\
          <td class="g" aria-hidden="true">\(bar)</td>\
          <td class="nw dif">\(segment.shownDifference(numbers) ?? "not known")\(bounds)</td></tr>

          """)
      }
      if shown.count > Self.mostSegments {
        hidden.append(
          "\(countText(shown.count - Self.mostSegments)) more of \(Self.name(dimension.dimension).lowercasedFirst)")
      }
    }
    let title = readout.treatments.count > 1 ? "Segments of \(text.leader)" : "Segments"
    if lines.isEmpty { return pageCard(title, "<p class=\"soft\">\(text.segments.joined(separator: " "))</p>\n") }
    return pageCard(
      title, subtitle: text.segments.joined(separator: " "),
      """
      <div class="scroll" tabindex="0" role="group" aria-label="Segments"><table class="cards-sm"><thead><tr>\
      <th scope="col" class="t">Segment</th><th scope="col">\(shortName(text.control))</th>\
      <th scope="col">\(shortName(text.leader))</th><th scope="col" class="g">\(barEnds(end, primary.metric.unit.ofDifferences))</th>\
      <th scope="col">Difference</th></tr></thead><tbody>
      \(lines)</tbody></table></div><p class="note">Intervals hold for all segments of a kind together, however often you look. Segments never decide.\(hidden.isEmpty ? "" : " \(listText(hidden).capitalizedFirst) in the table of every number below.")</p>
      """)
  }

  /// Rows of a table of every number: with many variants, the CSV has them all.
  private var mostRows: Int { readout.treatments.count > 3 ? 24 : 30 }

  /// Of one dimension; the table of every number has all.
  private static let mostSegments = 4

  private static func name(_ dimension: String) -> String {
    dimension == "app_version" ? "App version" : dimension.capitalizedFirst
  }

  // MARK: Methods

  private var methods: Markup {
    let folds = experimentSections(readout).map { section -> Markup in
      let sentences = section.sentences.map { "<p>\(spoken($0))</p>" as Markup }
      let table: Markup =
        section.table.map { HTMLTable.markup($0, caption: section.title, limit: mostRows) } ?? ""
      return "<details class=\"fold\"><summary>\(section.title)</summary><div>\(sentences)\(table)</div></details>\n"
    }
    let facts = ReadableHeader(report, readout).facts
    let rules = report.definition.map { "<li>\($0)</li>" as Markup }
    return """
      <section class="card rules"><details class="fold flat"><summary><span>How this was computed, and every number</span></summary>\
      <div class="wide">\(otherRange)\(folds)<details class="fold"><summary>Parameters and rules</summary><div>\
      \(htmlFacts(facts))<ul>\(rules)</ul></div></details></div></details></section>

      """
  }
}
