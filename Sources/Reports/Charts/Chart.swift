/// A chart as SVG without scripts, fonts or external files, so that it works in a page, in mail and on paper.
///
/// Its colours are distinguishable with colour blindness (Okabe and Ito), and its lines by their dashes in grey print.
/// Its content is repeated in its description and in the table beside it.
public struct Chart: Sendable, Hashable {
  public var title: String
  /// The content in words, for screen readers.
  public var description: String
  /// In user units of the markup; 1 is a CSS pixel at full size.
  var width: Double
  var height: Double
  /// Lines of markup with escaped text.
  var marks: [String]

  /// - Parameters:
  ///   - id: Unique on the page, made of letters, digits and hyphens.
  ///   - isAlone: Whether the SVG is a separate file and needs the style that a page includes once.
  public func svg(id: String, isAlone: Bool = false) -> [String] {
    let (width, height) = (svgNumber(width), svgNumber(height))
    let namespace = isAlone ? #" xmlns="http://www.w3.org/2000/svg""# : ""
    return [
      #"<svg\#(namespace) class="chart" role="img" aria-labelledby="\#(id)-title \#(id)-desc" viewBox="0 0 \#(width) \#(height)" width="\#(width)" height="\#(height)">"#,
      #"<title id="\#(id)-title">\#(htmlEscaped(title))</title>"#,
      #"<desc id="\#(id)-desc">\#(htmlEscaped(description))</desc>"#,
    ] + (isAlone ? ["<style>", chartStyle, "</style>"] : []) + marks + ["</svg>"]
  }
}

/// The number of series colours, and the most series of a chart.
let chartSeriesLimit = 6

/// The style of chart classes: `s0` to `s5` fill series, `l0` to `l5` draw their lines.
let chartStyle = """
  .chart {
    --c0: #0072b2; --c1: #d55e00; --c2: #00875f; --c3: #a8518a; --c4: #b07900; --c5: #56707f;
    --chart-ink: #1b2430; --chart-muted: #566070; --chart-line: #d9dfe7; --chart-page: #ffffff;
    display: block; max-width: 100%; height: auto; margin: 0 0 1rem; overflow: visible;
    font: 12px system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "DejaVu Sans", sans-serif;
    font-variant-numeric: tabular-nums;
  }
  @media (prefers-color-scheme: dark) {
    .chart {
      --c0: #5ab4f0; --c1: #ff9a55; --c2: #3ccf9f; --c3: #e39ccb; --c4: #e8b84a; --c5: #a9bcc8;
      --chart-ink: #e4e8ee; --chart-muted: #a3adba; --chart-line: #2c3440; --chart-page: #12161c;
    }
  }
  .chart text { fill: var(--chart-ink); }
  .chart .muted { fill: var(--chart-muted); }
  .chart .bold { font-weight: 600; }
  .chart .end { text-anchor: end; }
  .chart .middle { text-anchor: middle; }
  .chart .grid { stroke: var(--chart-line); stroke-width: 1; }
  .chart .axis { stroke: var(--chart-muted); stroke-width: 1; }
  .chart .s0 { fill: var(--c0); } .chart .s1 { fill: var(--c1); } .chart .s2 { fill: var(--c2); }
  .chart .s3 { fill: var(--c3); } .chart .s4 { fill: var(--c4); } .chart .s5 { fill: var(--c5); }
  .chart .l0 { stroke: var(--c0); } .chart .l1 { stroke: var(--c1); } .chart .l2 { stroke: var(--c2); }
  .chart .l3 { stroke: var(--c3); } .chart .l4 { stroke: var(--c4); } .chart .l5 { stroke: var(--c5); }
  .chart .line { fill: none; stroke-width: 2; }
  .chart .l1.line { stroke-dasharray: 7 3; } .chart .l2.line { stroke-dasharray: 2 2; }
  .chart .l3.line { stroke-dasharray: 9 3 2 3; } .chart .l4.line { stroke-dasharray: 4 4; }
  .chart .l5.line { stroke-dasharray: 1 3; }
  .chart .band { fill-opacity: .16; }
  .chart .dot { stroke: var(--chart-page); stroke-width: 1; }
  .chart .flat { fill: var(--chart-muted); }
  @media print {
    .chart {
      --c0: #0072b2; --c1: #d55e00; --c2: #00875f; --c3: #a8518a; --c4: #b07900; --c5: #56707f;
      --chart-ink: #000000; --chart-muted: #444444; --chart-line: #cccccc; --chart-page: #ffffff; break-inside: avoid;
    }
    .chart * { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
  }
  """
