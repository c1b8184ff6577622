import Foundation
import Metrics
import Store
import Synchronization
import Testing

@testable import Dashboard

struct KnownFactsTests {
  @Test func requestsShareWhatStandsAndAFaultIsTriedAgain() async throws {
    let path = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).db").path
    defer { for end in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + end) } }
    _ = try Store.open(path: path)
    let (known, version) = (KnownFacts(), try StoreWatch(path: path).version())
    let made = Mutex(0)
    let (gate, opener) = AsyncStream.makeStream(of: Void.self)
    func ask(_ apps: [String]) -> KnownFacts.Shared<HomeReports.Standing> {
      known.standing(apps, timeZone: "UTC", of: version) {
        made.withLock { $0 += 1 }
        for await _ in gate { break }
        return .failure(ReportFault(.tooSlow, "it takes too long"))
      }
    }
    let first = [ask([]), ask([])]
    opener.finish()
    for task in first { _ = await task.value }
    #expect(made.withLock { $0 } == 1)
    _ = await ask([]).value
    #expect(made.withLock { $0 } == 2)
    _ = await ask(["steps"]).value
    #expect(made.withLock { $0 } == 3)
  }

  /// Of four warnings, two are of app a, one of b, and one of no single app.
  @Test func countsAreThoseOfTheChosenApps() {
    var facts = StoreFacts()
    facts.apps = ["a", "b"].map { DataApp(name: $0, days: 0..<1) }
    #expect(facts.counts(of: []).warnings == nil)
    facts.warnings = ["a", "a", Health.allApps, "b"]
    #expect(facts.counts(of: []).warnings == 4)
    #expect(facts.counts(of: ["a"]).warnings == 3)
    #expect(facts.counts(of: ["b"]).warnings == 2)
    #expect(facts.counts(of: ["unknown"]).warnings == 4)
  }
}
