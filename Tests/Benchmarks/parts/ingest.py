"""Ingest: this program and its peers in turn on the same files, each as a whole process."""

import os
import shutil
import sys
from dataclasses import dataclass
from typing import Callable

from harness import datasets, stores
from harness.goal import Goal
from harness.process import run
from harness.summary import median, pair_ratio, spread, table

TITLE = "Ingest"
SUBSET = 100_000


@dataclass
class Contestant:
    """`command(setting, store, data, kind)`; `runs` at most so often, none meaning in every round."""

    name: str
    command: Callable
    runs: int | None = None
    subset: bool = False
    plain_only: bool = True


def duckdb(key):
    return lambda setting, store, data, kind: setting.peer("duckdb_ingest.py", store, data.days, kind, key)


CONTESTANTS = [
    Contestant("tollgate ingest", lambda setting, store, data, kind:
               setting.tollgate("ingest", store, "--quiet", data.days), plain_only=False),
    Contestant("DuckDB, primary key", duckdb("key"), plain_only=False),
    Contestant("DuckDB, no key", duckdb("none"), plain_only=False),
    Contestant("DuckDB, primary key, duplicates passed over", duckdb("ignore"), runs=1),
    Contestant("ClickHouse, MergeTree", lambda setting, store, data, kind:
               setting.peer("clickhouse_ingest.py", store, data.days, kind), runs=2),
    Contestant("Python, orjson, sqlite3, primary key", lambda setting, store, data, kind:
               setting.peer("python_sqlite_ingest.py", store, data.days, kind), runs=1),
    Contestant("sqlite-utils, primary key", lambda setting, store, data, kind:
               [os.path.join(os.path.dirname(setting.python), "sqlite-utils"), "insert", store, "events",
                datasets.subset(data, SUBSET)[0], "--nl", "--pk", "event_id", "--ignore", "--alter"],
               runs=1, subset=True),
]


def measure(setting):
    return [measure_one(setting, kind, size) for size in setting.sizes for kind in setting.kinds]


def measure_one(setting, kind, size):
    """Figures of all contestants on one data set.

    `events` is what a contestant read: sqlite-utils reads whole days of about 100,000 events, and its seconds and bytes
    are scaled to the rest. A contestant that passes the limit is not run again and has only `timed_out`.
    """
    data = setting.dataset(kind, size)
    contestants = [one for one in CONTESTANTS if kind == "plain" or not one.plain_only]
    figures = {one.name: {"runs": []} for one in contestants}
    for round_ in range(setting.pairs):
        for one in contestants:
            own = figures[one.name]
            if "timed_out" in own or round_ >= (one.runs or setting.pairs):
                continue
            print(f"  {data.name} round {round_ + 1} of {setting.pairs}: {one.name}", file=sys.stderr, flush=True)
            run_once(setting, one, data, kind, own)
    return {"data": data.describe(), "name": data.name, "events": data.events, "contestants": figures}


def run_once(setting, contestant, data, kind, figures):
    """Adds the figures of one run into an empty store to `figures`."""
    scale = 1.0
    if contestant.subset:
        figures["subset"] = datasets.subset(data, SUBSET)[1]
        scale = data.events / figures["subset"]
    folder = setting.work / "ingest"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    os.sync()
    done = run(contestant.command(setting, folder / "store", data, kind), setting.limit)
    if done.timed_out:
        figures["timed_out"] = setting.limit
    else:
        figures["runs"].append({"seconds": done.seconds * scale, "cpu_seconds": done.cpu_seconds * scale,
                                "peak_mb": done.peak_mb, "bytes": stores.bytes_of(folder / "store") * scale})
    shutil.rmtree(folder)


def column(figures, name, field):
    return [run[field] for run in figures["contestants"][name]["runs"]]


def ratio(figures, name):
    """How many times as long as tollgate `name` took: the median over the rounds of both."""
    return pair_ratio(column(figures, name, "seconds"), column(figures, CONTESTANTS[0].name, "seconds"))


def markdown(parts):
    return "\n\n".join(markdown_one(figures) for figures in parts)


def markdown_one(figures):
    rows = []
    for name, own in figures["contestants"].items():
        label = name + (f" (of {own['subset']:,} events, scaled)" if "subset" in own else "")
        if "timed_out" in own:
            rows.append([label, str(len(own["runs"])), f"more than {own['timed_out']:.0f}"] + ["–"] * 6)
            continue
        seconds = column(figures, name, "seconds")
        size = median(column(figures, name, "bytes"))
        rows.append([label, str(len(seconds)), spread(seconds), f"{figures['events'] / median(seconds) / 1e6:.3f}",
                     f"{ratio(figures, name):.2f}", f"{median(column(figures, name, 'cpu_seconds')):.1f}",
                     f"{max(column(figures, name, 'peak_mb')):.0f}", f"{size / 1e6:.0f}",
                     f"{size / figures['events']:.0f}"])
    return f"### {figures['data']}\n\n" + table(
        ["program", "runs", "seconds, median (min–max)", "M events/s", "time ÷ tollgate's, median of rounds", "CPU s",
         "peak MB", "store MB", "bytes/event"], rows)


def goals(parts):
    found = []
    for figures in parts:
        ours = CONTESTANTS[0].name
        own = {field: column(figures, ours, field) for field in ("seconds", "peak_mb", "bytes")}
        rate = figures["events"] / median(own["seconds"]) / 1e6
        size = median(own["bytes"]) / figures["events"]
        at = figures["name"]
        for peer, wanted in ((CONTESTANTS[1].name, 4), (CONTESTANTS[2].name, 2)):
            times = ratio(figures, peer)
            found.append(Goal(f"ingest {at} against {peer}", f"≥ {wanted}×", f"{times:.2f}×", times >= wanted))
        found.append(Goal(f"ingest {at}, rate", "≥ 1.0 M events/s", f"{rate:.2f} M events/s", rate >= 1))
        found.append(Goal(f"ingest {at}, peak memory", "≤ 300 MB", f"{max(own['peak_mb']):.0f} MB",
                          max(own["peak_mb"]) <= 300))
        found.append(Goal(f"ingest {at}, size of the store", "≤ 60 bytes an event", f"{size:.0f}", size <= 60))
    return found
