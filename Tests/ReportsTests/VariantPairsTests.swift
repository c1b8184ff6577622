import Foundation
import Testing

@testable import Metrics
@testable import Reports

/// A funnel's two variants side by side. Intervals are those of Miettinen and Nurminen (1985), solved by bisection with the
/// restricted estimates found numerically; those of one share are Wilson's.
struct VariantPairsTests {
  private func funnel(_ rows: [(String, String, users: Int, trials: Int, paid: Int)], apps: [String] = ["a"]) -> Report
  {
    Report(
      name: "funnel", title: "", definition: [], parameters: [],
      asOf: apps.map { Report.AppInstant(app: $0, asOf: 1_773_619_200_000, notes: []) },
      columns: ["app", "entry_point", "variant"].map { ReportColumn($0, .key) }
        + ["users", "trial_users", "paid_users"].map { ReportColumn($0, .count) },
      rows: rows.map {
        [.text("a"), .text($0.0), .text($0.1), .count($0.users), .count($0.trials), .count($0.paid)]
      })
  }

  private func lines(_ report: Report) throws -> [String] {
    let text = try #require(VariantPairs(report)).markup(PageLook(links: .none)).text
    let body = try #require(text.split(separator: "<tbody>").last?.split(separator: "</tbody>").first)
    return body.split(separator: "</tr>").map {
      $0.replacing(/<svg.*?<\/svg>/, with: "").replacing(/<[^>]*>/, with: "|").replacing(/\|+/, with: "|")
        .trimmingCharacters(in: .whitespacesAndNewlines)
    }.filter { !$0.isEmpty }
  }

  /// The row with the most viewers comes first; 60 of 177 less 29 of 160 are +15.8 pp, 65 of 217 less 37 of 220 +13.1.
  /// Nine viewers are too few to tell.
  @Test func theSidesAreSubtracted() throws {
    let lines = try lines(
      funnel([
        ("widgets", "anchor", 40, 10, 5), ("widgets", "control", 60, 12, 8), ("settings", "anchor", 177, 68, 60),
        ("settings", "control", 160, 27, 29), ("lock", "anchor", 9, 3, 3), ("lock", "control", 70, 3, 3),
      ]))
    #expect(
      lines == [
        "|settings| |26.4% of 337|337|26.4% |22.0 to 31.4 · 89|16.9%|38.4%|18.1% |29|33.9% |60|+15.8| pp| |+6.4 to +24.9|",
        "|widgets| |13.0% of 100|100|13.0% |7.8 to 21.0 · 13|20.0%|25.0%|13.3% |8|12.5% |5|−0.8| pp| |−14.1 to +14.5|",
        "|lock| |7.6% of 79|79|7.6% |3.5 to 15.6 · 6|4.3%|33.3%|4.3% |3|33.3% |3|too few viewers|",
        "|All| |20.9% of 516|516|20.9% |17.6 to 24.6 · 108|14.5%|35.8%|13.8% |40|30.1% |68|+16.3| pp| |+9.2 to +23.6|",
      ], "\(lines)")
  }

  /// 57 of 200 less 40 of 200: z = 0.085/√(0.2425 · 0.7575 · 2/200 · 400/399) = 1.981, p = 0.048. Two such rows have 0.095 each
  /// by Holm's method, so that neither stands out. Without trials there are no shares of them.
  @Test func manyRowsAreTakenTogether() throws {
    let one = [("x", "control", users: 200, trials: 0, paid: 40), ("x", "b", users: 200, trials: 0, paid: 57)]
    let line = try lines(funnel(one))[0]
    #expect(
      line == "|x| |24.2% of 400|400|24.2% |20.3 to 28.7 · 97|20.0% |40|28.5% |57|+8.5| pp| |+0.1 to +16.9|", "\(line)")
    let two = one + one.map { ("y", $0.1, users: $0.2, trials: $0.3, paid: $0.4) }
    let lines = try lines(funnel(two))
    #expect(
      lines[0].hasSuffix("|57|+8.5| pp| |+0.1 to +16.9|") && lines[2].hasSuffix("+8.5| pp| |+2.6 to +14.4|"), "\(lines)"
    )
  }

  /// Users without a variant are of neither side, but of all.
  @Test func usersWithoutAVariantAreOfNeitherSide() throws {
    let lines = try lines(
      funnel([
        ("settings", "b", 217, 100, 65), ("settings", "a", 220, 90, 37), ("settings", "(unattributed)", 500, 400, 300),
      ]))
    #expect(
      lines[0].hasPrefix("|settings| |42.9% of 937|937|42.9% |39.8 to 46.1 · 402|")
        && lines[0].hasSuffix("|+13.1| pp| |+5.2 to +21.0|"), "\(lines)")
  }

  /// Three variants, one, and two apps have the plain table.
  @Test func onlyTwoVariantsOfOneAppArePaired() {
    let two = [("x", "control", 100, 20, 10), ("x", "b", 100, 20, 10)]
    #expect(VariantPairs(funnel(two)) != nil)
    #expect(VariantPairs(funnel(two + [("x", "c", 100, 20, 10)])) == nil)
    #expect(VariantPairs(funnel([two[0]])) == nil)
    #expect(VariantPairs(funnel(two, apps: ["a", "b"])) == nil)
  }
}
