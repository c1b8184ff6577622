import FolderSupport
import Foundation
import Metrics
import Reports
import Testing

struct FrozenReadoutTests {
  private static let frozen = #"""
    {"app": "demo", "as_of": "2026-03-01T00:00:00Z", "data_hash": "aa", "experiment": "a/b", "plan": "experiment: a/b",
     "version": "1.0.0", "rows": [
      {"section": "metrics", "metric": "paid", "variant": "b", "measure": "lift", "value": "0.5", "low": "0.1"},
      {"section": "verdict", "measure": "decision", "text": "ship"}]}
    """#

  private static func readout() throws -> FrozenReadout { try FrozenReadout(json: Data(frozen.utf8)) }

  @Test func theSameIsTheSame() throws {
    let (verdict, moved) = try Self.readout().comparison(with: Self.readout())
    #expect(verdict == .same && moved.isEmpty)
  }

  @Test func otherDataAreToldFromAnotherProgram() throws {
    let then = try Self.readout()
    var now = then
    now.rows[0]["value"] = "0.4"
    now.rows[1]["text"] = "undecided"
    var (verdict, moved) = then.comparison(with: now)
    #expect(verdict == .programChanged)
    #expect(moved == ["verdict decision: ship → undecided", "metrics paid b lift: 0.5 → 0.4"])
    now.dataHash = "bb"
    (verdict, moved) = then.comparison(with: now)
    #expect(verdict == .dataChanged && moved.count == 2)
    now.rows = [then.rows[0], ["section": "trend", "measure": "slope", "value": "1"]]
    #expect(then.comparison(with: now).moved == ["verdict decision: gone", "trend slope: new"])
  }

  @Test func filesCountUpAndAreNeverOverwritten() throws {
    try withTemporaryDirectory { directory in
      let folder = directory.appendingPathComponent("frozen").path
      let readout = try Self.readout()
      let paths = try (0..<3).map { _ in try readout.write(to: folder) }
      #expect(paths == (1...3).map { "\(folder)/a_b.\($0).json" })
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder).count == 3)
      #expect(try FrozenReadout(json: Data(contentsOf: URL(fileURLWithPath: paths[1]))) == readout)
    }
  }

  /// Later readouts take choices from earlier ones of their app (D6.5, D4.6).
  @Test func earlierReadoutsAreFound() throws {
    try withTemporaryDirectory { directory in
      let folder = directory.appendingPathComponent("frozen").path
      #expect(FrozenReadout.earlier(of: "a/b", apps: [], in: folder).isEmpty)
      for (app, cap) in [("demo", 80.0), ("other", 5), ("demo", 90)] {
        var readout = try Self.readout()
        (readout.app, readout.cap, readout.capCurrency) = (app, cap, "USD")
        (readout.frozenOn, readout.fixed) = ("2026-03-02T00:00:00.000Z", FixedAtFirstReadout(cap: 80, currency: "USD"))
        _ = try readout.write(to: folder)
      }
      #expect(FrozenReadout.earlier(of: "a/b", apps: [], in: folder).map(\.cap) == [80, 5, 90])
      let own = FrozenReadout.earlier(of: "a/b", apps: ["demo"], in: folder)
      #expect(own.map(\.cap) == [80, 90] && own.allSatisfy { $0.fixed?.cap == 80 && $0.frozenOn != nil })
      #expect(FrozenReadout.earlier(of: "a_b", apps: [], in: folder).isEmpty)
    }
  }
}
