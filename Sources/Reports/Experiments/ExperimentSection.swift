import Metrics

/// One part of a readout as people read it: a heading, sentences, and maybe a table.
struct ExperimentSection {
  var title: String
  var sentences: [String] = []
  /// Its columns and rows; empty for none.
  var table: Report?
  /// Whether an option of its own asks for it, such as `--over-time`.
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

/// A cell of text; a dash where there is none.
func textCell(_ text: String?) -> ReportValue { .text(text ?? undefinedMark) }

extension ReportColumn {
  /// A column of texts that stand at the right, as numbers do.
  static func figure(_ name: String) -> ReportColumn { ReportColumn(name, .number) }
}
