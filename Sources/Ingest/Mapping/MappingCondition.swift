internal import Basics

/// A condition on a record: `{PATH: V}`, `all`, `any`, `not`.
indirect enum MappingCondition: Sendable {
  enum Comparison: String, CaseIterable, Sendable {
    case gt, ge, lt, le

    func holds(_ left: Double, _ right: Double) -> Bool {
      switch self {
      case .gt: left > right
      case .ge: left >= right
      case .lt: left < right
      case .le: left <= right
      }
    }
  }

  enum Test: Sendable {
    /// Whether the text is one of these.
    case equals([String])
    case differs([String])
    case exists(Bool)
    case compares(Comparison, Double)
    case like(Glob)
  }

  case all([MappingCondition])
  case any([MappingCondition])
  case not(MappingCondition)
  case value(MappingPath, Test)

  func holds(_ record: MappedRecord) -> Bool {
    switch self {
    case .all(let conditions): return conditions.allSatisfy { $0.holds(record) }
    case .any(let conditions): return conditions.contains { $0.holds(record) }
    case .not(let condition): return !condition.holds(record)
    case .value(let path, let test):
      // Comparisons are with the text as it is written, even if it is NULL.
      let value = record.written(at: path)
      switch test {
      case .equals(let texts): return value?.writtenText.map(texts.contains) ?? false
      case .differs(let texts): return !(value?.writtenText.map(texts.contains) ?? false)
      case .exists(let wanted): return (value.map { !$0.isNoValue } ?? false) == wanted
      case .compares(let comparison, let number): return value?.double.map { comparison.holds($0, number) } ?? false
      case .like(let glob): return value?.writtenText.map(glob.matches) ?? false
      }
    }
  }

  var paths: [MappingPath] {
    switch self {
    case .all(let conditions), .any(let conditions): conditions.flatMap(\.paths)
    case .not(let condition): condition.paths
    case .value(let path, _): [path]
    }
  }

  /// The deepest nesting of conditions.
  private static let mostDepth = 8

  /// - Parameter depth: Of the conditions around this one.
  init(_ yaml: YAMLValue, depth: Int = 0) throws(ConfigurationError) {
    guard depth < Self.mostDepth else { throw yaml.failure("is nested more than \(Self.mostDepth) deep") }
    var parts: [MappingCondition] = []
    for (name, value) in try yaml.members() {
      switch name {
      case "all" where value.isList: parts.append(.all(try Self.list(value, depth)))
      case "any" where value.isList: parts.append(.any(try Self.list(value, depth)))
      case "not" where value.hasMembers: parts.append(.not(try MappingCondition(value, depth: depth + 1)))
      default: for test in try Self.tests(value) { parts.append(.value(MappingPath(name), test)) }
      }
    }
    guard !parts.isEmpty else { throw yaml.failure("must have a condition, such as {status: active}") }
    self = parts.count == 1 ? parts[0] : .all(parts)
  }

  private static func list(_ yaml: YAMLValue, _ depth: Int) throws(ConfigurationError) -> [MappingCondition] {
    var conditions: [MappingCondition] = []
    for element in try yaml.elements() { conditions.append(try MappingCondition(element, depth: depth + 1)) }
    return conditions
  }

  private static func tests(_ yaml: YAMLValue) throws(ConfigurationError) -> [Test] {
    guard yaml.hasMembers else { return [.equals(try yaml.texts())] }
    var tests: [Test] = []
    let keys = ["not", "exists", "like"] + Comparison.allCases.map(\.rawValue)
    let members = try yaml.members(keys)
    for key in keys {
      guard let value = members[key] else { continue }
      switch key {
      case "not": tests.append(.differs(try value.texts()))
      case "exists": tests.append(.exists(try value.boolean()))
      case "like": tests.append(.like(Glob(try value.text(), ignoresCase: true)))
      default:
        guard let comparison = Comparison(rawValue: key) else { continue }
        tests.append(.compares(comparison, try value.number("a number") { _ in true }))
      }
    }
    guard !tests.isEmpty else { throw yaml.failure("must have one of \(keys.joined(separator: ", "))") }
    return tests
  }
}
