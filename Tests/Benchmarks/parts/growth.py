"""How cost grows with the number of events: ingest, memory, store and the four reports on `tollgate sample`'s data."""

import sys

from harness import stores
from harness.goal import Goal
from harness.process import run
from harness.summary import median, table
from parts.reports import REPORTS, standard

TITLE = "Growth"


def measure(setting):
    return [measure_one(setting, size) for size in setting.sizes + (["56M"] if setting.large else [])]


def measure_one(setting, size):
    """One ingest, and five runs of each report; DuckDB's loading at 56 M only when asked for."""
    data = setting.dataset("sample", size)
    print(f"  {data.name}", file=sys.stderr, flush=True)
    loading = stores.load(setting, "tollgate", "sample", size)
    store = stores.loaded(setting, "tollgate", "sample", size)
    found = {"data": data.describe(), "name": data.name, "events": data.events, "seconds": loading.seconds,
             "cpu_seconds": loading.cpu_seconds, "peak_mb": loading.peak_mb, "bytes": stores.bytes_of(store),
             "reports": {}}
    for report in REPORTS:
        question = standard(report)
        runs = [run(setting.tollgate(report, store, "--format", "csv", *question.options)) for _ in range(5)]
        found["reports"][report] = {"seconds": [one.seconds for one in runs],
                                    "peak_mb": max(one.peak_mb for one in runs)}
    if size != "56M" or setting.large_duckdb:
        theirs = stores.load(setting, "duckdb", "sample", size)
        found["duckdb"] = {"seconds": theirs.seconds, "peak_mb": theirs.peak_mb}
    if size == "56M":
        stores.remove(store)
    return found


def markdown(parts):
    rows = []
    for figures in parts:
        theirs = figures.get("duckdb")
        rows.append([f"{figures['events'] / 1e6:.1f}", f"{figures['seconds']:.1f}",
                     f"{figures['events'] / figures['seconds'] / 1e6:.3f}", f"{figures['peak_mb']:.0f}",
                     f"{figures['bytes'] / figures['events']:.0f}"]
                    + [f"{median(figures['reports'][report]['seconds']) * 1000:.0f}" for report in REPORTS]
                    + [f"{max(one['peak_mb'] for one in figures['reports'].values()):.0f}",
                       f"{theirs['seconds']:.1f} ({theirs['peak_mb']:.0f} MB)" if theirs else "–"])
    return table(["M events of `sample`", "ingest, s", "M events/s", "peak MB", "bytes/event"]
                 + [f"{report}, ms" for report in REPORTS] + ["reports' peak MB", "DuckDB's loading, no key, s"], rows)


def goals(parts):
    """Each size with the one before it; 10 times the events may cost a report 1.3 times the time."""
    found = []
    for less, more in zip(parts, parts[1:]):
        times = more["events"] / less["events"]
        step = f"{less['name']} to {more['name']} ({times:.0f}×)"
        for report in REPORTS:
            slower = median(more["reports"][report]["seconds"]) / median(less["reports"][report]["seconds"])
            found.append(Goal(f"{report}, {step}", "≤ 1.3×", f"{slower:.2f}×", slower <= 1.3))
        found.append(Goal(f"peak memory of ingest, {step}", "≤ 300 MB at both",
                          f"{less['peak_mb']:.0f} to {more['peak_mb']:.0f} MB", more["peak_mb"] <= 300))
    return found
