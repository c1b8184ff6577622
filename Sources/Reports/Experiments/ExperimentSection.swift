import Metrics

/// A section of a readout that is printed only if asked for.
public enum ExperimentPart: String, CaseIterable, Sendable {
  case assumptions, metrics, adjustments, pairs, segments, trend
  case trialToPaid = "trial-to-paid"
  case revenue, guardrails, sizes, health, parameters, rules

  /// The names of all parts, separated by commas.
  public static var list: String { allCases.map(\.rawValue).joined(separator: ", ") }
}

/// One part of a readout for readers: a heading, sentences and possibly a table.
struct ExperimentSection {
  var title: String
  var sentences: [String] = []
  /// The table; `nil` for none.
  var table: Report?
  /// The name to ask for it by; `nil` where a separate option requests it, such as `--over-time`.
  var part: ExperimentPart?

  init(
    _ part: ExperimentPart?, _ title: String, sentences: [String] = [], columns: [ReportColumn] = [],
    rows: [[ReportValue]] = []
  ) {
    self.title = title
    self.part = part
    self.sentences = sentences
    guard !rows.isEmpty else { return }
    table = Report(
      name: title, title: title, definition: [], parameters: [], asOf: [], columns: columns, rows: rows)
  }
}

func textCell(_ text: String?) -> ReportValue { .text(text ?? undefinedMark) }

extension [ReportColumn] {
  static func keys(_ names: String...) -> Self { names.map { ReportColumn($0, .key) } }

  func keys(_ names: String...) -> Self { self + names.map { ReportColumn($0, .key) } }

  func counts(_ names: String...) -> Self { self + names.map { ReportColumn($0, .count) } }

  func texts(_ names: String...) -> Self { self + names.map { ReportColumn($0, .text) } }

  /// Adds columns of numbers, or of texts aligned right as they are.
  func figures(_ names: String...) -> Self { self + names.map { ReportColumn($0, .number) } }
}
