import EventModel
public import Metrics
import Statistics

/// Returns the variant that the others are set against: `control`, or of two variants, none of which is called so, the first
/// by name (definitions 8.1).
func controlVariant(of names: [String]) -> String? {
  names.first { $0 == "control" } ?? (names.count == 2 ? names.min(by: precedesInBytes) : nil)
}

/// A funnel of one app by a dimension, with its two variants side by side: where the difference between them comes from.
struct VariantPairs {
  /// Viewers, those who started a trial, and those who paid.
  private struct Counts {
    var users = 0.0
    var trials = 0.0
    var paid = 0.0
    /// The row that they are of; `nil` of a total.
    var row: [ReportValue]?

    static func + (left: Counts, right: Counts) -> Counts {
      Counts(users: left.users + right.users, trials: left.trials + right.trials, paid: left.paid + right.paid)
    }

    var paidShare: Proportion { Proportion(successes: paid, trials: users) }
  }

  private struct Row {
    var label: String
    var isTotal = false
    /// With users of no variant.
    var all = Counts()
    var control = Counts()
    var other = Counts()
    var isCompared: Bool { min(control.users, other.users) >= Double(fewestFollowed) }
    /// Percentage points by which the other variant has more payers; `nil` where a side has too few viewers.
    var difference: (value: Double, bounds: ClosedRange<Double>)? {
      guard isCompared, let interval = miettinenNurminenDifference(other.paidShare, control.paidShare),
        interval.low <= interval.high
      else { return nil }
      return (other.paid / other.users - control.paid / control.users, interval.low...interval.high)
    }
    /// Of the difference; `nil` where there is none.
    var p: Double? { isCompared ? miettinenNurminenTest(other.paidShare, control.paidShare)?.twoSidedP : nil }
  }

  private let report: Report
  private let dimension: Int
  private let variant: Int
  private let paid: ReportColumn
  private let names: (control: String, other: String)
  private var rows: [Row] = []
  private var hasTrials: Bool { rows.contains { $0.all.trials > 0 } }

  /// - Returns: `nil` for other reports, several apps, and more or fewer than two variants.
  init?(_ report: Report) {
    let keys = report.columns.indices.filter { report.columns[$0].kind == .key && report.columns[$0].name != "app" }
    let places = Dictionary(report.columns.enumerated().map { ($1.name, $0) }) { first, _ in first }
    guard report.name == "funnel", report.asOf.count == 1, keys.count == 2, let variant = places["variant"],
      let dimension = keys.first(where: { $0 != variant }), Dimension.period(report.columns[dimension].name) == nil,
      let users = places["users"], let trials = places["trial_users"], let paid = places["paid_users"]
    else { return nil }
    func count(_ row: [ReportValue], _ place: Int) -> Double {
      if case .count(let count) = row[place] { Double(count) } else { 0 }
    }
    let seen = report.rows.filter { count($0, users) > 0 }
    let named = Set(seen.compactMap { $0[variant].textValue }.filter { !$0.hasPrefix("(") })
    guard named.count == 2, let control = controlVariant(of: Array(named)),
      let other = named.first(where: { $0 != control })
    else { return nil }
    (self.report, self.dimension, self.variant) = (report, dimension, variant)
    (self.paid, names) = (report.columns[paid], (control, other))
    var found: [String: Int] = [:]
    for row in seen {
      let label = row[dimension].textValue ?? ""
      let place = found[label] ?? rows.count
      if place == rows.count {
        found[label] = place
        rows.append(Row(label: label))
      }
      let counts = Counts(users: count(row, users), trials: count(row, trials), paid: count(row, paid), row: row)
      rows[place].all = rows[place].all + counts
      if row[variant] == .text(control) { rows[place].control = counts }
      if row[variant] == .text(other) { rows[place].other = counts }
    }
    rows.sort { left, right in
      let (one, two) = (left.all.users, right.all.users)
      return one == two ? precedesInBytes(left.label, right.label) : one > two
    }
  }

  /// The card of the table.
  func markup(_ look: PageLook) -> Markup {
    let shown = rows.prefix(min(look.rowLimit, PageLook.fewRows))
    var total = Row(label: "All", isTotal: true)
    for row in rows {
      total.all = total.all + row.all
      (total.control, total.other) = (total.control + row.control, total.other + row.other)
    }
    let end = barReach(of: (shown + [total]).compactMap(\.difference?.bounds))
    let adjusted = Adjustment.holm.adjusted(rows.map(\.p))
    let lines = zip(shown, adjusted).map { line($0, p: $1, end: end, look) }
    let heading = report.columns[dimension].name
    let title = "By \(columnWords(heading)), and where the variants differ"
    let left = rows.count - shown.count
    let sum = left == 0 ? "" : " \(countText(left)) more \(left == 1 ? "row is" : "rows are") part of the sum."
    func head(_ step: String, _ name: String, isWide: Bool = false) -> Markup {
      "<th scope=\"col\"\(isWide ? #" class="roomy""# : "" as Markup)>\(step), \(shortName(name))</th>"
    }
    return pageCard(
      title, subtitle: counted(rows.count, "row"),
      """
      <div class="scroll" tabindex="0" role="group" aria-label="\(title)"><table class="cards-sm"><thead><tr>\
      <th scope="col" class="t">\(columnHeading(heading))</th><th scope="col" class="roomy">Viewers</th>\
      <th scope="col" class="wideonly">Paid, in all</th>\
      \(hasTrials ? head("Trial", names.control, isWide: true) + head("Trial", names.other, isWide: true) : "")\
      \(head("Paid", names.control))\(head("Paid", names.other))\
      <th scope="col" class="g">\(barEnds(end, .points))</th><th scope="col">Difference, pp</th></tr></thead><tbody>
      \(lines)\(line(total, p: total.p, end: end, look))</tbody></table></div>
      <p class="note">Difference: the share of <bdi>\(names.other)</bdi>’s viewers who paid, minus \
      <bdi>\(names.control)</bdi>’s. In bold: a larger difference than chance explains, corrected for the number of rows \
      (Holm). Decide with the experiment.\(sum) <span class="narrowonly">Bars reach \(reachText(end, .points)) to each \
      side.</span></p>
      """)
  }

  /// - Parameter p: Of the row's difference, by Holm's method over all rows.
  private func line(_ row: Row, p: Double?, end: Double, _ look: PageLook) -> Markup {
    let difference = row.difference
    let tone = (p ?? 1) >= 0.05 ? "calm" : (difference?.value ?? 0) > 0 ? "good" : "bad"
    let bar = difference.map { intervalBar($0.value, $0.bounds, ends: -end...end, tone: tone) } ?? ""
    func share(_ count: Double, _ users: Double) -> String {
      users > 0 ? ChartUnit.share.value(count / users) : undefinedMark
    }
    func paid(_ counts: Counts, _ name: String) -> Markup {
      let address = counts.row.flatMap { look.cell?(self.paid, $0, report) }
      let count: Markup = counts.users > 0 ? " <small>\(countText(Int(counts.paid)))</small>" : ""
      return
        "<td class=\"nw\" data-h=\"\(cutName(name))\">\(linked("\(share(counts.paid, counts.users))", to: address))\(count)</td>"
    }
    func trial(_ counts: Counts) -> Markup {
      "<td class=\"roomy\">\(share(counts.trials, counts.users))</td>"
    }
    let paidOfAll = share(row.all.paid, row.all.users)
    let bounds =
      wilsonInterval(successes: row.all.paid, trials: row.all.users).map { boundsText($0.low...$0.high) } ?? ""
    let number: Markup =
      difference.map { difference in
        let value: Markup = "\(pointsNumber(difference.value) ?? undefinedMark)"
        let bounds = pointsBounds(difference.bounds.lowerBound, difference.bounds.upperBound) ?? ""
        let shown: Markup = tone == "calm" ? value : #"<b class="\#(tone)">\#(value)</b>"#
        return "\(shown)<span class=\"narrowonly\"> pp</span> <small>\(bounds)</small>"
      } ?? "<small>too few viewers</small>"
    let label: Markup = "<bdi>\(row.label == "(unattributed)" ? "no paywall known" : row.label)</bdi>"
    let viewers = countText(Int(row.all.users))
    return """
      <tr\(row.isTotal ? #" class="sum""# : "" as Markup)><th scope="row">\(linked(label, to: address(of: row, look))) \
      <small class="narrowonly">\(paidOfAll) of \(viewers)</small></th>\
      <td class="roomy">\(viewers)</td>\
      <td class="nw wideonly">\(paidOfAll) <small>\(bounds) · \(countText(Int(row.all.paid)))</small></td>\
      \(hasTrials ? trial(row.control) + trial(row.other) : "")\
      \(paid(row.control, names.control))\(paid(row.other, names.other))\
      <td class="g" aria-hidden="true">\(bar)</td><td class="nw dif">\(number)</td></tr>

      """
  }

  /// The report of both variants within a row.
  private func address(of row: Row, _ look: PageLook) -> String? {
    guard var values = row.control.row ?? row.other.row else { return nil }
    var single = report
    single.columns.remove(at: variant)
    values.remove(at: variant)
    return look.row?(values, single)
  }
}

extension Report {
  /// Whether it is a funnel of one app by variant, with two of them: then a table by another dimension shows where they
  /// differ.
  public var hasVariantPair: Bool {
    guard name == "funnel", asOf.count == 1, let variant = place("variant") else { return false }
    let named = Set(rows.compactMap { $0[variant].textValue }.filter { !$0.hasPrefix("(") })
    return named.count == 2 && controlVariant(of: Array(named)) != nil
  }
}
