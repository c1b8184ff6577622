"""Options: whole processes of tollgate for options that are not answered from stored counts, one question a line."""

import shlex
import sys
from pathlib import Path

from harness import stores
from harness.goal import Goal
from harness.process import run
from harness.summary import median, spread, table

TITLE = "Options"
SECONDS = 1
RATES = Path(__file__).resolve().parents[3] / "SampleData" / "rates.csv"
MIDDLE = "2026-03-02"  # Of the 120 days of `tollgate sample`.
APP = "--app steps --from 2026-04-06 --to 2026-04-13"

REPORTS = ("funnel", "trials", "savings", "cancellations")
QUESTIONS = [
    "funnel --unit view", "funnel --unit view --by day", "paths",
    *(f"{report} --attribution all" for report in REPORTS if report != "savings"),
    *(f"{report} --grace 10" for report in REPORTS), *(f"{report} --as-of {MIDDLE}" for report in REPORTS),
    *(f"{report} --by day --timezone America/New_York" for report in REPORTS),
    "funnel --by country,platform", "funnel --by property:channel",
    "revenue --by country", "revenue --by day", "mrr --by country", "mrr --movement --by month",
    "subscriptions --by country", "retention --by country", "ltv --by country", "refunds --by country",
    "recovery --by country", "saves --by country", "winback --by country", "value --by country", "cadence", "gates",
    "nudges", "activity --by month,country", "health",
    "experiment steps_yearly_anchor --by country", "experiment steps_yearly_anchor --as-of 2026-04-06",
    *(f"{report} --compare previous {APP}" for report in
      ("funnel", "trials", "cancellations", "revenue", "mrr", "subscriptions", "ltv", "refunds")),
    *(f"why {report} {APP}" for report in ("funnel", "trials", "cancellations", "revenue", "mrr")),
    "why funnel --app steps --from 2026-03-02 --to 2026-04-06", "why experiment steps_yearly_anchor",
    "explain funnel --cell app=steps,variant=control --column viewers",
    "explain experiment steps_yearly_anchor --cell variant=control --column paid",
    f"diff trials --before-as-of {MIDDLE}",
]


def measure(setting):
    return [measure_one(setting, size) for size in setting.sizes if size != "56M"]


def measure_one(setting, size):
    data = setting.dataset("sample", size)
    store = stores.loaded(setting, "tollgate", "sample", size)
    run([setting.program, "rates", "import", "--store", store, RATES])
    rows = {}
    for question in QUESTIONS:
        print(f"  {data.name}: {question}", file=sys.stderr, flush=True)
        command = [setting.program, *shlex.split(question), "--store", store, "--format", "csv"]
        runs = [run(command, setting.limit)]
        # So many that a question takes about ten seconds at most.
        while len(runs) < min(setting.runs, max(2, int(10 / runs[0].seconds))):
            runs.append(run(command, setting.limit))
        rows[question] = {"seconds": [one.seconds for one in runs], "peak_mb": max(one.peak_mb for one in runs),
                          "cpu_seconds": median([one.cpu_seconds for one in runs])}
    return {"data": data.describe(), "name": data.name, "rows": rows}


def markdown(parts):
    return "\n\n".join(markdown_one(figures) for figures in parts)


def markdown_one(figures):
    slowest = sorted(figures["rows"].items(), key=lambda row: -median(row[1]["seconds"]))
    lines = [[f"`{question}`", str(len(row["seconds"])), spread(row["seconds"]), f"{row['cpu_seconds']:.2f}",
              f"{row['peak_mb']:.0f}"] for question, row in slowest]
    return f"### {figures['data']}\n\n" + table(
        ["question", "runs", "seconds, median (min–max)", "CPU s", "peak MB"], lines)


def goals(parts):
    found = []
    for figures in parts:
        times = {question: median(row["seconds"]) for question, row in figures["rows"].items()}
        slowest, reached = max(times, key=times.get), sum(seconds <= SECONDS for seconds in times.values())
        found.append(Goal(f"every option, {figures['name']}", f"≤ {SECONDS} s",
                          f"{reached} of {len(times)}; most {times[slowest]:.2f} s (`{slowest}`)", reached == len(times)))
    return found
