import Foundation
import Testing

/// `spend import`, `list` and `remove` from the command line.
@Suite struct SpendCommandTests {
  private static let ads = """
    date,campaign,spend,currency,clicks
    2026-01-05,search,18.2,USD,7
    2026-01-06,search,15.505,USD,0
    2026-01-07,social,9,EUR,3

    """

  @Test func spendIsListedRemovedAndImportedAgain() throws {
    try Folder.with { folder in
      try folder.makeStore()
      try folder.write(Self.ads, to: "ads.csv")
      #expect(try folder.run("spend", "import", "ads.csv").status == 0)
      let list = try folder.run("spend", "list", "--format", "csv")
      #expect(
        list.output == """
          date,app,campaign,currency,spend,clicks
          2026-01-05,demo,search,USD,18.20,7
          2026-01-06,demo,search,USD,15.505,0
          2026-01-07,demo,social,EUR,9.00,3

          """, "\(list)")
      let table = try folder.run("spend", "list", "--from", "2026-01-06", "--to", "2026-01-07").output
      #expect(table.contains("15.505") && !table.contains("18.20") && !table.contains("ad group"), "\(table)")
      let removed = try folder.run("spend", "remove", "--from", "2026-01-05", "--to", "2026-01-07", "--app", "demo")
      #expect(removed.status == 0 && removed.output == "2 rows of spend removed\n", "\(removed)")
      #expect(try folder.run("spend", "--format", "csv").output.split(separator: "\n").count == 2)
      try folder.write(list.output, to: "listed.csv")
      let again = try folder.run("spend", "import", "listed.csv")
      #expect(again.output == "3 rows of spend of demo, 2 new or changed\n", "\(again)")
      #expect(try folder.run("spend", "list", "--format", "csv").output == list.output)
    }
  }

  @Test func noSpendIsSaid() throws {
    try Folder.with { folder in
      try folder.makeStore()
      let list = try folder.run("spend", "list")
      #expect(list.status == 0 && list.output == "" && list.errors.contains("no spend is stored"), "\(list)")
      let none = try folder.run("spend", "remove", "--from", "2026-01-05", "--to", "2026-01-07")
      #expect(none.status == 0 && none.output == "0 rows of spend removed\n", "\(none)")
      let open = try folder.run("spend", "remove", "--from", "2026-01-05")
      #expect(open.status == 2 && open.errors.contains("--from and --to are missing"), "\(open)")
      #expect(try folder.run("spend", "list", "--app", "dmeo").status == 2)
    }
  }
}
