internal import Basics
internal import EventModel
internal import Store

/// The consecutive half-open periods of one app whose end states are compared. The last period includes the as-of if it
/// ends there.
struct Periods {
  /// Bounds in ms, ascending, one more than there are periods. The first may be the least value, before all data.
  private(set) var bounds: [Int64] = []
  /// The code of each period; empty if all time is one period.
  private(set) var codes: [Int64] = []
  /// Whether the last period includes its last instant, at which nothing but an end of cover can lie.
  private let endsAtAsOf: Bool

  var count: Int { max(0, bounds.count - 1) }

  /// - Parameter dimension: A period such as ``Dimension/week``; `nil` for one period from `--from` to `--to`.
  init(_ query: ReportQuery, app: StoreSnapshot.App, by dimension: Dimension?) {
    let asOf = query.asOf(of: app)
    let time = query.localTime
    let from = query.options.from.map(time.start(of:))
    let to = query.options.to.map(time.start(of:))
    endsAtAsOf = to.map { $0 >= asOf } ?? true
    guard let dimension else {
      let first = from ?? .min
      let end = min(asOf, to ?? .max)
      if first < end { bounds = [first, end] }
      return
    }
    // After all events, nothing changes except by the end of covers.
    let end = min(asOf, to ?? .max, Instant.endOfEvents.millisecondsSince1970)
    let first = max(from ?? .min, min(app.firstDay, end))
    var date = dimension.first(of: Instant(millisecondsSince1970: time.local(first)).date)
    var begin = max(from ?? .min, time.start(of: date))
    while begin < end {
      let next = dimension.next(date)
      let bound = min(time.start(of: next), end)
      // A zone may skip a day.
      if bound > begin {
        if bounds.isEmpty { bounds.append(begin) }
        bounds.append(bound)
        codes.append(Instant(startOf: date).millisecondsSince1970)
      }
      begin = max(begin, bound)
      date = next
    }
  }

  /// Returns the period of an instant: -1 before the first, `nil` after the last.
  func place(of instant: Int64) -> Int? {
    guard let last = bounds.last else { return nil }
    if instant >= last { return endsAtAsOf && instant == last ? count - 1 : nil }
    return bounds.firstPlace { $0 > instant } - 1
  }

  /// Returns whether a state between two instants affects the report: at the end of a period or, for movements, at any
  /// time from the instant before the first period.
  func isUsed(_ from: Int64, until end: Int64, showsMovement: Bool) -> Bool {
    guard let first = bounds.first, let last = bounds.last else { return false }
    if showsMovement { return from <= last && end >= first }
    // A closing is the last instant of its period; the last one may be the as-of itself.
    return from < last && (end >= last || max(0, place(of: from) ?? 0) < (place(of: end) ?? 0))
  }
}
