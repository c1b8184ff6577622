internal import EventModel
internal import Metrics
internal import Reports

/// The page of one number.
extension Pages {
  /// Returns the page of the users behind one number of a report.
  func explanation(
    _ view: ReportView, of report: ReportView, _ query: ViewQuery, _ answer: ReportAnswer?, fault: ReportFault? = nil,
    _ facts: StoreFacts
  ) throws(ReportFault) -> String {
    let own: Set = ["key", "column", "offset", "limit", "user"]
    let back = ViewQuery(query.items.filter { !own.contains($0.name) }).link(report.path)
    var head = PageHead(view.title, subtitle: view.summary)
    head.crumbs = [("Overview", "/"), (report.title, back)]
    var content: Markup = "<p><a class=\"in\" href=\"\(back)\">Back to the table: \(report.title)</a></p>\n"
    if let fault {
      content += "<p class=\"fault\" role=\"alert\">\(sentence(fault.message, view, query))</p>\n"
    }
    if let answer, case .explanation(let explanation) = answer.report {
      content += try self.content(answer, PageLook(links: links))
      let (first, shown) = (explanation.offset, explanation.persons.count)
      func link(_ offset: Int) -> String {
        query.setting("offset", to: offset == 0 ? [] : [String(offset)]).link(view.path)
      }
      let all = grouped(explanation.personCount)
      let others = explanation.counts.contains { $0.place == .leftOut } ? ", with those who do not count" : ""
      let isOne = explanation.isOfOneUser
      let range =
        (isOne
          ? "One of \(all) users"
          : shown == 0 ? "No users of \(all)" : "Users \(grouped(first + 1)) to \(grouped(first + shown)) of \(all)")
        + others
      var pages: Markup = "<p class=\"pager\"><span>\(range)</span>"
      if first > 0, !isOne {
        pages +=
          " <a class=\"btn\" rel=\"prev\" href=\"\(link(max(0, first - max(shown, Self.usersOfPage))))\">‹ Before</a>"
      }
      if first + shown < explanation.personCount, shown > 0, !isOne {
        pages += " <a class=\"btn\" rel=\"next\" href=\"\(link(first + shown))\">Next ›</a>"
      }
      content +=
        pages + "</p>\n" + (try ReportTools(view: view, query: query.without("offset"), asked: nil).files)
    }
    return document(view.title, head: head, content, query: query, current: report.name, facts)
  }

  /// As many as the command's table has.
  private static let usersOfPage = 20
}
