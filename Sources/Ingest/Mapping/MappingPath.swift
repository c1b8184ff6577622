internal import Basics

/// A path to a value in a record, such as `a.b`, `list[-1].id` or `event_params[key=plan].value`.
///
/// A member whose own name is the whole path, or has dots, comes first. A step into a text that is a JSON object or list
/// reads it. A path that ends at an object whose members all end in `_value` gives the one that is not null; so does one
/// that ends at a value of Firestore, such as `{"stringValue": "a"}`.
struct MappingPath: Sendable, Hashable {
  private enum Selector: Hashable {
    /// An element; negative from the end.
    case index(Int)
    /// The first element whose member has the value.
    case member(key: String, value: String)
  }

  private struct Step: Hashable {
    var name: String
    var isQuoted = false
    var selectors: [Selector] = []
  }

  /// The path as it is written.
  let text: String
  private let steps: [Step]
  /// Per step, the names that it can start and the number of steps in each, longest first.
  private let names: [[(name: String, count: Int)]]
  private let isName: Bool

  init(_ text: String) {
    self.text = text
    let steps = Self.steps(of: text)
    self.steps = steps
    names = steps.indices.map { start in
      var names: [(name: String, count: Int)] = []
      var name = ""
      for place in start..<min(steps.count, start + 16) {
        name += place == start ? steps[place].name : "." + steps[place].name
        names.insert((name, place - start + 1), at: 0)
        if !steps[place].selectors.isEmpty || steps[place].isQuoted { break }
        if place + 1 < steps.count, steps[place + 1].isQuoted { break }
      }
      return names
    }
    isName = steps.count == 1 && steps[0].selectors.isEmpty && !steps[0].isQuoted
  }

  static func == (left: MappingPath, right: MappingPath) -> Bool { left.text == right.text }
  func hash(into hasher: inout Hasher) { hasher.combine(text) }

  /// Returns the value in a record; `nil` if the record has none there.
  func value(in record: JSONNode) -> JSONNode? {
    if let direct = record[text] { return direct.chosen }
    return isName ? nil : value(from: 0, in: record)?.chosen
  }

  /// Returns a member of the first step's name in a record, which the path goes through.
  var root: String { steps.first?.name ?? text }

  private func value(from start: Int, in node: JSONNode) -> JSONNode? {
    if start == steps.count { return node }
    let node = node.opened
    for (name, count) in names[start] {
      guard var found = node[name] else { continue }
      var isThere = true
      for selector in steps[start + count - 1].selectors {
        guard let element = Self.element(selector, of: found) else {
          isThere = false
          break
        }
        found = element
      }
      if isThere, let value = value(from: start + count, in: found) { return value }
    }
    return nil
  }

  private static func element(_ selector: Selector, of node: JSONNode) -> JSONNode? {
    guard let elements = node.opened.elements else { return nil }
    switch selector {
    case .index(let index):
      let place = index < 0 ? elements.count + index : index
      return elements.indices.contains(place) ? elements[place] : nil
    case .member(let key, let value): return elements.first { $0[key]?.writtenText == value }
    }
  }

  private static func steps(of text: String) -> [Step] {
    var steps: [Step] = []
    var rest = text[...]
    while !rest.isEmpty {
      var step = Step(name: "")
      if rest.first == "'", let close = rest.dropFirst().firstIndex(of: "'") {
        step.name = String(rest[rest.index(after: rest.startIndex)..<close])
        step.isQuoted = true
        rest = rest[rest.index(after: close)...]
      }
      while let character = rest.first, character != "." {
        if character == "[", let close = rest.firstIndex(of: "]"),
          let selector = selector(rest[rest.index(after: rest.startIndex)..<close])
        {
          step.selectors.append(selector)
          rest = rest[rest.index(after: close)...]
        } else {
          step.name.append(character)
          rest = rest.dropFirst()
        }
      }
      steps.append(step)
      if rest.isEmpty { break }
      rest = rest.dropFirst()
      if rest.isEmpty { steps.append(Step(name: "")) }
    }
    return steps
  }

  private static func selector(_ text: Substring) -> Selector? {
    if let index = Int(text) { return .index(index) }
    guard let equals = text.firstIndex(of: "="), equals != text.startIndex else { return nil }
    return .member(key: String(text[..<equals]), value: String(text[text.index(after: equals)...]))
  }
}

extension JSONNode {
  /// A text that is a JSON object or list as that; any other value itself.
  var opened: JSONNode {
    guard case .string(let text) = self, let first = text.utf8.first,
      first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
    else { return self }
    return JSONNode(parsing: Array(text.utf8)) ?? self
  }

  /// Of an object whose members name the type of its value, the one that is not null; any other value itself.
  fileprivate var chosen: JSONNode? {
    guard case .object(let members) = self, Self.areTypes(members) else { return self }
    return members.first { !$0.value.isAbsent }?.value
  }

  /// Returns whether members name the type of one value: those of GA4 end in `_value`, and Firestore has one, such as
  /// `stringValue`.
  static func areTypes(_ members: [JSONMember]) -> Bool {
    guard let first = members.first?.name else { return false }
    return members.allSatisfy { $0.name.hasSuffix("_value") } || members.count == 1 && firestoreTypes.contains(first)
  }

  private static let firestoreTypes: Set<String> = [
    "stringValue", "integerValue", "doubleValue", "booleanValue", "timestampValue", "nullValue", "referenceValue",
  ]

  /// A text, a number as it is written, or `true` and `false`; `nil` of a list, an object and an absent value.
  var writtenText: String? {
    switch self {
    case .string(let text): text.isEmpty ? nil : text
    case .number(let digits): text ?? digits
    case .bool(let flag): flag ? "true" : "false"
    case .null, .array, .object: nil
    }
  }
}
