public import Metrics

/// One report as a page of its own, which needs no other file.
///
/// - Throws: ``UnknownColumn`` when the options name a column that is not there.
func htmlText(_ report: Report, _ options: RenderOptions) throws(UnknownColumn) -> String {
  let content = try reportMarkup(report, .alone(options))
  return pageAlone(title: report.title, PageHead(report.title, subtitle: appsText(report.asOf)), content)
}

/// A page that stands alone: no side bar, no other file, no script.
func pageAlone(title: String, _ head: PageHead, _ content: Markup) -> String {
  PageFrame.document(
    title: title, style: .inside,
    body: """
      \(PageFrame.patterns)
      <main class="page alone" id="main">
      \(head.markup)
      \(content)
      </main>
      """)
}

/// Such as `steps, data to 15 Mar 2026`.
public func appsText(_ apps: [Report.AppInstant]) -> String {
  guard let end = dataEnd(apps, localDay: { localDay($0, zone: "UTC") }) else { return "no events" }
  let names = apps.count > 3 ? "\(apps.count) apps" : listText(apps.map(\.app))
  return "\(names), \(end)"
}
