/// Returns each subject's pseudo-value of the cumulative incidence of the first cause at a horizon, nF̂ − (n − 1)F̂
/// without the subject.
///
/// They make CUPED, regression and sequential tests usable for incidences with censoring; without censoring before the
/// horizon they equal the indicators. Subjects with equal time and cause share one value; the run time grows with the
/// square of the distinct times.
///
/// - Returns: One per record, in its order; `nil` with fewer than two.
///
/// Source: Andersen, Klein & Rosthøj (2003), doi:10.1093/biomet/90.1.15.
public func pseudoValues(_ records: [SurvivalRecord], at horizon: Double) -> [Double]? {
  let count = records.count
  guard count >= 2 else { return nil }
  let causes = max(1, records.lazy.map(\.cause).max() ?? 1)
  let plain = records.map { SurvivalRecord(time: $0.time, cause: $0.cause) }
  let table = SurvivalTime.table(plain, groups: 1, causes: causes)
  let whole = cumulativeIncidence(table, atRisk: count, causes: causes, at: horizon).estimates[0]
  let placeOfTime = Dictionary(uniqueKeysWithValues: table.enumerated().map { ($1.time, $0) })
  var known: [SurvivalRecord: Double] = [:]
  return plain.map { record in
    if let value = known[record] { return value }
    var without = table
    let place = placeOfTime[record.time]!
    if record.cause == 0 {
      without[place].censored[0] -= 1
    } else {
      without[place].ends[0][record.cause - 1] -= 1
    }
    let rest = cumulativeIncidence(without, atRisk: count - 1, causes: causes, at: horizon).estimates[0]
    let value = Double(count) * whole - Double(count - 1) * rest
    known[record] = value
    return value
  }
}
