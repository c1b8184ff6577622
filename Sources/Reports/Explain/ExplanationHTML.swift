import Metrics

/// Returns an explanation below a page's heading: the number, the units that count and do not count, and each user with
/// the events that decided.
func explanationMarkup(_ explanation: Explanation) -> [String] {
  let counts = explanationTable(explanation)
  let header = ReadableHeader(counts)
  var lines = ["<h2>\(htmlEscaped(counts.title))</h2>"]
  lines += htmlBody(
    counts, facts: header.facts, definition: header.definition, rowCount: counts.rows.count, sort: nil)
  lines.append("<h2>Persons and events</h2>")
  if !explanation.persons.isEmpty {
    lines.append(#"<ol class="persons" start="\#(explanation.offset + 1)">"#)
    lines += explanation.persons.map(item)
    lines.append("</ol>")
  }
  if !explanation.rounding.isZero {
    lines.append("<p>Rounding of the persons’ amounts to the micro-unit: \(amountText(explanation.rounding)).</p>")
  }
  return lines
}

private func item(_ person: Explanation.Person) -> String {
  var line = "<li><p><strong><bdi>\(htmlEscaped(person.user))</bdi></strong> \(amountText(person.amount))"
  if let of = person.of { line += " of \(amountText(of))" }
  line += " <bdi>\(htmlEscaped(person.reasons.joined(separator: "; ")))</bdi>"
  for user in person.users.dropFirst() { line += " <small>also <bdi>\(htmlEscaped(user))</bdi> (1.3)</small>" }
  let events = person.events.map { event in
    "<li>\(instantText(event.ts)) <strong>\(event.kind.name)</strong> <bdi>\(htmlEscaped(event.role))</bdi>"
      + " <small><bdi>\(htmlEscaped(event.id))</bdi>, sent as <bdi>\(htmlEscaped(event.user))</bdi>, in "
      + "<bdi>\(htmlEscaped(event.file))</bdi></small></li>"
  }
  return line + "</p>" + (events.isEmpty ? "" : "<ul>\(events.joined())</ul>") + "</li>"
}
