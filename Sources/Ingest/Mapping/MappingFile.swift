public import Basics
internal import EventModel

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
  public init(yaml: String, file: String) throws(ConfigurationError) {
    let root = try YAMLValue.root(of: yaml, file: file)
    let keys = try root.members([
      "app", "id", "name", "user", "time", "properties", "fields", "events", "ignore",
    ])
    func required(_ key: String) throws(ConfigurationError) -> Value {
      guard let value = keys[key] else { throw root.failure("\(key) is missing, but must name its column") }
      return try Value(value)
    }
    name = try required("name")
    user = try required("user")
    time = try required("time")
    app = try keys["app"].map(Value.init)
    id = try keys["id"].map(Value.init)
    properties = try keys["properties"]?.texts()
    fields = try keys["fields"].map(Self.fields) ?? []
    guard let rules = try keys["events"]?.members(), !rules.isEmpty else {
      throw root.failure("events is missing, but must say what each event means")
    }
    events = [:]
    for (name, rule) in rules { events[name] = try Rule(rule) }
    ignored = Set(try keys["ignore"]?.texts() ?? [])
  }

  fileprivate static func fields(
    _ value: YAMLValue
  ) throws(ConfigurationError) -> [(field: EventField, value: Value)] {
    let own: Set<EventField> = [.eventID, .event, .ts, .app, .userID, .properties]
    var fields: [(field: EventField, value: Value)] = []
    for (name, value) in try value.members() {
      guard let field = EventField.allCases.first(where: { $0.name == name }), !own.contains(field) else {
        throw value.failure("is not a field of an event; see the fields in Events.md")
      }
      fields.append((field, try Value(value)))
    }
    return fields
  }
}

extension MappingFile.Value {
  /// A path, a list of paths, or `{path, value, values}`.
  fileprivate init(_ value: YAMLValue) throws(ConfigurationError) {
    guard value.hasMembers else {
      paths = try value.texts()
      return
    }
    let keys = try value.members(["path", "value", "values"])
    paths = try keys["path"]?.texts() ?? []
    constant = try keys["value"]?.text()
    for (from, to) in try keys["values"]?.members() ?? [] { values[from] = try to.text() }
    if paths.isEmpty && constant == nil { throw value.failure("must have a path or a value") }
  }
}

extension MappingFile.Rule {
  /// A kind alone, or `{kind, fields}`.
  fileprivate init(_ value: YAMLValue) throws(ConfigurationError) {
    let keys = value.hasMembers ? try value.members(["kind", "fields"]) : ["kind": value]
    guard let name = keys["kind"] else { throw value.failure("has no kind") }
    let text = try name.text()
    guard let kind = EventKind(name: text) else {
      throw name.failure("is \(text), but must be one of \(EventKind.allCases.map(\.name).joined(separator: ", "))")
    }
    self.kind = kind
    fields = try keys["fields"].map(MappingFile.fields) ?? []
  }
}
