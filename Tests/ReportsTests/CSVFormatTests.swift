import FolderSupport
import Foundation
import Testing

@testable import Metrics
@testable import Reports

struct CSVFormatTests {
  @Test func wholeReports() throws {
    try expectGolden(render(SampleReports.funnel, as: .csv), "funnel.csv")
    try expectGolden(render(SampleReports.savings, as: .csv), "savings.csv")
    try expectGolden(render(SampleReports.hostile, as: .csv), "hostile.csv")
  }

  @Test func withoutRowsThereIsTheHeaderOnly() throws {
    let text = try render(SampleReports.empty, as: .csv)
    #expect(text.hasPrefix("app,variant,entry_point,users,"))
    #expect(text.hasSuffix(",immature\n"))
    #expect(text.utf8.count { $0 == 0x0A } == 1)
  }

  @Test func spreadsheetsAreGivenNothingToRun() throws {
    var options = RenderOptions()
    options.isSpreadsheetSafe = true
    let text = try render(SampleReports.hostile, as: .csv, options: options)
    try expectGolden(text, "hostile.spreadsheet.csv")
    for record in csvRecords(text) {
      for cell in record { #expect(!"=+-@\t\r\n".unicodeScalars.contains(cell.unicodeScalars.first ?? " "), "\(cell)") }
    }
  }

  @Test func negativeNumbersAreNotTakenForFormulas() throws {
    var options = RenderOptions()
    options.isSpreadsheetSafe = true
    #expect(try render(SampleReports.savings, as: .csv, options: options) == render(SampleReports.savings, as: .csv))
  }

  @Test func namesOfColumnsAreQuotedToo() throws {
    var report = SampleReports.empty
    report.columns = [ReportColumn("property:a,\"b\"", .key), ReportColumn("users", .count)]
    #expect(try render(report, as: .csv) == "\"property:a,\"\"b\"\"\",users\n")
  }

  /// Otherwise no worked case would be tested.
  @Test(.enabled(if: SharedFolder.isTried(fixtures), "\(SharedFolder.absence(of: fixtures))"))
  func thereAreWorkedCases() {
    #expect(!fixtureFiles.isEmpty)
  }

  /// The expected files of the worked cases round-trip through typed values.
  @Test(
    .enabled(if: SharedFolder.isTried(fixtures), "\(SharedFolder.absence(of: fixtures))"), arguments: fixtureFiles)
  func theWorkedCasesAreWrittenByteForByte(file: URL) throws {
    let golden = try String(decoding: Data(contentsOf: file), as: UTF8.self)
    let records = csvRecords(golden)
    var report = SampleReports.empty
    report.columns = records[0].map { ReportColumn($0, .text) }
    report.rows = records.dropFirst().map { record in zip(records[0], record).map { value($0.1, column: $0.0) } }
    #expect(try Array(render(report, as: .csv).utf8) == Array(golden.utf8))
  }

  private func value(_ cell: String, column: String) -> ReportValue {
    if column.contains(":") || ["app", "variant", "entry_point"].contains(column) { return .text(cell) }
    if let count = Int(cell) { return .count(count) }
    guard let point = cell.firstIndex(of: "."), let number = Double(cell) else { return .text(cell) }
    // Amounts have two decimals in every worked case, all other numbers six.
    return cell.distance(from: point, to: cell.endIndex) == 3
      ? .money(Int128((number * 1e6).rounded()), currency: "USD") : .rate(number)
  }

  /// January begins on the 5th and March ends on the 15th of the data.
  @Test func columnsAreChosenAndPeriodsSayWhetherTheyAreWhole() throws {
    let report = Report(
      name: "revenue", title: "", definition: [], parameters: [],
      // 2026-03-16T00:00:00Z, and 2026-01-05.
      asOf: [Report.AppInstant(app: "a", asOf: 1_773_619_200_000, notes: [], firstDay: 1_767_571_200_000)],
      columns: [
        ReportColumn("app", .key), ReportColumn("month", .key), ReportColumn("payments", .count),
        ReportColumn("refunds", .count),
      ],
      rows: ["2026-01", "2026-02", "2026-03"].map { [.text("a"), .text($0), .count(1), .count(2)] })
    func csv(_ columns: String) throws -> String {
      var options = RenderOptions()
      options.columns = columns
      return try render(report, as: .csv, options: options)
    }
    #expect(
      try csv("all")
        == "app,month,payments,refunds,complete\na,2026-01,1,2,no\na,2026-02,1,2,yes\na,2026-03,1,2,no\n")
    #expect(try csv("refunds").hasPrefix("app,month,refunds\na,2026-01,2\n"))
    #expect(try csv("-payments").hasPrefix("app,month,refunds\n"))
    #expect(report.coverage("2026-01", of: "month", in: report.asOf[0])?.covered == 27)
    #expect(report.coverage("2026-03", of: "month", in: report.asOf[0])?.covered == 15)
    #expect(report.coverage("2026-03-09", of: "week", in: report.asOf[0]) == nil)
  }

  /// Data to 17:59 on Sunday, 15 March have 6 whole days of the week and, rounded up, 18 hours of the day. From 18:00 on,
  /// 6 hours before midnight, a day of files may just have ended with its last event.
  @Test func aDayThatEndsInTheAfternoonIsNotOver() {
    func report(hours: Int64, minutes: Int64) -> Report {
      // 2026-03-15T00:00:00Z and the first of March.
      let asOf = 1_773_532_800_000 + (hours * 60 + minutes) * 60_000
      return Report(
        name: "revenue", title: "", definition: [], parameters: [],
        asOf: [Report.AppInstant(app: "a", asOf: asOf, notes: [], firstDay: 1_772_323_200_000)], columns: [], rows: [])
    }
    let open = report(hours: 17, minutes: 59)
    let (week, day) = (
      open.coverage("2026-03-09", of: "week", in: open.asOf[0]),
      open.coverage("2026-03-15", of: "day", in: open.asOf[0])
    )
    #expect(week?.covered == 6 && week?.whole == 7 && week?.unit == .day)
    #expect(day?.covered == 18 && day?.whole == 24 && day?.unit == .hour)
    #expect(open.coverage("2026-03-14", of: "day", in: open.asOf[0]) == nil)
    let over = report(hours: 18, minutes: 0)
    #expect(over.coverage("2026-03-09", of: "week", in: over.asOf[0]) == nil)
    #expect(over.coverage("2026-03-15", of: "day", in: over.asOf[0]) == nil)
    #expect(over.coverage("2026-03", of: "month", in: over.asOf[0])?.covered == 15)
  }
}

private let fixtures = "data/fixtures"

private let fixtureFiles: [URL] = {
  let paths = FileManager.default.enumerator(at: SharedFolder.url(of: fixtures), includingPropertiesForKeys: nil)
  let files = (paths?.allObjects ?? []).compactMap { $0 as? URL }
  return files.filter { $0.pathExtension == "csv" && $0.path.contains("/expected/") }.sorted { $0.path < $1.path }
}()

/// Parses RFC 4180 independently of the code under test.
private func csvRecords(_ text: String) -> [[String]] {
  var records: [[String]] = []
  var record: [String] = []
  var cell: [UInt8] = []
  var isQuoted = false
  var bytes = Array(text.utf8)[...]
  while let byte = bytes.popFirst() {
    switch (byte, isQuoted) {
    case (UInt8(ascii: "\""), true) where bytes.first == UInt8(ascii: "\""): cell.append(bytes.removeFirst())
    case (UInt8(ascii: "\""), _): isQuoted.toggle()
    case (UInt8(ascii: ","), false), (0x0A, false):
      record.append(String(decoding: cell, as: UTF8.self))
      cell = []
      if byte == 0x0A {
        records.append(record)
        record = []
      }
    default: cell.append(byte)
    }
  }
  return records
}
