import Metrics

/// The table of a section of an experiment as people read it.
struct SectionTable {
  struct Column {
    var name: String
    var kind: ReportColumn.Kind
    /// By row; `nil` when undefined.
    var cells: [String?]

    var isLeftAligned: Bool { kind == .key || kind == .text }
  }

  var keys: [Column]
  var values: [Column]

  /// - Parameter text: Makes a name of any origin fit to be shown.
  init(_ report: Report, showing text: (String) -> String = visible) {
    let columns = report.columns.enumerated().map { index, column in
      let decimals = percentDecimals(report.rows.compactMap { $0[index].share })
      return Column(
        name: text(columnWords(column.name)), kind: column.kind,
        cells: report.rows.map { row in
          if case .text(let name) = row[index] { return text(name) }
          return row[index].readableNumber(percentDecimals: decimals)
        })
    }
    keys = columns.filter { $0.kind == .key }
    values = columns.filter { $0.kind != .key }
  }
}
