internal import Metrics
internal import Reports

/// The page of an experiment.
extension Pages {
  func experiment(
    _ request: ReportInputs, _ report: ExperimentReport, _ answer: ReportAnswer
  ) throws(ReportFault) -> String {
    let query = request.query
    let look = look(request, answer)
    let only = report.readouts.count == 1 ? report.readouts.first : nil
    var head = PageHead(
      report.experiment, subtitle: only.map { ExperimentPage($0, of: report, links: look.links).subtitle } ?? "")
    head.crumbs = [("Experiments", "/reports/experiments")] + (only.map { [($0.app, nil)] } ?? [])
    let memo = query.link(request.view.path + "/memo")
    func share(_ format: String) -> String { query.setting("format", to: [format]).link(request.view.path + "/memo") }
    // The page has the effect over time without being asked.
    let csv = request.asked.setting("over-time", to: query.values("over-time")).setting("format", to: ["csv"])
      .link(request.view.apiPath)
    head.controls = [
      PageMenu(
        "", value: "Share",
        [
          .init("Memo, one page", memo), .init("Text for a chat", share("slack")),
          .init("Markdown", share("markdown")), .init("CSV", csv),
        ]
      ).markup, "<a class=\"btn\" href=\"\(memo)\">Decision memo</a>",
    ]
    return document(
      report.experiment, head: head, chips(request) + (try content(answer, look)), query: query, current: "experiments",
      request.facts)
  }

  /// A report that needs an experiment's name, before one is chosen.
  func choice(_ request: ReportInputs, experiments: ReportAnswer) -> String {
    let items = Self.readouts(experiments).map { readout -> Markup in
      "<li><a class=\"in\" href=\"\(readout.link)\"><bdi>\(readout.name)</bdi></a></li>\n"
    }
    let body: Markup = items.isEmpty ? "<p>No experiment was seen.</p>" : "<ul class=\"links\">\(items)</ul>"
    return document(
      request.view.title, head: head(request, subtitle: request.view.summary), pageCard("Which experiment?", body),
      query: request.query, current: "experiments", request.facts)
  }

  /// The experiments of a list, each with the address of its readout.
  private static func readouts(_ experiments: ReportAnswer) -> [(name: String, link: String)] {
    guard case .tables(let tables) = experiments.report else { return [] }
    let links = links(of: ViewQuery())
    return tables.flatMap(StoreFacts.Experiment.all).compactMap { experiment in
      links.experiment(experiment.app, experiment.name).map { ("\(experiment.app): \(experiment.name)", $0) }
    }
  }
}
