internal import EventModel
internal import Foundation

/// A shell pattern for paths, in which `{day}` stands for a day such as 2026-03-01.
struct FilePattern: Equatable {
  static let dayPlace = "{day}"
  private static let anyDay = "[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]"

  let text: String

  var hasDay: Bool { text.contains(Self.dayPlace) }
  var hasWildcard: Bool { hasDay || text.contains { "*?[{".contains($0) } }

  /// The text before the first wildcard.
  var start: String { String(text.prefix { !"*?[{".contains($0) }) }

  /// Returns the existing paths, in byte order, of one day or of all.
  func paths(of day: CivilDate? = nil) -> [String] {
    let pattern = text.replacingOccurrences(of: Self.dayPlace, with: day?.description ?? Self.anyDay)
    var found = glob_t()
    defer { globfree(&found) }
    guard glob(pattern, GLOB_BRACE | GLOB_NOSORT, nil, &found) == 0 else { return [] }
    let paths = (0..<Int(found.gl_pathc)).compactMap { found.gl_pathv[$0].map { String(cString: $0) } }
    return paths.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }

  func day(in path: String) -> CivilDate? {
    guard hasDay else { return nil }
    // A path may contain several days; the one for which the pattern matches counts.
    return path.indices.lazy.compactMap { start -> CivilDate? in
      guard let end = path.index(start, offsetBy: 10, limitedBy: path.endIndex) else { return nil }
      return CivilDate(String(path[start..<end]))
    }.first { paths(of: $0).contains(path) }
  }
}
