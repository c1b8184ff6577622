internal import EventModel
internal import Foundation
internal import Lifecycle

/// Calendar days of a time zone.
struct LocalTime {
  /// The offset of local time from UTC in ms, from each instant in ms on, oldest first.
  private let offsets: [(from: Int64, offset: Int64)]
  /// The local days that the data can have.
  private let days: ClosedRange<CivilDate>

  /// - Parameter instants: Covers every instant that is queried; the part after the end of all events is ignored.
  init(timeZone name: String, instants: ClosedRange<Int64>) throws(ReportError) {
    // An as-of may be thousands of years ahead, and Foundation takes milliseconds to find each clock change.
    let end = Instant.endOfEvents.millisecondsSince1970
    let instants = min(instants.lowerBound, end)...min(instants.upperBound, end)
    days =
      CivilDate(
        daysSince1970: Int(instants.lowerBound / Lifecycle.day) - 1)...CivilDate(
        daysSince1970: Int(instants.upperBound / Lifecycle.day) + 1)
    // Loading a zone from Foundation loads the world's calendars, which takes as long as a report.
    if name == "UTC" {
      offsets = [(.min, 0)]
      return
    }
    // Foundation also accepts abbreviations such as EST, whose meaning depends on the machine.
    guard TimeZone.knownTimeZoneIdentifiers.contains(name) || name.contains("/"),
      let zone = TimeZone(identifier: name)
    else { throw .unknownTimeZone(name) }
    func offset(at instant: Int64) -> Int64 {
      Int64(zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(instant) / 1000))) * 1000
    }
    var offsets = [(from: Int64.min, offset: offset(at: instants.lowerBound))]
    var date = Date(timeIntervalSince1970: Double(instants.lowerBound) / 1000)
    while let next = zone.nextDaylightSavingTimeTransition(after: date) {
      let instant = Int64((next.timeIntervalSince1970 * 1000).rounded())
      if instant > instants.upperBound { break }
      offsets.append((instant, offset(at: instant)))
      date = next
    }
    self.offsets = offsets
  }

  /// Returns the local time of an instant in ms, as if it were UTC.
  func local(_ instant: Int64) -> Int64 { instant + (offsets.last { $0.from <= instant }?.offset ?? 0) }

  /// Returns the first instant whose local time is at or after the given one, which a clock change may skip.
  func start(ofLocal local: Int64) -> Int64 {
    for (place, span) in offsets.enumerated() {
      let instant = max(span.from, local - span.offset)
      if place + 1 == offsets.count || instant < offsets[place + 1].from { return instant }
    }
    return local
  }

  func start(of date: CivilDate) -> Int64 { start(ofLocal: Instant(startOf: date).millisecondsSince1970) }

  /// Returns the instant that is as long after the start of one day as another is after that of a later day, so that both
  /// are the same part of the days that begin there (definitions 9.3).
  func instant(_ instant: Int64, after later: CivilDate, shiftedTo first: CivilDate) -> Int64 {
    instant - (start(of: later) - start(of: first))
  }

  var isUTC: Bool { offsets.count == 1 && offsets[0].offset == 0 }

  /// The part of a UTC day that lies in one local day.
  struct Part {
    var instants: Range<Int64>
    /// Days since 1970.
    var localDay: Int64
  }

  /// Returns the local day of an instant, in days since 1970.
  func day(of instant: Int64) -> Int64 { floorDays(local(instant)) }

  /// Returns the parts of a UTC day in order. When the clock is put back, a local day may start twice.
  func parts(ofDay number: Int64) -> [Part] {
    let (start, end) = (number * Lifecycle.day, (number + 1) * Lifecycle.day)
    var parts: [Part] = []
    for (place, span) in offsets.enumerated() {
      let until = min(end, place + 1 < offsets.count ? offsets[place + 1].from : end)
      var from = max(start, span.from)
      while from < until {
        let day = floorDays(from + span.offset)
        let next = min(until, (day + 1) * Lifecycle.day - span.offset)
        parts.append(Part(instants: from..<next, localDay: day))
        from = next
      }
    }
    return parts
  }
}
