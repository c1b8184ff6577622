internal import Basics

/// Notes which values of a mapping records have, to name paths that are misspelt.
///
/// One thread decodes; the results are read when it has ended.
public final class PathTally: @unchecked Sendable {
  private static let mostRecords = 1_000
  private static let mostNames = 5_000

  /// By ``MappingValue/number``.
  private var isFound: [Bool]
  private let paths: [MappingPath]
  /// The paths of members in the first records.
  private var names: Set<String> = []
  private var records = 0

  public init(_ mapping: MappingFile) {
    isFound = [Bool](repeating: false, count: mapping.valueCount)
    paths = mapping.paths
    values = mapping.allValues
  }

  private let values: [MappingValue]

  func note(_ value: MappingValue) { isFound[value.number] = true }

  func see(_ record: JSONNode) {
    guard records < Self.mostRecords else { return }
    records += 1
    add(record, "", depth: 0)
  }

  private func add(_ node: JSONNode, _ prefix: String, depth: Int) {
    for member in node.members ?? [] where names.count < Self.mostNames {
      names.insert(prefix + member.name)
      if depth < 3 { add(member.value, "\(prefix)\(member.name).", depth: depth + 1) }
    }
  }

  /// A line for each path that no record has while it has one that is nearly the same.
  public var misspelt: [String] {
    if records == 0 { return [] }
    let used = Set(paths.map(\.text))
    let others = names.subtracting(used).sorted()
    var lines: [String] = []
    for value in values where !isFound[value.number] {
      for path in value.paths where !path.text.contains("[") && !names.contains(path.text) {
        guard let near = NearName.of(path.text, in: others) else { continue }
        let line = "\(path.text) is in no record; \(near) is"
        if !lines.contains(line) { lines.append(line) }
      }
    }
    return lines
  }
}
