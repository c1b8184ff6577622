import Foundation
import Testing

/// A stranger's files from `init` to the funnel (spec/onboarding.md, sections 1 and 3).
@Suite struct InitCommandTests {
  /// 20 users see a paywall; the first four start a trial.
  private static let table: String = {
    var lines = ["customer_ref;happened_at;action;screen_source;sku;trial_len;row_id"]
    for user in 1...20 {
      lines.append("u\(user);0\(user % 9 + 1).03.2026 10:00;paywall shown;settings;;;r\(user)")
      if user <= 4 { lines.append("u\(user);0\(user % 9 + 1).03.2026 10:05;trial begun;;pro.yearly;7;t\(user)") }
      lines.append("u\(user);20.03.2026 10:00;song played;;;;s\(user)")
    }
    return lines.joined(separator: "\n") + "\n"
  }()

  @Test func aTableBecomesAFunnel() throws {
    try Folder.with { folder in
      try folder.write(Self.table, to: "data.csv")
      let failed = try folder.run("ingest", "data.csv")
      #expect(failed.status == 3 && failed.errors.contains("next: tollgate init data.csv"))
      #expect(failed.errors.contains("customer_ref (user_id?)") && failed.errors.contains("happened_at (ts?)"))
      let result = try folder.run("init", "--yes", "--app", "lumen", "--set", "trial_days=trial_len", "data.csv")
      #expect(result.status == 0, "\(result.errors)")
      #expect(result.output.contains("24 events, 0 duplicates, 0 rejected, 20 ignored"))
      let funnel = try folder.run("funnel", "--by", "entry_point", "--as-of", "2026-06-01T00:00:00Z", "--format", "csv")
      #expect(funnel.output.contains("lumen,settings,20,4,"))
      // The mapping is valid, and the same input gives the same bytes.
      #expect(try folder.run("mapping", "check", "data.mapping.yaml", "--sample", "data.csv").status == 0)
      #expect(
        try folder.run("init", "--no-ingest", "--app", "lumen", "--set", "trial_days=trial_len", "data.csv").status == 0
      )
      let other = try folder.run("init", "--no-ingest", "--app", "other", "data.csv")
      #expect(other.status == 2 && other.errors.contains("--force"))
    }
  }

  @Test func jsonHasTheProposalAndTheRun() throws {
    try Folder.with { folder in
      try folder.write(Self.table, to: "data.csv")
      let result = try folder.run("init", "--yes", "--app", "lumen", "--format", "json", "data.csv")
      let object = try #require(
        try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [String: Any])
      let fields = try #require(object["fields"] as? [String: [String: Any]])
      #expect(
        fields["user_id"]?["path"] as? String == "customer_ref" && fields["ts"]?["path"] as? String == "happened_at")
      let events = try #require(object["events"] as? [String: [String: Any]])
      #expect(events["paywall shown"]?["kind"] as? String == "paywall_impression")
      #expect(events["song played"]?["kind"] as? String == "ignore")
      #expect((object["ingested"] as? [String: Any])?["ignored"] as? Int == 20)
    }
  }

  @Test func withoutAnswersNothingIsWritten() throws {
    try Folder.with { folder in
      try folder.write("a,b\nx,y\nz,w\n", to: "data.csv")
      let result = try folder.run("init", "--yes", "data.csv")
      #expect(result.status == 2 && result.errors.contains("--set user_id=COLUMN"))
      #expect(!FileManager.default.fileExists(atPath: folder.path("tollgate.db")))
    }
  }

  /// Section 3: a failed try does not stand in the way, and events that were taken stay.
  @Test func aFileIsReadAgainWithAnotherMapping() throws {
    try Folder.with { folder in
      try folder.write("who,at,what\nann,2026-03-01,open\nbob,2026-03-02,seen\n", to: "data.csv")
      let head = "app: {value: a}\nname: what\ntime: at\n"
      try folder.write(head + "user: nobody\nevents: {open: activity, seen: activity}\n", to: "wrong.yaml")
      try folder.write(head + "user: who\nevents: {open: activity}\n", to: "half.yaml")
      try folder.write("# all\n" + head + "user: who\nevents: {seen: restore, open: activity}\n", to: "all.yaml")
      let wrong = try folder.run("ingest", "--mapping", "wrong.yaml", "data.csv")
      #expect(wrong.status == 3 && wrong.errors.contains("no events: 2 records are rejected"))
      let half = try folder.run("ingest", "--mapping", "half.yaml", "data.csv")
      #expect(half.status == 0 && half.errors.contains("(2 rejected lines removed)"))
      #expect(half.output.contains("1 events, 0 duplicates, 1 quarantined"))
      let all = try folder.run("ingest", "--mapping", "all.yaml", "data.csv")
      #expect(all.errors.contains("1 are events now and 0 are still rejected"))
      let again = try folder.run("ingest", "--mapping", "all.yaml", "data.csv")
      #expect(again.status == 0 && again.output.hasPrefix("0 files (1 skipped") && again.errors.isEmpty)
      #expect(try folder.run("doctor", "--rebuild-check").status == 0)
    }
  }
}
