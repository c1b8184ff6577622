internal import Basics
internal import EventModel

/// The origin of a field's value in a mapping, and the steps that turn it into the field.
struct MappingValue: Sendable {
  enum Source: Sendable {
    /// The first path with a value counts.
    case first([MappingPath])
    /// All values, joined; absent if one is.
    case all([MappingPath], separator: String)
  }

  enum Scale: Sendable {
    case factor(ExactDecimal)
    /// By the decimals of the currency.
    case minor
  }

  var source = Source.first([])
  /// The value if nothing was found.
  var constant: String?
  var split: (separator: String, at: Int)?
  /// Replacements of exact texts; those without one stay unchanged. An inner `nil` is an absent value.
  var values: [String: String?] = [:]
  /// Replacements of patterns, in order.
  var like: [(glob: Glob, to: String?)] = []
  var scale: Scale?
  var decimal: DecimalSign?
  var time: MappedTime?
  /// Whether the text is a duration, which becomes days.
  var isDuration = false
  /// Whether the value is the id of a user, for which `0` and the like stand for none.
  var isUser = false
  /// The place of the value in its mapping.
  var number = 0

  var paths: [MappingPath] {
    switch source {
    case .first(let paths), .all(let paths, _): paths
    }
  }

  /// Returns the value before the steps of its field; `nil` if it is absent.
  func value(in record: MappedRecord) -> JSONNode? {
    guard var found = found(in: record) else { return constant.map { .string($0) } }
    if let split {
      guard let text = found.writtenText else { return constant.map { .string($0) } }
      let parts = text.components(separatedBy: split.separator)
      let place = split.at < 0 ? parts.count + split.at : split.at
      guard parts.indices.contains(place), !parts[place].isEmpty else { return constant.map { .string($0) } }
      found = .string(parts[place])
    }
    if !values.isEmpty, let text = found.writtenText, let replaced = replacement(of: text) {
      guard let replaced else { return nil }
      return .string(replaced)
    }
    if !like.isEmpty, let text = found.writtenText, let match = like.first(where: { $0.glob.matches(text) }) {
      return match.to.map { .string($0) }
    }
    return found
  }

  private func found(in record: MappedRecord) -> JSONNode? {
    switch source {
    case .first(let paths):
      for path in paths {
        guard let found = record.written(at: path) else { continue }
        if isUser, found.isPlaceholderID { continue }
        if !found.isNoValue || replaces(found) { return found }
      }
      return nil
    case .all(let paths, let separator):
      var parts: [String] = []
      for path in paths {
        guard let text = record.value(at: path)?.writtenText else { return nil }
        parts.append(text)
      }
      return .string(parts.joined(separator: separator))
    }
  }

  /// Returns whether the mapping says itself what the text stands for.
  private func replaces(_ found: JSONNode) -> Bool {
    !values.isEmpty && found.writtenText.map { values[$0] != nil } ?? false
  }

  private func replacement(of text: String) -> String?? {
    if let exact = values[text] { return exact }
    switch text.lowercased() {
    case "true", "t", "1", "yes": if let flag = values["true"] { return flag }
    case "false", "f", "0", "no": if let flag = values["false"] { return flag }
    default: break
    }
    return values["*"]
  }

  /// Returns an amount or share with a decimal point, scaled; a text that is not a number stays as it is, and the event
  /// is then invalid.
  ///
  /// - Parameter currency: Decides the decimals of `scale: minor`.
  func number(
    _ value: JSONNode, of field: EventField, currency: @autoclosure () -> String?
  ) throws(PayloadRejection) -> JSONNode {
    guard scale != nil || decimal != nil else {
      guard case .string(let text) = value, ExactDecimal.isDecimalComma(text) else { return value }
      throw PayloadRejection(
        reason: "invalid:\(field.name)", field: "\(field.name): \(text.prefix(40)) is not a number; `decimal: \",\"`?")
    }
    guard var text = value.writtenText else { return value }
    if case .string = value, let decimal {
      guard let ungrouped = ExactDecimal.ungrouped(text, decimal) else {
        throw .invalid(field.name)
      }
      text = ungrouped
    }
    guard let number = ExactDecimal(text) else { return value }
    switch scale {
    case nil: return .string(number.text)
    case .factor(let factor): return number.times(factor).map { .string($0.text) } ?? value
    case .minor:
      guard let currency = currency(), let decimals = CurrencyTable.decimals(of: currency) else {
        throw .invalid("currency")
      }
      return .string(number.shifted(by: -decimals).text)
    }
  }
}

extension String {
  /// Returns the parts between the occurrences of a separator.
  func components(separatedBy separator: String) -> [String] {
    utf8.split(separator: separator.utf8, omittingEmptySubsequences: false).map { String(Substring($0)) }
  }
}

/// A record with what its file adds: its name and the keys of its folders.
struct MappedRecord {
  var record: JSONNode
  var place: RecordPlace

  /// Returns the value at a path; `nil` if it is absent or a text that stands for no value.
  func value(at path: MappingPath) -> JSONNode? {
    guard let found = written(at: path), !found.isNoValue else { return nil }
    return found
  }

  /// Returns the value at a path as it is written; `nil` if it is absent.
  func written(at path: MappingPath) -> JSONNode? {
    guard let found = path.value(in: record) ?? place.values[path.text].map({ .string($0) }), !found.isAbsent else {
      return nil
    }
    return found
  }
}

/// The file of a record: `$file`, `$table` and the keys of folders such as `country=DE`.
struct RecordPlace: Sendable {
  private(set) var values: [String: String] = [:]

  /// - Parameter hasTable: Whether `$file` and `$table` are among the values.
  init(path: String = "", hasTable: Bool = true) {
    for (name, value) in HiveFolders.keys(of: path) { values[name] = value }
    guard hasTable, let file = path.split(separator: "/").last else { return }
    values["$file"] = String(file)
    values["$table"] = String(file.prefix { $0 != "." })
  }
}
