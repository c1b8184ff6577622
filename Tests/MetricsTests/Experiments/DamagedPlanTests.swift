import Basics
import Foundation
import RandomSupport
import Testing

@testable import Metrics

/// Deterministically damaged plans are either read or rejected with the file's name.
@Suite struct DamagedPlanTests {
  static func seeds() throws -> [String] {
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("../../Fuzz/Corpus/experiment").standardizedFileURL
    return try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted().map {
      String(decoding: try Data(contentsOf: folder.appendingPathComponent($0)), as: UTF8.self)
    }
  }

  private static func isRead(_ text: String) -> Bool {
    do throws(ConfigurationError) {
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
    var random = SplitMix64(seed: 11)
    var read = 0
    for _ in 0..<600 where Self.isRead(DamagedText.of(seeds, using: &random)) { read += 1 }
    // Otherwise the damages would test nothing.
    #expect((1..<600).contains(read), "\(read)")
  }
}
