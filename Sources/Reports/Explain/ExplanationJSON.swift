import Metrics

/// Returns an explanation as RFC 8259 JSON: a report's fields, with counts and users in place of rows.
func explanationJSON(_ explanation: Explanation) -> String {
  var lines = JSONLines()
  lines.open("{")
  lines.add(jsonString("explain"), for: "report")
  lines.add(jsonString(explanation.report), for: "of")
  lines.add(["\(explanation.rule) (\(explanation.rules))"], for: "definition")
  lines.add(explanation.parameters.map { ($0.name, $0.value) }, for: "parameters")
  lines.add(explanation.asOf.map { ($0.app, instantText($0.asOf)) }, for: "as_of")
  lines.add(explanation.cell.map { ($0.name, $0.value) }, for: "cell")
  lines.add(jsonString(explanation.column), for: "column")
  lines.add(explanation.value.storedText ?? "null", for: "value")
  lines.add(amountText(explanation.total), for: "sum")
  lines.add(explanation.of.map(amountText) ?? "null", for: "denominator")
  if let currency = explanation.total.currency { lines.add(jsonString(currency), for: "currency") }
  lines.add(explanation.isEstimate || explanation.isBound ? "true" : "false", for: "is_estimate")
  lines.add(amountText(explanation.rounding), for: "rounding")
  lines.open("[", for: "counts")
  for count in explanation.counts {
    lines.open("{")
    lines.add(jsonString(count.place.rawValue), for: "place")
    lines.add(jsonString(count.reason), for: "reason")
    lines.add(amountText(count.amount), for: "amount")
    lines.close("}")
  }
  lines.close("]")
  lines.add(String(explanation.personCount), for: "persons_total")
  lines.add(String(explanation.offset), for: "offset")
  lines.open("[", for: "persons")
  for person in explanation.persons { append(person, to: &lines) }
  lines.close("]")
  lines.close("}")
  return lines.text + "\n"
}

private func append(_ person: Explanation.Person, to lines: inout JSONLines) {
  lines.open("{")
  lines.add(jsonString(person.user), for: "user_id")
  lines.add(person.users, for: "user_ids")
  lines.add(amountText(person.amount), for: "amount")
  if let of = person.of { lines.add(amountText(of), for: "of") }
  lines.add(person.reasons, for: "why")
  lines.open("[", for: "events")
  for event in person.events {
    lines.open("{")
    lines.add(jsonString(instantText(event.ts)), for: "ts")
    lines.add(jsonString(event.kind.name), for: "event")
    lines.add(jsonString(event.id), for: "event_id")
    lines.add(jsonString(event.user), for: "user_id")
    lines.add(jsonString(event.role), for: "role")
    lines.add(jsonString(event.file), for: "file")
    lines.close("}")
  }
  lines.close("]")
  lines.close("}")
}
