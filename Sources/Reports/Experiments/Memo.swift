public import Metrics
import Statistics

/// A readout to share, as one page or as a chat message (Experiments.md, "The readout").
public struct Memo: Sendable {
  public enum Format: String, CaseIterable, Sendable {
    case html
    case markdown
    case slack
  }

  public var format: Format
  /// The program's version.
  public var version: String
  /// The command that writes it, for copying.
  public var command: String

  public init(format: Format, version: String, command: String) {
    (self.format, self.version, self.command) = (format, version, command)
  }

  /// Returns the footer, such as `data through 2026-03-15T23:42:59.584Z · data 3f9c2a7b01de · tollgate 1.0.0`.
  func footer(_ readout: ExperimentReadout) -> [String] {
    ["data through \(instantText(readout.asOf))"] + (readout.dataHash.map { ["data \($0.prefix(12))"] } ?? []) + [
      "tollgate \(version)"
    ]
  }
}

extension Memo {
  /// The memos as a server sends them: a page with the stylesheet, or text.
  public func text(_ report: ExperimentReport, links: PageLinks) -> String {
    format == .html ? memoHTML(report, self, style: .served, links: links) : memoText(report, self)
  }
}

/// The memos of an experiment's readouts, one after another.
func memoText(_ report: ExperimentReport, _ memo: Memo) -> String {
  switch memo.format {
  case .html: memoHTML(report, memo)
  case .markdown: report.readouts.map { markdownMemo($0, memo) }.joined(separator: "\n---\n\n")
  case .slack:
    report.readouts.map { slackText($0, command: memo.command, isAlone: report.readouts.count == 1) }
      .joined(separator: "\n")
  }
}

extension ReadoutText {
  /// The lists of sentences in a memo, with their titles.
  var memoLists: [(title: String, sentences: [String])] {
    let health = [("Health", memoHealth), ("Caveats", caveatsOrNone)]
    if !isReadable { return health }
    let money = money + [longTerm, risk].compactMap(\.self)
    let segments = [ranking].compactMap(\.self) + segments + trends
    return [
      ("Money", money.isEmpty ? ["No revenue to compare."] : money),
      ("Segments and trend", segments.isEmpty ? ["Too few users to compare segments or weeks."] : segments),
    ] + health
  }
}

// MARK: Chat

/// Returns a message of at most 6 lines and 600 characters in Slack's markup.
///
/// - Parameter isAlone: Whether the experiment runs in one app only.
func slackText(_ readout: ExperimentReadout, command: String, isAlone: Bool) -> String {
  let text = ReadoutText(readout)
  var name = visible(readout.experiment) + (isAlone ? "" : " in \(visible(readout.app))")
  for case .partOfUsers(let filters) in readout.caveats {
    name += ", only users with \(listText(filters.map { visible($0) }))"
  }
  let next = plain(text.nextClause)
  var lines = ["*\(text.title): \(name)*", text.answer.capitalizedFirst]
  if let money = text.money.first { lines.append(plain(money)) }
  // The first line names the users asked for, and the money line states its own coverage.
  let caveat = zip(readout.caveats, text.caveats).first {
    if case .partOfUsers = $0.0 { return false }
    return $0.0 != .partialMoney || text.money.isEmpty
  }?.1
  if let caveat = caveat ?? text.segments.first { lines.append(plain(caveat)) }
  lines += ["Next: \(next)", command]
  func joined() -> String { lines.map(slackEscaped).joined(separator: "\n") }
  // The caveat is dropped first, then the money; the decision and the next step stay.
  while joined().count > 600, lines.count > 4 { lines.remove(at: lines.count - 3) }
  if joined().count > 600 {
    let excess = joined().count - 600
    lines[1] = truncated(lines[1], to: max(40, lines[1].count - excess))
  }
  return joined() + "\n"
}

private func plain(_ text: String) -> String {
  text.replacing(" (`shipped_on`)", with: "").replacing(" as `shipped_on` in a plan file", with: " in a plan file")
    .replacing("`", with: "")
}

func slackEscaped(_ text: String) -> String {
  text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
}

// MARK: Markdown

/// Returns the scorecard as a table with its intervals drawn in characters.
func scorecardLines(_ scorecard: Scorecard) -> [String] {
  let isReadable = scorecard.isReadable && scorecard.arms.count > 1
  let treatments = Array(scorecard.arms.dropFirst())
  var heads = ["metric", "role"] + scorecard.arms.map(markdownEscaped)
  if isReadable {
    for treatment in treatments {
      heads += [treatments.count == 1 ? "difference" : "difference of \(markdownEscaped(treatment))", ""]
    }
  }
  var lines = ["| \(heads.joined(separator: " | ")) |", "|\(String(repeating: "---|", count: heads.count))"]
  for row in scorecard.rows {
    var cells = [markdownEscaped(row.name), "\(row.role.readerName) \(row.arrow)"] + row.values.map(markdownEscaped)
    if isReadable {
      for cell in row.cells {
        let bar = differenceBar(cell, reach: scorecard.reach(row), margin: row.margin, width: 15)
        let note = row.isConditional && cell.difference != nil ? " (conditional)" : ""
        cells += [cell.change + note, bar.isEmpty ? cell.reading : "`\(bar)` \(cell.reading)"]
      }
    }
    lines.append("| \(cells.map { $0.isEmpty ? " " : $0 }.joined(separator: " | ")) |")
  }
  return lines
}

/// Returns the memo in Markdown: the sections of the HTML memo, without charts.
func markdownMemo(_ readout: ExperimentReadout, _ memo: Memo) -> String {
  let text = ReadoutText(readout)
  let scorecard = Scorecard(readout)
  var blocks: [[String]] = [
    [
      "# \(markdownEscaped(text.banner)) · \(markdownEscaped(visible(readout.experiment)))",
      markdownEscaped([text.sentence, text.shownArms].compactMap(\.self).joined(separator: " ")), "",
      "**Next:** \(markdownCode(text.nextClause))",
    ]
  ]
  func section(_ title: String, _ lines: [String]) {
    if !lines.isEmpty { blocks.append(["## \(title)"] + lines) }
  }
  section("Question", [memoQuestion(readout).map(markdownEscaped).joined(separator: " · ")])
  let notes = scorecard.memoNotes(readout, bars: scorecard.noteOnScale).joined(separator: " ")
  section("Scorecard", scorecardLines(scorecard) + ["", markdownEscaped(notes)])
  if text.isReadable { section("Course", courseLines(readout)) }
  for (title, sentences) in text.memoLists { section(title, sentences.map { "- \(markdownCode($0))" }) }
  section("Next step", [markdownCode(text.next)])
  // A value in the command may hold a backtick.
  let command = memo.command.contains("`") ? "`` \(memo.command) ``" : "`\(memo.command)`"
  blocks.append([(memo.footer(readout).map(markdownEscaped) + [command]).joined(separator: " · ")])
  return blocks.map { $0.joined(separator: "\n") + "\n" }.joined(separator: "\n")
}

/// Returns a sentence with its words in backticks as code.
private func markdownCode(_ sentence: String) -> String {
  sentence.split(separator: "`", omittingEmptySubsequences: false).enumerated().map { place, part in
    place.isMultiple(of: 2) ? markdownEscaped(String(part)) : "`\(part)`"
  }.joined()
}

/// Returns the change, its owner, dates, users and plan.
func memoQuestion(_ readout: ExperimentReadout) -> [String] {
  let text = ReadoutText(readout)
  return [
    readout.plan.hypothesis.map(visible), readout.plan.owner.map { "owner: \(visible($0))" }, text.dates,
    (readout.arms.count > 6
      ? splitText(readout) : "\(text.armCounts) users"),
    text.planLine,
  ].compactMap(\.self)
}

// MARK: Course

/// Returns the goal's difference by day for the decision's treatment, in words.
func courseSentence(_ readout: ExperimentReadout) -> String? {
  // A plan looks at some days only, the newest perhaps not among them.
  let points = coursePoints(readout).filter { $0.interval != nil }
  guard let first = points.first, let last = points.last else { return nil }
  let interval = readout.treatments.count > 1 ? "interval of \(ReadoutText(readout).leader)" : "interval"
  // Of more than a year, a day without its year says nothing.
  let hasYear = last.instant - first.instant > 365 * 86_400_000
  func excludesZero(_ point: CoursePoint) -> Bool { point.interval.map { $0.low > 0 || $0.high < 0 } ?? false }
  if excludesZero(last) {
    let start = points.lastIndex { !excludesZero($0) }.map { points[min($0 + 1, points.count - 1)] } ?? first
    let side = (last.interval?.low ?? 0) > 0 ? "above" : "below"
    return "The \(interval) is \(side) zero from \(dayText(start.instant - 1, hasYear: hasYear)) on."
  }
  if let once = points.first(where: excludesZero) {
    return "The \(interval) includes zero now; it did not on \(dayText(once.instant - 1, hasYear: hasYear))."
  }
  return "The \(interval) includes zero on every day so far."
}

struct CoursePoint {
  var instant: Int64
  var difference: Double
  var interval: Interval?
}

func coursePoints(_ readout: ExperimentReadout) -> [CoursePoint] {
  guard let place = readout.decision.treatment, readout.treatments.indices.contains(place) else { return [] }
  let variant = readout.treatments[place]
  return readout.overTime.compactMap { point in
    point.comparisons.first { $0.variant == variant && $0.difference.isFinite }.map { comparison in
      let interval = comparison.sequential.interval
      let isFinite = interval.map { $0.low.isFinite && $0.high.isFinite } ?? false
      return CoursePoint(instant: point.instant, difference: comparison.difference, interval: isFinite ? interval : nil)
    }
  }
}

/// Returns at most eight days, the last one included.
private func courseLines(_ readout: ExperimentReadout) -> [String] {
  let points = coursePoints(readout)
  guard let primary = readout.primary, points.count > 1 else { return [] }
  let text = MetricText(primary)
  let step = max(1, Int((Double(points.count - 1) / 7).rounded(.up)))
  let shown = points.indices.filter { (points.count - 1 - $0) % step == 0 }.map { points[$0] }
  let reach = shown.flatMap { [$0.difference, $0.interval?.low ?? 0, $0.interval?.high ?? 0] }.map(abs).max() ?? 1
  let rows = shown.map { point in
    let cell = Scorecard.Cell(
      reading: "", tone: .calm, value: point.difference, interval: point.interval.map { $0.low...$0.high })
    let bar = differenceBar(cell, reach: reach > 0 ? reach : 1, margin: nil, width: 21)
    return
      "| \(dayText(point.instant - 1)) | \(text.change(point.difference, point.interval) ?? undefinedMark) | `\(bar)` |"
  }
  let name = primary.metric.readerName + ReadoutText(readout).leaderName(after: "of")
  return (courseSentence(readout).map { [markdownEscaped($0), ""] } ?? [])
    + ["| data through | difference in \(markdownEscaped(name)) | |", "|---|---|---|"] + rows
}
