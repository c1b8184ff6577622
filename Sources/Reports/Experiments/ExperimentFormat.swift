public import Metrics

/// Returns the readouts of an experiment as text that ends in a newline: for readers with the verdict first, for
/// programs in long form, one value per row.
///
/// - Throws: ``UnknownColumn`` if the options sort by a column that the long form does not have.
public func render(
  _ report: ExperimentReport, as format: ReportFormat, options: RenderOptions = RenderOptions()
) throws(UnknownColumn) -> String {
  if let memo = options.memo { return memoText(report, memo) }
  return switch format {
  case .csv, .json: try render(experimentRows(report), as: format, options: options)
  case .table: experimentTableText(report, options)
  case .markdown: experimentMarkdownText(report, options)
  case .html: experimentHTMLText(report)
  }
}

extension ReadableHeader {
  /// Creates an empty report with the parameters of one readout.
  init(_ report: ExperimentReport, _ readout: ExperimentReadout) {
    var base = Report(
      name: "experiment", title: "Experiment \(readout.experiment)", definition: report.definition,
      parameters: report.parameters, asOf: report.asOf.filter { $0.app == readout.app }, columns: [], rows: [])
    // Common settings need no line.
    base.parameters.removeAll { ExperimentReport.commonSettings[$0.name] == $0.value || $0.name == "over_time" }
    if let place = base.parameters.firstIndex(where: { $0.name == "control" }) {
      base.parameters[place].value = readout.arms.first?.variant ?? "none"
    }
    self.init(base)
  }
}

private func experimentTableText(_ report: ExperimentReport, _ options: RenderOptions) -> String {
  let style = TerminalStyle(isColored: options.isColored)
  let width = max(options.width ?? 200, 20)
  var blocks: [[String]] = []
  let warnings = report.asOf.flatMap { app in app.warnings.map { "\(app.app): \($0)" } }
  blocks.append(warnings.flatMap { wrapped(visible($0), to: width) })
  for readout in report.readouts {
    let screen = ExperimentScreen(readout, width: width, style)
    blocks += options.hasVerdict ? screen.blocks : [screen.header]
    for section in shownSections(readout, options) {
      var lines = [style.bold(section.title)]
      for sentence in section.sentences { lines += wrapped(visible(sentence), to: width) }
      blocks.append(lines)
      guard let table = section.table else { continue }
      let layout = TableLayout(SectionTable(table), width: width)
      blocks += layout.blocks.map { blockLines(layout.keys + $0, style) }
    }
    if options.isPlotted { blocks += experimentPlots(readout, width: width, style) }
    if options.parts.contains(.parameters) {
      var header = ReadableHeader(report, readout)
      header.definition = []
      blocks.append(headerLines(header, width: width, style))
    }
    if let missing = missingParts(readout, options) { blocks.append(wrapped(missing, to: width)) }
  }
  if options.parts.contains(.rules) {
    blocks.append(
      report.definition.flatMap { wrapped(visible($0), to: max(width - 2, 10), behind: "", style.dim) })
  } else if options.hasVerdict, !blocks.isEmpty {
    let more = "--all prints every metric and check; --memo html writes a page to share."
    blocks[blocks.count - 1] += wrapped(more, to: max(width, 10)).map(style.dim)
  }
  return blocks.filter { !$0.isEmpty }.map { $0.joined(separator: "\n") + "\n" }.joined(separator: "\n")
}

/// Returns the sections asked for; days and slices are asked for by options of their own.
private func shownSections(_ readout: ExperimentReadout, _ options: RenderOptions) -> [ExperimentSection] {
  experimentSections(readout).filter { $0.part.map(options.parts.contains) ?? true }
}

/// Returns a sentence on the sections that were asked for by name and that the readout does not have.
private func missingParts(_ readout: ExperimentReadout, _ options: RenderOptions) -> String? {
  if options.hasVerdict { return nil }
  let found = Set(experimentSections(readout).compactMap(\.part)).union([.parameters, .rules])
  let missing = ExperimentPart.allCases.filter { options.parts.contains($0) && !found.contains($0) }
  return missing.isEmpty ? nil : "Not in this readout: \(missing.map(\.rawValue).joined(separator: ", "))."
}

private func experimentMarkdownText(_ report: ExperimentReport, _ options: RenderOptions) -> String {
  var blocks: [[String]] = []
  for readout in report.readouts {
    let header = ReadableHeader(report, readout)
    let text = ReadoutText(readout)
    blocks.append(["## \(markdownEscaped(header.title))"])
    if options.hasVerdict || options.parts.contains(.parameters) { blocks.append(factLines(header)) }
    if options.hasVerdict { blocks += markdownVerdict(readout, text) }
    for section in shownSections(readout, options) {
      blocks.append(["### \(markdownEscaped(section.title))"])
      for sentence in section.sentences { blocks.append([markdownEscaped(sentence)]) }
      if let table = section.table { blocks.append(tableLines(table)) }
    }
    if let missing = missingParts(readout, options) { blocks.append([missing]) }
  }
  if options.parts.contains(.rules) { blocks.append(report.definition.map { "- \(markdownEscaped($0))" }) }
  return blocks.filter { !$0.isEmpty }.map { $0.joined(separator: "\n") + "\n" }.joined(separator: "\n")
}

private func markdownVerdict(_ readout: ExperimentReadout, _ text: ReadoutText) -> [[String]] {
  [
    ["**\(markdownEscaped(text.sentence))**"],
    Array(text.summary.map(markdownEscaped).flatMap { [$0, ""] }.dropLast()),
    ["### Scorecard"], scorecardLines(Scorecard(readout)),
    [markdownEscaped(Scorecard(readout).notes(readout).joined(separator: " "))],
  ]
}

private func experimentHTMLText(_ report: ExperimentReport) -> String {
  let content = (try? FinishedReport.readout(report).content(.alone(RenderOptions()))) ?? ""
  let pages = report.readouts.map { ExperimentPage($0, of: report, links: .none).subtitle }
  return pageAlone(
    title: report.experiment, PageHead(report.experiment, subtitle: pages.count == 1 ? pages[0] : ""), content)
}

extension ReadoutText {
  /// The facts below the verdict's sentence, one or two sentences each.
  var summary: [String] {
    var lines = [shownArms, ranking, "Next: \(nextClause)"].compactMap(\.self)
    lines += money + [longTerm, risk].compactMap(\.self)
    lines += caveats + segments + trends + health
    return lines
  }
}
