internal import Basics
import Foundation

/// Searches all segments of one and two dimensions for the one that stands out most, and says how often chance alone finds
/// one that stands out as much; implements definitions 10.1 and 10.6.
struct DriverSearch {
  struct Found {
    var segment: DriverSegment
    /// Other segments of the same units.
    var aliases: [DriverSegment]
    var before: DriverCounts.Count
    var now: DriverCounts.Count
    var score: DriverScore
    /// How often chance alone finds one that stands out as much in the whole search, from 1/1,000 up.
    var p: Double
  }

  /// The fewest units of both sides together of a segment that is looked at; those of fewer are `(other)`.
  static let fewestUnits = 20
  static let permutations = 999
  /// A pair must stand out by as much inside each of its two values.
  static let leastInParent = 2.576

  /// A segment of enough units.
  private struct Candidate {
    var segment: DriverSegment
    var before = DriverCounts.Count()
    var now = DriverCounts.Count()
    /// The sum of a hash of each of its strata: equal for segments of the same units.
    var hash: UInt64 = 0
  }

  private struct Units: Hashable {
    var hash: UInt64
    var before: Int
    var now: Int
  }

  private let table: DriverCounts
  private let all: (before: DriverCounts.Count, now: DriverCounts.Count)
  private var candidates: [Candidate] = []
  private var aliases: [[DriverSegment]] = []
  /// By cut and stratum: the candidate that the stratum is in; -1 for none, or for one that an earlier cut has.
  private var members: [[Int32]] = []
  /// By the number of dimensions less 1: what is taken off the square of a score. The largest of many scores is large by
  /// chance alone, and there are more pairs than single values.
  private var handicaps: [Double] = []

  init(_ table: DriverCounts) {
    self.table = table
    all = (table.before, table.now)
    let codes = table.dimensions.indices.map { Self.codes(of: $0, table) }
    var known: [Units: Int32] = [:]
    for cut in table.cuts {
      var (places, found) = Self.segments(cut, codes, table)
      // Where each segment is among the candidates.
      let own = found.map { candidate -> Int32 in
        guard candidate.before.units + candidate.now.units >= Self.fewestUnits else { return -1 }
        let units = Units(hash: candidate.hash, before: candidate.before.units, now: candidate.now.units)
        if let place = known[units] {
          aliases[Int(place)].append(candidate.segment)
          return -1
        }
        known[units] = Int32(candidates.count)
        candidates.append(candidate)
        aliases.append([candidate.segment])
        return Int32(candidates.count - 1)
      }
      for stratum in places.indices where places[stratum] >= 0 { places[stratum] = own[Int(places[stratum])] }
      members.append(places)
    }
    for place in candidates.indices where aliases[place].count > 1 {
      aliases[place] = aliases[place].map { (segment: $0, name: table.name($0)) }
        .sorted { left, right in
          let (one, two) = (left.segment.cut.count, right.segment.cut.count)
          return one == two ? precedesInBytes(left.name, right.name) : one < two
        }.map(\.segment)
      candidates[place].segment = aliases[place][0]
    }
    let whole = all.before.units + all.now.units
    handicaps = [1, 2].map { dimensions in
      let searched = candidates.count {
        $0.segment.cut.count == dimensions && $0.before.units + $0.now.units < whole
      }
      return 2 * log(Double(max(1, searched)))
    }
  }

  /// Numbers the values of a dimension that have enough units.
  ///
  /// - Returns: The number of each stratum's value, -1 for one of few units; and the values.
  private static func codes(of dimension: Int, _ table: DriverCounts) -> (strata: [Int32], values: [Int]) {
    var units = table.values[dimension].map { _ in (before: 0, now: 0) }
    for stratum in table.strata {
      units[stratum.values[dimension]].before += stratum.before.units
      units[stratum.values[dimension]].now += stratum.now.units
    }
    // New users come into an experiment that started, so its number of them says nothing.
    let isOfExperiment = table.isOfCount && [.experiment, .variant].contains(table.dimensions[dimension])
    let values = units.indices.filter {
      units[$0].before + units[$0].now >= fewestUnits
        && table.isSearched(table.values[dimension][$0], of: table.dimensions[dimension])
        && !(isOfExperiment && (units[$0].before == 0 || units[$0].now == 0))
    }
    var numbers = [Int32](repeating: -1, count: units.count)
    for (number, value) in values.enumerated() { numbers[value] = Int32(number) }
    return (table.strata.map { numbers[$0.values[dimension]] }, values)
  }

  /// Adds up the segments of a cut.
  ///
  /// - Returns: The place of each stratum's segment, -1 for none; and the segments.
  private static func segments(
    _ cut: [Int], _ codes: [(strata: [Int32], values: [Int])], _ table: DriverCounts
  ) -> ([Int32], [Candidate]) {
    var places = [Int32](repeating: -1, count: table.strata.count)
    var found: [Candidate] = []
    var known: [Int64: Int32] = [:]
    for stratum in places.indices {
      var key: Int64 = 0
      for dimension in cut {
        let code = codes[dimension].strata[stratum]
        key = code < 0 || key < 0 ? -1 : key << 32 | Int64(code)
      }
      if key < 0 { continue }
      let place = known[key] ?? Int32(found.count)
      if place == found.count {
        known[key] = place
        found.append(Candidate(segment: DriverSegment(cut: cut, values: cut.map { table.strata[stratum].values[$0] })))
      }
      places[stratum] = place
      found[Int(place)].before += table.strata[stratum].before
      found[Int(place)].now += table.strata[stratum].now
      found[Int(place)].hash &+= SplitMix64.mixed(UInt64(stratum) &+ 1)
    }
    return (places, found)
  }

  /// The segment that stands out most; `nil` if none can be looked at. A pair that is no finding of its own gives way to the
  /// next segment that is one, but not if chance explains that and the pair's rate has more evidence.
  ///
  /// - Parameters:
  ///   - seed: Of the permutations.
  ///   - level: The largest p that chance does not explain.
  func top(seed: String, level: Double = 0.05) -> Found? {
    let scored = candidates.indices.compactMap { place in
      let own = candidates[place]
      return DriverScore((own.before, own.now), of: all, in: table, aging: table.aging(own.segment)).map {
        (place: place, score: $0)
      }
    }
    let order = scored.sorted { comes(before: $1, $0) }
    func found(_ top: (place: Int, score: DriverScore)) -> Found {
      let own = candidates[top.place]
      return Found(
        segment: own.segment, aliases: Array(aliases[top.place].dropFirst()), before: own.before, now: own.now,
        score: top.score, p: p(evidence(top.score.z, top.place), seed: seed))
    }
    guard let first = order.first else { return nil }
    let next = order.first { standsOutInBoth($0.place, of: scored.map(\.place)) } ?? first
    let own = found(next)
    if own.p <= level || next.place == first.place || first.score.part != .rate { return own }
    let pair = found(first)
    return pair.p <= level ? pair : own
  }

  /// Returns whether a segment is a finding of its own: of one dimension, or a pair that stands out inside both its values.
  ///
  /// - Parameter scored: The segments with a score.
  private func standsOutInBoth(_ place: Int, of scored: [Int]) -> Bool {
    let segment = candidates[place].segment
    guard segment.cut.count == 2 else { return true }
    let parents = [0, 1].map { dimension in
      let parent = DriverSegment(cut: [segment.cut[dimension]], values: [segment.values[dimension]])
      return scored.first { aliases[$0].contains(parent) }.map { candidates[$0] }
    }
    return zip(parents, parents.reversed()).allSatisfy { parent, other in
      guard let parent else { return true }
      return abs(z(of: candidates[place], inside: parent, other)) >= Self.leastInParent
    }
  }

  /// Returns how much a pair stands out among the units of one of its values.
  ///
  /// Units of a value that nobody had before, such as a new app version, had other values then: theirs is the rate before.
  ///
  /// - Parameter other: The pair's other value.
  private func z(of pair: Candidate, inside parent: Candidate, _ other: Candidate?) -> Double {
    if !table.isOfMoney, !table.isOfCount, parent.before.units == 0, let other {
      return DriverScore((other.before, pair.now), of: (all.before, parent.now), in: table)?.ownRate ?? 0
    }
    return DriverScore((pair.before, pair.now), of: (parent.before, parent.now), in: table)?.z ?? 0
  }

  /// Returns how many of the ten largest segments of one dimension moved as the whole did.
  func movedAlike(isRising: Bool) -> (moved: Int, of: Int) {
    let largest = candidates.filter { $0.segment.cut.count == 1 && $0.before.units > 0 && $0.now.units > 0 }
      .sorted { left, right in
        let (one, two) = (left.before.units + left.now.units, right.before.units + right.now.units)
        return one == two ? precedesInBytes(table.name(left.segment), table.name(right.segment)) : one > two
      }.prefix(10)
    let moved = largest.count { candidate in
      let change =
        table.isOfMoney || table.isOfCount
        ? Double(candidate.now.sum) - Double(candidate.before.sum) * table.scale
        : (candidate.now.mean ?? 0) - (candidate.before.mean ?? 0)
      return isRising ? change > 0 : change < 0
    }
    return (moved, largest.count)
  }

  /// Returns the square of a segment's score, less what chance alone makes of so many segments of as many dimensions.
  private func evidence(_ z: Double, _ place: Int) -> Double {
    z * z - handicaps[candidates[place].segment.cut.count - 1]
  }

  /// By evidence to six decimals, then the larger tie of the same part, then fewer dimensions, then the name.
  private func comes(
    before left: (place: Int, score: DriverScore), _ right: (place: Int, score: DriverScore)
  ) -> Bool {
    func rounded(_ one: (place: Int, score: DriverScore)) -> Double {
      (evidence(one.score.z, one.place) * 1e6).rounded()
    }
    let (a, b) = (rounded(left), rounded(right))
    if a != b { return a < b }
    if left.score.part == right.score.part, left.score.tie != right.score.tie {
      return left.score.tie < right.score.tie
    }
    let (one, two) = (candidates[left.place].segment, candidates[right.place].segment)
    if one.cut.count != two.cut.count { return one.cut.count > two.cut.count }
    return precedesInBytes(table.name(two), table.name(one))
  }

  /// Returns the share of permutations of the units' sides in which some segment has as much evidence.
  private func p(_ greatest: Double, seed: String) -> Double {
    let segments = candidates.map { own in
      DriverPermutations.Segment(
        count: own.before + own.now, aging: table.aging(own.segment),
        limit: max(0, greatest + handicaps[own.segment.cut.count - 1]).squareRoot() - 1e-9)
    }
    let permutations = DriverPermutations(table, segments: segments, members, seed: seed)
    return Double(1 + permutations.reaching(times: Self.permutations)) / Double(Self.permutations + 1)
  }
}
