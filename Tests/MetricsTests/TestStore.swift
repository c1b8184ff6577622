import EventModel
import FolderSupport
import Foundation
import Ingest
import Metrics
import Reports
import Store

/// A store in a temporary folder, removed with it, that answers as the command line does.
final class TestStore: Sendable {
  let store: Store
  let summary: IngestSummary
  let directory: TemporaryDirectory

  /// - Parameter paths: Files and folders, read in this order.
  init(paths: [String]) throws {
    directory = try TemporaryDirectory()
    store = try Store.open(path: directory.url.appendingPathComponent("store.db").path)
    summary = try Ingestion(store: store).run(InputFile.discover(paths))
  }

  /// - Parameter lines: Lines of one native event file.
  init(lines: [String]) throws {
    directory = try TemporaryDirectory()
    store = try Store.open(path: directory.url.appendingPathComponent("store.db").path)
    let file = directory.url.appendingPathComponent("events.jsonl")
    try Data(lines.map { $0 + "\n" }.joined().utf8).write(to: file)
    summary = try Ingestion(store: store).run(InputFile.discover([file.path]))
  }

  /// Ingests lines as a separate native event file.
  func ingest(_ lines: [String], commitEvents: Int) throws {
    let file = directory.url.appendingPathComponent("\(UUID().uuidString).jsonl")
    try Data(lines.map { $0 + "\n" }.joined().utf8).write(to: file)
    _ = try Ingestion(store: store, commitEvents: commitEvents).run(InputFile.discover([file.path]))
  }

  convenience init(fixture name: String) throws {
    try self.init(paths: [Fixtures.own.appendingPathComponent("\(name)/events.jsonl").path])
  }

  /// Returns a report by name, for command-line arguments.
  func report(_ name: String, _ arguments: [String]) throws -> Report {
    let options = try ReportOptions(arguments: arguments)
    return try store.read { snapshot in
      switch name {
      case "funnel": try Funnel.report(snapshot, options)
      case "recovery": try Recovery.report(snapshot, options)
      case "saves": try Saves.report(snapshot, options)
      case "winback": try Winback.report(snapshot, options)
      case "paths": try Paths.report(snapshot, options)
      case "trials": try Trials.report(snapshot, options)
      case "savings": try Savings.report(snapshot, options)
      case "cancellations": try Cancellations.report(snapshot, options)
      case "revenue": try Revenue.report(snapshot, options)
      case "mrr": try MRR.report(snapshot, options)
      case "subscriptions": try Subscriptions.report(snapshot, options)
      case "value": try Value.report(snapshot, options)
      case "value --pairs": try ValuePairs.report(snapshot, options)
      case "cadence": try Cadence.report(snapshot, options)
      case "gates": try Gates.report(snapshot, options)
      case "nudges": try Nudges.report(snapshot, options)
      case "activity": try Activity.report(snapshot, options)
      case "retention": try Retention.report(snapshot, options)
      case "ltv": try LTV.report(snapshot, options)
      case "refunds": try Refunds.report(snapshot, options)
      case "rates": try Rates.report(snapshot)
      case "health": try Health.report(snapshot, options)
      case "changes": try Changes.report(snapshot, options)
      case "experiments": try ExperimentList.report(snapshot, options)
      default: throw TestError("\(name) is no report")
      }
    }
  }

  func csv(_ name: String, _ arguments: [String]) throws -> String {
    try render(report(name, arguments), as: .csv)
  }

  /// Returns the report's cells, by key and column.
  func table(_ name: String, _ arguments: String...) throws -> Table {
    try Table(csv: csv(name, arguments))
  }
}

struct TestError: Error, CustomStringConvertible {
  var description: String

  init(_ description: String) { self.description = description }
}

/// A CSV without quoted cells, for looking up values.
struct Table: Equatable {
  let columns: [String]
  let rows: [[String]]

  init(csv: String) {
    let lines = csv.split(separator: "\n").map {
      $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    }
    columns = lines[0]
    rows = Array(lines.dropFirst())
  }

  /// Returns the cells of the named columns, separated by spaces, in the row that starts with the key. An empty cell is
  /// `-`; without such a row the result is "no row".
  func cells(_ names: String, of key: String...) -> String {
    guard let row = rows.first(where: { $0.starts(with: key) }) else { return "no row" }
    return names.split(separator: " ").map { name in
      guard let column = columns.firstIndex(of: String(name)) else { return "no column \(name)" }
      return row[column].isEmpty ? "-" : row[column]
    }.joined(separator: " ")
  }

  /// Returns a row's cell as a number; `nil` if it is empty.
  func number(_ name: String, in row: [String]) -> Double? {
    columns.firstIndex(of: name).flatMap { Double(row[$0]) }
  }

  /// Returns a column from top to bottom.
  func column(_ name: String) -> [String] {
    guard let column = columns.firstIndex(of: name) else { return [] }
    return rows.map { $0[column] }
  }
}

extension ReportOptions {
  /// Creates options from command-line arguments.
  init(arguments: [String]) throws {
    self.init()
    var rest = arguments[...]
    while let option = rest.popFirst() {
      if option == "--movement" {
        showsMovement = true
        continue
      }
      if option == "--by-period" {
        isByPeriod = true
        continue
      }
      guard let value = rest.popFirst() else { throw TestError("\(option) without a value") }
      switch option {
      case "--app": apps.append(value)
      case "--from": from = CivilDate(value)
      case "--to": to = CivilDate(value)
      case "--timezone": timeZone = value
      case "--as-of":
        guard let instant = Instant(rfc3339: value) else {
          throw TestError("--as-of is \(value), but must be an instant")
        }
        asOf = instant.millisecondsSince1970
      case "--backtest": backtest = OriginStep(rawValue: value)
      case "--grace": grace = (Int64(value) ?? 0) * 86_400_000
      case "--horizon": horizon = (Int64(value) ?? 0) * 86_400_000
      case "--to-step": lastStep = value
      case "--grace-whatif": graceWhatIf = (Int64(value) ?? 0) * 86_400_000
      case "--cancel-screens": cancelScreens = value.split(separator: ",").map(String.init)
      case "--unit": unit = Unit(rawValue: value) ?? unit
      case "--mode": mode = Mode(rawValue: value) ?? mode
      case "--store-fee": storeFee = Double(value).flatMap(ExactShare.init) ?? storeFee
      case "--currency": if value == "native" { isNative = true } else { currency = value }
      case "--renewal":
        let parts = value.split(separator: "=")
        assumedRenewals[Plan(name: String(parts[0]))!] = Double(parts[1])
      case "--attribution": attribution = .init(rawValue: value) ?? attribution
      case "--at": points = value.split(separator: ",").compactMap { Int($0) }
      case "--date": isByRefundDay = value == "refund"
      case "--by": by = try Dimension.list(value)
      case "--where":
        let parts = value.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        filters.append(
          try Filter(
            String(parts[0]), values: parts[1].split(separator: ",", omittingEmptySubsequences: false).map(String.init))
        )
      default: throw TestError("\(option) is no option")
      }
    }
  }
}

extension Report {
  /// Returns an unrounded rate in the row whose first dimension has a value.
  func rate(_ column: String, of key: String) -> Double? {
    guard let place = columns.firstIndex(where: { $0.name == column }),
      let row = rows.first(where: { $0.dropFirst().first == .text(key) }), case .rate(let rate) = row[place]
    else { return nil }
    return rate
  }
}
