internal import Statistics

/// The fewest units for which a table shows a share, and the fewest users or payments, on both sides together, for which a
/// change of counts or amounts is judged.
public let fewestCompared = 10

/// One number of an app, week by week.
struct WeeklySeries {
  enum Value {
    case share(events: Int, of: Int)
    case count(Int)
    /// An amount in micro-units, its variance, and the number of payments and refunds that it is a sum of.
    case money(Int128, variance: Double, payments: Int = 0)

    static func + (left: Value, right: Value) -> Value {
      switch (left, right) {
      case (.share(let events, let all), .share(let more, let others)): .share(events: events + more, of: all + others)
      case (.count(let count), .count(let more)): .count(count + more)
      case (.money(let amount, let variance, let count), .money(let more, let other, let others)):
        .money(amount + more, variance: variance + other, payments: count + others)
      default: preconditionFailure("a number is of one kind")
      }
    }

    /// Returns whether a change between two values rests on too few to say anything: fewer than 10 events or payments on
    /// both sides together, or fewer than 10 units on a side of a share.
    static func areFew(_ before: Self, _ last: Self) -> Bool {
      switch before + last {
      case .count(let count), .money(_, _, let count): count < fewestCompared
      case .share:
        [before, last].contains { if case .share(_, let of) = $0 { of < fewestCompared } else { false } }
      }
    }
  }

  var app: String
  /// The report and the column that contain the number.
  var report: String
  var number: String
  /// `share`, `count` or a currency.
  var unit: String
  /// Values by the week's Monday, in days since 1970.
  var weeks: [Int: Value] = [:]
  /// Returns whether later events can no longer change a week's number, as far as the report shows.
  var isSettled: (Int) -> Bool = { _ in true }

  /// Returns the value of a week. In a week without a row nothing happened, and a share is undefined.
  func value(_ week: Int) -> Value? {
    if let value = weeks[week] { return value }
    if case .share = weeks.values.first { return nil }
    return unit == "count" ? .count(0) : .money(0, variance: 0)
  }

  /// Returns the newest settled week in a range whose previous week is settled too, with that week.
  func newestPair(in range: ClosedRange<Int>) -> (before: Int, last: Int)? {
    var last = range.upperBound
    while last - 7 >= range.lowerBound {
      let before = last - 7
      if isSettled(before), isSettled(last), value(before) != nil, value(last) != nil { return (before, last) }
      last -= 7
    }
    return nil
  }
}

/// The change of a number, with the change that chance alone would cause.
struct WeeklyChange {
  var before: Double
  var last: Double
  var low: Double
  var high: Double
  /// The z value, standard normal if only chance is at work.
  var z: Double

  var p: Double { NormalDistribution.twoSidedP(z) }

  /// - Returns: `nil` if there is no variation or no data.
  init?(from before: WeeklySeries.Value, to last: WeeklySeries.Value) {
    switch (before, last) {
    case (.share(let eventsBefore, let before), .share(let eventsLast, let last)):
      guard before > 0, last > 0 else { return nil }
      let (old, new) = (
        Proportion(successes: Double(eventsBefore), trials: Double(before)),
        Proportion(successes: Double(eventsLast), trials: Double(last))
      )
      guard let test = miettinenNurminenTest(new, old), let bounds = miettinenNurminenDifference(new, old) else {
        return nil
      }
      self.init(
        before: Double(eventsBefore) / Double(before), last: Double(eventsLast) / Double(last), bounds: bounds,
        z: test.z)
    case (.count(let before), .count(let last)):
      self.init(before: Double(before), last: Double(last), variance: Double(before) + Double(last))
    case (.money(let before, let one, _), .money(let last, let other, _)):
      self.init(before: Double(before), last: Double(last), variance: one + other)
    default: return nil
    }
  }

  private init?(before: Double, last: Double, variance: Double) {
    guard variance > 0 else { return nil }
    let error = variance.squareRoot()
    let half = normalQuantile975 * error
    self.init(
      before: before, last: last, bounds: Interval(around: last - before, half: half),
      z: (last - before) / error)
  }

  private init(before: Double, last: Double, bounds: Interval, z: Double) {
    (self.before, self.last, self.z) = (before, last, z)
    (low, high) = (bounds.low, bounds.high)
  }
}

extension WeeklySeries.Value {
  /// The value as a number; 0 for a share without a denominator.
  var amount: Double {
    switch self {
    case .count(let count): Double(count)
    case .money(let amount, _, _): Double(amount)
    case .share(let events, let of): of > 0 ? Double(events) / Double(of) : 0
    }
  }

  var zero: WeeklySeries.Value {
    switch self {
    case .count: .count(0)
    case .money: .money(0, variance: 0)
    case .share: .share(events: 0, of: 0)
    }
  }
}
