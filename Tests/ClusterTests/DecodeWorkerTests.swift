import Cluster
import Foundation
import Testing

@Suite struct DecodeWorkerTests {
  private let valid =
    "{\"event_id\":\"1\",\"event\":\"paywall_impression\",\"app\":\"a\\tb\",\"user_id\":\"u\",\"ts\":\"2026-03-01T00:00:00Z\","
    + "\"entry_point\":\"card\"}"

  @Test func aFileIsEventsRejectedLinesAndARowOfItsOwn() throws {
    let rows = try WorkerRun.decoded([("s3a://b/x.jsonl", Data("\(valid)\n\n{\"event_id\":2}\n".utf8))])
    #expect(rows.count == 4)
    let event = rows[0].split(separator: "\t").map(String.init)
    #expect(event[...7] == ["event", "a\\tb", "u", "1", "paywall_impression", "\(dayZero)", "\\N", "unmarked"])
    #expect(event[13...15] == ["s3a://b/x.jsonl", "0", "1"] && event.count == 17)
    #expect(rows[1] == "rejected\ts3a://b/x.jsonl\t0\t3\tmissing:event\tevent\t{\"event_id\":2}\t\\N")
    #expect(rows[2].hasPrefix("file\ts3a://b/x.jsonl\t0\t") && rows[2].hasSuffix("\t2\t2\t1\t\\N\t\\N"))
    #expect(rows[3] == "end\t\(WorkerProtocol.version)\t1\t0")
  }

  /// The content of a file determines its format, not its name; a record may span lines.
  @Test func csvIsRead() throws {
    let csv = "event_id,event,app,user_id,ts,campaign\n1,activity,a,\"u\n1\",1772323200000,x\n"
    let rows = try WorkerRun.decoded([("f.bin", Data(csv.utf8))])
    #expect(rows.count == 3 && rows[0].hasPrefix("event\ta\tu\\n1\t1\tactivity\t"))
    #expect(rows[0].contains("\"properties\":{\"campaign\":\"x\"}"))
  }

  /// If two apps show equal paywalls, each has an impression of its own, without instant, ids and client.
  @Test func impressionsAreOfTheirApp() throws {
    let lines = ["a", "b", "a"].enumerated().map {
      "{\"event_id\":\"\($0)\",\"event\":\"paywall_impression\",\"app\":\"\($1)\",\"user_id\":\"u\",\"ts\":\(dayZero),"
        + "\"entry_point\":\"card\",\"platform\":\"ios\"}"
    }
    let rows = try WorkerRun.decoded([("f", Data((lines.joined(separator: "\n") + "\n").utf8))])
    let impressions = rows.prefix(3).map { $0.split(separator: "\t").map(String.init)[11] }
    func expected(_ app: String) -> String {
      "{\"app\":\"\(app)\",\"entry_point\":\"card\",\"environment\":\"production\",\"event\":\"paywall_impression\","
        + "\"event_id\":\"-\",\"ownership\":\"purchased\",\"tier\":\"individual\",\"ts\":1230768000000,\"user_id\":\"-\"}"
    }
    // Packs are by app.
    #expect(impressions == ["a", "a", "b"].map(expected))
  }

  @Test func aTruncatedFileIsNamedAndDropsNoOther() throws {
    // A gzip file of "x", cut off in its trailer.
    let cut = Data([0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3, 0xAB, 0, 0])
    let rows = try WorkerRun.decoded([("cut.gz", cut), ("whole", Data("\(valid)\n".utf8))])
    let files = rows.filter { $0.hasPrefix("file\t") }
    #expect(files.count == 2 && !files[0].hasSuffix("\t\\N") && files[1].hasSuffix("\t\\N"))
    #expect(rows.last == "end\t\(WorkerProtocol.version)\t2\t0")
  }

  /// Lines are counted within their block; invalid UTF-8 is encoded in base 64.
  @Test func linesOfBlocks() throws {
    let bytes = Data([0x7B, 0xFF, 0x7D]).base64EncodedString()
    let input = "f\t0\t\t\\N\nf\t0\t\(valid.replacing("\\", with: "\\\\"))\t\\N\nf\t64\t\\N\t\(bytes)\n"
    let rows = try WorkerRun.readable(
      WorkerRun.rows(input) { try DecodeWorker(input: $0, output: $1, folder: "/", buckets: 1).runLines() })
    #expect(rows.count == 5)
    #expect(rows[0].hasPrefix("event\ta\\tb\tu\t1\t") && rows[0].contains("\tf\t0\t2\t"))
    #expect(rows[1] == "file\tf\t0\t\t0\t2\t1\t0\t\\N\t\\N")
    #expect(rows[2] == "rejected\tf\t64\t1\tinvalid_utf8\t\\N\t\\N\t\(bytes)")
    #expect(rows[3] == "file\tf\t64\t\t0\t1\t1\t1\t\\N\t\\N")
  }
}
