import Metrics

/// A report as people read it: the answer first, core columns with human headings, totals, sentences (ReadAReport.md,
/// "Read any table").
struct SummaryTable {
  struct Cell {
    /// `nil` when undefined.
    var text: String?
    /// Behind the text: how much of a period there is, such as `15 of 31 d`; the second is for narrow windows.
    var mark = ""
    var shortMark = ""
    /// The bounds, such as `25.1 to 30.8`.
    var bounds = ""
    /// Whether a difference is more than chance, and for the better; `nil` where it is not.
    var isBetter: Bool?
    /// Whether it is a rate of a period that is not over, or whose users still have time.
    var isOpen = false
  }

  struct Column {
    var name: String
    var heading: String
    /// In a narrow window.
    var shortHeading: String?
    var isKey = false
    /// Words, which may be wrapped.
    var isText = false
    var cells: [Cell]
    /// By line, for a picture.
    var shares: [Double?] = []
    var intervals: [ClosedRange<Double>?] = []
    var isPicture = false
    /// Whether `--columns` names it.
    var isAsked = false
    /// Whether it is the first to be left out of a narrow window.
    var isFirstToGo = false

    var hasBounds: Bool { cells.contains { !$0.bounds.isEmpty } }
    var isLeftAligned: Bool { isKey || isText || isPicture || hasBounds }
  }

  /// Columns that a narrow window shows as one, their sum.
  struct Folded {
    var names: Set<String>
    var column: Column

    /// Returns columns with the sum in place of the first of them; as they are where one is not there or was asked for.
    func into(_ columns: [Column]) -> [Column] {
      let own = columns.filter { names.contains($0.name) }
      guard own.count == names.count, !own.contains(where: \.isAsked) else { return columns }
      return columns.compactMap { $0.name == own[0].name ? column : names.contains($0.name) ? nil : $0 }
    }
  }

  /// A sentence below the table.
  struct Note {
    var text: String
    /// As ``Cell/isBetter``.
    var isBetter: Bool?
  }

  var title: String
  /// The chosen filters, such as `country US`; `nil` for all users.
  var chosen: String?
  /// The currency of its money, such as `USD` or `USD a month`; `nil` where it has none.
  private(set) var currency: String?
  /// Rows that there would be without a limit.
  private(set) var rowCount = 0
  /// Keys first.
  var columns: [Column] = []
  /// `nil` where no columns add up.
  private(set) var folded: Folded?
  /// The rows and totals of the cells, and their report.
  private(set) var lines: [TableLine] = []
  private(set) var report: Report
  var lineCount: Int { lines.count }
  /// The first line of the totals behind the rule; ``lineCount`` without any.
  private(set) var totalStart = 0
  /// At most three.
  private(set) var notes: [Note] = []

  /// - Parameters:
  ///   - report: With all of its rows.
  ///   - text: Makes a name of any origin fit to be shown.
  /// - Throws: ``UnknownColumn`` when the options name a column that is not there.
  init(
    _ report: Report, _ options: RenderOptions, showing text: @escaping (String) -> String = visible
  ) throws(UnknownColumn) {
    var builder = TableBuilder(report, options, text)
    title = builder.title
    (chosen, currency, rowCount) = (builder.chosen, builder.currencyText, builder.rows.count)
    self.report = builder.report
    if builder.report.rows.isEmpty {
      // Of health, how many checks are fine.
      let checks = report.rows.isEmpty || report.asOf.isEmpty ? [] : builder.notes
      notes =
        [Note(text: text(builder.report.emptySentence))] + checks
        + (builder.rowNotes + builder.definition).map { Note(text: $0) }
      return
    }
    let shown = try builder.shownColumns(options.columns)
    try builder.arrange(options)
    columns = builder.columns(shown)
    folded = builder.folded
    let asked = (options.columns ?? "").split(separator: ",").map { $0.hasPrefix("+") ? $0.dropFirst() : $0 }
    for place in columns.indices where asked.contains(columns[place].name[...]) { columns[place].isAsked = true }
    var isDrawn = true
    if options.isPlotted { isDrawn = addPicture() }
    lines = builder.lines
    totalStart = builder.totalStart
    let most =
      switch report.name {
      // Of several apps, a conclusion for each.
      case "why": 3 + DriverNotes.apps
      // And the sum of all apps.
      case "compare" where !report.totals.isEmpty: options.isForPage ? 5 : 4
      default: 3
      }
    notes = Array(builder.notes.prefix(most)) + (builder.rowNotes + builder.definition).map { Note(text: $0) }
    if !isDrawn { notes.append(Note(text: "Nothing to draw: only rates have bars, and this table has none.")) }
    if options.isForPage {
      for place in notes.indices { notes[place].text = Self.withoutOptions(notes[place].text) }
    }
  }

  /// Returns a sentence without command-line options, which are in brackets or after a colon at its end.
  private static func withoutOptions(_ sentence: String) -> String {
    sentence.replacing(#/ \(--[^)]*\)/#, with: "").replacing(#/: `?--.*\.$/#, with: ".")
  }

  /// Adds a picture after the last rate with bounds, else after the last rate.
  ///
  /// - Returns: Whether there is a rate.
  private mutating func addPicture() -> Bool {
    let width = 20
    let place =
      columns.lastIndex { $0.intervals.contains { $0 != nil } }
      ?? columns.lastIndex { $0.shares.contains { $0 != nil } }
    guard let place else { return false }
    let column = columns[place]
    let end = axisEnd(column.shares, column.intervals)
    let cells = zip(column.shares, column.intervals).map { share, bounds in
      Cell(text: pictureText(share, bounds, end: end.share, width: width))
    }
    let axis = "0%" + padded(end.text, to: width - 2, isLeftAligned: false)
    columns.insert(Column(name: "", heading: axis, cells: cells, isPicture: true), at: place + 1)
    return true
  }
}
