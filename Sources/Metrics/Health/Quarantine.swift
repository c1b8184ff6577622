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
      columns: columns.flatMap(\.columns), rows: SumsRows(lines).values(columns))
  }

  private static let columns: [SumsColumn<StoreSnapshot.QuarantinedLine>] = [
    .key("file", \.file), .count("line", \.line), .count("id") { $0.id.map { Int($0) } }, .text("reason", \.reason),
    .text("field") { $0.field ?? "" }, .text("raw", \.raw),
  ]
}
