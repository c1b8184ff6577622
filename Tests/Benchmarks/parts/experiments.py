"""Experiments: whole readouts of `tollgate sample`'s four tests, all metrics with daily looks, and the list of them."""

import csv
import io
import sys

from harness import stores
from harness.goal import Goal
from harness.process import Failed, run
from harness.summary import median, percentile, table

TITLE = "Experiments"
LIST = "experiments"
READOUT_MS, LIST_MS = 150, 100


def measure(setting):
    return [measure_one(setting, size) for size in setting.sizes]


def measure_one(setting, size):
    """Runs of every question in turn; the list's persons must be those of the readouts."""
    data = setting.dataset("sample", size)
    store = stores.loaded(setting, "tollgate", "sample", size)
    print(f"  {data.name}", file=sys.stderr, flush=True)
    listed = {row["experiment"]: row for row in rows(run(setting.tollgate(LIST, store, "--format", "csv")).output)}
    found = {name: {"seconds": [], "peak_mb": 0} for name in [LIST, *sorted(listed)]}
    for _ in range(setting.runs):
        for name, figures in found.items():
            question = [LIST] if name == LIST else ["experiment", name]
            done = run([setting.program, *question, "--store", store, "--format", "csv"])
            figures["seconds"].append(done.seconds)
            figures["peak_mb"] = max(figures["peak_mb"], done.peak_mb)
            figures["output"] = done.output
    for name, figures in found.items():
        answer = rows(figures.pop("output"))
        if name == LIST:
            figures["persons"], figures["values"] = sum(int(row["persons"]) for row in listed.values()), len(answer)
            continue
        figures["persons"] = persons(answer)
        figures["values"] = sum(row["value"] != "" for row in answer)
        if figures["persons"] != int(listed[name]["persons"]):
            raise Failed(f"{name}: the readout has {figures['persons']} persons, the list {listed[name]['persons']}")
    return {"data": data.describe(), "name": data.name, "rows": found}


def rows(output):
    text = output.decode() if isinstance(output, bytes) else output
    return list(csv.DictReader(io.StringIO(text)))


def persons(answer):
    """Those analysed and those still immature by the metric that everybody exposed is in."""
    arms = {}
    for row in answer:
        if (row["section"], row["metric"]) == ("metrics", "paid") and row["measure"] in ("rate", "immature"):
            arms[(row["variant"], row["measure"])] = int(row["n"] if row["measure"] == "rate" else row["value"])
    return sum(arms.values())


def markdown(parts):
    return "\n\n".join(markdown_one(figures) for figures in parts)


def markdown_one(figures):
    lines = []
    for name, row in figures["rows"].items():
        lines.append([f"`{name}`" if name == LIST else f"`experiment {name}`", str(len(row["seconds"])),
                      f"{median(row['seconds']) * 1000:.0f}", f"{percentile(row['seconds'], 0.95) * 1000:.0f}",
                      f"{row['peak_mb']:.0f}", f"{row['persons']:,}", f"{row['values']:,}"])
    return f"### {figures['data']}\n\n" + table(
        ["question", "runs", "ms, median", "ms, p95", "peak MB", "persons", "numbers (rows of the list)"], lines)


def goals(parts):
    found = []
    for figures in parts:
        times = {name: median(row["seconds"]) * 1000 for name, row in figures["rows"].items()}
        readouts = {name: ms for name, ms in times.items() if name != LIST}
        found.append(Goal(f"readout of all metrics, {figures['name']}", f"≤ {READOUT_MS} ms",
                          ", ".join(f"{name} {ms:.0f} ms" for name, ms in readouts.items()),
                          all(ms <= READOUT_MS for ms in readouts.values())))
        found.append(Goal(f"list of experiments, {figures['name']}", f"≤ {LIST_MS} ms", f"{times[LIST]:.0f} ms",
                          times[LIST] <= LIST_MS))
    return found
