public import EventModel

/// The options of a generated sample.
public struct SampleOptions: Sendable, Hashable {
  public enum Size: Sendable, Hashable {
    /// Users in all apps together.
    case persons(Int)
    /// Events in all apps together; met within about 3%.
    case events(Int)
  }

  public enum Compression: Sendable, Hashable {
    case none
    /// Level 1 to 19.
    case zstd(level: Int)
  }

  public var seed: UInt64
  public var size: Size
  /// The first UTC day with events.
  public var firstDay: CivilDate
  public var days: Int
  /// App names, in byte order; each app gets an equal share of the users.
  public var apps: [String]
  public var compression: Compression
  /// Number of worker threads; the output does not depend on it.
  public var threads: Int

  /// - Parameter apps: `nil` for all.
  public init(
    seed: UInt64 = 1, size: Size = .persons(10_000), firstDay: CivilDate = CivilDate(year: 2026, month: 1, day: 5),
    days: Int = 84, apps: [String]? = nil, compression: Compression = .zstd(level: 3), threads: Int = 2
  ) {
    self.seed = seed
    self.size = size
    self.firstDay = firstDay
    self.days = days
    self.apps = (apps ?? Truth.standard.apps.map(\.name)).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    self.compression = compression
    self.threads = threads
  }

  /// - Throws: ``SampleError`` if an option is out of range.
  public func validate() throws(SampleError) {
    switch size {
    case .persons(let persons):
      // Ids have room for 2²⁸ users per app.
      guard (1...1 << 28).contains(persons) else {
        throw SampleError("--persons is \(persons), but must be from 1 to \(1 << 28)")
      }
    case .events(let events):
      guard (1...1 << 30).contains(events) else {
        throw SampleError("--events is \(events), but must be from 1 to \(1 << 30)")
      }
    }
    guard (1...1_830).contains(days) else { throw SampleError("--days is \(days), but must be from 1 to 1830") }
    let earliest = CivilDate(year: 2008, month: 1, day: 1)
    let latest = CivilDate(year: 2090, month: 1, day: 1)
    guard (earliest...latest).contains(firstDay) else {
      throw SampleError("--first-day is \(firstDay), but must be from \(earliest) to \(latest)")
    }
    let known = Truth.standard.apps.map(\.name)
    guard !apps.isEmpty, Set(apps).count == apps.count, apps.allSatisfy(known.contains) else {
      throw SampleError(
        "no app \(apps.first { !known.contains($0) } ?? apps.joined(separator: ",")); use different ones of \(known.joined(separator: ", "))"
      )
    }
    if case .zstd(let level) = compression, !(1...19).contains(level) {
      throw SampleError("--level is \(level), but must be from 1 to 19")
    }
    guard (1...256).contains(threads) else { throw SampleError("--threads is \(threads), but must be from 1 to 256") }
  }
}
