/// Colours have a contrast of at least 4.5 with what they stand on; the bars' blue is told apart by the colour-blind
/// (Okabe and Ito) and in grey print.
let htmlStyle =
  htmlRules
  // Classes, so that a policy may forbid styles in attributes.
  + firstKeyWidths.map { "\n.first-\($0) { --first-key: \($0)rem; }" }.joined()

private let htmlRules = """
  :root {
    color-scheme: light dark;
    --page: #ffffff; --ink: #1b2430; --muted: #566070; --line: #d9dfe7; --strong: #9aa5b4; --head: #f2f5f8;
    --bar: #8cc3e8; --mark: #0b3c5d; --link: #0b5cad;
  }
  @media (prefers-color-scheme: dark) {
    :root {
      --page: #12161c; --ink: #e4e8ee; --muted: #a3adba; --line: #2c3440; --strong: #5a6675; --head: #1b212a;
      --bar: #2a6c9c; --mark: #d3eafb; --link: #7ab8f5;
    }
  }
  * { box-sizing: border-box; }
  body {
    margin: 0 auto; max-width: 88rem; padding: 1.75rem 1.5rem 3rem; background: var(--page); color: var(--ink);
    font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "DejaVu Sans", sans-serif;
    font-variant-numeric: tabular-nums; overflow-wrap: anywhere;
  }
  h1 { margin: 0 0 .75rem; font-size: 1.6rem; line-height: 1.25; }
  h2 { margin: 0 0 .5rem; font-size: 1.25rem; line-height: 1.3; }
  h3 { margin: 1.75rem 0 .5rem; font-size: 1.05rem; line-height: 1.3; }
  section { margin-top: 2.5rem; padding-top: 1.25rem; border-top: 2px solid var(--strong); }
  a { color: var(--link); }
  nav ul { display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; margin: .75rem 0 0; padding: 0; list-style: none; }
  dl { display: grid; grid-template-columns: max-content 1fr; gap: .1rem 1rem; margin: 0 0 .75rem; }
  dt { color: var(--muted); }
  dd { margin: 0; grid-column: 2; }
  .definition { margin: 0 0 1rem; padding-left: 1.1rem; max-width: 60rem; color: var(--muted); font-size: .9em; }
  .figures { display: flex; flex-wrap: wrap; gap: 0 2rem; }
  figure { margin: 0 0 .5rem; max-width: 100%; overflow-x: auto; }
  figcaption { margin: 0 0 .35rem; font-weight: 600; font-size: .9rem; }
  .legend, footer { color: var(--muted); font-size: .85em; }
  .legend { max-width: 60rem; margin: .75rem 0 0; }
  footer { margin-top: 2.5rem; border-top: 1px solid var(--line); padding-top: .75rem; }
  .scroll {
    width: fit-content; max-width: 100%; max-height: 85vh; overflow: auto; margin: 0 0 1rem;
    border: 1px solid var(--line); border-radius: 6px;
  }
  .scroll:focus-visible, a:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
  table { border-collapse: separate; border-spacing: 0; font-size: .9rem; overflow-wrap: normal; }
  caption { padding: .4rem .55rem; text-align: left; color: var(--muted); font-size: .85em; }
  caption span { position: sticky; left: .55rem; }
  th, td { padding: .3rem .55rem; text-align: right; vertical-align: top; border-top: 1px solid var(--line); }
  td.rate { position: relative; padding-bottom: .65rem; }
  thead th {
    position: sticky; top: 0; z-index: 1; vertical-align: bottom; background: var(--head); font-weight: 600;
    line-height: 1.25;
  }
  tbody th { font-weight: 400; }
  tbody th:first-child { font-weight: 600; }
  .key, .text { text-align: left; }
  .key bdi, .text bdi { display: inline-block; max-width: 22rem; overflow-wrap: break-word; }
  td { white-space: nowrap; }
  td.text { white-space: normal; }
  th.key:nth-child(-n+2) { position: sticky; left: 0; background: var(--page); }
  th.key:nth-child(2) { left: var(--first-key); }
  th.key:first-child:not(:last-child) { min-width: var(--first-key); max-width: var(--first-key); }
  thead th.key:nth-child(-n+2) { z-index: 2; background: var(--head); }
  tr.first > * { border-top-color: var(--strong); }
  small { font-size: .88em; color: var(--muted); font-weight: 400; }
  th small { display: block; white-space: nowrap; }
  td.rate svg { position: absolute; left: .55rem; top: calc(1.55em + .3rem); width: calc(100% - 1.1rem); height: 5px; }
  td.rate rect { fill: var(--bar); }
  td.rate .interval { fill: var(--mark); }
  @media (max-width: 40rem) {
    body { padding: 1rem .9rem 2rem; }
    dl { display: block; }
    dt { margin-top: .35rem; font-size: .85em; }
    .key bdi { max-width: 7rem; }
    .text bdi { max-width: 16rem; }
    .key:first-child:not(:last-child) bdi { max-width: 4.4rem; overflow-wrap: anywhere; }
    table { --first-key: 5.5rem !important; }
    figure .chart { min-width: 36rem; }
  }
  @media print {
    :root {
      --page: #ffffff; --ink: #000000; --muted: #444444; --line: #cccccc; --strong: #777777; --head: #ffffff;
      --bar: #9ecae8; --mark: #000000; --link: #000000;
    }
    @page { size: landscape; margin: 12mm; }
    body { max-width: none; padding: 0; font-size: 9pt; }
    nav { display: none; }
    .scroll { max-height: none; overflow: visible; border: 0; }
    table { font-size: 7.5pt; }
    th, td { padding: 2pt 4pt; }
    td.rate svg { left: 4pt; top: calc(1.55em + 2pt); width: calc(100% - 8pt); }
    td.rate { padding-bottom: 6pt; }
    thead { display: table-header-group; }
    thead th, th.key:nth-child(-n+2) { position: static; }
    tr, td.rate svg { break-inside: avoid; }
    h2, h3, dl, .definition, caption { break-after: avoid; }
    td.rate rect { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
  }
  """ + "\n" + chartStyle
