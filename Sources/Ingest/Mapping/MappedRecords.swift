internal import Basics
internal import EventModel

/// Converts the records of any source by a ``MappingFile``.
///
/// Without `id`, the event id is the SHA-256 of the record as compact JSON, so that a repeated record is one event.
/// Negative prices of a `refund` lose their sign, in US dollars too.
struct MappedRecords: SourceAdapter {
  private let mapping: MappingFile
  private let app: String?
  private let plans: ProductPlans
  private let place: RecordPlace
  private let joined = JoinedUsers()
  private let tally: PathTally?
  /// The texts of paths whose members are no properties.
  private let used: Set<String>

  var source: String { SourceSettings.mappingSource }

  init(_ mapping: MappingFile, _ settings: SourceSettings, path: String) {
    self.mapping = mapping
    app = settings.app
    plans = ProductPlans(settings)
    tally = settings.paths
    place = RecordPlace(path: path)
    let values = [mapping.name, mapping.user, mapping.time, mapping.id, mapping.app].compactMap { $0 }
    used = Set((values + mapping.fields.map(\.value)).flatMap(\.paths).map(\.text))
  }

  func payloads(in document: JSONNode) -> [JSONNode] {
    mapping.each.isEmpty ? [document] : document.copies(each: mapping.each[...])
  }

  func events(of record: JSONNode) throws(PayloadRejection) -> [NativeEvent] {
    guard record.members != nil else { throw .notOf("mapping") }
    let record = MappedRecord(record: record, place: place)
    tally?.see(record.record)
    if mapping.skip?.holds(record) == true { return [] }
    var rules: [MappingFile.Rule] = []
    if let value = mapping.name {
      guard let name = found(value, record)?.writtenText else { throw .missing("event") }
      if let found = mapping.rules(of: name) {
        rules = found
      } else if !mapping.ignores(name) {
        throw .notMapped(name)
      }
    } else {
      rules = mapping.patterns.first?.rules ?? []
    }
    var events: [NativeEvent] = []
    for rule in rules where rule.condition?.holds(record) ?? true {
      do throws(PayloadRejection) {
        events.append(try event(of: record, rule, isFirst: events.isEmpty))
      } catch {
        throw error.of(app: appValue(record), event: .string(rule.kind.name))
      }
    }
    return events + joins(of: record)
  }

  private func event(
    of record: MappedRecord, _ rule: MappingFile.Rule, isFirst: Bool
  ) throws(PayloadRejection) -> NativeEvent {
    var id = (rule.id ?? mapping.id).map { found($0, record)?.text ?? "" } ?? NativeEvent.digest(content(of: record))
    if !isFirst, rule.id == nil, !id.isEmpty { id += ":\(rule.kind.name)" }
    var event = NativeEvent(rule.kind, id: id.isEmpty ? "" : NativeEvent.id(id))
    event[.ts] = instant(rule.time ?? mapping.time, record)
    if case .string(let text)? = event[.ts], mapping.time.time?.dates == nil,
      DateForm.dayFirst.instant(text) ?? DateForm.monthFirst.instant(text) != nil
    {
      throw PayloadRejection(
        reason: "invalid:ts", field: "ts: \(text.prefix(40)) may be two days; `dates: day-first` or `month-first`?")
    }
    event[.app] = appValue(record)
    let user = rule.user ?? mapping.user
    event[.userID] = found(user, record)
    if event[.userID] == nil, user.paths.contains(where: { record.written(at: $0)?.isPlaceholderID == true }) {
      throw PayloadRejection(.placeholder(.userID))
    }
    for (field, source) in mapping.fields + rule.fields {
      guard var value = found(source, record) else { continue }
      if value.text == "" {
        event[field] = nil
        continue
      }
      switch MappingValue.Form(field) {
      case .time: value = source.time?.native(value) ?? value
      case .money, .number:
        value = try source.number(value, of: field, currency: currency(record, rule))
        if field == .price || field == .priceUSD, rule.kind == .refund { value = value.positive ?? value }
      case .days: if source.isDuration { value = value.writtenText.flatMap(Self.days).map { JSONNode($0) } ?? value }
      case .text: value = text(value, of: field)
      }
      event[field] = value
    }
    if event[.currency] == nil, event[.price] != nil, let currency = mapping.currency {
      event[.currency] = .string(currency)
    }
    if rule.kind == .payment, mapping.hasCompleteHistory, event[.subscriptionStartedAt] == nil {
      event[.subscriptionStartedAt] = event[.ts]
    }
    if event[.plan] == nil, let product = event[.productID]?.text {
      event[.plan] = plans.plan(of: product).map { .string($0.name) }
    }
    event.properties = properties(of: record.record, rule)
    return event
  }

  /// Returns what tells a record from others: all of it, or the element of a list and its user, as its document may change.
  private func content(of record: MappedRecord) -> [UInt8] {
    guard !mapping.each.isEmpty else { return record.record.json }
    let element = MappingPath(mapping.each.joined(separator: ".")).value(in: record.record)
    return JSONNode.array([mapping.user.value(in: record) ?? .null, element ?? .null]).json
  }

  /// Returns a value of a record and notes that there is one.
  private func found(_ value: MappingValue, _ record: MappedRecord) -> JSONNode? {
    let found = value.value(in: record)
    if found != nil { tally?.note(value) }
    return found
  }

  private func text(_ value: JSONNode, of field: EventField) -> JSONNode {
    guard case .string(let text) = value else {
      // Variants of JSON and Parquet may be numbers.
      if case .number = value, let text = value.writtenText { return .string(text) }
      return value
    }
    switch field {
    case .country: return .string(CountryNames.alpha2(text) ?? text.uppercased())
    case .currency: return .string(text.uppercased())
    case .plan where Plan(name: text) == nil:
      let plan = ProductPlans.plan(duration: text) ?? ProductPlans.plan(name: text)
      return plan.map { .string($0.name) } ?? value
    default: return value
    }
  }

  private func appValue(_ record: MappedRecord) -> JSONNode? {
    if let app { return .string(app) }
    let value = mapping.app.flatMap { found($0, record) }
    // Amplitude's ids of apps are numbers.
    if case .number? = value { return value?.writtenText.map { .string($0) } }
    return value
  }

  private func currency(_ record: MappedRecord, _ rule: MappingFile.Rule) -> String? {
    let sources = (rule.fields.reversed() + mapping.fields.reversed()).filter { $0.field == .currency }
    return sources.lazy.compactMap { $0.value.value(in: record)?.text }.first ?? mapping.currency
  }

  private func instant(_ source: MappingValue, _ record: MappedRecord) -> JSONNode? {
    (source.time ?? MappedTime()).native(found(source, record))
  }

  /// Returns the days of `P7D`, `1 week`, `7 days`, `14d`; `nil` for any other text.
  static func days(_ text: String) -> Int64? {
    var letters = text.lowercased()[...]
    if letters.first == "p" { letters.removeFirst() }
    let digits = letters.prefix { $0.isASCII && $0.isNumber }
    guard let count = digits.isEmpty ? nil : Int64(digits), count > 0, count <= 366 else { return nil }
    let unit = letters.dropFirst(digits.count).filter { $0 != " " && $0 != "-" && $0 != "_" }
    switch unit {
    case "", ".0", "d", "day", "days": return count
    case "w", "wk", "week", "weeks": return count * 7
    case "m", "mo", "month", "months": return count * 30
    case "y", "year", "years": return count * 365
    default: return nil
    }
  }

  // MARK: Properties

  private func properties(of record: JSONNode, _ rule: MappingFile.Rule) -> [JSONMember] {
    let own = rule.fields.flatMap(\.value.paths).map(\.text)
    func isUsed(_ path: String) -> Bool { used.contains(path) || own.contains(path) }
    guard let paths = mapping.properties else {
      return (record.members ?? []).filter { !isUsed($0.name) && !$0.value.isNoValue }
    }
    var kept: [JSONMember] = []
    for path in paths {
      for member in path.value(in: record)?.opened.members ?? []
      where !isUsed("\(path.text).\(member.name)") && !member.value.isNoValue {
        kept.append(member)
      }
    }
    return kept
  }

  // MARK: Joins

  /// Returns an `identify` for each pair of ids in the record that was not met on the record's day.
  private func joins(of record: MappedRecord) -> [NativeEvent] {
    if mapping.joins.isEmpty { return [] }
    guard let app = appValue(record)?.text, let ts = instant(mapping.time, record)?.integer else { return [] }
    var events: [NativeEvent] = []
    for (path, previousPath) in mapping.joins {
      guard let user = record.value(at: path)?.text, let previous = record.value(at: previousPath)?.text,
        user != previous, !JSONNode.string(user).isPlaceholderID, !JSONNode.string(previous).isPlaceholderID
      else { continue }
      if let event = joined.join(app: app, user: user, previous: previous, at: ts) { events.append(event) }
    }
    return events
  }
}
