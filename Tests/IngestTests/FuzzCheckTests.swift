import Basics
import Foundation
import FuzzChecks
import Testing

/// Runs the checks of `make fuzz` on its seeds and on damaged copies of them, which are the same on every run.
///
/// `TOLLGATE_MUTATIONS` sets the number of copies per check, such as 20000.
@Suite struct FuzzCheckTests {
  private static let count = ProcessInfo.processInfo.environment["TOLLGATE_MUTATIONS"].flatMap { Int($0) } ?? 200

  /// Returns the fuzzer's initial inputs and its findings, in byte order of their names.
  static func seeds(_ name: String) throws -> [[UInt8]] {
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("../Fuzz/Corpus/\(name)").standardizedFileURL
    return try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted().map {
      Array(try Data(contentsOf: folder.appendingPathComponent($0)))
    }
  }

  /// Flips, drops, doubles, swaps or inserts bytes, truncates, or splices in a part of another seed.
  private static func damaged(_ seeds: [[UInt8]], _ random: inout SplitMix64) -> [UInt8] {
    var bytes = seeds.randomElement(using: &random)!
    for _ in 0..<Int.random(in: 1...4, using: &random) where !bytes.isEmpty {
      let place = bytes.indices.randomElement(using: &random)!
      switch Int.random(in: 0..<8, using: &random) {
      case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
      case 1: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
      case 2: bytes.remove(at: place)
      case 3: bytes.insert(bytes[place], at: place)
      case 4: bytes.swapAt(place, bytes.indices.randomElement(using: &random)!)
      case 5: bytes.removeSubrange(place..<min(bytes.count, place + Int.random(in: 1...16, using: &random)))
      case 6:
        let edge: [UInt8] = [[0xFF], [0x00], [0x7F], [0x80]].randomElement(using: &random)!
        let end = min(bytes.count, place + [1, 2, 4, 8].randomElement(using: &random)!)
        bytes.replaceSubrange(place..<end, with: Array(repeating: edge[0], count: end - place))
      default:
        let other = seeds.randomElement(using: &random)!
        guard !other.isEmpty else { continue }
        let start = other.indices.randomElement(using: &random)!
        bytes.insert(contentsOf: other[start..<min(other.count, start + 24)], at: place)
      }
    }
    return bytes
  }

  @Test(arguments: DecoderChecks.names)
  func whateverIsReadKeepsItsPromises(name: String) throws {
    var check = try #require(DecoderChecks.named(name))
    let seeds = try Self.seeds(name)
    var accepted = 0
    for seed in seeds { accepted += try check.check(seed) }
    // Most seeds are valid; otherwise the check would prove nothing.
    #expect(accepted > 0)
    var random = SplitMix64(seed: UInt64(truncatingIfNeeded: name.utf8.reduce(7) { $0 &* 31 &+ Int($1) }))
    for round in 0..<Self.count {
      let bytes = Self.damaged(seeds, &random)
      do {
        accepted += try check.check(bytes)
      } catch {
        Issue.record("\(name) \(round): \(error), of \(Data(bytes).base64EncodedString())")
      }
    }
  }

  /// Replaces each number and instant in every seed with extreme and unusual values.
  @Test(arguments: DecoderChecks.names)
  func extremeNumbersEndNothing(name: String) throws {
    var check = try #require(DecoderChecks.named(name))
    let extremes = ["9223372036854775807", "-9223372036854775808", "9223372036854775808", "1e308", "0", "9999-12-31"]
    for seed in try Self.seeds(name) {
      guard let text = String(validating: seed, as: UTF8.self), name != "mapping" else { continue }
      for number in text.matches(of: /-?[0-9][-0-9:T .+Z]*[0-9]|[0-9]/) {
        for extreme in extremes {
          let changed = text.replacingCharacters(in: number.range, with: extreme)
          do {
            _ = try check.check(Array(changed.utf8))
          } catch {
            Issue.record("\(error), of \(changed)")
          }
        }
      }
      // Changes two at once, so that the distance between them overflows.
      let numbers = text.matches(of: /[0-9]{12,}|[0-9]{4}-[0-9]{2}-[0-9]{2}[ T][0-9:.]+/).map(\.range)
      for (first, second) in zip(numbers, numbers.dropFirst()) {
        for (low, high) in [("-9223372036854775808", "9223372036854775807"), ("9223372036854775807", "-1")] {
          let changed = text.replacingCharacters(in: second, with: high).replacingCharacters(in: first, with: low)
          _ = try check.check(Array(changed.utf8))
        }
      }
    }
  }

  @Test func everyCheckHasSeeds() throws {
    for name in DecoderChecks.names { #expect(try Self.seeds(name).count >= 2, "\(name)") }
    #expect(DecoderChecks.named("unknown") == nil)
  }
}
