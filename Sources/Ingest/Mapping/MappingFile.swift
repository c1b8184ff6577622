internal import EventModel
internal import Yams

/// A YAML file that maps the events of a source without an adapter to the native format: from event names and field
/// paths to kinds and fields.
///
/// ```yaml
/// app: {value: steps}              # a path, or one value for all
/// id: properties.$insert_id        # without it, the content identifies an event
/// name: event                      # path of the event's name
/// user: properties.distinct_id
/// time: properties.time            # seconds or milliseconds since 1970, or a text; in UTC if it has no offset
/// properties: [properties]         # objects whose members become properties; without it, the record itself
/// fields:                          # for all events
///   platform: {path: properties.$os, values: {iOS: ios, Android: android}}
/// events:
///   Paywall Viewed:
///     kind: paywall_impression
///     fields: {entry_point: properties.source}
///   App Opened: activity
/// ignore: [Screen Viewed]          # or "*" for all others; without it they go to quarantine
/// ```
public struct MappingFile: Sendable {
  /// An error in the file: the problem, its place and what is expected.
  public struct MappingError: Error, CustomStringConvertible {
    public var description: String
  }

  /// The origin of a field's value.
  struct Value: Sendable {
    /// Paths in order; the first with a value counts.
    var paths: [String] = []
    /// The value if no path has one.
    var constant: String?
    /// Replacements of values; others stay unchanged.
    var values: [String: String] = [:]
  }

  struct Rule: Sendable {
    var kind: EventKind
    var fields: [(field: EventField, value: Value)]
  }

  var app: Value?
  var id: Value?
  var name: Value
  var user: Value
  var time: Value
  var properties: [String]?
  var fields: [(field: EventField, value: Value)]
  var events: [String: Rule]
  var ignored: Set<String>

  /// - Parameter file: The file's name, for error messages.
  public init(yaml: String, file: String) throws(MappingError) {
    let root: Node
    do {
      guard let node = try Yams.compose(yaml: yaml) else { throw MappingError(description: "\(file): is empty") }
      root = node
    } catch let error as MappingError {
      throw error
    } catch {
      throw MappingError(description: "\(file): is no YAML: \(error)")
    }
    let reader = MappingReader(file: file)
    let keys = try reader.members(
      root, "", ["app", "id", "name", "user", "time", "properties", "fields", "events", "ignore"])
    func required(_ key: String) throws(MappingError) -> Value {
      guard let node = keys[key] else {
        throw MappingError(description: "\(file): \(key) is missing, but must say where it stands")
      }
      return try reader.value(node, key)
    }
    func optional(_ key: String) throws(MappingError) -> Value? {
      guard let node = keys[key] else { return nil }
      return try reader.value(node, key)
    }
    name = try required("name")
    user = try required("user")
    time = try required("time")
    app = try optional("app")
    id = try optional("id")
    properties = try keys["properties"].map { node throws(MappingError) in try reader.texts(node, "properties") }
    fields = try keys["fields"].map { node throws(MappingError) in try reader.fields(node, "fields") } ?? []
    guard let node = keys["events"], let mapping = node.mapping, !mapping.isEmpty else {
      throw MappingError(description: "\(file): events is missing, but must say what each event means")
    }
    events = [:]
    for (name, rule) in mapping {
      guard let name = name.string else { throw reader.failure(rule, "events", "has a key that is no text") }
      events[name] = try reader.rule(rule, "events.\(name)")
    }
    ignored = Set(try keys["ignore"].map { node throws(MappingError) in try reader.texts(node, "ignore") } ?? [])
  }
}

private struct MappingReader {
  let file: String

  func failure(_ node: Node, _ key: String, _ problem: String) -> MappingFile.MappingError {
    let place = node.mark.map { "\(file):\($0.line)" } ?? file
    return MappingFile.MappingError(description: "\(place): \(key.isEmpty ? "" : "\(key) ")\(problem)")
  }

  func members(
    _ node: Node, _ key: String, _ known: [String]
  ) throws(MappingFile.MappingError) -> [String: Node] {
    guard let mapping = node.mapping else { throw failure(node, key, "must be keys with values") }
    var found: [String: Node] = [:]
    for (name, value) in mapping {
      guard let name = name.string, known.contains(name) else {
        throw failure(
          value, key, "has the key \(name.string ?? "?"); expected one of \(known.joined(separator: ", "))")
      }
      found[name] = value
    }
    return found
  }

  func text(_ node: Node, _ key: String) throws(MappingFile.MappingError) -> String {
    guard let text = node.scalar?.string, !text.isEmpty else { throw failure(node, key, "must be a text") }
    return text
  }

  func texts(_ node: Node, _ key: String) throws(MappingFile.MappingError) -> [String] {
    guard let sequence = node.sequence else { return [try text(node, key)] }
    var texts: [String] = []
    for element in sequence { texts.append(try text(element, key)) }
    return texts
  }

  /// Parses a path, a list of paths, or `{path, value, values}`.
  func value(_ node: Node, _ key: String) throws(MappingFile.MappingError) -> MappingFile.Value {
    guard node.mapping != nil else { return MappingFile.Value(paths: try texts(node, key)) }
    let keys = try members(node, key, ["path", "value", "values"])
    var value = MappingFile.Value()
    if let path = keys["path"] { value.paths = try texts(path, "\(key).path") }
    if let constant = keys["value"] { value.constant = try text(constant, "\(key).value") }
    if let values = keys["values"] {
      guard let mapping = values.mapping else { throw failure(values, "\(key).values", "must be keys with values") }
      for (from, to) in mapping {
        guard let from = from.string else { throw failure(to, "\(key).values", "has a key that is no text") }
        value.values[from] = try text(to, "\(key).values.\(from)")
      }
    }
    if value.paths.isEmpty && value.constant == nil { throw failure(node, key, "must have a path or a value") }
    return value
  }

  func fields(
    _ node: Node, _ key: String
  ) throws(MappingFile.MappingError) -> [(field: EventField, value: MappingFile.Value)] {
    guard let mapping = node.mapping else { throw failure(node, key, "must be fields with paths") }
    let own: Set<EventField> = [.eventID, .event, .ts, .app, .userID, .properties]
    var fields: [(field: EventField, value: MappingFile.Value)] = []
    for (name, node) in mapping {
      guard let field = EventField.allCases.first(where: { $0.name == name.string }), !own.contains(field) else {
        throw failure(node, key, "has the key \(name.string ?? "?"), which is no field that an event may have")
      }
      fields.append((field, try value(node, "\(key).\(field.name)")))
    }
    return fields
  }

  /// Parses a kind alone, or `{kind, fields}`.
  func rule(_ node: Node, _ key: String) throws(MappingFile.MappingError) -> MappingFile.Rule {
    guard node.mapping != nil else { return MappingFile.Rule(kind: try kind(node, key), fields: []) }
    let keys = try members(node, key, ["kind", "fields"])
    guard let kindNode = keys["kind"] else { throw failure(node, key, "has no kind") }
    let fields = try keys["fields"].map { node throws(MappingFile.MappingError) in
      try self.fields(node, "\(key).fields")
    }
    return MappingFile.Rule(kind: try kind(kindNode, "\(key).kind"), fields: fields ?? [])
  }

  private func kind(_ node: Node, _ key: String) throws(MappingFile.MappingError) -> EventKind {
    let name = try text(node, key)
    guard let kind = EventKind(name: name) else {
      let known = EventKind.allCases.map(\.name).joined(separator: ", ")
      throw failure(node, key, "is \(name), but must be one of \(known)")
    }
    return kind
  }
}
