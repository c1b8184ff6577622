/// A table of shares whose cells are darker for greater shares: cohorts by age.
struct HeatMapChart {
  var title: String
  var columns: [String]
  /// The meaning of the columns.
  var columnName: String
  /// A share for each column, by row; `nil` if unknown.
  var rows: [(label: String, count: Int, shares: [Double?])]

  private static let cell = (width: 54.0, height: 22.0)

  var chart: Chart {
    var marks = SVGMarks()
    let labels = rows.map { chartLabel($0.label, characters: 28) }
    let counts = rows.map { ChartUnit.text(Double($0.count), decimals: 0) }
    let countsAt = (labels.map(chartTextWidth).max() ?? 0) + (counts.map(chartTextWidth).max() ?? 0) + 18
    let left = countsAt + 10
    let top = 38.0
    marks.text(columnName, x: left, y: 12, class: "muted")
    for (place, column) in columns.enumerated() {
      marks.text(column, x: left + (Double(place) + 0.5) * Self.cell.width, y: top - 8, class: "muted middle")
    }
    for (number, row) in rows.enumerated() {
      let y = top + Double(number) * Self.cell.height
      marks.text(labels[number], x: 0, y: y + 15)
      marks.text(counts[number], x: countsAt, y: y + 15, class: "muted end")
      for (place, share) in row.shares.enumerated() {
        guard let share else { continue }
        let x = left + Double(place) * Self.cell.width
        // Light enough for the digits to be readable in either theme.
        marks.rect(
          x: x + 1, y: y + 1, width: Self.cell.width - 2, height: Self.cell.height - 2, class: "s0",
          opacity: 0.06 + 0.49 * min(max(share, 0), 1))
        marks.text(
          ChartUnit.share.text(share, step: 0.001), x: x + Self.cell.width / 2, y: y + 15, class: "middle")
      }
    }
    let description = rows.map { row in
      let known = zip(columns, row.shares).compactMap { column, share in
        share.map { "\(column) \(ChartUnit.share.text($0, step: 0.001))" }
      }
      return "\(row.label): \(known.joined(separator: ", "))"
    }
    return Chart(
      title: title, description: description.joined(separator: "; "),
      width: left + Double(columns.count) * Self.cell.width, height: top + Double(rows.count) * Self.cell.height + 4,
      marks: marks.lines)
  }
}
