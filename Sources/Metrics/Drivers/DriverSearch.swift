internal import Basics
internal import Statistics

/// Searches all segments of one and two dimensions for the one that stands out most, and says how often chance alone finds
/// one that stands out as much (definitions 10.5 to 10.7).
struct DriverSearch {
  struct Found {
    var segment: DriverSegment
    /// Other segments of the same units.
    var aliases: [DriverSegment]
    var before: DriverCells.Count
    var now: DriverCells.Count
    var score: DriverScore
    /// How often chance alone finds one that stands out as much in the whole search, from 1/1,000 up.
    var p: Double
  }

  /// The fewest units of both sides together of a segment that is looked at; those of fewer are `(other)`.
  static let fewestUnits = 20
  static let permutations = 999
  /// A pair must stand out by as much inside each of its two dimensions.
  static let leastInParent = 2.576

  private struct Candidate {
    var segment: DriverSegment
    var cells: [Int32]
    var before = DriverCells.Count()
    var now = DriverCells.Count()
  }

  private let table: DriverCells
  private let all: (before: DriverCells.Count, now: DriverCells.Count)
  private var candidates: [Candidate] = []
  private var aliases: [[DriverSegment]] = []

  init(_ table: DriverCells) {
    self.table = table
    all = (table.before, table.now)
    var units: [Set<Int>] = []
    for place in table.dimensions.indices {
      var counts: [Int: Int] = [:]
      for cell in table.cells { counts[cell.values[place], default: 0] += cell.before.units + cell.now.units }
      units.append(Set(counts.filter { $0.value >= Self.fewestUnits }.keys))
    }
    var places: [[Int32]: Int] = [:]
    for cut in table.cuts {
      var members: [[Int]: [Int32]] = [:]
      for (place, cell) in table.cells.enumerated() where cut.allSatisfy({ units[$0].contains(cell.values[$0]) }) {
        members[cut.map { cell.values[$0] }, default: []].append(Int32(place))
      }
      for (values, cells) in members {
        var candidate = Candidate(segment: DriverSegment(cut: cut, values: values), cells: cells)
        for place in cells {
          candidate.before = candidate.before + table.cells[Int(place)].before
          candidate.now = candidate.now + table.cells[Int(place)].now
        }
        if candidate.before.units + candidate.now.units < Self.fewestUnits { continue }
        if let known = places[cells] {
          aliases[known].append(candidate.segment)
        } else {
          places[cells] = candidates.count
          candidates.append(candidate)
          aliases.append([candidate.segment])
        }
      }
    }
    for place in candidates.indices {
      aliases[place].sort { precedesInBytes(table.name($0), table.name($1)) }
      candidates[place].segment = aliases[place][0]
    }
  }

  /// The segment that stands out most; `nil` if none can be looked at.
  ///
  /// - Parameter seed: Of the permutations.
  func top(seed: String) -> Found? {
    let scored = candidates.indices.compactMap { place in
      DriverScore((candidates[place].before, candidates[place].now), of: all, in: table).map {
        (place: place, score: $0)
      }
    }
    guard var best = scored.min(by: { comes(before: $1, $0) }) else { return nil }
    // A pair that does not stand out inside one of its dimensions is no finding of its own.
    let segment = candidates[best.place].segment
    if segment.cut.count == 2 {
      let weak = [0, 1].compactMap { place -> (place: Int, score: DriverScore)? in
        let parent = DriverSegment(cut: [segment.cut[place]], values: [segment.values[place]])
        guard let known = scored.first(where: { aliases[$0.place].contains(parent) }) else { return nil }
        let inside = DriverScore(
          (candidates[best.place].before, candidates[best.place].now),
          of: (candidates[known.place].before, candidates[known.place].now), in: table)
        return abs(inside?.z ?? 0) >= Self.leastInParent ? nil : known
      }
      if let parent = weak.max(by: { abs($0.score.z) < abs($1.score.z) }) { best = parent }
    }
    let own = candidates[best.place]
    return Found(
      segment: own.segment, aliases: Array(aliases[best.place].dropFirst()), before: own.before, now: own.now,
      score: best.score, p: p(abs(best.score.z), seed: seed))
  }

  /// Returns how many of the ten largest segments of one dimension moved as the whole did (definitions 10.8).
  func movedAlike(isRising: Bool) -> (moved: Int, of: Int) {
    let largest = candidates.filter { $0.segment.cut.count == 1 && $0.before.units > 0 && $0.now.units > 0 }
      .sorted { left, right in
        let (one, two) = (left.before.units + left.now.units, right.before.units + right.now.units)
        return one == two ? precedesInBytes(table.name(left.segment), table.name(right.segment)) : one > two
      }.prefix(10)
    let moved = largest.count { candidate in
      let change =
        table.isOfMoney
        ? Double(candidate.now.sum) - Double(candidate.before.sum) * table.scale
        : (candidate.now.mean ?? 0) - (candidate.before.mean ?? 0)
      return isRising ? change > 0 : change < 0
    }
    return (moved, largest.count)
  }

  /// By size to six decimals, then the larger tie of the same part, then fewer dimensions, then the name.
  private func comes(
    before left: (place: Int, score: DriverScore), _ right: (place: Int, score: DriverScore)
  ) -> Bool {
    func rounded(_ z: Double) -> Double { (abs(z) * 1e6).rounded() }
    let (a, b) = (rounded(left.score.z), rounded(right.score.z))
    if a != b { return a < b }
    if left.score.part == right.score.part, left.score.tie != right.score.tie {
      return left.score.tie < right.score.tie
    }
    let (one, two) = (candidates[left.place].segment, candidates[right.place].segment)
    if one.cut.count != two.cut.count { return one.cut.count > two.cut.count }
    return precedesInBytes(table.name(two), table.name(one))
  }

  // MARK: Chance

  /// Returns the share of permutations of the units' sides in which some segment stands out as much.
  private func p(_ greatest: Double, seed: String) -> Double {
    let generator = CounterGenerator(name: seed)
    var ofCells = [[Int32]](repeating: [], count: table.cells.count)
    for (place, candidate) in candidates.enumerated() {
      for cell in candidate.cells { ofCells[Int(cell)].append(Int32(place)) }
    }
    let groups = table.cells.map { $0.groups(ofMoney: table.isOfMoney) }
    let chunks = 37  // 27 permutations each
    let reached = (0..<chunks).concurrentMap { chunk in
      stride(from: chunk, to: Self.permutations, by: chunks).count { number in
        permuted(UInt64(number), generator, groups, ofCells) >= greatest - 1e-9
      }
    }
    return Double(1 + reached.reduce(0, +)) / Double(Self.permutations + 1)
  }

  /// Returns the largest score when units are dealt to the sides anew.
  ///
  /// - Parameters:
  ///   - groups: The amounts of each cell's units, and how many have each.
  ///   - ofCells: The candidates that each cell is in.
  private func permuted(
    _ number: UInt64, _ generator: CounterGenerator, _ groups: [[(amount: Int, units: Int)]], _ ofCells: [[Int32]]
  ) -> Double {
    var left = all.before.units + all.now.units
    var draws = all.now.units
    var place = number &* UInt64(left)
    var now = [DriverCells.Count](repeating: DriverCells.Count(), count: candidates.count)
    /// How many of so many units are of now.
    func dealt(_ units: Int) -> Int {
      var chosen = 0
      if units > 8 {
        let law = Hypergeometric(successes: Double(units), failures: Double(left - units), draws: Double(draws))
        chosen = Int(law.value(at: generator.uniform(at: place)))
        (left, draws) = (left - units, draws - chosen)
      } else {
        for unit in 0..<units {
          let isNow = generator.uniform(at: place &+ UInt64(unit)) * Double(left) < Double(draws)
          left -= 1
          if isNow { (chosen, draws) = (chosen + 1, draws - 1) }
        }
      }
      place &+= UInt64(units)
      return chosen
    }
    var whole = DriverCells.Count()
    for (cell, members) in zip(groups, ofCells) {
      var count = DriverCells.Count()
      for group in cell {
        let chosen = dealt(group.units)
        count.units += chosen
        count.sum += group.amount * chosen
        count.squares += Double(group.amount) * Double(group.amount) * Double(chosen)
      }
      whole = whole + count
      for member in members { now[Int(member)] = now[Int(member)] + count }
    }
    let both = all.before + all.now
    return zip(candidates, now).reduce(0) { most, pair in
      let (candidate, now) = pair
      let score = DriverScore((candidate.before + candidate.now - now, now), of: (both - whole, whole), in: table)
      return max(most, abs(score?.z ?? 0))
    }
  }
}
