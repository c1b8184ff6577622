/// The units of both sides of a comparison, such as viewers, counted by their values of all dimensions (definitions 10.1).
struct DriverCells {
  /// How many units a side has, and how many of them meet the column.
  struct Count: Equatable {
    var units = 0
    var met = 0

    static func + (left: Count, right: Count) -> Count {
      Count(units: left.units + right.units, met: left.met + right.met)
    }
    static func - (left: Count, right: Count) -> Count {
      Count(units: left.units - right.units, met: left.met - right.met)
    }

    var share: Double? { units > 0 ? Double(met) / Double(units) : nil }
  }

  struct Cell {
    /// A value of each dimension, as its place in ``DriverCells/values``.
    var values: [Int]
    var before = Count()
    var now = Count()
  }

  /// The dimensions of the search, and the values of each in order of bytes.
  private(set) var dimensions: [Dimension]
  private(set) var values: [[String]]
  private(set) var cells: [Cell] = []

  var before: Count { cells.reduce(Count()) { $0 + $1.before } }
  var now: Count { cells.reduce(Count()) { $0 + $1.now } }

  /// - Parameter rows: A row for each cell of each side: its values of the dimensions, and its count.
  init(_ dimensions: [Dimension], before: [(values: [String], count: Count)], now: [(values: [String], count: Count)]) {
    var found = [Set<String>](repeating: [], count: dimensions.count)
    for row in before + now {
      for (place, value) in row.values.enumerated() { found[place].insert(value) }
    }
    // A dimension with one value tells no units apart.
    let kept = dimensions.indices.filter { found[$0].count > 1 }
    self.dimensions = kept.map { dimensions[$0] }
    values = kept.map { found[$0].sorted(by: precedesInBytes) }
    let codes = values.map { Dictionary(uniqueKeysWithValues: zip($0, $0.indices)) }
    var places: [[Int]: Int] = [:]
    for (rows, side) in [(before, \Cell.before), (now, \Cell.now)] {
      for row in rows where row.count.units > 0 {
        let key = kept.enumerated().map { codes[$0.offset][row.values[$0.element]] ?? 0 }
        let place = places[key] ?? cells.count
        if place == cells.count {
          places[key] = place
          cells.append(Cell(values: key))
        }
        cells[place][keyPath: side] = cells[place][keyPath: side] + row.count
      }
    }
  }

  /// Returns the cells that a segment does not have.
  func without(_ segment: DriverSegment) -> DriverCells {
    var others = self
    others.cells.removeAll { segment.contains($0.values) }
    return others
  }

  func name(_ segment: DriverSegment) -> String {
    zip(segment.cut, segment.values).map { "\(dimensions[$0].name)=\(values[$0][$1])" }.joined(separator: ",")
  }

  func name(cut: [Int]) -> String { cut.map { dimensions[$0].name }.joined(separator: ",") }

  /// Every dimension, and every pair of them.
  var cuts: [[Int]] {
    dimensions.indices.map { [$0] }
      + dimensions.indices.flatMap { first in (first + 1..<dimensions.count).map { [first, $0] } }
  }
}

/// Units with given values of one or two dimensions.
struct DriverSegment: Hashable {
  /// Places of dimensions, ascending.
  var cut: [Int]
  /// A value of each, as its place among the dimension's.
  var values: [Int]

  func contains(_ cell: [Int]) -> Bool { zip(cut, values).allSatisfy { cell[$0] == $1 } }
}

/// How much a segment's own rate, or its share of units, stands out (definitions 10.5).
struct DriverScore {
  var rate: Double
  var mix: Double
  /// The change of the segment's own rate in standard errors.
  var own: Double

  /// The larger one by size; of equal ones that of the rate.
  var isMix: Bool { abs(mix) > abs(rate) }
  var z: Double { isMix ? mix : rate }

  /// - Parameters:
  ///   - segment: The segment's units before and now.
  ///   - all: All units before and now, with the segment's.
  /// - Returns: `nil` if the segment or the rest of it has no units on either side.
  init?(
    _ segment: (before: DriverCells.Count, now: DriverCells.Count),
    of all: (before: DriverCells.Count, now: DriverCells.Count)
  ) {
    let rest = (before: all.before - segment.before, now: all.now - segment.now)
    guard all.before.units > 0, all.now.units > 0, segment.before.units + segment.now.units > 0,
      rest.before.units + rest.now.units > 0
    else { return nil }
    // One that is missing on a side has the other side's rate.
    func rates(_ pair: (before: DriverCells.Count, now: DriverCells.Count)) -> (before: Double, now: Double) {
      let (before, now) = (pair.before.share, pair.now.share)
      return (before ?? now ?? 0, now ?? before ?? 0)
    }
    func variance(_ count: DriverCells.Count) -> Double {
      let smoothed = (Double(count.met) + 0.5) / (Double(count.units) + 1)
      return smoothed * (1 - smoothed) / Double(count.units)
    }
    let (a, b) = (rates(segment), rates(rest))
    let counts = [segment.before, segment.now, rest.before, rest.now].filter { $0.units > 0 }
    let variances = counts.reduce(0) { $0 + variance($1) }
    (rate, own) = (0, 0)
    if segment.before.units > 0, segment.now.units > 0 {
      own = (a.now - a.before) / (variance(segment.before) + variance(segment.now)).squareRoot()
      if rest.before.units > 0, rest.now.units > 0 {
        let other = ((a.now - a.before) - (b.now - b.before)) / variances.squareRoot()
        rate = own * other <= 0 ? 0 : abs(own) < abs(other) ? own : other
      }
    }
    let (earlier, later) = (
      Double(segment.before.units) / Double(all.before.units), Double(segment.now.units) / Double(all.now.units)
    )
    let gap = (a.before + a.now - b.before - b.now) / 2
    func spread(_ count: DriverCells.Count, _ whole: DriverCells.Count) -> Double {
      let smoothed = (Double(count.units) + 0.5) / (Double(whole.units) + 1)
      return smoothed * (1 - smoothed) / Double(whole.units)
    }
    let error =
      gap * gap * (spread(segment.before, all.before) + spread(segment.now, all.now))
      + (later - earlier) * (later - earlier) * variances / 4
    mix = error > 0 ? (later - earlier) * gap / error.squareRoot() : 0
  }
}
