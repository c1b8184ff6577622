/// Returns the names that a text may stand for, the nearest first: by at most two edits, or by the first four letters.
public func nearNames(_ text: String, in names: [String]) -> [String] {
  let asked = Array(text.lowercased().unicodeScalars.prefix(64))
  let near = names.enumerated().compactMap { place, name -> (distance: Int, place: Int, name: String)? in
    let own = Array(name.lowercased().unicodeScalars.prefix(64))
    let distance = editDistance(asked, own)
    // Two edits make every short name another one.
    let isNear = distance <= (asked.count <= 3 ? 1 : 2) && distance < asked.count
    guard isNear || asked.count >= 4 && own.count >= 4 && asked.prefix(4) == own.prefix(4) else { return nil }
    return (distance, place, name)
  }
  return near.sorted { ($0.distance, $0.place) < ($1.distance, $1.place) }.prefix(3).map(\.name)
}

/// Returns ` Did you mean A or B?`; empty if no name is near.
public func didYouMean(_ text: String, _ names: [String]) -> String {
  let near = nearNames(text, in: names)
  return near.isEmpty ? "" : " Did you mean \(near.joined(separator: " or "))?"
}

/// Returns the fewest insertions, deletions, substitutions and swaps of neighbours (optimal string alignment).
private func editDistance(_ left: [Unicode.Scalar], _ right: [Unicode.Scalar]) -> Int {
  if abs(left.count - right.count) > 2 { return .max }
  var before: [Int] = []
  var last = Array(0...right.count)
  for (row, a) in left.enumerated() {
    var next = [row + 1]
    for (column, b) in right.enumerated() {
      var best = min(last[column] + (a == b ? 0 : 1), last[column + 1] + 1, next[column] + 1)
      if row > 0, column > 0, a == right[column - 1], left[row - 1] == b { best = min(best, before[column - 1] + 1) }
      next.append(best)
    }
    (before, last) = (last, next)
  }
  return last[right.count]
}
