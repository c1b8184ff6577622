import Metrics
import Reports
import Testing

struct ExperimentPlotTests {
  private typealias Events = ExperimentEvents

  /// A plot has one row per variant, of the requested width, with the interval on both sides of the value; the
  /// difference has a row with 0 marked.
  @Test func picturesFollowTheTables() throws {
    let lines = Events.arm("control", persons: 200, paying: 20) + Events.arm("new", persons: 200, paying: 60)
    let store = try TestStore(lines: lines + [Events.line("activity", "z", ms: Events.days(70))])
    let report = try store.experiment()
    var options = RenderOptions()
    options.width = 70
    let plain = try render(report, as: .table, options: options)
    options.isPlotted = true
    let plotted = try render(report, as: .table, options: options)
    #expect(!plain.contains("●") && plotted.contains("●"))
    let rows = plotted.split(separator: "\n").filter { $0.contains("●") }
    #expect(rows.allSatisfy { $0.count <= 70 })
    let paid = try #require(plotted.range(of: "\npaid\n"))
    let block = plotted[paid.upperBound...].split(separator: "\n").prefix(3).map(String.init)
    #expect(block[0].hasSuffix("%") || block[0].contains("%"))
    #expect(block[1].hasPrefix("control") && block[2].hasPrefix("new") && block[2].hasSuffix("30.0%"))
    for row in block.dropFirst() {
      let marks = row.filter { "├●┤".contains($0) }
      #expect(marks == "├●┤", "\(row)")
    }
    let difference = try #require(plotted.range(of: "paid, difference (always valid)\n"))
    let row = plotted[difference.upperBound...].split(separator: "\n")[1]
    #expect(row.hasPrefix("new") && row.hasSuffix("+20.0 pp") && row.contains("│"))
    #expect(try render(report, as: .csv, options: options) == render(report, as: .csv))
  }
}
