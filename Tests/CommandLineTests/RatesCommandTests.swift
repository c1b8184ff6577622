import Foundation
import Testing

/// `rates import` and its effects from the command line.
@Suite struct RatesCommandTests {
  private static let rates = "date,currency,usd_per_unit\n2026-01-07,EUR,1.1\n2026-01-08,JPY,0.0064\n"

  @Test func importedRatesServeReportsInOneCurrency() throws {
    try Folder.with { folder in
      try folder.makeStore()
      try folder.write(Self.rates, to: "rates.csv")
      let first = try folder.run("rates", "import", "rates.csv")
      #expect(first.status == 0 && first.errors == "" && first.output == "2 rates of 2 currencies, 2 new or changed\n")
      let again = try folder.run("rates", "import", "-", input: Self.rates)
      #expect(again.output == "2 rates of 2 currencies, 0 new or changed\n")
      #expect(try folder.run("rates", "import", "--quiet", "rates.csv").output == "")
      let list = try folder.run("rates", "list", "--format", "csv")
      #expect(
        list.output == """
          currency,source,rates,payments,first_day,last_day,last_usd_per_unit,longest_gap
          EUR,imported,1,,2026-01-07,2026-01-07,1.1,
          JPY,imported,1,,2026-01-08,2026-01-08,0.0064,

          """)
      // 6.99 euros at 1.1 are 7.689.
      let revenue = try folder.run("revenue", "--by", "none", "--currency", "usd", "--format", "csv")
      #expect(revenue.output.hasSuffix("\ndemo,USD,1,0,7.69,0.00,7.69\n"), "\(revenue.output)\(revenue.errors)")
      let json = try folder.run("mrr", "--currency", "USD", "--format", "json")
      #expect(json.output.contains(#""currency": "USD""#))
      #expect(try folder.run("doctor", "--rebuild-check").status == 0)
    }
  }

  /// A shell's `<(command)` passes a path to a pipe, which has no length.
  @Test func aPipeWithAPathIsRead() throws {
    try Folder.with { folder in
      try folder.makeStore()
      #expect(mkfifo(folder.path("rates.csv"), 0o600) == 0)
      let fifo = URL(fileURLWithPath: folder.path("rates.csv"))
      Thread.detachNewThread { try? Data(Self.rates.utf8).write(to: fifo) }
      let result = try folder.run("rates", "import", "rates.csv")
      #expect(result.status == 0 && result.output.hasPrefix("2 rates of 2 currencies"), "\(result.errors)")
    }
  }

  @Test func aWrongFileImportsNothing() throws {
    try Folder.with { folder in
      try folder.makeStore()
      try folder.write(Self.rates + "2026-01-09,EUR,x\n", to: "wrong.csv")
      let result = try folder.run("rates", "import", "wrong.csv")
      #expect(result.status == 2 && result.output == "")
      #expect(
        result.errors.contains("wrong.csv:4: usd_per_unit is x") && result.errors.contains("nothing was imported"))
      #expect(try folder.run("rates").output.contains("No rates yet"))
      #expect(try folder.run("rates", "import", "--store", "no/such/folder.db", "wrong.csv").status == 2)
    }
  }

  @Test func howLongItHasWaitedIsSaid() throws {
    try Folder.with { folder in
      try folder.makeStore()
      try folder.write(Self.rates, to: "rates.csv")
      let result = try folder.withSQL("BEGIN IMMEDIATE", on: "tollgate.db") {
        try folder.run("rates", "import", "--lock-timeout", "0.5", "rates.csv")
      }
      #expect(result.status == 5 && result.errors.contains("for 0.5 s"), "\(result.errors)")
    }
  }

  /// A store without rates has no table for them, even after a report that could ask for some. Earlier versions made
  /// identical stores from the files.
  @Test func aStoreWithoutRatesIsAsBefore() throws {
    try Folder.with { folder in
      let table = "SELECT name FROM sqlite_master WHERE name = 'rate'"
      try folder.makeStore()
      #expect(try folder.run("revenue").status == 0)
      #expect(try folder.rows(table, of: "tollgate.db").isEmpty)
      try folder.write(Self.rates, to: "rates.csv")
      #expect(try folder.run("rates", "import", "rates.csv").status == 0)
      #expect(try folder.rows(table, of: "tollgate.db") == ["rate"])
    }
  }

  /// A yen cost 0.0064 dollars, so 157 are yen per dollar: 1 ÷ 157 = 0.0063694.
  @Test func anInvertedRateIsRefusedWithItsLine() throws {
    try Folder.with { folder in
      try folder.makeStore()
      let header = "date,currency,usd_per_unit\n"
      try folder.write(header + "2026-01-07,EUR,1.08\n2026-01-08,JPY,0.0064\n2026-01-09,EUR,1.081\n", to: "old.csv")
      #expect(try folder.run("rates", "import", "old.csv").status == 0)
      try folder.write(header + "2026-01-10,EUR,1.082\n2026-01-12,JPY,157\n", to: "new.csv")
      let result = try folder.run("rates", "import", "new.csv")
      #expect(result.status == 2 && result.output == "")
      let lines = result.errors.split(separator: "\n")
      #expect(
        lines.first?.hasPrefix(
          "tollgate: new.csv:3: JPY of 2026-01-12 is 157, but 0.0064 on days near it in the store: it seems to be JPY per "
            + "US dollar. Write US dollars per JPY, here 0.0063694") == true, "\(result.errors)")
      #expect(
        try folder.run("rates", "list", "--format", "csv").output.contains("EUR,imported,2,,2026-01-07,2026-01-09"))
      // A store with inverted rates can be corrected.
      try folder.write(header + "2026-01-10,JPY,157\n", to: "wrong.csv")
      #expect(try folder.run("rates", "import", "--store", "wrong.db", "wrong.csv").status == 0)
      try folder.write(header + "2026-01-10,JPY,0.0064\n", to: "right.csv")
      #expect(try folder.run("rates", "import", "--store", "wrong.db", "right.csv").status == 0)
    }
  }
}
