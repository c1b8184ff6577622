public import Metrics

/// The readouts of an experiment as text that ends in a newline: for people by sections, verdict first; for programs in
/// long form, one row a value.
///
/// - Throws: ``UnknownColumn`` when the options sort by a column that the long form does not have.
public func render(
  _ report: ExperimentReport, as format: ReportFormat, options: RenderOptions = RenderOptions()
) throws(UnknownColumn) -> String {
  switch format {
  case .csv, .json: try render(experimentRows(report), as: format, options: options)
  case .table: experimentTableText(report, options)
  case .markdown: experimentMarkdownText(report)
  case .html: experimentHTMLText(report)
  }
}

extension ReadableHeader {
  /// What one readout's numbers are of.
  init(_ report: ExperimentReport, _ readout: ExperimentReadout) {
    var base = Report(
      name: "experiment", title: "Experiment \(readout.experiment)", definition: report.definition,
      parameters: report.parameters, asOf: report.asOf.filter { $0.app == readout.app }, columns: [], rows: [])
    // What is as in most experiments needs no line.
    let plain = [
      "start": "first exposure", "end": "as-of", "planned_users": "none", "planned_days": "none", "looks": "daily",
      "family": "none", "guardrails": "none", "metrics": "none", "over_time": "no", "grace_days": "3",
    ]
    base.parameters.removeAll { plain[$0.name] == $0.value || $0.name == "over_time" }
    if let place = base.parameters.firstIndex(where: { $0.name == "control" }) {
      base.parameters[place].value = readout.arms.first?.variant ?? "none"
    }
    self.init(base)
  }
}

private func experimentTableText(_ report: ExperimentReport, _ options: RenderOptions) -> String {
  let style = TerminalStyle(isColored: options.isColored)
  let width = max(options.width, 20)
  var blocks: [[String]] = []
  for readout in report.readouts {
    var header = ReadableHeader(report, readout)
    header.definition = []
    blocks.append(headerLines(header, width: width, style))
    for section in experimentSections(readout) {
      var lines = [style.bold(section.title)]
      for (place, sentence) in section.sentences.enumerated() {
        let isVerdict = section.title == "Verdict" && place == 0
        lines += wrapped(visible(sentence), to: width).map { isVerdict ? style.bold($0) : $0 }
      }
      blocks.append(lines)
      guard let table = section.table else { continue }
      let readable = ReadableTable(table)
      let layout = TableLayout(readable, width: width)
      blocks += layout.blocks.map { blockLines(layout.keys + $0, style) }
    }
    if options.isPlotted { blocks += experimentPlots(readout, width: width, style) }
  }
  blocks.append(
    report.definition.flatMap { sentence in
      wrapped(visible(sentence), to: max(width - 2, 10)).enumerated().map {
        ($0.offset == 0 ? "" : "  ") + style.dim($0.element)
      }
    })
  return blocks.map { $0.joined(separator: "\n") + "\n" }.joined(separator: "\n")
}

private func experimentMarkdownText(_ report: ExperimentReport) -> String {
  var blocks: [[String]] = []
  for readout in report.readouts {
    let header = ReadableHeader(report, readout)
    blocks.append(["## \(markdownEscaped(header.title))"])
    blocks.append(factLines(header))
    for section in experimentSections(readout) {
      blocks.append(["### \(markdownEscaped(section.title))"])
      for (place, sentence) in section.sentences.enumerated() {
        let text = markdownEscaped(sentence)
        blocks.append([section.title == "Verdict" && place == 0 ? "**\(text)**" : text])
      }
      if let table = section.table { blocks.append(tableLines(table)) }
    }
  }
  blocks.append(report.definition.map { "- \(markdownEscaped($0))" })
  return blocks.filter { !$0.isEmpty }.map { $0.joined(separator: "\n") + "\n" }.joined(separator: "\n")
}

private func experimentHTMLText(_ report: ExperimentReport) -> String {
  let heading = "<h1>Experiment \(htmlEscaped(report.experiment))</h1>"
  return htmlDocument(
    title: "Experiment \(report.experiment)", body: ["<main>", heading] + experimentMarkup(report) + ["</main>"])
}

/// The readouts below a heading.
func experimentMarkup(_ report: ExperimentReport) -> [String] {
  var body: [String] = []
  for (place, readout) in report.readouts.enumerated() {
    let header = ReadableHeader(report, readout)
    body += ["<section>"] + htmlFacts(header.facts)
    for (number, section) in experimentSections(readout).enumerated() {
      body.append("<h2>\(htmlEscaped(section.title))</h2>")
      for (index, sentence) in section.sentences.enumerated() {
        let text = htmlEscaped(sentence)
        body.append(section.title == "Verdict" && index == 0 ? "<p><strong>\(text)</strong></p>" : "<p>\(text)</p>")
      }
      if let table = section.table { body += htmlTables(table, id: "readout-\(place + 1)-\(number + 1)") }
    }
    body.append("</section>")
  }
  body.append(#"<ul class="definition">"#)
  return body + report.definition.map { "<li>\(htmlEscaped($0))</li>" } + ["</ul>"]
}
