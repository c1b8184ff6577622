public import Metrics

/// A source of the numbers that pages show in addition to single reports.
public protocol PageSource: ReportSource {
  /// Returns what is known of the store at no cost to speak of.
  func facts() throws -> StoreFacts

  /// - Parameter apps: Empty for all.
  /// - Throws: ``ReportFault``.
  func home(
    apps: [String], timeZone: String?, days: Overview.Days, comparison: Overview.Comparison,
    deadline: ContinuousClock.Instant
  ) throws(ReportFault) -> HomeReports

  /// A user by any of the ids; of the only app that knows it, or of the one named.
  ///
  /// - Throws: ``ReportFault``.
  func person(user: String, app: String?, deadline: ContinuousClock.Instant) throws(ReportFault) -> PersonTimeline?
}

/// Facts about the store that every page shows.
public struct StoreFacts: Sendable, Equatable {
  /// In byte order of their names.
  public var apps: [DataApp] = []
  /// `nil` where the store keeps no list of experiments.
  public var experiments: [Experiment]?
  /// Warnings of the data's health; `nil` where the store keeps no report of it.
  public var warnings: Int?

  public init() {}

  /// An experiment in one app.
  public struct Experiment: Sendable, Equatable {
    public var app: String
    public var name: String

    /// Returns those of a list's rows.
    public static func all(_ list: Report) -> [Experiment] {
      list.rows.compactMap { row in
        guard row.count >= 2, case .text(let app) = row[0], case .text(let name) = row[1] else { return nil }
        return Experiment(app: app, name: name)
      }
    }
  }
}

/// An app and the time that its events are of.
public struct DataApp: Sendable, Equatable {
  public var name: String
  /// Days since 1970, in UTC.
  public var days: Range<Int>

  public init(name: String, days: Range<Int>) { (self.name, self.days) = (name, days) }
}

extension [DataApp] {
  /// The apps that the values of an address name, one each or as a list; `nil` if there is no such app.
  func named(_ texts: [String]) -> [DataApp]? {
    var found: [DataApp] = []
    for text in texts {
      let names = contains { $0.name == text } ? [text] : text.split(separator: ",").map(String.init)
      let own = filter { names.contains($0.name) }
      if own.count < Set(names).count || names.isEmpty { return nil }
      found += own
    }
    return found
  }

  /// The days of these apps together, or of all where there is no such app; empty without any.
  func days(of names: [String]) -> Range<Int> {
    let named = named(names) ?? []
    let own = (named.isEmpty ? self : named).map(\.days)
    guard let first = own.map(\.lowerBound).min(), let end = own.map(\.upperBound).max() else { return 0..<0 }
    return first..<end
  }
}
