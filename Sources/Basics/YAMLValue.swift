internal import Yams

/// A value in a YAML file, with the path of keys to it so that errors can point to it.
public struct YAMLValue {
  public let file: String
  public let key: String
  let node: Node

  /// Parses a file and returns its root value.
  ///
  /// - Throws: ``ConfigurationError`` if the text is not YAML or the file is empty.
  public static func root(of text: String, file: String) throws(ConfigurationError) -> YAMLValue {
    do {
      guard let node = try Yams.compose(yaml: text) else {
        throw ConfigurationError(file: file, line: nil, key: "", problem: "is empty, but must have keys")
      }
      return YAMLValue(file: file, key: "", node: node)
    } catch let error as ConfigurationError {
      throw error
    } catch {
      throw Self.error(error, file: file)
    }
  }

  private static func error(_ error: any Error, file: String) -> ConfigurationError {
    func failure(_ line: Int?, _ problem: String) -> ConfigurationError {
      ConfigurationError(file: file, line: line, key: "", problem: "is not YAML: \(problem)")
    }
    guard let error = error as? YamlError else { return failure(nil, "\(error)") }
    switch error {
    case .scanner(_, let problem, let mark, _), .parser(_, let problem, let mark, _),
      .composer(_, let problem, let mark, _):
      return failure(mark.line, problem)
    case .duplicatedKeysInMapping(let duplicates, let context):
      return failure(context.mark.line, "the key \(duplicates.sorted().joined(separator: ", ")) twice")
    // Its description repeats the text, which is not fit to print.
    case .reader(let problem, _, _, _): return failure(nil, problem)
    default: return failure(nil, "\(error)")
    }
  }

  public func failure(_ problem: String) -> ConfigurationError {
    ConfigurationError(file: file, line: node.mark?.line, key: key, problem: problem)
  }

  private func child(_ name: String, _ node: Node) -> YAMLValue {
    YAMLValue(file: file, key: key.isEmpty ? name : "\(key).\(name)", node: node)
  }

  /// Returns the members of a mapping, in the order of the file.
  public func members() throws(ConfigurationError) -> [(name: String, value: YAMLValue)] {
    guard let mapping = node.mapping else { throw failure("must be a mapping, such as `key: value`") }
    var members: [(name: String, value: YAMLValue)] = []
    for (name, value) in mapping {
      guard let name = name.string else { throw failure("has a key that is not text") }
      members.append((name, child(name, value)))
    }
    return members
  }

  /// Returns the members of a mapping that may contain only known keys.
  public func members(_ known: [String]) throws(ConfigurationError) -> [String: YAMLValue] {
    var found: [String: YAMLValue] = [:]
    for (name, value) in try members() {
      guard known.contains(name) else {
        let hint = NearName.hint(name, in: known)
        throw value.failure("is not a key; expected one of \(known.joined(separator: ", "))\(hint)")
      }
      found[name] = value
    }
    return found
  }

  /// Returns the elements of a list, or the value itself if it is not a list.
  public func elements() throws(ConfigurationError) -> [YAMLValue] {
    guard let sequence = node.sequence else { return [self] }
    return sequence.map { YAMLValue(file: file, key: key, node: $0) }
  }

  public func text() throws(ConfigurationError) -> String {
    guard let text = node.scalar?.string, !text.isEmpty else { throw failure("must be text") }
    return text
  }

  /// Returns the texts of a list, or the value's own text if it is not a list.
  public func texts() throws(ConfigurationError) -> [String] {
    try elements().map { element throws(ConfigurationError) in try element.text() }
  }

  /// Reads a number and checks its range.
  ///
  /// - Parameter range: The range as worded in the error, such as `above 0`.
  public func number(_ range: String, where isAllowed: (Double) -> Bool) throws(ConfigurationError) -> Double {
    let text = try text()
    guard let number = Double(text), number.isFinite else { throw failure("is \(text), but must be a number") }
    guard isAllowed(number) else { throw failure("is \(text), but must be \(range)") }
    return number
  }

  public func boolean() throws(ConfigurationError) -> Bool {
    switch try text() {
    case "true", "yes", "on": return true
    case "false", "no", "off": return false
    case let text: throw failure("is \(text), but must be true or false")
    }
  }

  /// Returns a text that is equal for values that differ only in comments, style and the order of keys.
  ///
  /// - Parameter ordered: Keys whose members have an order that counts.
  public func meaning(ordered: Set<String>) throws(ConfigurationError) -> String {
    var left = 100_000
    return try meaning(of: node, isOrdered: false, ordered, left: &left)
  }

  private func meaning(
    of node: Node, isOrdered: Bool, _ ordered: Set<String>, left: inout Int
  ) throws(ConfigurationError) -> String {
    left -= 1
    // Aliases can make a small file mean a huge one.
    guard left > 0 else { throw failure("has too many values") }
    var parts: [String] = []
    if let mapping = node.mapping {
      for (name, value) in mapping {
        let name = name.string ?? ""
        parts.append(
          "\(name.utf8.count):\(name)"
            + (try meaning(of: value, isOrdered: ordered.contains(name), ordered, left: &left)))
      }
      if !isOrdered { parts.sort() }
      return "{\(parts.joined(separator: ","))}"
    }
    if let sequence = node.sequence {
      for element in sequence { parts.append(try meaning(of: element, isOrdered: false, ordered, left: &left)) }
      return "[\(parts.joined(separator: ","))]"
    }
    let text = node.scalar?.string ?? ""
    return "\(text.utf8.count):\(text)"
  }

  /// Whether the value is a list.
  public var isList: Bool { node.sequence != nil }

  /// Whether the value is `null` or `~`.
  public var isNull: Bool { node.null != nil }

  /// Whether the value is a text without characters, in quotes.
  public var isEmptyText: Bool { !isNull && node.scalar?.string.isEmpty == true }

  /// Whether the value is a mapping of keys to values.
  public var hasMembers: Bool { node.mapping != nil }

  public func choice<Choice: RawRepresentable<String> & CaseIterable>() throws(ConfigurationError) -> Choice {
    let text = try text()
    guard let choice = Choice(rawValue: text) else {
      throw failure("is \(text), but must be one of \(Choice.allCases.map(\.rawValue).joined(separator: ", "))")
    }
    return choice
  }
}
