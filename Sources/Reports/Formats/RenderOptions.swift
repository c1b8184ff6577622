/// How a report looks; a format ignores options that do not concern it.
public struct RenderOptions: Sendable {
  /// Columns of the terminal that a table may fill; `nil` for no limit.
  public var width: Int? = 100
  /// Lines of a page that a table is read in; `nil` where it is not read in pages.
  public var height: Int?
  /// Whether a table is for a terminal, where long names give way.
  public var isTerminal = false
  /// Whether a table stands on a page, which has menus in place of options.
  var isForPage = false
  /// As `--columns` has them: `a,b`, `+a,-b` or `all`; `nil` for those that a table has by itself.
  public var columns: String?
  /// Whether parameters and definitions follow a table.
  public var showsNotes = false
  /// The least severity of findings in a table; `nil` for warnings.
  public var severity: String?
  public var isByLine = false
  /// Whether a table of quarantine has the text of its examples.
  public var showsRaw = false
  /// Whether a table may contain escape sequences; the caller checks for a terminal and `NO_COLOR`.
  public var isColored = false
  /// Whether CSV cells are kept from being run as formulas.
  public var isSpreadsheetSafe = false
  /// Whether a table draws its last rate, and a readout its charts.
  public var isPlotted = false
  /// The sections of a readout that follow its first screen.
  public var parts: Set<ExperimentPart> = []
  /// Whether a readout begins with its first screen: verdict, next step, money and scorecard.
  public var hasVerdict = true
  /// A readout as one page or message to share; `nil` for none.
  public var memo: Memo?
  /// As `--sort` has it: `COLUMN`, `COLUMN:asc` or `COLUMN:desc`; `nil` keeps the order of the keys.
  public var sort: String?
  /// How many rows are shown at most, 0 or more; `nil` shows all.
  public var limit: Int?

  public init() {}
}
