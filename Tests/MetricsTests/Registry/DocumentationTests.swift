import Foundation
import Testing

@testable import Metrics

/// The tables of columns and options in the documentation are those of the registry.
@Suite struct DocumentationTests {
  private static let pages: [(kind: ReportKind, page: String)] = [
    (.funnel, "Funnel"), (.paths, "Paths"), (.recovery, "Recovery"), (.saves, "Saves"),
    (.winback, "Winback"), (.trials, "Trials"), (.savings, "Savings"),
    (.cancellations, "Cancellations"),
    (.value, "Value"), (.revenue, "Revenue"), (.mrr, "MRR"), (.subscriptions, "Subscriptions"),
    (.retention, "Retention"), (.ltv, "LTV"), (.refunds, "Refunds"), (.payback, "Payback"), (.cadence, "Cadence"),
    (.gates, "Gates"),
    (.nudges, "Nudges"), (.activity, "Activity"), (.experiments, "Experiments"), (.health, "Health"),
  ]

  private static func lines(_ path: String) throws -> [Substring] {
    try String(contentsOf: Fixtures.package.appendingPathComponent(path), encoding: .utf8)
      .split(separator: "\n", omittingEmptySubsequences: false)
  }

  /// The first two cells of each row of the tables with a heading.
  private static func rows(_ lines: [Substring], headed heading: String) -> [(first: String, second: String)] {
    var rows: [(first: String, second: String)] = []
    var isInside = false
    for line in lines {
      isInside = line.hasPrefix(heading) || (isInside && line.hasPrefix("|"))
      let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
      if isInside, cells.count >= 2, cells[0].hasPrefix("`") { rows.append((cells[0], cells[1])) }
    }
    return rows
  }

  @Test func columnTablesAreThoseOfTheRegistry() throws {
    for (kind, page) in Self.pages {
      let rows = Self.rows(try Self.lines("Sources/Metrics/Metrics.docc/\(page).md"), headed: "| column | unit |")
      var units: [String: String] = [:]
      for (name, unit) in rows {
        // Pages write A, N, M or m for the number of a name.
        let parts = name.trimmingCharacters(in: ["`"]).split(separator: "_").map(String.init)
        let name = parts.map { ["A", "N", "m"].contains($0) ? "*" : $0 == "Mm" ? "*m" : $0 }.joined(separator: "_")
        // With other options a column may count something else: the first table is the report without any.
        units[name] = units[name] ?? unit
      }
      let described = Dictionary(uniqueKeysWithValues: kind.columns.map { ($0.identifier, $0.unit) })
      #expect(units == described, "\(page).md")
    }
  }

  /// The options that a page explains are the report's, or it says that they are refused.
  @Test func optionsOfPagesAreThoseOfTheRegistry() throws {
    for (kind, page) in Self.pages {
      let lines = try Self.lines("Sources/Metrics/Metrics.docc/\(page).md")
      let section = lines.drop { $0 != "## Options" }.dropFirst().prefix { !$0.hasPrefix("## ") }
      // The page of the list has the readout, too.
      let kinds = kind == .experiments ? [kind, .experiment] : [kind]
      let known = Set(kinds.flatMap { $0.options.map(\.name) + $0.refusals.keys })
      for line in section where line.hasPrefix("- `--") {
        let name = String(line.dropFirst("- `--".count).prefix { $0.isLetter || $0 == "-" })
        #expect(known.contains(name), "\(page).md: --\(name)")
      }
    }
  }

  /// The table of options that all reports have names each of them.
  @Test func theOptionTableNamesEveryCommonOption() throws {
    let folder = "Sources/tollgate/tollgate.docc"
    let guides =
      (try? FileManager.default.contentsOfDirectory(
        atPath: Fixtures.package.appendingPathComponent(folder).path)) ?? []
    let pages = ["README.md"] + guides.filter { $0.hasSuffix(".md") }.map { "\(folder)/\($0)" }
    let tables = try pages.map { Self.rows(try Self.lines($0), headed: "| option | ").map(\.first).joined() }
    let table = try #require(tables.first { $0.contains("--attribution") })
    let named = Set(table.matches(of: /--([a-z-]+)/).map { String($0.1) })
    #expect((ReportOption.common(by: []) + ReportOption.rows).map(\.name).filter { !named.contains($0) } == [])
  }
}
