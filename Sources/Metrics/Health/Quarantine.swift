public import Store

/// Lists the rejected lines as a table.
public enum Quarantine {
  public static func report(_ lines: [StoreSnapshot.QuarantinedLine]) -> Report {
    Report(
      name: "quarantine", title: "Rejected lines",
      definition: [
        "Rejected lines do not count in any report. `tollgate quarantine show ID` prints one as it is in its file"
      ],
      parameters: [], asOf: [],
      columns: [
        ReportColumn("file", .key), ReportColumn("line", .count), ReportColumn("id", .count),
        ReportColumn("reason", .text), ReportColumn("field", .text), ReportColumn("raw", .text),
      ],
      rows: lines.map { line in
        [
          .text(line.file), line.line.map { .count($0) } ?? .percent(nil),
          line.id.map { .count(Int($0)) } ?? .percent(nil), .text(line.reason), .text(line.field ?? ""),
          .text(line.raw),
        ]
      })
  }
}
