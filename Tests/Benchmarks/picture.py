"""Draws cost against size from the newest figures of each part.

    python picture.py out/bench/latest.json cost.svg
"""

import json
import statistics
import sys

import matplotlib

matplotlib.use("svg")
from matplotlib import pyplot  # noqa: E402

INK = "#7a7a7a"  # Legible on white and on black.
COLOURS = {"tollgate": "#2f8fd0", "DuckDB, primary key": "#e08214", "DuckDB, no key": "#c2a000", "funnel": "#2f8fd0",
           "trials": "#2ca089", "savings": "#a06cd5", "cancellations": "#d6604d"}


def ingest_lines(parts):
    """Name to [(million events, seconds)]."""
    lines = {}
    for figures in parts.get("growth", []):
        lines.setdefault("tollgate", []).append((figures["events"] / 1e6, figures["seconds"]))
        if "duckdb" in figures:
            lines.setdefault("DuckDB, no key", []).append((figures["events"] / 1e6, figures["duckdb"]["seconds"]))
    for figures in parts.get("ingest", []):
        runs = figures["contestants"]["DuckDB, primary key"]["runs"]
        if figures["name"].startswith("sample") and runs:
            lines.setdefault("DuckDB, primary key", []).append(
                (figures["events"] / 1e6, statistics.median(run["seconds"] for run in runs)))
    return lines


def report_lines(parts):
    """(report, whose) to [(million events, milliseconds)]."""
    lines = {}
    for figures in parts.get("growth", []):
        for report, one in figures["reports"].items():
            lines.setdefault((report, "tollgate"), []).append(
                (figures["events"] / 1e6, statistics.median(one["seconds"]) * 1000))
    for figures in parts.get("reports", []):
        for row in figures["rows"]:
            if row["kind"] == "standard":
                lines.setdefault((row["report"], "DuckDB"), []).append(
                    (figures["events"] / 1e6, statistics.median(row["peers"]["DuckDB"]) * 1000))
    return lines


def axes_of(axes, title, unit):
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.margins(x=0.08, y=0.12)
    axes.set_title(title, color=INK, fontsize=11)
    axes.set_xlabel("million events in the store", color=INK)
    axes.set_ylabel(unit, color=INK)
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_locator(matplotlib.ticker.LogLocator(subs=(1, 2, 5)))
        axis.set_major_formatter(matplotlib.ticker.FuncFormatter(lambda value, _: f"{value:,g}"))
        axis.set_minor_locator(matplotlib.ticker.NullLocator())
    axes.tick_params(colors=INK, which="both")
    axes.grid(True, color=INK, alpha=0.25, linewidth=0.5)
    for spine in axes.spines.values():
        spine.set_color(INK)
    axes.legend(frameon=False, labelcolor=INK, fontsize=8, loc="upper center", bbox_to_anchor=(0.5, -0.14), ncols=2)


def main():
    parts = json.load(open(sys.argv[1]))["parts"]
    matplotlib.rcParams.update({"svg.hashsalt": "tollgate", "svg.fonttype": "none", "font.size": 9})
    figure, (left, right) = pyplot.subplots(1, 2, figsize=(9.5, 5))
    for name, points in ingest_lines(parts).items():
        left.plot(*zip(*sorted(points)), marker="o", markersize=4, color=COLOURS[name], label=name)
    axes_of(left, "Ingest of sample data", "seconds of the whole process")
    for (report, whose), points in report_lines(parts).items():
        right.plot(*zip(*sorted(points)), marker="o", markersize=4, color=COLOURS[report],
                   linestyle="-" if whose == "tollgate" else ":",
                   label=f"{report}, {'tollgate' if whose == 'tollgate' else 'DuckDB'}")
    axes_of(right, "Reports: tollgate's process, DuckDB's query alone", "milliseconds")
    figure.tight_layout()
    figure.savefig(sys.argv[2], transparent=True, metadata={"Date": None})


if __name__ == "__main__":
    main()
