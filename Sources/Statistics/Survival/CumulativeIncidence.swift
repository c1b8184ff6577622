/// Cumulative incidence of competing causes at a time.
public struct CumulativeIncidence: Hashable, Sendable {
  /// F_j, a fraction of 1, one per cause.
  public var estimates: [Double]
  /// Greenwood type, one per cause.
  public var variances: [Double]
}

/// Returns Aalen–Johansen estimates at a horizon.
///
/// - Parameters:
///   - records: Causes 1…`causes`; 0 is censored. Groups and strata are ignored.
///   - horizon: Ends at the horizon count.
public func cumulativeIncidence(
  _ records: some Collection<SurvivalRecord>, causes: Int, at horizon: Double
) -> CumulativeIncidence {
  let table = SurvivalTime.table(
    records.map { SurvivalRecord(time: $0.time, cause: $0.cause) }, groups: 1, causes: causes)
  return cumulativeIncidence(table, atRisk: records.count, causes: causes, at: horizon)
}

func cumulativeIncidence(
  _ table: [SurvivalTime], atRisk: Int, causes: Int, at horizon: Double
) -> CumulativeIncidence {
  var estimate = AalenJohansen(atRisk: atRisk, causes: causes)
  for moment in table {
    if moment.time > horizon { break }
    for cause in 0..<causes { estimate.end(moment.ends[0][cause], cause: cause) }
    estimate.censor(moment.censored[0])
  }
  return CumulativeIncidence(
    estimates: (0..<causes).map { estimate.incidence(of: $0) },
    variances: (0..<causes).map { estimate.variance(of: $0) })
}
