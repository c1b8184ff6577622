internal import Statistics

/// One arm's records in the orders that its curves need, sorted once for any number of looks.
struct IncidenceHistory {
  private struct Ended {
    var start: Int64
    /// Milliseconds from the start.
    var time: Int64
    var cause: Int
    /// The first as-of at which the end is known.
    var knownFrom: Int64
  }

  private struct Started {
    var start: Int64
    /// The first as-of at which the end is known; the largest number while under way.
    var knownFrom: Int64
  }

  /// Ends by time; at one time, events before lapses.
  private let ended: [Ended]
  private let started: [Started]

  init(_ records: [IncidenceRecord]) {
    var (ended, started) = ([Ended](), [Started]())
    ended.reserveCapacity(records.count)
    started.reserveCapacity(records.count)
    for record in records {
      guard let time = record.time else {
        started.append(Started(start: record.start, knownFrom: .max))
        continue
      }
      // A lapse is known at its deadline, an event only after it.
      let known = record.start + time + (record.cause == IncidenceRecord.event ? 1 : 0)
      started.append(Started(start: record.start, knownFrom: known))
      ended.append(Ended(start: record.start, time: time, cause: record.cause, knownFrom: known))
    }
    self.ended = sortedByKey(ended) { $0.time << 1 | Int64($0.cause) }
    self.started = sortedByKey(started) { $0.start }
  }

  /// Returns the number of subjects that started before an instant.
  func count(startedBefore instant: Int64) -> Int { started.firstPlace { $0.start >= instant } }

  /// Returns the Aalen–Johansen estimate at a horizon as of an instant, and the events in it: subjects that started
  /// before the instant, with the ends known by then and the others censored at it. Ends at the horizon count.
  ///
  /// - Parameters:
  ///   - asOf: Milliseconds since 1970.
  ///   - horizon: Milliseconds from the start.
  func curve(asOf: Int64, horizon: Int64) -> (curve: AalenJohansen, events: Int) {
    let atRisk = count(startedBefore: asOf)
    var curve = AalenJohansen(atRisk: atRisk, causes: 2)
    var events = 0
    // Ends by cause since the last censoring; only their number matters.
    var ends = (0, 0)
    // The subjects that started last are censored first.
    var underWay = atRisk - 1
    func passKnown() { while underWay >= 0, started[underWay].knownFrom <= asOf { underWay -= 1 } }
    func censor(before time: Int64) {
      curve.end(ends.0, cause: IncidenceRecord.event)
      curve.end(ends.1, cause: IncidenceRecord.competing)
      ends = (0, 0)
      var censored = 0
      while underWay >= 0, asOf - started[underWay].start < time {
        censored += 1
        underWay -= 1
        passKnown()
      }
      curve.censor(censored)
    }
    passKnown()
    var next = underWay < 0 ? Int64.max : asOf - started[underWay].start
    for end in ended {
      if end.time > horizon { break }
      if end.time > next {
        censor(before: end.time)
        next = underWay < 0 ? Int64.max : asOf - started[underWay].start
      }
      // Without a branch, which would be taken at random.
      let isKnown = (end.knownFrom <= asOf ? 1 : 0) & (end.start < asOf ? 1 : 0)
      let isEvent = end.cause == IncidenceRecord.event ? isKnown : 0
      ends.0 += isEvent
      ends.1 += isKnown - isEvent
      events += isEvent
    }
    censor(before: horizon + 1)
    return (curve, events)
  }
}
