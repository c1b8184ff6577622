internal import Basics
internal import Lifecycle
internal import Statistics

/// Compares lives at each age at which a moment happens to one of them: lives with the moment at that age and lives
/// still open at that age without one (``RiskSetDifference``).
///
/// Lives are compared only if they share a past: the same group, the same number of earlier moments and the same state
/// just before the age.
struct Landmarks {
  /// A life with its moments. Times are milliseconds from its start.
  struct Life {
    var person: Int32
    /// The row that the life counts in, from 0.
    var row: Int
    /// Anything else that must be equal, such as the length of the trial.
    var group: Int64
    /// The last age at which the life is open.
    var lastOpen: Int64
    /// Whether the life has the outcome, at ``lastOpen`` or later.
    var hasOutcome: Bool
    /// Distinct ages, ascending and none after ``lastOpen``, each with the range that it counts in, from 0.
    var moments: [(age: Int64, range: Int)]
    /// Ages at which the state changes, ascending. A new state holds from the next millisecond.
    var changes: [(age: Int64, isOn: Bool)]
  }

  /// The totals of a row in a range.
  struct Comparison {
    var difference = RiskSetDifference()
    /// Moments with at least one life to compare with, and those whose lives have the outcome.
    var exposed = 0
    var exposedOutcomes = 0
    /// Lives without a moment at the age, each counted once.
    var others = 0
    var otherOutcomes = 0
    /// The weighted share of these other lives whose own moment came within ``Landmarks/soon``.
    var soonShare: Double? { difference.weight > 0 ? soon / difference.weight : nil }
    fileprivate var soon = 0.0
  }

  /// The time within which a life's own later moment counts as nearly the same moment: one day.
  static let soon = day

  private let ranges: Int
  private var lives: [Life] = []

  init(ranges: Int) { self.ranges = ranges }

  mutating func add(_ life: Life) { lives.append(life) }

  /// The past that the lives of a risk set share.
  fileprivate struct History: Hashable {
    var row: Int
    var group: Int64
    var earlier: Int
    var isOn: Bool
  }

  /// The risk sets of one past and range, in order of age.
  private struct Sets {
    var ages: [Int64] = []
    var sets: [RiskSetDifference.RiskSet] = []
    /// The other lives whose own moment comes soon, by age.
    var soon: [Int] = []
    /// The change from the previous age in the number of other lives, of those with the outcome and of those with a
    /// moment soon.
    fileprivate var changes: [(others: Int, outcomes: Int, soon: Int)] = []
    /// Cumulative influence of one other life up to each age, without and with the outcome.
    var influence: [[Double]] = []

    /// - Parameter moments: Those of the past, in any order.
    init(_ moments: [(age: Int64, hasOutcome: Bool)]) {
      for (age, hasOutcome) in moments.sorted(by: { $0.age < $1.age }) {
        if ages.last != age {
          ages.append(age)
          sets.append(RiskSetDifference.RiskSet())
        }
        sets[sets.count - 1].exposed += 1
        if hasOutcome { sets[sets.count - 1].exposedOutcomes += 1 }
      }
      soon = [Int](repeating: 0, count: ages.count)
      changes = Array(repeating: (0, 0, 0), count: ages.count + 1)
    }

    /// Returns the places of the ages within a span.
    func places(_ span: ClosedRange<Int64>) -> Range<Int> {
      let low = ages.firstPlace { $0 >= span.lowerBound }
      return low..<max(low, ages.firstPlace { $0 > span.upperBound })
    }

    /// Adds another life, open within a span, and the age of its next moment.
    mutating func addOther(_ span: ClosedRange<Int64>, next: Int64?, hasOutcome: Bool) {
      let places = places(span)
      if places.isEmpty { return }
      let first = next.map { max(span.lowerBound, $0 - Landmarks.soon) } ?? .max
      let soon = first <= span.upperBound ? self.places(first...span.upperBound) : 0..<0
      for (place, one) in [(places.lowerBound, 1), (places.upperBound, -1)] {
        changes[place].others += one
        if hasOutcome { changes[place].outcomes += one }
      }
      changes[soon.lowerBound].soon += 1
      changes[soon.upperBound].soon -= 1
    }

    mutating func countOthers() {
      var sum = (others: 0, outcomes: 0, soon: 0)
      for place in ages.indices {
        sum.others += changes[place].others
        sum.outcomes += changes[place].outcomes
        sum.soon += changes[place].soon
        sets[place].others = sum.others
        sets[place].otherOutcomes = sum.outcomes
        soon[place] = sum.soon
      }
    }
  }

  /// Returns the comparisons by row · ranges + range, only where a moment happened.
  func comparisons() -> [Int: Comparison] {
    var histories = riskSets()
    let groups = Set(histories.keys.map(\.group))
    let others = lives.filter { groups.contains($0.group) }
    addOthers(others, to: &histories)
    var comparisons: [Int: Comparison] = [:]
    for (past, all) in histories {
      for (range, sets) in all.enumerated() where !sets.ages.isEmpty {
        comparisons[past.row * ranges + range, default: Comparison()].add(sets.sets, soon: sets.soon)
      }
    }
    for (past, all) in histories {
      for (range, sets) in all.enumerated() {
        guard let difference = comparisons[past.row * ranges + range]?.difference else { continue }
        histories[past]?[range].influence = [false, true].map { hasOutcome in
          sets.sets.reduce(into: [0.0]) { sums, set in
            let canBe = hasOutcome ? set.otherOutcomes > 0 : set.others > set.otherOutcomes
            let own = canBe ? difference.influence(of: set, isExposed: false, hasOutcome: hasOutcome) : 0
            sums.append((sums.last ?? 0) + own)
          }
        }
      }
    }
    addClusters(others, histories, to: &comparisons)
    return comparisons
  }

  private func riskSets() -> [History: [Sets]] {
    let none = [[(age: Int64, hasOutcome: Bool)]](repeating: [], count: ranges)
    var moments: [History: [[(age: Int64, hasOutcome: Bool)]]] = [:]
    for life in lives {
      for (number, moment) in life.moments.enumerated() {
        moments[life.past(at: number), default: none][moment.range].append((moment.age, life.hasOutcome))
      }
    }
    return moments.mapValues { $0.map(Sets.init) }
  }

  /// Adds to each risk set the lives without a moment at its age.
  private func addOthers(_ lives: [Life], to histories: inout [History: [Sets]]) {
    for life in lives {
      life.forEachSpan { past, span, next in
        guard let place = histories.index(forKey: past) else { return }
        for range in 0..<ranges {
          histories.values[place][range].addOther(span, next: next, hasOutcome: life.hasOutcome)
        }
      }
    }
    for past in histories.keys {
      for range in 0..<ranges { histories[past]?[range].countOthers() }
    }
  }

  private func addClusters(_ lives: [Life], _ histories: [History: [Sets]], to comparisons: inout [Int: Comparison]) {
    var sums: [Int: Double] = [:]
    var person: Int32?
    func flush() {
      for (row, sum) in sums { comparisons[row]?.difference.addCluster(sum) }
      sums.removeAll(keepingCapacity: true)
    }
    for life in lives.sorted(by: { $0.person < $1.person }) {
      if person != life.person { flush() }
      person = life.person
      var compared: Set<Int> = []
      life.forEachSpan { past, span, _ in
        guard let all = histories[past] else { return }
        for (range, sets) in all.enumerated() {
          let places = sets.places(span)
          if places.isEmpty { continue }
          let (row, influence) = (past.row * ranges + range, sets.influence[life.hasOutcome ? 1 : 0])
          sums[row, default: 0] += influence[places.upperBound] - influence[places.lowerBound]
          compared.insert(row)
        }
      }
      for row in compared {
        comparisons[row]?.others += 1
        if life.hasOutcome { comparisons[row]?.otherOutcomes += 1 }
      }
      for number in life.moments.indices {
        let past = life.past(at: number)
        let row = past.row * ranges + life.moments[number].range
        guard let sets = histories[past]?[life.moments[number].range], let difference = comparisons[row]?.difference,
          let place = sets.places(life.moments[number].age...life.moments[number].age).first
        else { continue }
        sums[row, default: 0] += difference.influence(
          of: sets.sets[place], isExposed: true, hasOutcome: life.hasOutcome)
      }
    }
    flush()
  }
}

extension Landmarks.Comparison {
  fileprivate mutating func add(_ sets: [RiskSetDifference.RiskSet], soon: [Int]) {
    for (set, soon) in zip(sets, soon) {
      difference.add(set)
      if set.others == 0 { continue }
      exposed += set.exposed
      exposedOutcomes += set.exposedOutcomes
      self.soon += Double(soon) * Double(set.exposed) / Double(set.exposed + set.others)
    }
  }
}

extension Landmarks.Life {
  /// Returns the state just before an age.
  private func isOn(before age: Int64) -> Bool { changes.last { $0.age < age }?.isOn ?? true }

  fileprivate func past(at number: Int) -> Landmarks.History {
    Landmarks.History(row: row, group: group, earlier: number, isOn: isOn(before: moments[number].age))
  }

  /// Calls `body` with each span of ages in which the life is open, has no moment and keeps the same past, and with the
  /// age of its next moment.
  fileprivate func forEachSpan(_ body: (Landmarks.History, ClosedRange<Int64>, Int64?) -> Void) {
    for earlier in 0...moments.count {
      let first = earlier == 0 ? 0 : moments[earlier - 1].age + 1
      var from = first
      let next = earlier < moments.count ? moments[earlier].age : nil
      let last = next.map { $0 - 1 } ?? lastOpen
      var isOn = self.isOn(before: first)
      func span(_ to: Int64) {
        if from > to { return }
        body(Landmarks.History(row: row, group: group, earlier: earlier, isOn: isOn), from...to, next)
      }
      for change in changes where change.age >= first && change.age < last {
        span(change.age)
        from = max(from, change.age + 1)
        isOn = change.isOn
      }
      span(last)
    }
  }
}
