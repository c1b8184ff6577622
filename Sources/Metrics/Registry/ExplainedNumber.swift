internal import Basics
internal import Store

/// The number of a report to explain, and the page of users to list.
public struct ExplainedNumber: Sendable {
  /// Users of a page or a table.
  public static let usersOfPage = 20

  /// Key columns with their values, as `--cell` has them: several in one text, parted by commas.
  public var cells: [String]
  /// Key columns, each with a value that is taken whole.
  public var keys: [String]
  public var column: String
  public var offset: Int
  /// Users of a page; `nil` for all.
  public var limit: Int?
  /// An id of the only user to show; `nil` for a page of all.
  public var user: String?

  public init(
    cells: [String] = [], keys: [String] = [], column: String = "", offset: Int = 0, limit: Int? = nil,
    user: String? = nil
  ) {
    (self.cells, self.keys, self.column) = (cells, keys, column)
    (self.offset, self.limit, self.user) = (offset, limit, user)
  }

  /// Returns the key columns with their values.
  ///
  /// - Parameter dimensions: The dimensions of the report's rows.
  func keys(by dimensions: [Dimension]) throws -> [(name: String, value: String)] {
    let all = try cells.flatMap(Self.parts) + keys.map { try Self.whole($0, by: dimensions) }
    for (place, key) in all.enumerated() where all[..<place].contains(where: { $0.name == key.name }) {
      throw OptionError("--\(cells.isEmpty ? "key" : "cell") names \(key.name) twice")
    }
    return all
  }

  /// Key columns that are not dimensions.
  private static let others = [
    "app", "check", "currency", "split", "range", "gate", "status", "hours_before_end", "reason", "screen",
  ]

  /// The error for a text that does not begin with a key column.
  ///
  /// - Parameter name: The text before its `=`; empty without one.
  private static func notKey(_ option: String, _ text: String, _ name: String, _ expected: String) -> OptionError {
    if name.isEmpty {
      return OptionError("--\(option) is \(text.asGiven), but must be \(expected), such as variant=anchor")
    }
    let hint = NearName.hint(name, in: Dimension.plainNames + others)
    return OptionError("--\(option) has \(name), which is not a key column\(hint)")
  }

  /// Returns keys with their values of a text such as `variant=anchor,entry_point=settings`.
  private static func parts(_ text: String) throws -> [(name: String, value: String)] {
    var keys: [(name: String, value: String)] = []
    for part in text.split(separator: ",", omittingEmptySubsequences: false) {
      let equals = part.firstIndex(of: "=")
      let name = equals.map { String(part[..<$0]) } ?? ""
      if let equals, others.contains(name) || (try? Dimension(name: name)) != nil {
        keys.append((name, String(part[part.index(after: equals)...])))
      } else if keys.isEmpty {
        throw notKey("cell", text, name, "key columns with their values")
      } else {
        // A comma of the value before.
        keys[keys.count - 1].value += ",\(part)"
      }
    }
    return keys
  }

  /// Returns one key column with its value: the longest name that the text begins with, as a property's name may have
  /// an `=`.
  private static func whole(_ text: String, by dimensions: [Dimension]) throws -> (name: String, value: String) {
    let known = others + dimensions.map(\.name)
    if let name = known.filter({ text.utf8.starts(with: "\($0)=".utf8) }).max(by: { $0.utf8.count < $1.utf8.count }) {
      return (name, String(text.utf8.dropFirst(name.utf8.count + 1)) ?? "")
    }
    guard let equals = text.utf8.firstIndex(of: UInt8(ascii: "=")), let name = String(text.utf8[..<equals]),
      let dimension = try? Dimension(name: name)
    else {
      let parts = text.split(separator: "=", omittingEmptySubsequences: false)
      throw notKey("key", text, parts.count > 1 ? String(parts[0]) : "", "a key column with its value")
    }
    return (dimension.name, String(text.utf8[text.utf8.index(after: equals)...]) ?? "")
  }
}

extension ReportRequest {
  func explanation(_ number: ExplainedNumber, _ snapshot: StoreSnapshot) throws -> Explanation {
    var explanation = try explainer(number)(snapshot)
      .explanation(of: number.column, offset: number.offset, limit: number.limit, user: number.user)
    explanation.isOfOneUser = number.user != nil
    return explanation
  }

  /// Checks an explained number as far as that is possible without a store.
  ///
  /// - Throws: ``OptionError``.
  public func checkExplained() throws { if let explained { _ = try explainer(explained) } }

  private func explainer(_ number: ExplainedNumber) throws -> (StoreSnapshot) throws -> any RowExplainer {
    let keys = try number.keys(by: options.by ?? [])
    switch kind {
    case .experiment:
      if let by = options.by?.first {
        throw OptionError("--by is \(by.name), but an experiment is explained by variant; choose users with --where")
      }
      return { try ExperimentExplainer($0, options, experiment, cell: keys) }
    case .experiments: return { try ExperimentListExplainer($0, options, cell: keys) }
    case .health: return { try HealthExplainer($0, options, cell: keys) }
    default:
      if !kind.isOfUsers {
        throw OptionError("the numbers of \(kind.name) are not sums over users, so they cannot be explained")
      }
      if showsPairs {
        throw OptionError("--pairs compares rows with each other: leave it out, and name one row with --cell")
      }
      if options.backtest != nil {
        throw OptionError("--backtest compares forecasts with what came, which no users add up to: leave it out")
      }
      var options = options
      // Without --by, rows are by the dimensions that the keys name.
      if options.by == nil { options.by = keys.compactMap { try? Dimension(name: $0.name) } }
      // Tables show movements by default.
      if kind == .mrr, MRR.movements.contains(number.column) { options.showsMovement = true }
      return { [options] in
        try Explainer($0, report: kind, options: options, cell: keys, column: number.column)
      }
    }
  }
}
