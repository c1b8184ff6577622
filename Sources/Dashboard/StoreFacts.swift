internal import Metrics

/// Facts about the store that every page shows.
struct StoreFacts: Sendable, Equatable {
  /// In byte order of their names.
  var apps: [DataApp] = []
  /// `nil` where the store keeps no list of experiments.
  var experiments: [Experiment]?
  /// The app of each warning of the data's health; `nil` where the store keeps no report of it.
  var warnings: [String]?

  /// How many experiments and warnings the apps named have, those of no single app included; of all apps, if none is.
  func counts(of names: [String]) -> (experiments: Int?, warnings: Int?) {
    let asked = Set((apps.named(names) ?? []).map(\.name))
    func isAsked(_ app: String) -> Bool { asked.isEmpty || asked.contains(app) || app == Health.allApps }
    return (experiments?.count { isAsked($0.app) }, warnings?.count(where: isAsked))
  }

  struct Experiment: Sendable, Equatable {
    var app: String
    var name: String

    /// Returns those of a list's rows.
    static func all(_ list: Report) -> [Experiment] {
      list.rows.compactMap { row in
        guard row.count >= 2, case .text(let app) = row[0], case .text(let name) = row[1] else { return nil }
        return Experiment(app: app, name: name)
      }
    }
  }
}

/// An app and the time that its events are of.
struct DataApp: Sendable, Equatable {
  var name: String
  /// Days since 1970, in UTC.
  var days: Range<Int>
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
