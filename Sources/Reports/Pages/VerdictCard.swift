import EventModel
import Metrics
import Statistics

extension ExperimentDecision.Outcome {
  /// A class of the stylesheet: grey for what is undecided, amber where nothing may be read.
  var tone: String {
    switch self {
    case .ship: "good"
    case .doNotShip: "bad"
    case .noDifference, .undecided: "calm"
    case .none: "warn"
    }
  }
}

/// An experiment on the home page: verdict, effect on the goal with its interval, next step.
struct VerdictCard {
  private let readout: ExperimentReadout
  private let text: ReadoutText
  private let links: PageLinks

  init(_ readout: ExperimentReadout, links: PageLinks) {
    (self.readout, self.links) = (readout, links)
    text = ReadoutText(readout)
  }

  /// The goal's difference for the decision's treatment, with its unit; `nil` where nothing is compared.
  private var goal: (cell: Scorecard.Cell, unit: ChartUnit)? {
    Scorecard(readout).goal(text).map { ($0.cell, $0.row.unit.ofDifferences) }
  }

  /// How far the bars of these cards reach in each unit: on one scale, so that an effect is not the larger for its bar.
  static func reaches(_ cards: [VerdictCard]) -> [ChartUnit: Double] {
    let own = cards.compactMap(\.goal).map { cell, unit in
      let ends = [cell.value, cell.interval?.lowerBound, cell.interval?.upperBound].compactMap { $0.map(abs) }
      return (unit, roundReach(max(ends.filter(\.isFinite).max() ?? 0, 1e-6)))
    }
    return Dictionary(own, uniquingKeysWith: max)
  }

  /// - Parameter reaches: Those of all cards of the page.
  func markup(_ reaches: [ChartUnit: Double]) -> Markup {
    let address = links.experiment(readout.app, readout.experiment)
    let body: Markup = """
      <div class="chips"><span class="pill \(readout.decision.outcome.tone)">\(text.title)</span>\
      <span class="muted sm"><bdi>\(readout.app)</bdi></span></div>\
      <p class="name"><bdi>\(readout.experiment)</bdi></p>\(effect(reaches))\(caveat)<p class="next"><b>Next:</b> \(spoken(text.nextClause))</p>
      """
    guard let address else { return #"<article class="card test">\#(body)</article>"# }
    return "<a class=\"card test\" href=\"\(address)\">\(body)</a>\n"
  }

  /// The worst caveat on a variant that is to be given to everybody.
  private var caveat: Markup {
    guard readout.decision.outcome == .ship, let caveat = text.caveats.first else { return "" }
    return "<p class=\"sm soft\"><b>Caveat:</b> \(spoken(caveat))</p>"
  }

  private func effect(_ reaches: [ChartUnit: Double]) -> Markup {
    guard let (row, column, cell) = Scorecard(readout).goal(text), let primary = readout.primary, cell.difference != nil
    else { return "<p class=\"sm soft\">\(text.answer.capitalizedFirst)</p>" }
    let values = row.values
    // Of what is undecided the finding says what is still possible.
    let levels =
      readout.decision.outcome == .undecided
      ? text.finding.capitalizedFirst
      : values.count > column + 1
        ? "\(values[column + 1]) against \(values[0]) in \(text.control)" : ""
    let unit = row.unit.ofDifferences
    let reach = reaches[unit] ?? 1
    let bar: Markup =
      cell.value.map { value in
        """
        \(intervalBar(value, cell.interval, ends: -reach...reach, tone: cell.tone.rawValue, height: 24))\
        <p class="xs muted">\(barEnds(reach, unit))</p>
        """
      } ?? ""
    let others: Markup = text.shownArms.map { "<p class=\"sm soft\">\($0)</p>" } ?? ""
    let bounds = cell.bounds.map { "\($0) against \(text.control), \(held)" } ?? cell.reading
    return """
      <p class="eff">\(cell.difference ?? undefinedMark) \(primary.metric.readerName)\(text.leaderName(after: "in"))</p>\
      <p class="sm soft">\(levels)</p>\(bar)<p class="xs muted">\(bounds)</p>\(others)
      """
  }

  private var held: String {
    switch readout.schedule.rule {
    case .alwaysValid: "however often you look"
    case .groupSequential: "at every look of the plan"
    case .once: "for the one look planned"
    }
  }
}

/// A sentence whose words in backticks are code.
public func spoken(_ sentence: String) -> Markup {
  sentence.split(separator: "`", omittingEmptySubsequences: false).enumerated().map { place, part -> Markup in
    place.isMultiple(of: 2) ? isolated(readableDays(String(part))) : "<code>\(String(part))</code>"
  }.reduce("", +)
}

/// A sentence whose names in scripts that run to the left do not take the numbers beside them along.
private func isolated(_ sentence: String) -> Markup {
  var (markup, rest): (Markup, Substring) = ("", sentence[...])
  while let start = rest.firstIndex(where: runsLeft) {
    var end = rest[start...].firstIndex { !runsLeft($0) && $0 != " " } ?? rest.endIndex
    while rest[rest.index(before: end)] == " " { end = rest.index(before: end) }
    markup += "\(String(rest[..<start]))<bdi>\(String(rest[start..<end]))</bdi>"
    rest = rest[end...]
  }
  return markup + "\(String(rest))"
}

/// Whether a letter is of a script that runs to the left, as Hebrew and Arabic.
private func runsLeft(_ letter: Character) -> Bool {
  let first = letter.unicodeScalars.first?.value ?? 0
  return (0x590...0x8FF).contains(first) || (0xFB1D...0xFEFC).contains(first)
}

/// A sentence with its days as in `15 Mar 2026`; those of an option or a filter stay.
private func readableDays(_ sentence: String) -> String {
  sentence.replacing(/(^|--[a-z-]+ |[ (])(\d{4}-\d{2}-\d{2})\b/) { match in
    guard let day = CivilDate(String(match.2)), !match.1.hasPrefix("--") else { return String(match.0) }
    return "\(match.1)\(shortDayText(day))"
  }
}
