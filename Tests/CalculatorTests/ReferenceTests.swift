import Calculator
import Foundation
import Testing

/// Runs the project's own reference cases, from mpmath, SciPy, statsmodels and NumPy: see `References/README.md`.
struct ReferenceTests {
  private static let file = URL(filePath: #filePath).deletingLastPathComponent().appending(
    path: "References/cases.jsonl")

  @Test func everyCaseIsWithinItsTolerance() throws {
    let lines = try String(contentsOf: Self.file, encoding: .utf8).split(separator: "\n")
    var methods: [String: Int] = [:]
    for line in lines {
      let reference = try JSONDecoder().decode(GoldenCase.self, from: Data(line.utf8))
      methods[reference.method, default: 0] += 1
      do {
        let result = try Calculator.result(method: reference.method, input: reference.input.value)
        let misses = reference.misses(of: .object(result))
        #expect(misses.isEmpty, "\(reference.id): \(misses.joined(separator: "; "))")
      } catch {
        Issue.record("\(reference.id): \(error)")
      }
    }
    #expect(lines.count >= 918 && methods.count >= 30)
  }
}
