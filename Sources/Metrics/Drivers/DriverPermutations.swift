internal import Basics
internal import Statistics

/// Splits the units of a search between its two sides at random, and counts how often some segment stands out as much
/// as the one that was found (implements definitions 10.7).
///
/// Cells in the same segments are split together. The units now of each segment are then added up in two steps, first
/// over the cuts of a few dimensions, in which strata differ little.
struct DriverPermutations {
  struct Segment {
    /// Of both sides together.
    var count: DriverCounts.Count
    var aging: DriverCounts.Aging
    /// The score that counts as large.
    var limit: Double
  }

  /// Segments of some cuts.
  private struct Node {
    /// The part of each group: groups of one part are in the same ones of these segments.
    var parts: [Int32] = []
    /// Those of part `p` are `segments[ends[p]..<ends[p + 1]]`.
    var segments: [Int32] = []
    var ends: [Int] = [0]
  }

  private let table: DriverCounts
  private let segments: [Segment]
  private let all: (before: DriverCounts.Count, now: DriverCounts.Count)
  private let generator: CounterGenerator
  private var nodes: [Node] = []
  /// The amounts of each group's units and how many have each: those of group `g` are `amounts[ends[g]..<ends[g + 1]]`.
  private var amounts: [(amount: Int, units: Int)] = []
  private var ends: [Int] = [0]

  /// - Parameters:
  ///   - members: By cut of the table and stratum, the segment that the stratum is in; -1 for none.
  ///   - seed: Of the generator.
  init(_ table: DriverCounts, segments: [Segment], _ members: [[Int32]], seed: String) {
    (self.table, self.segments, all) = (table, segments, (table.before, table.now))
    generator = CounterGenerator(name: seed)
    var groups: [[Int32]: Int] = [:]
    var strata: [[Int]] = []
    for stratum in table.strata.indices {
      let own = members.map { $0[stratum] }
      let group = groups[own] ?? strata.count
      if group == strata.count {
        groups[own] = group
        strata.append([])
      }
      strata[group].append(stratum)
    }
    for group in strata {
      var units: [Int: Int] = [:]
      for stratum in group {
        for (amount, count) in table.strata[stratum].groups(ofMoney: table.isOfMoney) where count > 0 {
          units[amount, default: 0] += count
        }
      }
      amounts += units.sorted { $0.key > $1.key }.map { ($0.key, $0.value) }
      ends.append(amounts.count)
    }
    for cuts in Self.parted(table.cuts, dimensions: table.dimensions.count) {
      nodes.append(Self.node(of: cuts.map { cut in strata.map { members[cut][$0[0]] } }))
    }
  }

  /// Divides cuts into parts by the quarters of their dimensions, so that each part has the cuts of two quarters.
  private static func parted(_ cuts: [[Int]], dimensions: Int) -> [[Int]] {
    func quarter(_ dimension: Int) -> Int { dimensions > 4 ? dimension * 4 / dimensions : 0 }
    var parts: [[Int]: [Int]] = [:]
    for (place, cut) in cuts.enumerated() {
      var quarters = cut.map(quarter)
      // Cuts of one quarter are part of one that has it anyhow.
      if quarters.first == quarters.last { quarters = quarters[0] < 2 ? [0, 1] : [2, 3] }
      parts[quarters, default: []].append(place)
    }
    return parts.sorted { $0.key.lexicographicallyPrecedes($1.key) }.map(\.value)
  }

  /// - Parameter members: By cut and group, the segment that the group is in; -1 for none.
  private static func node(of members: [[Int32]]) -> Node {
    var node = Node()
    var known: [[Int32]: Int32] = [:]
    for group in members[0].indices {
      let own = members.map { $0[group] }.filter { $0 >= 0 }
      let part = known[own] ?? Int32(known.count)
      if part == known.count {
        known[own] = part
        node.segments += own
        node.ends.append(node.segments.count)
      }
      node.parts.append(part)
    }
    return node
  }

  /// Returns in how many permutations some segment's score reaches its limit.
  func reaching(times: Int) -> Int {
    let chunks = min(37, times)  // 27 permutations each of 999
    return (0..<chunks).concurrentMap { chunk in
      let numbers = stride(from: chunk, to: times, by: chunks)
      return table.isOfMoney
        ? reaching(numbers, DriverCounts.Count.self) : reaching(numbers, DealtShare.self)
    }.reduce(0, +)
  }

  private func reaching<Tally: DriverTally>(_ numbers: StrideTo<Int>, _: Tally.Type) -> Int {
    var dealt = [Tally](repeating: Tally(), count: ends.count - 1)
    var now = [Tally](repeating: Tally(), count: segments.count)
    let both = all.before + all.now
    var isNow = [UInt64](repeating: 0, count: (both.units + 63) / 64)
    return numbers.count { number in
      let whole = deal(UInt64(number), &isNow, &dealt).count
      addUp(dealt, to: &now)
      return segments.indices.contains { place in
        let (segment, own) = (segments[place], now[place].count)
        let score = DriverScore(
          (segment.count - own, own), of: (both - whole, whole), in: table, aging: segment.aging)
        return abs(score?.z ?? 0) >= segment.limit
      }
    }
  }

  /// Splits all units between both sides at random; each side keeps its number of units.
  ///
  /// Each unit goes to the smaller side with nearly that side's share of units, in 256ths. Units drawn at random then
  /// change sides until the number is right. No step tells units apart, so all splits are as likely as one another.
  ///
  /// - Parameters:
  ///   - isNow: A bit for each unit, in the order of ``amounts``, which is filled again.
  ///   - dealt: Receives the units now of each group.
  /// - Returns: All units now.
  private func deal<Tally: DriverTally>(_ number: UInt64, _ isNow: inout [UInt64], _ dealt: inout [Tally]) -> Tally {
    let units = all.before.units + all.now.units
    let smaller = min(all.before.units, all.now.units)
    let share = smaller * 256 / units
    var place = number << 32
    for word in isNow.indices {
      var bits: UInt64 = 0
      // Each step halves the share of bits so far, and adds a half where the digit is 1.
      for digit in 0..<8 {
        let random = generator.bits(at: place)
        bits = share >> digit & 1 == 1 ? bits | random : bits & random
        place += 1
      }
      isNow[word] = bits
    }
    let used = UInt64.max >> UInt64(isNow.count * 64 - units)
    isNow[isNow.count - 1] &= used
    var missing = smaller - isNow.reduce(0) { $0 + $1.nonzeroBitCount }
    while missing != 0 {
      let unit = generator.index(below: units, at: place)
      place += 1
      let bit: UInt64 = 1 << UInt64(unit % 64)
      if (isNow[unit / 64] & bit == 0) == (missing > 0) {
        isNow[unit / 64] ^= bit
        missing -= missing.signum()
      }
    }
    if all.now.units > smaller {
      for word in isNow.indices { isNow[word] = ~isNow[word] }
      isNow[isNow.count - 1] &= used
    }
    var whole = Tally()
    var first = 0
    for group in dealt.indices {
      var tally = Tally()
      for (amount, units) in amounts[ends[group]..<ends[group + 1]] {
        tally.add(Self.count(first..<first + units, in: isNow), of: amount)
        first += units
      }
      dealt[group] = tally
      whole += tally
    }
    return whole
  }

  /// Returns how many bits of a range are set.
  private static func count(_ range: Range<Int>, in words: [UInt64]) -> Int {
    var count = 0
    var place = range.lowerBound
    while place < range.upperBound {
      let length = min(64 - place % 64, range.upperBound - place)
      let bits = (words[place / 64] >> UInt64(place % 64)) << UInt64(64 - length)
      count += bits.nonzeroBitCount
      place += length
    }
    return count
  }

  /// Adds up the units of each segment from those of the groups.
  private func addUp<Tally: DriverTally>(_ dealt: [Tally], to now: inout [Tally]) {
    for place in now.indices { now[place] = Tally() }
    for node in nodes {
      var sums = [Tally](repeating: Tally(), count: node.ends.count - 1)
      for group in dealt.indices { sums[Int(node.parts[group])] += dealt[group] }
      for part in sums.indices {
        for place in node.ends[part]..<node.ends[part + 1] { now[Int(node.segments[place])] += sums[part] }
      }
    }
  }
}

/// The units that a random split gave to one side.
private protocol DriverTally {
  init()
  mutating func add(_ units: Int, of amount: Int)
  static func += (left: inout Self, right: Self)
  var count: DriverCounts.Count { get }
}

extension DriverCounts.Count: DriverTally {
  mutating func add(_ units: Int, of amount: Int) {
    self += DriverCounts.Count(
      units: units, sum: amount * units, squares: Double(amount) * Double(amount) * Double(units))
  }

  var count: DriverCounts.Count { self }
}

/// Units of a share, of which some meet it, in one word: their number in the lower half.
private struct DealtShare: DriverTally {
  private var word: UInt64 = 0

  mutating func add(_ units: Int, of amount: Int) { word &+= UInt64(units) | UInt64(amount * units) << 32 }

  static func += (left: inout DealtShare, right: DealtShare) { left.word &+= right.word }

  var count: DriverCounts.Count {
    DriverCounts.Count(units: Int(word & 0xFFFF_FFFF), sum: Int(word >> 32), squares: Double(word >> 32))
  }
}
