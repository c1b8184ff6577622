/// Finds the known name that a misspelt one most likely means.
public enum NearName {
  /// Returns the nearest name within two edits, ignoring case and the separators `_`, `-`, `.` and space; `nil` if none
  /// is so near.
  public static func of(_ name: String, in known: some Sequence<String>) -> String? {
    let wanted = letters(of: name)
    var best: (name: String, distance: Int)?
    for candidate in known {
      let distance = distance(wanted, letters(of: candidate), limit: 2)
      // Two edits turn almost any short name into any other.
      guard distance <= 2, distance < wanted.count / 2 + 1, distance < best?.distance ?? .max else { continue }
      best = (candidate, distance)
    }
    return best?.name
  }

  /// Returns the nearest name, or else the first with the same four letters at its beginning; `nil` if none is near.
  public static func meant(by name: String, in known: some Sequence<String>) -> String? {
    let start = letters(of: name).prefix(4)
    return of(name, in: known) ?? (start.count < 4 ? nil : known.first { letters(of: $0).prefix(4) == start })
  }

  /// Returns the end of a sentence that names what may be meant, such as `; did you mean country?`; empty if no name is
  /// near.
  ///
  /// - Parameter mark: Precedes the name, such as `--`.
  public static func hint(_ name: String, in known: some Sequence<String>, mark: String = "") -> String {
    meant(by: name, in: known).map { "; did you mean \(mark)\($0)?" } ?? ""
  }

  private static func letters(of name: String) -> [Character] {
    name.lowercased().filter { !"_-. ".contains($0) }
  }

  /// Returns the number of single-letter insertions, deletions, substitutions and swaps of neighbours between two names;
  /// `limit + 1` if there are more than `limit`.
  static func distance(_ left: [Character], _ right: [Character], limit: Int) -> Int {
    if abs(left.count - right.count) > limit || max(left.count, right.count) > 100 { return limit + 1 }
    var (before, previous) = ([Int](), Array(0...right.count))
    for (row, letter) in left.enumerated() {
      var current = [row + 1]
      for (column, other) in right.enumerated() {
        var edits = min(current[column] + 1, previous[column + 1] + 1, previous[column] + (letter == other ? 0 : 1))
        if row > 0, column > 0, letter == right[column - 1], left[row - 1] == other {
          edits = min(edits, before[column - 1] + 1)
        }
        current.append(edits)
      }
      (before, previous) = (previous, current)
    }
    return min(previous[right.count], limit + 1)
  }
}
