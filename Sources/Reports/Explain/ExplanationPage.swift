import Metrics

/// An explanation below a page's head: the number, what counts and what does not, and each user with the events that
/// decided.
func explanationMarkup(_ explanation: Explanation, links: PageLinks) -> Markup {
  let explanation = explanation.inWordsOfTable
  let counts = explanationTable(explanation, isForPage: true)
  let header = ReadableHeader(counts)
  let rules = header.definition.map { "<p class=\"soft\">\(plainRole($0))</p>" as Markup }
  var plain = counts
  plain.rows = counts.rows.map { $0.map { value in value.textValue.map { .text(plainRole($0)) } ?? value } }
  let table = HTMLTable.markup(plain, caption: "What counts and what does not")
  let users = explanation.persons.map { item($0, links) }
  var list: Markup =
    users.isEmpty
    ? "<p class=\"soft\">No user of the store is in this cell.</p>"
    : "<ol class=\"persons\" start=\"\(explanation.offset + 1)\">\n\(users)</ol>\n"
  if !explanation.rounding.isZero {
    list +=
      "<p class=\"note\">Rounding of the users’ amounts to the micro-unit: \(amountText(explanation.rounding)).</p>"
  }
  return pageCard(explanationTitle(explanation, isForPage: true), "\(rules)\(table)")
    + pageCard("Users and events", list)
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
    <li><time datetime="\(instantText(event.ts))">\(shortDay(Int(event.ts / 86_400_000), hasYear: true)) \(String(instantText(event.ts).dropFirst(11).prefix(5)))</time> <b>\(eventWords(event.kind.name))</b>: \
    <bdi>\(plainRole(event.role, at: event.ts))</bdi> \
    <details><summary><small>event <bdi>\(chartLabel(event.id, characters: 9))</bdi></small></summary><small><code>\(event.kind.name)</code> <bdi>\(event.id)</bdi>, \
    \(instantText(event.ts)), sent as <bdi>\(event.user)</bdi>, in <bdi>\(event.file)</bdi></small></details></li>

    """
  }
  let list: Markup = events.isEmpty ? "" : "<ul>\(events)</ul>"
  return """
    <li><p><strong>\(name)</strong> \(amountText(person.amount))\(of) \
    <bdi>\(person.reasons.map { plainRole($0) }.joined(separator: "; "))</bdi>\(others)</p>\(list)</li>

    """
}
