import Metrics
import Statistics

/// Text about several treatments: which one a number is of, and what is shown of the others.
extension ReadoutText {
  /// Whether more than one treatment is compared with control.
  var hasSeveralTreatments: Bool { readout.treatments.count > 1 }

  /// The leader's name after a word, such as ` of b`, for a number that would not say which treatment it is of; else
  /// empty.
  func leaderName(after word: String) -> String { hasSeveralTreatments ? " \(word) \(leader)" : "" }

  /// Whether the title names no treatment, although there are several.
  var needsLeaderName: Bool {
    hasSeveralTreatments && (decision.outcome == .undecided || decision.outcome == .noDifference)
  }

  /// The finding, then the other treatments that the goal shows to be better or worse than control.
  var answer: String { [finding, shownArms].compactMap(\.self).joined(separator: " ") }

  /// Returns the places of the treatments, besides ``leader``, that stand so against control in the goal, the largest
  /// difference first; implements D7.3.
  func others(_ standing: ArmComparison.Standing) -> [Int] {
    guard isReadable, let comparisons = primary?.comparisons else { return [] }
    func size(_ place: Int) -> Double { abs(comparisons[place].decisionDifference ?? 0) }
    return readout.treatments.indices.filter { place in
      place != leaderPlace && comparisons.indices.contains(place) && comparisons[place].standing == standing
    }.sorted { size($0) != size($1) ? size($0) > size($1) : $0 < $1 }
  }

  /// Sentences such as `c (−8.7 pp) and d (−8.1 pp) are worse than control.`; `nil` if the goal shows nothing of the other
  /// treatments.
  var shownArms: String? {
    guard let primary else { return nil }
    let text = MetricText(primary)
    let sentences = Self.shownStandings.compactMap { standing, word -> String? in
      let names = others(standing).map { place in
        let difference = text.difference(primary.comparisons[place].decisionDifference)
        return visible(readout.treatments[place]) + (difference.map { " (\($0))" } ?? "")
      }
      if names.isEmpty { return nil }
      return "\(Self.few(names)) \(names.count == 1 ? "is" : "are") \(word) than \(control)."
    }
    return sentences.isEmpty ? nil : sentences.joined(separator: " ")
  }

  /// The decision in a list, such as `undecided: b; worse: c, d`: the treatment that the effect is of, then those of
  /// ``shownArms``.
  var listed: String {
    let decision = title.lowercasedFirst + (needsLeaderName ? ": \(leader)" : "")
    let parts = Self.shownStandings.compactMap { standing, word -> String? in
      let names = others(standing).map { visible(readout.treatments[$0]) }
      return names.isEmpty ? nil : "\(word): \(Self.few(names))"
    }
    return ([decision] + parts).joined(separator: "; ")
  }

  private static let shownStandings: [(ArmComparison.Standing, String)] = [(.better, "better"), (.worse, "worse")]

  /// The names of the treatments that may be shipped instead of the best if they are cheaper (D7.4).
  var alternatives: [String] {
    (readout.ranking?.alternatives ?? []).map { visible(readout.arms[$0].variant) }
  }
}

extension ExperimentReadout {
  /// The places of the arms as people read them: control, then by first exposure, then name.
  var readingOrder: [Int] {
    func rank(_ place: Int) -> Int { place == 0 ? -1 : variantOrder.firstIndex(of: arms[place].variant) ?? .max }
    return arms.indices.sorted { (rank($0), $0) < (rank($1), $1) }
  }
}

extension ReadoutText {
  /// The bounds of the goal's difference in parts of control's value, such as `−54% to +31% of that 8.5%`; `nil` unless
  /// the goal is open.
  func possibleOfControl(_ interval: ClosedRange<Double>?) -> String? {
    guard decision.outcome == .undecided, decision.reason == "primary", let primary, let interval,
      let control = primary.arms.first?.estimate, control > 0,
      // No share falls by more than all of it.
      let low = liftText(max(primary.metric.unit == .share ? -1 : -.infinity, interval.lowerBound / control)),
      let high = liftText(interval.upperBound / control), let level = MetricText(primary).value(control)
    else { return nil }
    return "\(low) to \(high) of that \(level)"
  }
}
