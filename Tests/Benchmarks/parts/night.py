"""One more day into a loaded store, as the nightly job does it."""

from harness import datasets, stores
from harness.goal import Goal
from harness.process import run
from harness.summary import median, spread, table

TITLE = "One more night"


def measure(setting):
    return [measure_one(setting, size) for size in setting.sizes if size != "56M"]


def measure_one(setting, size):
    """The day alone, and the day named together with all the files that the store has already."""
    data = setting.dataset("plain", size)
    store = stores.loaded(setting, "tollgate", "plain", size)
    copy = setting.work / "stores" / "night"
    ways = {"the new files": [data.night], "all files, of which the new ones are read": [data.days, data.night]}
    figures = {way: [] for way in ways}
    for _ in range(setting.pairs):
        for way, folders in ways.items():
            stores.copied(store, copy)
            done = run(setting.tollgate("ingest", copy, "--quiet", *folders))
            figures[way].append({"seconds": done.seconds, "cpu_seconds": done.cpu_seconds, "peak_mb": done.peak_mb})
    stores.remove(copy)
    return {"data": data.describe(), "name": data.name, "night": datasets.count(data.night)[0], "ways": figures}


def markdown(parts):
    rows = [[figures["name"], f"{figures['night']:,}", way, str(len(runs)), spread([run["seconds"] for run in runs]),
             f"{median([run['cpu_seconds'] for run in runs]):.2f}", f"{max(run['peak_mb'] for run in runs):.0f}"]
            for figures in parts for way, runs in figures["ways"].items()]
    return table(["store", "events of the day", "named", "runs", "seconds, median (min–max)", "CPU s", "peak MB"], rows)


def goals(parts):
    return [Goal(f"one more day into {figures['name']}", "≤ 1 s", f"{seconds:.2f} s", seconds <= 1)
            for figures in parts
            for seconds in [median([run["seconds"] for run in figures["ways"]["the new files"]])]]
