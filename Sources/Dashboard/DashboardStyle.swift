internal import Reports

/// The reports' own style, and what the pages around them need.
enum DashboardStyle {
  static let text = ReportMarkup.style + pages

  private static let pages = """

    .skip { position: absolute; left: -100vw; }
    .skip:focus { left: 1rem; top: .5rem; padding: .25rem .75rem; background: var(--page); z-index: 9; }
    .hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
    .top { margin: -1rem 0 1.5rem; border-bottom: 2px solid var(--strong); padding-bottom: .6rem; }
    .brand { margin: 0; font-weight: 700; font-size: 1.05rem; }
    .brand a { color: var(--ink); text-decoration: none; }
    .top nav { display: flex; flex-wrap: wrap; gap: .15rem 1.5rem; }
    .top nav ul { gap: 0 .9rem; margin: .2rem 0 0; }
    .top nav a { display: inline-block; padding: .2rem 0; }
    .top nav a[aria-current] { color: var(--ink); font-weight: 600; text-decoration: none; }
    .summary { margin: -.5rem 0 1rem; color: var(--muted); }
    .former { border: 1px solid; border-radius: 6px; padding: .6rem .8rem; max-width: 60rem; }
    .fault { border: 2px solid var(--fault); border-radius: 6px; padding: .6rem .8rem; max-width: 60rem; }
    :root { --fault: #b3261e; }
    @media (prefers-color-scheme: dark) { :root { --fault: #f2a59f; } }
    .chips { display: flex; flex-wrap: wrap; gap: .4rem; margin: 0 0 .8rem; padding: 0; list-style: none; font-size: .9em; }
    .chips li { max-width: 100%; }
    .chips a {
      display: inline-block; max-width: 100%; padding: .15rem .6rem; border: 1px solid var(--line); border-radius: 1rem;
      background: var(--head); text-decoration: none; overflow-wrap: anywhere;
    }
    .filters { margin: 0 0 1.25rem; border: 1px solid var(--line); border-radius: 6px; }
    .filters summary { padding: .5rem .8rem; cursor: pointer; font-weight: 600; }
    .filters form {
      display: grid; grid-template-columns: repeat(auto-fill, minmax(15rem, 1fr)); gap: .9rem 1.25rem; padding: .5rem .8rem .9rem;
    }
    .filters fieldset { grid-column: 1 / -1; margin: 0; padding: .3rem .7rem .5rem; border: 1px solid var(--line); border-radius: 6px; min-width: 0; }
    .filters label { font-size: .9em; }
    .filters .field label { display: block; color: var(--muted); }
    .filters .box { display: inline-block; margin: .15rem 1rem .15rem 0; }
    .filters .other { display: inline-block; margin: .15rem 1rem .15rem 0; color: var(--muted); }
    .filters legend { padding: 0 .3rem; color: var(--muted); font-size: .9em; }
    .filters small { display: block; }
    .filters input:not([type=checkbox]), .filters select {
      width: 100%; min-height: 2.2rem; padding: .25rem .5rem; font: inherit; color: var(--ink); background: var(--page);
      border: 1px solid var(--strong); border-radius: 4px;
    }
    .filters .other input { width: 14rem; max-width: 100%; }
    .filters input::placeholder { color: var(--muted); opacity: 1; }
    .actions { grid-column: 1 / -1; margin: 0; }
    button {
      min-height: 2.2rem; padding: .25rem 1.2rem; font: inherit; font-weight: 600; color: var(--page); background: var(--link);
      border: 0; border-radius: 4px; cursor: pointer; margin-right: 1rem;
    }
    td a { color: inherit; text-decoration: underline dotted; text-decoration-color: var(--muted); text-underline-offset: .2em; }
    td a:hover { color: var(--link); text-decoration: underline; }
    .persons { padding-left: 3rem; max-width: 75rem; }
    .persons > li { margin: 0 0 .9rem; overflow-wrap: anywhere; }
    .persons p { margin: 0; }
    .persons ul { margin: .15rem 0 0; padding-left: 1.2rem; }
    .files { margin: .25rem 0; font-size: .9em; color: var(--muted); }
    code { font-family: ui-monospace, "DejaVu Sans Mono", monospace; font-size: .92em; overflow-wrap: anywhere; }
    summary:focus-visible, button:focus-visible, input:focus-visible, select:focus-visible {
      outline: 2px solid var(--link); outline-offset: 2px;
    }
    @media (max-width: 40rem) {
      .top { margin-top: 0; }
      .top nav { gap: 0; }
      .top nav ul { flex-wrap: nowrap; overflow-x: auto; width: 100%; }
      .top nav a { padding: .45rem 0; white-space: nowrap; }
    }
    @media print { .top, .filters, .chips, .files, .skip { display: none; } }

    """
}
