import Foundation
import Testing

/// Messages of `cluster` and `worker` before Spark is called.
@Suite struct ClusterCommandTests {
  @Test(arguments: [
    (["cluster", "build", "--data", "d"], "path"), (["cluster", "build", "--data", "", "e"], "--data is empty"),
    (["cluster", "build", "--data", "d", "--conf", "a", "e"], "--conf is a, but must be key=value"),
    (["cluster", "build", "--data", "d", "--whole-file", "-1", "e"], "--whole-file"),
    (["cluster", "report", "--data", "d"], "report"),
    (["cluster", "report", "--data", "d", "ingest", "e"], "ingest is not a report"),
    (["cluster", "report", "--data", "d", "funnel", "--bogus"], "--bogus"),
    (["cluster", "report", "--data", "d", "funnel", "--by", "nothing"], "nothing"),
    (["cluster", "report", "--data", "d", "funnel", "--store", "s"], "--store does not work with cluster report"),
    (["cluster", "report", "--data", "d", "--rates", "none.csv", "funnel"], "--rates is none.csv"),
  ])
  func wrongArgumentsAreFoundAtOnce(arguments: [String], message: String) throws {
    try Folder.with { folder in
      let ran = try Program.run(arguments, in: folder.url)
      #expect(ran.status == 2 && ran.output == "")
      #expect(ran.errors.contains(message), "\(ran.errors)")
    }
  }

  @Test func aMissingSparkIsSaid() throws {
    try Folder.with { folder in
      let ran = try Program.run(
        ["cluster", "build", "--data", "d", "--spark-submit", "/nonexistent/spark-submit", "e"], in: folder.url)
      #expect(ran.status == 2 && ran.errors == "tollgate: /nonexistent/spark-submit: is not a program\n")
    }
  }

  /// sysexits.h: 64 for another version's arguments, in one line.
  @Test(arguments: [["worker", "fold", "--protocol", "0"], ["worker", "fold"], ["worker", "shuffle"]])
  func workersOfAnotherVersionRefuse(arguments: [String]) throws {
    try Folder.with { folder in
      let ran = try Program.run(arguments, in: folder.url)
      #expect(ran.status == 64 && ran.output == "")
      #expect(ran.errors.hasPrefix("tollgate worker: ") && ran.errors.count { $0 == "\n" } == 1, "\(ran.errors)")
    }
  }
}
