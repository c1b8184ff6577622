"""Loaded stores that parts of the benchmark share."""

import os
import shutil
from pathlib import Path

from harness.process import run

LOADERS = {
    "tollgate": lambda setting, store, folder, kind: setting.tollgate("ingest", store, "--quiet", folder),
    "duckdb": lambda setting, store, folder, kind: setting.peer("duckdb_ingest.py", store, folder, kind, "none"),
    "clickhouse": lambda setting, store, folder, kind: setting.peer("clickhouse_ingest.py", store, folder, kind),
}
SUFFIXES = ("", "-wal", "-shm", ".wal")
made = set()


def loaded(setting, name, kind, size):
    """The path of the store of program `name` with that data in it.

    Tollgate's is made anew by every run of the benchmark, since the program may be another one.
    """
    path = setting.work / "stores" / f"{name}-{kind}-{size}"
    if path not in made and (name == "tollgate" or not path.exists()):
        load(setting, name, kind, size)
    made.add(path)
    return path


def load(setting, name, kind, size):
    """Loads that store anew; what the loading cost."""
    path = setting.work / "stores" / f"{name}-{kind}-{size}"
    unfinished = path.with_name("unfinished")
    path.parent.mkdir(parents=True, exist_ok=True)
    remove(path)
    remove(unfinished)
    data = setting.dataset(kind, size)
    os.sync()
    cost = run(LOADERS[name](setting, unfinished, data.days, kind))
    for suffix in SUFFIXES:
        part = Path(str(unfinished) + suffix)
        if part.exists():
            part.rename(str(path) + suffix)
    made.add(path)
    return cost


def copied(path, to):
    """A copy of a store that is a file, with its journal, at `to`."""
    remove(to)
    for suffix in ("", "-wal"):
        if Path(str(path) + suffix).exists():
            shutil.copyfile(str(path) + suffix, str(to) + suffix)
    os.sync()
    return to


def bytes_of(path):
    """The size on disk of a store: a file with its journals, or a folder."""
    if os.path.isdir(path):
        return sum(file.stat().st_size for file in Path(path).rglob("*") if file.is_file())
    beside = [Path(str(path) + suffix) for suffix in ("", "-wal", ".wal")]
    return sum(file.stat().st_size for file in beside if file.exists())


def remove(path):
    """Takes a store away, with its journals."""
    if os.path.isdir(path):
        shutil.rmtree(path)
    for suffix in SUFFIXES:
        Path(str(path) + suffix).unlink(missing_ok=True)
