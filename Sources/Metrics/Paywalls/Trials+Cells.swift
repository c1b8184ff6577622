internal import Lifecycle
internal import Statistics
internal import Store

extension Trials {
  /// Times from the start, and what happened then.
  private struct Ends {
    var conversions: [Int64] = []
    var lapses: [Int64] = []
    var censored: [Int64] = []
  }

  /// Definitions 4.2 to 4.6 from cells.
  ///
  /// - Parameter asOf: By app.
  static func cells(_ cells: CellQuery, asOf: [NameID: Int64]) throws -> [CellKey: Cell] {
    var rows: [CellKey: (cell: Cell, ends: Ends)] = [:]
    try cells.forEachRow(.trial) { key, origin, scan in
      let asOf = asOf[origin.app] ?? .min
      let isIntroductory = origin.trialKind == TrialKind.introductory.rawValue
      // Taken out of the rows while they change, so that they are not copied.
      var (cell, ends) = rows.removeValue(forKey: key) ?? (Cell(), Ends())
      try scan { trials in
        trials.forEachTrial { trial in
          cell.add(trial, isIntroductory: isIntroductory, asOf: asOf)
          if let convertedAt = trial.convertedAt {
            ends.conversions.append(convertedAt - trial.start)
          } else if trial.deadline <= asOf {
            ends.lapses.append(trial.deadline - trial.start)
          } else {
            ends.censored.append(asOf - trial.start)
          }
        }
      }
      if cell.trials > 0 { rows[key] = (cell, ends) }
    }
    return rows.mapValues { cell, ends in
      var cell = cell
      if cell.matured > 0 { cell.incidence = incidence(of: ends, trials: cell.trials) }
      return cell
    }
  }

  private static func incidence(of ends: Ends, trials: Int) -> AalenJohansen {
    var curve = AalenJohansen(atRisk: trials, causes: 2)
    let conversions = sortedTimes(ends.conversions)
    let lapses = sortedTimes(ends.lapses)
    let censored = sortedTimes(ends.censored)
    var (a, b, c) = (0, 0, 0)
    while a < conversions.count || b < lapses.count || c < censored.count {
      let time = min(
        a < conversions.count ? conversions[a] : .max, b < lapses.count ? lapses[b] : .max,
        c < censored.count ? censored[c] : .max)
      let converted = passTimes(conversions, &a, equalTo: time)
      if converted > 0 { add(converted, cause: conversion, to: &curve) }
      let lapsed = passTimes(lapses, &b, equalTo: time)
      if lapsed > 0 { add(lapsed, cause: lapse, to: &curve) }
      let left = passTimes(censored, &c, equalTo: time)
      if left > 0 { add(left, cause: censoring, to: &curve) }
    }
    return curve
  }
}
