import Basics
import Metrics

/// Returns an explanation as RFC 8259 JSON: a report's fields, with counts and users in place of rows.
func explanationJSON(_ explanation: Explanation) -> String {
  func number(_ amount: Explanation.Amount) -> JSONNode { .number(amountText(amount)) }
  let counts = explanation.counts.map { count -> JSONNode in
    .object([
      "place": .string(count.place.rawValue), "reason": .string(count.reason), "amount": number(count.amount),
    ])
  }
  let currency = explanation.total.currency.map { [JSONMember("currency", .string($0))] } ?? []
  return JSONNode.object(
    [
      JSONMember("report", "explain"), JSONMember("of", .string(explanation.report)),
      JSONMember("definition", .texts(["\(explanation.rule) (\(explanation.rules))"])),
      JSONMember("parameters", .texts(explanation.parameters.map { ($0.name, $0.value) })),
      JSONMember("as_of", .texts(explanation.asOf.map { ($0.app, instantText($0.asOf)) })),
      JSONMember("cell", .texts(explanation.cell.map { ($0.name, $0.value) })),
      JSONMember("column", .string(explanation.column)),
      JSONMember("value", explanation.value.storedText.map { .number($0) } ?? .null),
      JSONMember("sum", number(explanation.total)), JSONMember("denominator", explanation.of.map(number) ?? .null),
    ] + currency + [
      JSONMember("is_estimate", .bool(explanation.isEstimate || explanation.isBound)),
      JSONMember("rounding", number(explanation.rounding)), JSONMember("counts", .array(counts)),
      JSONMember("persons_total", JSONNode(Int64(explanation.personCount))),
      JSONMember("offset", JSONNode(Int64(explanation.offset))),
      JSONMember("persons", .array(explanation.persons.map(node))),
    ]
  ).lines
}

private func node(_ person: Explanation.Person) -> JSONNode {
  let events = person.events.map { event -> JSONNode in
    .texts([
      ("ts", instantText(event.ts)), ("event", event.kind.name), ("event_id", event.id), ("user_id", event.user),
      ("role", event.role), ("file", event.file),
    ])
  }
  return .object(
    [
      JSONMember("user_id", .string(person.user)), JSONMember("user_ids", .texts(person.users)),
      JSONMember("amount", .number(amountText(person.amount))),
    ] + (person.of.map { [JSONMember("of", .number(amountText($0)))] } ?? []) + [
      JSONMember("why", .texts(person.reasons)), JSONMember("events", .array(events)),
    ])
}
