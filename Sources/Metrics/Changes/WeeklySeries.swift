internal import EventModel
internal import Statistics

/// One number of an app, week by week.
struct WeeklySeries {
  /// What is known of the number in one week.
  enum Value {
    /// Of so many, so many.
    case share(events: Int, of: Int)
    case count(Int)
    /// Micro-units, and the variance of such an amount.
    case money(Int128, variance: Double)

    static func + (left: Value, right: Value) -> Value {
      switch (left, right) {
      case (.share(let events, let all), .share(let more, let others)): .share(events: events + more, of: all + others)
      case (.count(let count), .count(let more)): .count(count + more)
      case (.money(let amount, let variance), .money(let more, let other)):
        .money(amount + more, variance: variance + other)
      default: preconditionFailure("a number is of one kind")
      }
    }
  }

  var app: String
  /// The report and the column that have it.
  var report: String
  var number: String
  /// `share`, `count` or a currency.
  var unit: String
  /// By the Monday, in days since 1970.
  var weeks: [Int: Value] = [:]
  /// Whether nothing that is still to come can change a week's number, as far as the report says.
  var isSettled: (Int) -> Bool = { _ in true }

  /// A week without a row is one in which nothing happened; a share of nobody is not defined.
  func value(_ week: Int) -> Value? {
    if let value = weeks[week] { return value }
    if case .share = weeks.values.first { return nil }
    return unit == "count" ? .count(0) : .money(0, variance: 0)
  }

  /// The newest of the weeks in a range that is settled together with the one before it.
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

/// How much a number changed, and how much chance would change it.
struct WeeklyChange {
  var before: Double
  var last: Double
  var low: Double
  var high: Double
  /// Standard normal where nothing but chance is at work.
  var z: Double

  var p: Double { NormalDistribution.twoSidedP(z) }

  /// - Returns: `nil` where nothing varies, or nothing is there.
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
    case (.money(let before, let one), .money(let last, let other)):
      self.init(before: Double(before), last: Double(last), variance: one + other)
    default: return nil
    }
  }

  private init?(before: Double, last: Double, variance: Double) {
    guard variance > 0 else { return nil }
    let error = variance.squareRoot()
    let half = normalQuantile975 * error
    self.init(
      before: before, last: last, bounds: Interval(low: last - before - half, high: last - before + half),
      z: (last - before) / error)
  }

  private init(before: Double, last: Double, bounds: Interval, z: Double) {
    (self.before, self.last, self.z) = (before, last, z)
    (low, high) = (bounds.low, bounds.high)
  }
}
