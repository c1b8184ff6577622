internal import EventModel
internal import Yams

/// A value of a YAML file with the path of keys to it, for errors that say where.
public struct YAMLValue {
  public let file: String
  public let key: String
  let node: Node

  /// - Throws: ``ExperimentFileError`` for what is no YAML, and for a file without anything.
  public static func root(of text: String, file: String) throws(ExperimentFileError) -> YAMLValue {
    do {
      guard let node = try Yams.compose(yaml: text) else {
        throw ExperimentFileError(file: file, line: nil, key: "", problem: "is empty, but must have keys")
      }
      return YAMLValue(file: file, key: "", node: node)
    } catch let error as ExperimentFileError {
      throw error
    } catch {
      throw Self.error(error, file: file)
    }
  }

  private static func error(_ error: any Error, file: String) -> ExperimentFileError {
    func failure(_ line: Int?, _ problem: String) -> ExperimentFileError {
      ExperimentFileError(file: file, line: line, key: "", problem: "is no YAML: \(problem)")
    }
    guard let error = error as? YamlError else { return failure(nil, "\(error)") }
    switch error {
    case .scanner(_, let problem, let mark, _), .parser(_, let problem, let mark, _),
      .composer(_, let problem, let mark, _):
      return failure(mark.line, problem)
    case .duplicatedKeysInMapping(let duplicates, let context):
      return failure(context.mark.line, "the key \(duplicates.sorted().joined(separator: ", ")) twice")
    default: return failure(nil, "\(error)")
    }
  }

  public func failure(_ problem: String) -> ExperimentFileError {
    ExperimentFileError(file: file, line: node.mark?.line, key: key, problem: problem)
  }

  private func child(_ name: String, _ node: Node) -> YAMLValue {
    YAMLValue(file: file, key: key.isEmpty ? name : "\(key).\(name)", node: node)
  }

  /// The members of a mapping, in the order of the file.
  public func members() throws(ExperimentFileError) -> [(name: String, value: YAMLValue)] {
    guard let mapping = node.mapping else { throw failure("must be keys with values") }
    var members: [(name: String, value: YAMLValue)] = []
    for (name, value) in mapping {
      guard let name = name.string else { throw failure("has a key that is no text") }
      members.append((name, child(name, value)))
    }
    return members
  }

  /// The members of a mapping with known keys.
  public func members(_ known: [String]) throws(ExperimentFileError) -> [String: YAMLValue] {
    var found: [String: YAMLValue] = [:]
    for (name, value) in try members() {
      guard known.contains(name) else {
        throw value.failure("is no key; expected one of \(known.joined(separator: ", "))")
      }
      found[name] = value
    }
    return found
  }

  /// The elements of a list, or the value itself where it is none.
  public func elements() throws(ExperimentFileError) -> [YAMLValue] {
    guard let sequence = node.sequence else { return [self] }
    return sequence.map { YAMLValue(file: file, key: key, node: $0) }
  }

  public func text() throws(ExperimentFileError) -> String {
    guard let text = node.scalar?.string, !text.isEmpty else { throw failure("must be a text") }
    return text
  }

  /// - Parameter range: As it reads in the error, such as `above 0`.
  public func number(_ range: String, where isAllowed: (Double) -> Bool) throws(ExperimentFileError) -> Double {
    let text = try text()
    guard let number = Double(text), number.isFinite else { throw failure("is \(text), but must be a number") }
    guard isAllowed(number) else { throw failure("is \(text), but must be \(range)") }
    return number
  }

  public func boolean() throws(ExperimentFileError) -> Bool {
    switch try text() {
    case "true", "yes", "on": return true
    case "false", "no", "off": return false
    case let text: throw failure("is \(text), but must be true or false")
    }
  }

  /// Whether it is keys with values.
  public var hasMembers: Bool { node.mapping != nil }

  /// An instant, or a day, which is its first instant in UTC.
  public func instant() throws(ExperimentFileError) -> Int64 {
    let text = try text()
    guard let instant = Instant(rfc3339: text) ?? CivilDate(text).map(Instant.init(startOf:)) else {
      throw failure("is \(text), but must be a day such as 2026-03-01 or an instant such as 2026-03-01T00:00:00Z")
    }
    return instant.millisecondsSince1970
  }

  public func choice<Choice: RawRepresentable<String> & CaseIterable>() throws(ExperimentFileError) -> Choice {
    let text = try text()
    guard let choice = Choice(rawValue: text) else {
      throw failure("is \(text), but must be one of \(Choice.allCases.map(\.rawValue).joined(separator: ", "))")
    }
    return choice
  }
}
