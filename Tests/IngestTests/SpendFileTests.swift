import Basics
import EventModel
import Testing

@testable import Ingest

/// Advertising spend from CSV files, with the headings of advertising networks.
@Suite struct SpendFileTests {
  private func rows(_ text: String, _ settings: SpendFile.Settings = .init()) throws -> [String] {
    try SpendFile(text, name: "ads.csv", settings).rows.map { row in
      let slice = row.slice
      let parts = [slice.source, slice.campaign, slice.adGroup, slice.country, slice.platform]
      return "\(row.day) \(parts.joined(separator: "/")) \(row.currency) \(row.spend)"
        + (row.installs.map { " \($0) installs" } ?? "")
    }
  }

  @Test func theCurrencyMayStandInTheHeading() throws {
    let text = """
      Date,Campaign name,Country,Amount spent (USD),Installs
      2026-02-02,"tides, US",US,"1,206.50",3
      2026-02-02,tides DE,Germany,2.25,4

      """
    #expect(
      try rows(text) == [
        "2026-02-02 /tides, US//US/ USD 1206500000 3 installs", "2026-02-02 /tides DE//DE/ USD 2250000 4 installs",
      ])
  }

  /// Semicolons, a decimal comma, days first, a title above the header, and a row of totals.
  @Test func otherLocalesAreRead() throws {
    let text =
      "Kampagnenbericht\r\nDay;Ad set name;Cost;Currency code\r\n02.02.2026;a;1.234,5;EUR\r\n;Total;1.234,5;EUR\r\n"
    #expect(try rows(text) == ["2026-02-02 //a// EUR 1234500000"])
    #expect(try SpendFile(text, name: "ads.csv").totals == 1)
    #expect(
      try rows("day,cost (gbp)\nFeb 2 2026,1\n20260203,2\n") == [
        "2026-02-02 //// GBP 1000000", "2026-02-03 //// GBP 2000000",
      ])
  }

  /// 1.25 + 2.5 of one day and slice.
  @Test func rowsOfOneDayAndSliceAddUp() throws {
    #expect(
      try rows("date,spend,currency,device\n2026-02-02,1.25,USD,a\n2026-02-02,2.5,USD,b\n") == [
        "2026-02-02 //// USD 3750000"
      ])
  }

  /// Rows of one day and slice are one row for each app; with an app in the settings, they are one row.
  @Test func aColumnNamesTheAppOfEachRow() throws {
    let text = "date,app,spend,currency\n2026-02-02,steps,1,USD\n2026-02-02,coach,2,USD\n"
    let file = try SpendFile(text, name: "ads.csv")
    #expect(file.apps == ["steps", "coach"] && file.rows.map(\.spend) == [1_000_000, 2_000_000])
    var settings = SpendFile.Settings()
    settings.app = "steps"
    let one = try SpendFile(text, name: "ads.csv", settings)
    #expect(one.apps == ["steps"] && one.rows.map(\.spend) == [3_000_000])
  }

  @Test func columnsAndOrderCanBeNamed() throws {
    var settings = SpendFile.Settings()
    settings.columns = [.spend: "kosten", .date: "Tag"]
    settings.currency = "EUR"
    settings.dates = "month-first"
    #expect(try rows("Tag,Kosten\n01/02/2026,7\n", settings) == ["2026-01-02 //// EUR 7000000"])
  }

  @Test(arguments: [
    ("date,clicks\n2026-02-02,1\n", "--map date=COLUMN"),
    ("date,spend\n2026-02-02,1\n", "ads.csv:2: no currency"),
    ("date,spend,currency\n2026-02-02,-1,USD\n", "ads.csv:2: spend is -1"),
    ("date,spend,currency\nsoon,1,USD\n", "ads.csv:2: date is soon"),
    ("date,currency,spend\n2026-02-02,USD,1,234.50\n", "ads.csv:2: 4 cells, but the header has 3"),
    ("date,spend,currency\n01/02/2026,1,USD\n", "--dates day-first"),
    ("date,spend,currency\n2026-02-02,1,XYZ\n", "currency is XYZ"),
    ("", "is not a CSV"),
  ])
  func aWrongFileImportsNothing(_ text: String, _ fault: String) {
    let faults = #expect(throws: ImportFaults.self) { try SpendFile(text, name: "ads.csv") }
    #expect(faults?.description.contains(fault) == true, "\(faults?.description ?? "")")
  }
}
