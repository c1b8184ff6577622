import Basics
import Metrics
import Statistics

/// Sentences about several variants, segments and the trend (D7, D8).
extension ReadoutText {
  /// The ranking (D7.2); `nil` with two variants.
  var ranking: String? {
    guard isReadable, let ranking = readout.ranking, let primary, ranking.order.count > 2 else { return nil }
    // Without an interval in any pair, an order says nothing.
    if primary.comparisons.allSatisfy({ $0.standing == .withheld }), !ranking.pairs.contains(where: \.isShown) {
      return nil
    }
    let text = MetricText(primary)
    func name(_ place: Int) -> String { visible(readout.arms[place].variant) }
    func level(_ place: Int) -> String { text.value(primary.arms[place].estimate).map { " (\($0))" } ?? "" }
    let isFew = ranking.order.count <= Self.mostNamed
    let named = isFew ? ranking.order : Array(ranking.order.prefix(3))
    var places = named.dropFirst().map { name($0) + level($0) }
    if !isFew {
      places.append("\(countText(ranking.order.count - named.count)) more")
      if !named.contains(0) { places[places.count - 1] += ", \(control)\(level(0)) among them" }
    }
    var sentences = ["\(name(named[0])) first\(level(named[0])), then \(places.joined(separator: ", "))."]
    let clauses = named.compactMap { place -> String? in
      let beaten = ranking.pairs.filter { $0.isShown && $0.first == place }.map(\.second)
      if beaten.isEmpty { return nil }
      guard beaten.count > Self.mostNamed - 1 else {
        return "\(name(place)) is better than \(listText(beaten.map(name)))"
      }
      let others = "\(countText(beaten.count - (beaten.contains(0) ? 1 : 0))) others"
      return "\(name(place)) is better than \(beaten.contains(0) ? "\(control) and " : "")\(others)"
    }
    let open = ranking.pairs.filter { !$0.isShown }
    sentences += told(clauses, open: isFew ? open.map { "\(name($0.first)) and \(name($0.second))" } : [])
    if !isFew {
      sentences.append(
        open.count == ranking.pairs.count ? "No two can be told apart." : "The table of pairs has the others.")
    }
    if !alternatives.isEmpty {
      let verb = alternatives.count == 1 ? "is" : "are"
      sentences.append("\(Self.few(alternatives)) \(verb) not shown to be worse: choose the cheaper one.")
    }
    return sentences.joined(separator: " ")
  }

  /// The most variants to name one by one.
  static let mostNamed = 6

  /// Returns all of a few names, or the first three of many with the number of others.
  static func few(_ names: [String]) -> String {
    names.count <= mostNamed - 1
      ? listText(names) : listText(Array(names.prefix(3)) + ["\(countText(names.count - 3)) more"])
  }

  /// Returns sentences about pairs. If more than two pairs are open, it says that no others can be told apart.
  func told(_ clauses: [String], open: [String]) -> [String] {
    var clauses = clauses
    if open.count > 2 {
      clauses.append(clauses.isEmpty ? "No two can be told apart" : "no other two can be told apart")
    } else if !open.isEmpty {
      clauses.append("\(open[0]) cannot be told apart" + (open.count > 1 ? ", nor can \(open[1])" : ""))
    }
    return clauses.isEmpty ? [] : [clauses.joined(separator: "; ") + "."]
  }

  /// The segments of the decision's treatment.
  private var ownSegments: [SegmentsReadout] {
    isReadable ? readout.segments.filter { $0.segments.count > 1 && visible($0.variant) == leader } : []
  }

  /// The lifts of the segments of a dimension that have enough users, such as `US +79%`.
  func liftsOfSegments(_ dimension: String) -> [String] {
    (ownSegments.first { $0.dimension == dimension }?.segments ?? []).compactMap { segment in
      segment.interval == nil ? nil : liftText(segment.lift).map { "\(visible(segment.value)) \($0)" }
    }
  }

  /// One sentence each for segments that differ, and one for all that do not.
  private var shownSegments: [String] {
    var sentences = ownSegments.filter { $0.answer == .differs }.map { segments in
      let parts = liftsOfSegments(segments.dimension)
      let p = segments.p.map { " (\(probabilityClause($0)))" } ?? ""
      return "The lift differs by \(Self.dimensionName(segments.dimension))\(p)"
        + (parts.count > 1
          ? ": \(parts.joined(separator: ", "))."
          : ", but \(Self.dimensionPlural(segments.dimension)) have too few users to say how.")
    }
    let same = ownSegments.filter { $0.answer == .same }.map { Self.dimensionPlural($0.dimension) }
    if !same.isEmpty {
      sentences.append("Same in all \(listText(same)): lifts differ by less than \(minimumLift).")
    }
    return sentences
  }

  /// The segments of the decision's treatment: what is shown, then what is not known yet.
  var segments: [String] {
    var sentences = shownSegments
    let open = ownSegments.filter { $0.answer == .notKnown }
    let known = open.compactMap { segments in
      segments.differenceHigh.flatMap { $0 < 1 ? liftNumber($0) : nil }.map {
        (Self.dimensionPlural(segments.dimension), "\($0.drop { $0 == "+" })%")
      }
    }
    if known.count == 1 {
      sentences.append(
        "No difference between \(known[0].0) is shown; lifts may still differ by up to \(known[0].1).")
    } else if !known.isEmpty {
      let parts = known.inGroups(by: \.1).map { "\($0) between \($1.map(\.0).joined(separator: " or "))" }
      let other = ownSegments.contains { $0.answer == .differs } ? "other " : ""
      sentences.append(
        "No \(other)difference between segments is shown; lifts may still differ by up to \(listText(parts)).")
    }
    let vague = open.filter { !(($0.differenceHigh ?? .infinity) < 1) }.map { Self.dimensionPlural($0.dimension) }
    if !vague.isEmpty { sentences.append("Too few users to compare \(listText(vague)).") }
    if let times = open.compactMap(\.timesUsers).min(), times > 1 {
      sentences.append(
        "Showing that lifts differ by less than \(minimumLift) would take at least "
          + "\(countText(planned: times)) times as many users.")
    }
    return sentences
  }

  /// The segments and trends in brief: all that is shown, and one sentence for all that is not.
  var briefSegments: [String] {
    let isTrendShown = [readout.trend?.answer, readout.within?.answer].contains { $0 == .fades || $0 == .grows }
    let open = [
      ownSegments.contains { $0.answer == .notKnown }
        ? "no \(shownSegments.isEmpty ? "" : "other ")difference between segments" : nil,
      readout.trend == nil || isTrendShown ? nil : "no trend",
    ].compactMap(\.self)
    return shownSegments + (isTrendShown ? trends : [])
      + (open.isEmpty ? [] : ["\(listText(open).capitalizedFirst) shown."])
  }

  static func dimensionName(_ dimension: String) -> String {
    dimension == "app_version" ? "app version" : dimension == "week" ? "week of entry" : dimension
  }

  static func dimensionPlural(_ dimension: String) -> String {
    switch dimension {
    case "country": "countries"
    case "week": "weeks of entry"
    case "app_version": "app versions"
    default: "\(dimension)s"
    }
  }

  /// The trend by week of exposure; `nil` if there is too little data.
  var trend: String? {
    guard isReadable, let trend = readout.trend, let primary else { return nil }
    let text = MetricText(primary)
    let slope = text.difference(trend.slope) ?? undefinedMark
    switch trend.answer {
    case .fades, .grows:
      let last =
        trend.weeks.last.flatMap { week in week.interval.flatMap { text.change(week.difference, $0) } }
        .map { "; the last week alone is \($0)" } ?? ""
      if !trend.hasReversed, isLoss(trend.overall, primary), let size = text.size(trend.slope) {
        return "The loss \(trend.answer == .fades ? "shrinks" : "grows") by \(size) a week "
          + "(\(probabilityClause(trend.p)))\(last)."
      }
      let word = trend.hasReversed ? "Reverses" : trend.answer == .fades ? "Fades" : "Grows"
      return "\(word): \(slope) per week (\(probabilityClause(trend.p)))\(last)."
    case .noneShown:
      let half = 1.959_963_984_540_054 * trend.standardError
      guard let low = text.difference(trend.slope - half), let high = text.difference(trend.slope + half) else {
        return nil
      }
      let unit = low.split(separator: " ").last.map { " \($0)" } ?? ""
      return "No trend is shown (\(low.replacing(unit, with: "")) to \(high) per week)."
    }
  }

  /// Whether a difference is on the bad side.
  private func isLoss(_ difference: Double, _ metric: MetricReadout) -> Bool {
    metric.metric.goodDirection.map { difference * ($0 == .up ? 1 : -1) < 0 } ?? false
  }

  /// The trend within users; `nil` for a metric that happens once, and if there are too few data.
  var within: String? {
    guard isReadable, let within = readout.within, let primary else { return nil }
    let text = MetricText(primary)
    switch within.answer {
    case .fades, .grows:
      let weeks = [within.first, within.last].map { week in
        "\(text.difference(week.difference) ?? undefinedMark) in week \(week.number)"
      }
      if within.isMoney && within.answer == .fades {
        return "Most of the difference comes early: \(listText(weeks)) after the exposure "
          + "(\(probabilityClause(within.p))). One-off payments at the start look the same."
      }
      return "\(within.answer == .fades ? "Fades" : "Grows") within users: \(listText(weeks)) after the exposure "
        + "(\(probabilityClause(within.p)))."
    case .noneShown:
      let half = StudentDistribution.criticalValue(confidence: 0.95, degrees: within.degrees) * within.standardError
      guard let low = text.difference(within.slope - half), let high = text.difference(within.slope + half) else {
        return nil
      }
      let unit = low.split(separator: " ").dropFirst().last.map { " \($0)" } ?? ""
      let first = unit.isEmpty ? low : low.replacing(unit, with: "")
      return "No trend within users is shown (\(first) to \(high) per week)."
    }
  }

  /// The trends from week to week of exposure, and within users.
  var trends: [String] { [trend, within].compactMap(\.self) }
}

extension SegmentsReadout.Segment {
  /// The difference; `nil` where there are too few users for an interval (D2.3).
  func shownDifference(_ text: MetricText) -> String? { interval == nil ? nil : text.difference(difference) }
}
