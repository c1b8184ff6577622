import Metrics

/// Returns an explanation as RFC 8259 JSON: a report's fields, with counts and users in place of rows.
func explanationJSON(_ explanation: Explanation) -> String {
  var lines = JSONLines()
  lines.open("{")
  lines.add(jsonString("explain"), for: "report")
  lines.add(jsonString(explanation.report), for: "of")
  lines.open("[", for: "definition")
  lines.add(jsonString("\(explanation.rule) (\(explanation.rules))"))
  lines.close("]")
  lines.open("{", for: "parameters")
  for parameter in explanation.parameters { lines.add(jsonString(parameter.value), for: parameter.name) }
  lines.close("}")
  lines.open("{", for: "as_of")
  for instant in explanation.asOf { lines.add(jsonString(instantText(instant.asOf)), for: instant.app) }
  lines.close("}")
  lines.open("{", for: "cell")
  for key in explanation.cell { lines.add(jsonString(key.value), for: key.name) }
  lines.close("}")
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
  lines.open("[", for: "user_ids")
  for user in person.users { lines.add(jsonString(user)) }
  lines.close("]")
  lines.add(amountText(person.amount), for: "amount")
  if let of = person.of { lines.add(amountText(of), for: "of") }
  lines.open("[", for: "why")
  for reason in person.reasons { lines.add(jsonString(reason)) }
  lines.close("]")
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
