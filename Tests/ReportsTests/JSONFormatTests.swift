import Foundation
import Testing

@testable import Metrics
@testable import Reports

struct JSONFormatTests {
  @Test func wholeReports() throws {
    try expectGolden(render(SampleReports.funnel, as: .json), "funnel.json")
    try expectGolden(render(SampleReports.savings, as: .json), "savings.json")
    try expectGolden(render(SampleReports.hostile, as: .json), "hostile.json")
    try expectGolden(render(SampleReports.empty, as: .json), "empty.json")
  }

  /// The oracle is Foundation's parser.
  @Test func anotherReaderFindsTheValuesThatCSVHas() throws {
    for report in [SampleReports.funnel, SampleReports.savings, SampleReports.hostile, SampleReports.empty] {
      let text = try render(report, as: .json)
      let object = try #require(JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
      let keys: Set = ["report", "definition", "parameters", "as_of", "rows"]
      #expect(Set(object.keys) == (report.rows.isEmpty ? keys.union(["note"]) : keys))
      #expect(object["definition"] as? [String] == report.definition)
      let rows = try #require(object["rows"] as? [[String: Any]])
      #expect(rows.count == report.rows.count)
      for (row, expected) in zip(rows, report.rows) {
        #expect(row.count == report.columns.count)
        for (column, value) in zip(report.columns, expected) {
          let found = try #require(row[column.name])
          switch value.storedText {
          case nil: #expect(found is NSNull)
          case let text? where value.isText: #expect((found as? String).map { Array($0.utf8) } == Array(text.utf8))
          case let text?: #expect((found as? NSNumber)?.doubleValue == Double(text))
          }
        }
      }
    }
  }

  @Test func membersStandInTheReportsOrder() throws {
    let text = try render(SampleReports.twoApps, as: .json)
    let names = text.split(separator: "\n").compactMap { $0.firstMatch(of: #/^ +"([a-z_]+)": /#)?.1 }
    #expect(
      names.map(String.init)
        == ["report", "definition", "parameters"] + SampleReports.twoApps.parameters.map(\.name)
        + ["as_of", "steps", "techniq", "rows"]
        + SampleReports.twoApps.columns.map(\.name) + SampleReports.twoApps.columns.map(\.name))
    #expect(text.contains("\"steps\": \"2026-03-12T00:00:00.001Z\""))
  }

  /// The oracle is Foundation's parser, over every scalar of the basic plane.
  @Test func everyTextComesBackAsItWas() throws {
    let scalars = (0...0xFFFF).compactMap { Unicode.Scalar(UInt32($0)) } + ["😀", "\u{10FFFF}"]
    var text = ""
    text.unicodeScalars.append(contentsOf: scalars)
    let read = try JSONSerialization.jsonObject(with: Data(jsonString(text).utf8), options: .fragmentsAllowed)
    #expect((read as? String).map { Array($0.unicodeScalars) } == scalars)
  }

  /// The oracle is Foundation's date formatter.
  @Test(
    arguments: [
      0, -1, 1, 86_399_999, 951_782_400_000, 1_709_164_800_000, 1_773_273_600_001, 4_102_444_799_999,
      -2_203_891_200_001,
    ] as [Int64])
  func instantsReadAsRFC3339(milliseconds: Int64) {
    let formatter = ISO8601DateFormatter()
    formatter.formatOptions = [.withInternetDateTime]
    let (seconds, rest) = (
      Int64((Double(milliseconds) / 1_000).rounded(.down)), (milliseconds % 1_000 + 1_000) % 1_000
    )
    let expected = formatter.string(from: Date(timeIntervalSince1970: Double(seconds))).dropLast()
    #expect(instantText(milliseconds) == expected + ".\(String(1_000 + rest).dropFirst())Z")
  }
}
