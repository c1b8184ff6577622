import Lifecycle
import Statistics
import Testing

@testable import Metrics

/// The curve of a look, from records sorted once, equals that of the records as known on the look's day.
struct IncidenceHistoryTests {
  /// Written from the definition: subjects that started before the as-of, with ends known at it and the others censored
  /// at it.
  private static func plain(_ records: [IncidenceRecord], asOf: Int64, horizon: Int64) -> (AalenJohansen, events: Int) {
    let started = records.filter { $0.start < asOf }
    let moments = started.map { record -> (time: Int64, cause: Int) in
      if let time = record.time,
        record.cause == IncidenceRecord.event ? record.start + time < asOf : record.start + time <= asOf
      {
        return (time, record.cause)
      }
      return (asOf - record.start, 2)
    }.sorted { ($0.time, $0.cause) < ($1.time, $1.cause) }
    var curve = AalenJohansen(atRisk: moments.count, causes: 2)
    for moment in moments where moment.time <= horizon {
      if moment.cause == 2 { curve.censor(1) } else { curve.end(1, cause: moment.cause) }
    }
    return (curve, moments.count { $0.time <= horizon && $0.cause == 0 })
  }

  @Test(arguments: 0..<60)
  func everyLookIsThatOfItsDay(seed: Int) {
    let draws = CounterGenerator(name: "incidence \(seed)")
    // Few distinct instants, so that starts, ends and looks coincide.
    let scale = Double([6, 40, 2_000][seed % 3])
    let records = (0..<[3, 80, 700][seed / 3 % 3]).map { place -> IncidenceRecord in
      func instant(_ draw: Int) -> Int64 { Int64(draws.uniform(at: UInt64(4 * place + draw)) * scale) }
      let isOpen = draws.uniform(at: UInt64(4 * place + 2)) < 0.3
      return IncidenceRecord(
        start: instant(0), time: isOpen ? nil : 1 + instant(1),
        cause: draws.uniform(at: UInt64(4 * place + 3)) < 0.5 ? IncidenceRecord.event : IncidenceRecord.competing)
    }
    let history = IncidenceHistory(records)
    for step in 0...12 {
      let (asOf, horizon) = (Int64(scale * Double(step) / 6), Int64(scale / 2) + 1)
      let (curve, events) = history.curve(asOf: asOf, horizon: horizon)
      let (wanted, wantedEvents) = Self.plain(records, asOf: asOf, horizon: horizon)
      #expect(events == wantedEvents && curve.atRisk == wanted.atRisk)
      #expect(curve.incidence(of: 0) == wanted.incidence(of: 0) && curve.variance(of: 0) == wanted.variance(of: 0))
      #expect(history.count(startedBefore: asOf) == records.count { $0.start < asOf })
    }
  }

  /// An as-of may lie centuries after the data: the days on which an estimate can still change have a look, no others.
  @Test func daysAfterTheLastHorizonHaveNoLook() {
    let records = (0..<40).map { place in
      IncidenceRecord(start: Int64(place) * day / 7, time: place % 3 == 0 ? nil : Int64(place) * day / 5)
    }
    let (history, horizon) = (IncidenceHistory(records), 3 * day)
    let asOf = 300 * day
    func estimates(_ days: [Int]) -> [Double?] {
      days.map {
        IncidenceComparison.Estimate(history, asOf: asOf - Int64($0) * day, horizon: horizon)?.arm.mean
      }
    }
    let looks = ExperimentMetrics.lookDays([records], asOf: asOf, horizon: horizon)
    // Starts from day 0 to day 39 ÷ 7; the last estimate that can differ is of the first day after 39 ÷ 7 + 3.
    #expect(looks == Array((291...297).reversed()) + [0])
    #expect(Set(estimates(looks)) == Set(estimates(Array(0...297))))
  }

  /// The instants of the curve, to the millisecond (statistics 2.10).
  @Test func recordsAreInMilliseconds() {
    let records = [
      IncidenceRecord(start: 0, time: 3_600_005), IncidenceRecord(start: 7, time: 9, cause: IncidenceRecord.competing),
      IncidenceRecord(start: 8),
    ]
    let listed = records.survivalRecords(asOf: 20, group: 1)
    #expect(listed.map { [Int($0.time), $0.cause, $0.group] } == [[3_600_005, 1, 1], [9, 2, 1], [12, 0, 1]])
  }
}
