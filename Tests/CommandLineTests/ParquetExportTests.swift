import Foundation
import Testing

/// Exports a simulated store as Parquet and ingests the events again.
@Suite struct ParquetExportTests {
  @Test func exportedEventsGiveTheSameReports() throws {
    try Folder.with { folder in
      #expect(
        try folder.run("sample", "--seed", "7", "--persons", "120", "--days", "60", "--output", "events").status == 0)
      #expect(try folder.run("ingest", "--store", "a.db", "events").status == 0)
      let exported = try folder.run("export", "--store", "a.db", "--format", "parquet", "--output", "out")
      #expect(exported.status == 0, "\(exported.errors)")
      let read = try folder.run("ingest", "--store", "b.db", "--format", "json", "out/events.parquet")
      #expect(read.status == 0, "\(read.errors)")
      for report in [["funnel", "--by", "variant"], ["revenue"], ["trials", "--by", "plan"]] {
        let reports = try ["a.db", "b.db"].map { store in
          try Program.run(report + ["--store", store, "--format", "csv"], in: folder.url)
        }
        #expect(reports[0].output == reports[1].output && !reports[0].output.isEmpty)
      }
      // The other views have the rows of their CSV.
      for view in ["payments", "trials", "subscriptions", "files"] {
        let csv = try folder.run("export", "--store", "a.db", view).output.split(separator: "\n").count - 1
        #expect(exported.output.contains("out/\(view).parquet: \(csv) rows"))
      }
      #expect(try folder.run("export", "--store", "a.db", "--format", "parquet", "--output", "again").status == 0)
      for view in ["events", "payments", "files"] {
        let files = try ["out", "again"].map { name in
          try Data(contentsOf: URL(fileURLWithPath: folder.path("\(name)/\(view).parquet")))
        }
        #expect(files[0] == files[1] && files[0].starts(with: Array("PAR1".utf8)))
      }
    }
  }
}
