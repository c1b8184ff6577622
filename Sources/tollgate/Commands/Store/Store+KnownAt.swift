import Basics
import Foundation
import Logging
import Metrics
import Store

extension Store {
  /// Reads the current store, or the store as known at a file or instant.
  ///
  /// - Throws: ``UsageError`` if nothing was known then.
  func read<Result>(
    knownAt text: String?, logger: Logger, _ body: (StoreSnapshot) throws -> Result
  ) throws -> Result {
    guard let text else { return try read(body) }
    let known = try known(at: text, logger: logger)
    if try known.store.read({ try $0.apps().isEmpty }), try !read({ try $0.apps().isEmpty }) {
      throw UsageError("--known-at is \(text), but the store had no events then; give a later file or instant")
    }
    return try withExtendedLifetime(known) { try known.store.read(body) }
  }

  /// Returns the store as known at a file or instant.
  func known(at text: String, logger: Logger) throws -> HistoricalStore {
    try read { snapshot in
      let point = try snapshot.point(text)
      if case .file(let last) = point, try snapshot.files().contains(where: { $0.id > last && $0.duplicates > 0 }) {
        logger.notice(
          "later files repeat events: an earlier received_at in them counts as already known")
      }
      return try snapshot.known(at: point)
    }
  }
}

extension StoreSnapshot {
  /// Returns the text of a point that is the same wherever the files lie: a file by its SHA-256.
  ///
  /// - Throws: ``UsageError`` for text that is neither an instant nor exactly one file of the store.
  func exactly(knownAt text: String) throws -> String {
    guard case .file(let id) = try point(text) else { return text }
    return try files().first { $0.id == id }?.sha256 ?? text
  }

  /// - Throws: ``UsageError`` for text that is neither an instant nor exactly one file of the store.
  fileprivate func point(_ text: String) throws -> KnownAt {
    let files = try files()
    var named = files.filter { $0.path == text }
    if named.isEmpty {
      // Also matches another path to the same place, for files ingested from another folder.
      let place = URL(fileURLWithPath: text).standardizedFileURL
      named = files.filter { URL(fileURLWithPath: $0.path).standardizedFileURL == place }
    }
    let found =
      named.isEmpty
      ? files.filter {
        $0.path.hasSuffix("/\(text)") || (text.utf8.count >= 8 && $0.sha256.hasPrefix(text.lowercased()))
      }
      : named
    // A path may have had several contents; the last one is current.
    if let last = found.last, Set(found.map(\.path)).count == 1 { return .file(last.id) }
    if found.count > 1 {
      throw UsageError(
        "--known-at is \(text), but the paths of \(found.count) files end so: "
          + found.prefix(5).map(\.path).joined(separator: ", ") + (found.count > 5 ? ", ..." : ""))
    }
    if let instant = InstantArgument(argument: text) { return .received(instant.milliseconds) }
    throw UsageError(
      "--known-at is \(text), but must name a file of the store by its path, the end of its path or its SHA-256, or be "
        + "an instant such as 2026-03-01T00:00:00Z; "
        + (files.isEmpty ? "the store has no file" : "the last file is \(files[files.count - 1].path)"))
  }
}

/// A result that names the options it was made with.
private protocol Parameterized {
  var parameters: [Report.Parameter] { get set }
}

extension Report: Parameterized {}
extension ExperimentReport: Parameterized {}
extension Explanation: Parameterized {}

extension Parameterized {
  /// Adds the point up to which events were known, after the as-of.
  fileprivate func noting(knownAt text: String) -> Self {
    var noted = self
    let place = parameters.firstIndex { $0.name == "as_of" }.map { $0 + 1 } ?? parameters.count
    noted.parameters.insert(Report.Parameter(name: "known_at", value: text), at: place)
    return noted
  }
}

extension PageReports {
  /// Returns the page with reports that name the point up to which events were known.
  func noting(knownAt text: String?) -> PageReports {
    guard let text else { return self }
    var page = self
    page.home.health = home.health?.noting(knownAt: text)
    page.home.standing.changes = home.standing.changes.noting(knownAt: text)
    page.home.standing.experiments = home.standing.experiments.noting(knownAt: text)
    page.home.standing.readouts = home.standing.readouts.map { $0.noting(knownAt: text) }
    page.reports = reports.map { $0.noting(knownAt: text) }
    return page
  }
}

extension FinishedReport {
  /// Returns the report with the point up to which events were known.
  func noting(knownAt text: String) -> FinishedReport {
    switch self {
    case .tables(let reports): .tables(reports.map { $0.noting(knownAt: text) })
    case .readout(let report): .readout(report.noting(knownAt: text))
    case .explanation(let explanation): .explanation(explanation.noting(knownAt: text))
    }
  }
}
