import Foundation
import Testing

@testable import Metrics

/// Plans of experiments with damages that are the same on every run: read, or refused with the file's name.
@Suite struct DamagedPlanTests {
  static func seeds() throws -> [String] {
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("../../Fuzz/Corpus/experiment").standardizedFileURL
    return try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted().map {
      String(decoding: try Data(contentsOf: folder.appendingPathComponent($0)), as: UTF8.self)
    }
  }

  private static func isRead(_ text: String) -> Bool {
    do throws(ExperimentFileError) {
      _ = try ExperimentPlan(yaml: text, experiment: "headline", file: "plan.yaml")
      return true
    } catch {
      #expect("\(error)".hasPrefix("plan.yaml:"), "\(error)")
      return false
    }
  }

  @Test func theSeedsAreRead() throws {
    let seeds = try Self.seeds()
    #expect(seeds.count >= 2 && seeds.filter(Self.isRead).count >= 2)
  }

  @Test func damagedPlansAreReadOrRefusedByName() throws {
    let seeds = try Self.seeds()
    var random = SeededRandom(11)
    let words = [
      "{", "}", "[", "]", ": ", "- ", "&a ", "*a", "~", "\"", "\u{0}", "-1", "1e400", ".nan", "!!int ", "\t",
    ]
    for _ in 0..<600 {
      var text = Array(seeds.randomElement(using: &random)!.unicodeScalars)
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        let place = text.indices.randomElement(using: &random)!
        switch Int.random(in: 0..<4, using: &random) {
        case 0: text.remove(at: place)
        case 1: text.insert(contentsOf: Array(words.randomElement(using: &random)!.unicodeScalars), at: place)
        case 2: text.swapAt(place, text.indices.randomElement(using: &random)!)
        default: text.insert(contentsOf: text[place..<min(text.count, place + 20)], at: place)
        }
      }
      var damaged = ""
      damaged.unicodeScalars.append(contentsOf: text)
      _ = Self.isRead(damaged)
    }
  }
}
