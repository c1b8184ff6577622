internal import Hummingbird
internal import Metrics
internal import Reports
internal import Serving

/// Reports as CSV and JSON, for programs.
extension Dashboard {
  /// Always reads the current store: a program that has just written to it cannot be asked to reload.
  func table(_ view: ReportView, query: String) async -> StoredAnswer {
    await cache.answer(to: "\(view.apiPath)?\(query)", of: try? source.version(), isCurrent: true) {
      do throws(ReportFault) {
        return try await makeTable(view, ViewQuery(query))
      } catch {
        log(error, view.apiPath)
        return StoredAnswer(
          bytes: problemBody(ReportMarkup.shown(ReportRequest.parameterText(error.message))),
          type: "application/json", status: error.status, isLasting: error.kind == .wrongArguments)
      }
    }
  }

  private func makeTable(_ view: ReportView, _ query: ViewQuery) async throws(ReportFault) -> StoredAnswer {
    let format = query.first("format") ?? "json"
    let isSpreadsheetSafe = try query.flag("spreadsheet")
    let query = query.setting("format", to: []).setting("spreadsheet", to: [])
    guard let known = ReportFormat(rawValue: format),
      let type = [.csv: "text/csv; charset=utf-8; header=present", .json: "application/json"][known] as String?
    else {
      throw ReportFault(.wrongArguments, "format is \(format), but must be csv or json")
    }
    var answer = try await workers.answer(query.request(for: view), as: known)
    answer.options.isSpreadsheetSafe = isSpreadsheetSafe && known == .csv
    guard answer.rowCount <= settings.rowLimit else {
      throw ReportFault(
        .wrongArguments,
        "the table has \(answer.rowCount) rows, more than the \(settings.rowLimit) of an answer: ask for fewer with "
          + "limit, where, from and to, or fewer dimensions")
    }
    return StoredAnswer(bytes: Array(try answer.text().utf8), type: type)
  }
}
