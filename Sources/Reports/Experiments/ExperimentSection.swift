import Metrics

/// One part of a readout for readers: a heading, sentences and possibly a table.
struct ExperimentSection {
  var title: String
  var sentences: [String] = []
  /// The table; `nil` for none.
  var table: Report?
  /// Whether a separate option requests it, such as `--over-time`.
  var isAskedFor = false

  init(
    _ title: String, sentences: [String] = [], columns: [ReportColumn] = [], rows: [[ReportValue]] = [],
    isAskedFor: Bool = false
  ) {
    self.title = title
    self.isAskedFor = isAskedFor
    self.sentences = sentences
    guard !rows.isEmpty else { return }
    table = Report(
      name: title, title: title, definition: [], parameters: [], asOf: [], columns: columns, rows: rows)
  }
}

/// Returns a text cell, with a dash for no text.
func textCell(_ text: String?) -> ReportValue { .text(text ?? undefinedMark) }

extension ReportColumn {
  /// Returns a column of texts aligned right, like numbers.
  static func figure(_ name: String) -> ReportColumn { ReportColumn(name, .number) }
}
