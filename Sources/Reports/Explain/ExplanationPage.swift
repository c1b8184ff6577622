import Metrics

/// An explanation below a page's head: the number, what counts and what does not, and each user with the events that
/// decided.
func explanationMarkup(_ explanation: Explanation, links: PageLinks) -> Markup {
  let counts = explanationTable(explanation)
  let header = ReadableHeader(counts)
  let rules = header.definition.map { "<p class=\"soft\">\($0)</p>" as Markup }
  let table = HTMLTable.markup(counts, caption: "What counts and what does not")
  let users = explanation.persons.map { item($0, links) }
  var list: Markup =
    users.isEmpty
    ? "<p class=\"soft\">No user of the store is in this cell.</p>"
    : "<ol class=\"persons\" start=\"\(explanation.offset + 1)\">\n\(users)</ol>\n"
  if !explanation.rounding.isZero {
    list +=
      "<p class=\"note\">Rounding of the users’ amounts to the micro-unit: \(amountText(explanation.rounding)).</p>"
  }
  return pageCard(counts.title, "\(rules)\(table)") + pageCard("Users and events", list)
    + """
    <section class="card"><details class="fold flat"><summary><span>How this was computed</span></summary><div>\
    \(htmlFacts(header.facts))</div></details></section>

    """
}

private func item(_ person: Explanation.Person, _ links: PageLinks) -> Markup {
  let of: Markup = person.of.map { " of \(amountText($0))" } ?? ""
  let name = linked("<bdi>\(person.user)</bdi>", to: links.report("person", [("user", person.user)]))
  let others = person.users.dropFirst().map { " <small>also <bdi>\($0)</bdi></small>" as Markup }
  let events = person.events.map { event -> Markup in
    """
    <li><time>\(instantText(event.ts))</time> <b>\(event.kind.name)</b> <bdi>\(event.role)</bdi> \
    <small><bdi>\(event.id)</bdi>, sent as <bdi>\(event.user)</bdi>, in <bdi>\(event.file)</bdi></small></li>

    """
  }
  let list: Markup = events.isEmpty ? "" : "<ul>\(events)</ul>"
  return """
    <li><p><strong>\(name)</strong> \(amountText(person.amount))\(of) \
    <bdi>\(person.reasons.joined(separator: "; "))</bdi>\(others)</p>\(list)</li>

    """
}
