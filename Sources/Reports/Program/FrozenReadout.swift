internal import Basics
public import Foundation
public import Metrics

/// A readout as of one day, with everything needed to compute it again (Program.md, "Freeze a readout").
public struct FrozenReadout: Codable, Sendable, Equatable {
  public var experiment: String
  public var app: String
  /// RFC 3339; only events before it are known.
  public var asOf: String
  public var version: String
  /// When the file was written, as RFC 3339; `nil` in files of older versions.
  public var frozenOn: String?
  /// The choices fixed by the first frozen readout, in later ones.
  public var fixed: FixedAtFirstReadout?
  /// The cap of capped revenue and its currency; `nil` if nothing was cut.
  public var cap: Double?
  public var capCurrency: String?
  /// The hash of the app's events before ``asOf``.
  public var dataHash: String
  /// The text of the plan file.
  public var plan: String
  /// The rows of `experiment --format json`, by column without empty values.
  public var rows: [[String: String]]

  /// - Parameters:
  ///   - report: A report with one readout.
  ///   - frozenOn: RFC 3339.
  ///   - fixed: The fixed choices that the report used.
  public init(
    _ report: ExperimentReport, plan: String, version: String, dataHash: String, frozenOn: String? = nil,
    fixed: FixedAtFirstReadout? = nil
  ) {
    precondition(report.readouts.count == 1, "one readout is frozen at a time")
    let table = experimentRows(report)
    experiment = report.experiment
    app = report.readouts[0].app
    asOf = instantText(report.readouts[0].asOf)
    self.version = version
    (self.frozenOn, self.fixed) = (frozenOn, fixed)
    if let twin = report.readouts[0].metrics.first(where: { $0.capped != nil }),
      case .money(let currency) = twin.metric.unit
    {
      (cap, capCurrency) = (twin.capped?.cap, currency)
    }
    self.dataHash = dataHash
    self.plan = plan
    rows = table.rows.map { row in
      zip(table.columns, row).reduce(into: [:]) { values, cell in
        if let text = cell.1.storedText, !text.isEmpty { values[cell.0.name] = text }
      }
    }
  }

  public init(json: Data) throws {
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    self = try decoder.decode(Self.self, from: json)
  }

  /// The readout as JSON that ends in a newline, with ordered keys, so that equal readouts give equal files.
  public var json: Data { get throws { try readableJSON(self, keys: .convertToSnakeCase) } }

  private static func fileName(_ experiment: String) -> String {
    let allowed = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-")
    return String(experiment.map { allowed.contains($0) ? $0 : "_" })
  }

  /// Returns a folder's readouts of an experiment in the order in which they were frozen; empty if the folder does not
  /// exist.
  ///
  /// - Parameter apps: The apps that count; empty for all.
  public static func earlier(of experiment: String, apps: [String], in folder: String) -> [FrozenReadout] {
    var found: [FrozenReadout] = []
    for number in 1... {
      guard let data = FileManager.default.contents(atPath: "\(folder)/\(fileName(experiment)).\(number).json") else {
        break
      }
      if let readout = try? FrozenReadout(json: data), readout.experiment == experiment,
        apps.isEmpty || apps.contains(readout.app)
      {
        found.append(readout)
      }
    }
    return found
  }

  /// Writes `NAME.N.json` with the least free N; characters unsuitable for file names become `_`.
  public func write(to folder: String) throws -> String {
    let folder = folder.count > 1 && folder.hasSuffix("/") ? String(folder.dropLast()) : folder
    try FileManager.default.createDirectory(
      atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    let name = Self.fileName(experiment)
    let text = String(decoding: try json, as: UTF8.self)
    let part = "\(folder)/.\(name).\(UUID().uuidString)"
    try WholeFile.create(part, toReplace: part, text)
    defer { unlink(part) }
    for number in 1... {
      let path = "\(folder)/\(name).\(number).json"
      // A link is created completely or not at all, and never replaces an existing file.
      if link(part, path) == 0 { return path }
      guard errno == EEXIST else { throw WholeFile.Failure.system(path) }
    }
    preconditionFailure("numbers do not end")
  }

  public enum Verdict: String, Sendable {
    case same
    case dataChanged = "data changed"
    case programChanged = "program changed"
  }

  /// Compares with the readout computed again.
  ///
  /// - Returns: The values that changed, or exist on one side only, with the old and the new value.
  public func comparison(with now: FrozenReadout) -> (verdict: Verdict, moved: [String]) {
    let keys = ["section", "metric", "variant", "slice", "measure"]
    func named(_ rows: [[String: String]]) -> [String: [String: String]] {
      var seen: [String: Int] = [:]
      return rows.reduce(into: [:]) { named, row in
        let key = keys.compactMap { row[$0] }.joined(separator: " ")
        seen[key, default: 0] += 1
        named[seen[key] == 1 ? key : "\(key) \(seen[key] ?? 0)"] = row
      }
    }
    let (old, new) = (named(rows), named(now.rows))
    var moved: [String] = []
    // The decision comes first: the rest follows from it, or matters less.
    func place(_ key: String) -> Int { key.hasPrefix("verdict ") ? 0 : key.hasPrefix("metrics ") ? 1 : 2 }
    let all = Set(old.keys).union(new.keys).sorted { left, right in
      place(left) != place(right) ? place(left) < place(right) : precedesInBytes(left, right)
    }
    for key in all {
      guard let before = old[key] else {
        moved.append("\(key): new")
        continue
      }
      guard let after = new[key] else {
        moved.append("\(key): gone")
        continue
      }
      for column in Set(before.keys).union(after.keys).sorted() where before[column] != after[column] {
        let name = column == "value" || column == "text" ? key : "\(key) \(column)"
        moved.append("\(name): \(before[column] ?? undefinedMark) → \(after[column] ?? undefinedMark)")
      }
    }
    if dataHash != now.dataHash { return (.dataChanged, moved) }
    return (moved.isEmpty ? .same : .programChanged, moved)
  }
}

/// Returns frozen readouts compared with current ones, one row each.
public func verificationTable(_ checks: [(file: String, then: FrozenReadout, now: FrozenReadout)]) -> Report {
  let most = 3
  return Report(
    name: "program", title: "Frozen readouts",
    definition: [
      "same: all values as saved; data changed: events before that day have changed; program changed: the events "
        + "are the same, but this version of tollgate computes other values"
    ], parameters: [], asOf: [],
    columns: .keys("file").texts("app", "experiment", "as_of", "result", "version").counts("moved")
      .texts("what_moved"),
    rows: checks.map { check in
      let (verdict, moved) = check.then.comparison(with: check.now)
      let versions = Set([check.then.version, check.now.version])
      return [
        .text(check.file), .text(check.then.app), .text(check.then.experiment), .text(check.then.asOf),
        .text(verdict.rawValue),
        .text(versions.count == 1 ? check.then.version : "\(check.then.version) → \(check.now.version)"),
        .count(moved.count),
        .text(
          moved.prefix(most).joined(separator: "; ")
            + (moved.count > most ? "; and \(moved.count - most) more" : "")),
      ]
    })
}
