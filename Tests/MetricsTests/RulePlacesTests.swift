import Foundation
import Testing

/// The rules of Definitions.md and Decisions.md, and the functions or types that compute them.
struct RulePlacesTests {
  /// The pages number the rules; "implements definitions 2.10" or "implements D2.1" stands at the place of each.
  @Test func everyRuleHasOnePlace() throws {
    let sources = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "Sources")
    var rules: [String] = []
    for page in ["Definitions", "Decisions"] {
      let text = try String(contentsOf: sources.appending(path: "Metrics/Metrics.docc/\(page).md"), encoding: .utf8)
      for line in text.split(separator: "\n") {
        guard let numbers = line.firstMatch(of: #/^- \*\*((?:D?\d+\.\d+(?:, )?)+)/#)?.1 else { continue }
        rules += numbers.split(separator: ", ").map(String.init)
      }
    }
    #expect(rules.count > 100, "the pages were not read")

    var places: [String: [String]] = [:]
    let files = try #require(FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil))
    for case let file as URL in files where file.pathExtension == "swift" {
      for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") {
        guard let words = line.firstMatch(of: #/[Ii]mplements (.*)/#)?.1 else { continue }
        for rule in words.matches(of: #/D?\d+\.\d+/#) {
          places[String(rule.0), default: []].append(file.lastPathComponent)
        }
      }
    }
    for rule in rules { #expect(places[rule]?.count == 1, "\(rule) is implemented in \(places[rule] ?? [])") }
    #expect(Set(places.keys).subtracting(rules) == [], "there is no such rule")
  }
}
