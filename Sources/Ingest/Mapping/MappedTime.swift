internal import Basics
internal import EventModel
internal import Foundation

/// The forms of a mapping's times.
struct MappedTime: Sendable {
  /// The unit of numbers.
  enum Epoch: String, CaseIterable, Sendable {
    case seconds = "s"
    case milliseconds = "ms"
    case microseconds = "us"
    case nanoseconds = "ns"

    /// Powers of ten from the unit to milliseconds.
    var power: Int {
      switch self {
      case .seconds: 3
      case .milliseconds: 0
      case .microseconds: -3
      case .nanoseconds: -6
      }
    }

    /// Returns the unit that gives a time between 1973 and 5138.
    static func guessed(of seconds: Double) -> Epoch {
      switch abs(seconds) {
      case ..<1e11: .seconds
      case ..<1e14: .milliseconds
      case ..<1e17: .microseconds
      default: .nanoseconds
      }
    }
  }

  /// A unit to which times were cut, so that they lie before what happened in it.
  enum Cut: String, CaseIterable, Sendable {
    case minute, hour, day

    /// In milliseconds.
    var length: Int64 {
      switch self {
      case .minute: 60_000
      case .hour: 3_600_000
      case .day: Instant.millisecondsPerDay
      }
    }
  }

  var epoch: Epoch?
  var cut: Cut?
  var dates: DateForm?
  var zone: LocalZone?

  /// Returns the instant in milliseconds since 1970; a value in another form stays as it is, and the event is then
  /// invalid.
  func native(_ value: JSONNode?) -> JSONNode? {
    guard let value else { return nil }
    let text: String
    switch value {
    case .number(let digits): text = digits
    case .string(let string): text = string
    default: return value.instantOfParts.map { self.native(($0, false)) } ?? value
    }
    if dates?.isOfNumbers == true, let time = dates?.instant(text) { return self.native(time) }
    if let number = ExactDecimal(text) {
      let epoch = epoch ?? Epoch.guessed(of: value.double ?? 0)
      return number.shifted(by: epoch.power).integer.map { JSONNode(uncut($0)) } ?? value
    }
    guard let time = dates?.instant(text) ?? DateForm.instant(ofOneReading: text) else { return value }
    return self.native(time)
  }

  private func native(_ time: (milliseconds: Int64, hasOffset: Bool)) -> JSONNode {
    if time.hasOffset { return JSONNode(uncut(time.milliseconds)) }
    return JSONNode(uncut(zone?.instant(ofLocal: time.milliseconds) ?? time.milliseconds))
  }

  /// Returns the last millisecond of the unit that begins with a time that was cut to it.
  private func uncut(_ milliseconds: Int64) -> Int64 { cut.map { milliseconds + $0.length - 1 } ?? milliseconds }
}

/// A time zone for times without an offset.
struct LocalZone: Sendable {
  private let zone: TimeZone

  /// - Returns: `nil` for an unknown name.
  init?(_ name: String) {
    guard name == "UTC" || name.contains("/"), let zone = TimeZone(identifier: name) else { return nil }
    self.zone = zone
  }

  /// Returns the instant of a local time, both in milliseconds. A time that a clock change skips takes the offset before
  /// it; of one that it repeats, the first.
  func instant(ofLocal local: Int64) -> Int64 {
    let before = offset(at: local - Instant.millisecondsPerDay)
    let after = offset(at: local + Instant.millisecondsPerDay)
    if before == after || offset(at: local - before) == before { return local - before }
    return offset(at: local - after) == after ? local - after : local - before
  }

  private func offset(at instant: Int64) -> Int64 {
    Int64(zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(instant) / 1_000))) * 1_000
  }
}
