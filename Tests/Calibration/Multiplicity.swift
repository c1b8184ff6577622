import Statistics

/// Checks of the adjustments on ten independent true nulls.
func multiplicityChecks(repetitions: Int) -> [Check] {
  var (draws, tally) = (Draws(name: "ten nulls"), Tally())
  for _ in 0..<repetitions {
    let values = (0..<10).map { _ -> Double? in draws.uniform() }
    func rejects(_ adjusted: [Double?]) -> Bool { adjusted.contains { ($0 ?? 1) < 0.05 } }
    tally.alarm("Holm", if: rejects(Adjustment.holm.adjusted(values)))
    tally.alarm("Benjamini–Hochberg, any rejection", if: rejects(Adjustment.benjaminiHochberg.adjusted(values)))
    tally.alarm("unadjusted (negative control)", if: rejects(values))
    tally.endRepetition()
  }
  return [
    ("Holm", 0.04931), ("Benjamini–Hochberg, any rejection", 0.05035), ("unadjusted (negative control)", 0.40009),
  ].map { name, anchor in
    Check(
      name: name, setting: "10 independent nulls",
      outcome: .share(hits: tally[name], of: repetitions, anchor: anchor, anchored: 200_000))
  }
}
