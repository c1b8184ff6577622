/// A pattern in which `*` stands for any characters and `?` for one.
struct Glob: Sendable {
  let text: String
  private let pattern: [Character]
  private let ignoresCase: Bool

  init(_ text: String, ignoresCase: Bool) {
    self.text = text
    self.ignoresCase = ignoresCase
    pattern = Array(ignoresCase ? text.lowercased() : text)
  }

  static func isOne(_ text: String) -> Bool { text.contains { $0 == "*" || $0 == "?" } }

  /// Returns whether the whole text fits the pattern, in at most pattern × text steps.
  func matches(_ text: String) -> Bool {
    let text = Array(ignoresCase ? text.lowercased() : text)
    var (place, next) = (0, 0)
    var star: (pattern: Int, text: Int)?
    while place < text.count {
      if next < pattern.count, pattern[next] == "*" {
        star = (next, place)
        next += 1
      } else if next < pattern.count, pattern[next] == "?" || pattern[next] == text[place] {
        next += 1
        place += 1
      } else if let last = star {
        star = (last.pattern, last.text + 1)
        (next, place) = (last.pattern + 1, last.text + 1)
      } else {
        return false
      }
    }
    return pattern[next...].allSatisfy { $0 == "*" }
  }
}
