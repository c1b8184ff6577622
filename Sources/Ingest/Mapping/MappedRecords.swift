internal import Basics
internal import EventModel

/// Converts the records of any source by a ``MappingFile``.
///
/// Without `id`, the event id is the SHA-256 of the record as compact JSON, so that a repeated record is one event.
/// Negative prices of a `refund` lose their sign. Numbers below 10¹¹ in `time` are seconds.
struct MappedRecords: SourceAdapter {
  private let mapping: MappingFile
  private let app: String?
  private let plans: ProductPlans

  var source: String { "mapping" }

  init(_ mapping: MappingFile, _ settings: SourceSettings) {
    self.mapping = mapping
    app = settings.app
    plans = ProductPlans(settings)
  }

  func events(of record: JSONNode) throws(PayloadRejection) -> [NativeEvent] {
    guard record.members != nil else { throw .notOf("mapping") }
    guard let name = lookUp(mapping.name, record)?.text else { throw .missing("event") }
    guard let rule = mapping.events[name] else {
      if mapping.ignored.contains(name) || mapping.ignored.contains("*") { return [] }
      throw .notMapped(name)
    }
    let id = mapping.id.map { lookUp($0, record)?.text ?? "" } ?? NativeEvent.digest(record.json)
    var event = NativeEvent(rule.kind, id: id.isEmpty ? "" : NativeEvent.id(id))
    event[.ts] = instant(lookUp(mapping.time, record))
    event[.app] = app.map { .string($0) } ?? mapping.app.flatMap { lookUp($0, record) }
    event[.userID] = lookUp(mapping.user, record)
    for (field, source) in mapping.fields + rule.fields {
      guard var value = lookUp(source, record) else { continue }
      switch field {
      case .receivedAt, .expiresAt, .trialEndsAt, .graceEndsAt: value = instant(value) ?? value
      case .price where rule.kind == .refund: value = value.positive ?? value
      case .country, .currency: if case .string(let text) = value { value = .string(text.uppercased()) }
      default: break
      }
      event[field] = value
    }
    if event[.plan] == nil, let product = event[.productID]?.text {
      event[.plan] = plans.plan(of: product).map { .string($0.name) }
    }
    event.properties = properties(of: record, rule)
    return [event]
  }

  private func lookUp(_ source: MappingFile.Value, _ record: JSONNode) -> JSONNode? {
    for path in source.paths {
      guard let found = record.value(at: path), !found.isAbsent else { continue }
      if let text = found.text ?? found.flag.map({ $0 ? "true" : "false" }), let replaced = source.values[text] {
        return .string(replaced)
      }
      return found
    }
    return source.constant.map { .string($0) }
  }

  private func instant(_ value: JSONNode?) -> JSONNode? {
    guard let value else { return nil }
    guard let number = value.double else { return VendorTime.native(value) }
    let milliseconds = abs(number) < 1e11 ? number * 1_000 : number
    guard abs(milliseconds) < 1e15 else { return value }
    return JSONNode(Int64(milliseconds.rounded()))
  }

  private func properties(
    of record: JSONNode, _ rule: MappingFile.Rule
  ) -> [JSONMember] {
    var used: Set<String> = []
    for (_, source) in mapping.fields + rule.fields { used.formUnion(source.paths) }
    for source in [mapping.name, mapping.user, mapping.time] { used.formUnion(source.paths) }
    for source in [mapping.id, mapping.app] { used.formUnion(source?.paths ?? []) }
    guard let paths = mapping.properties else {
      return (record.members ?? []).filter { !used.contains($0.name) && !$0.value.isAbsent }
    }
    var kept: [JSONMember] = []
    for path in paths {
      for member in record.value(at: path)?.members ?? []
      where !used.contains("\(path).\(member.name)") && !member.value.isAbsent {
        kept.append(member)
      }
    }
    return kept
  }
}
