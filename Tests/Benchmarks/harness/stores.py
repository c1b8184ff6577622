"""Loaded stores that parts of the benchmark share, made unless they are there."""

from harness.datasets import remove_store
from harness.process import run

LOADERS = {
    "tollgate": lambda setting, store, folder, kind: setting.tollgate("ingest", store, "--quiet", folder),
    "duckdb": lambda setting, store, folder, kind: setting.peer("duckdb_ingest.py", store, folder, kind, "none"),
    "clickhouse": lambda setting, store, folder, kind: setting.peer("clickhouse_ingest.py", store, folder, kind),
}


def loaded(setting, name, kind, size):
    """The path of the store of program `name` with that data in it.

    Tollgate's is made anew by every run of the benchmark, since the program may be another one.
    """
    path = setting.work / "stores" / f"{name}-{kind}-{size}"
    if path in made:
        return path
    if name == "tollgate" or not path.exists():
        remove_store(path)
        path.parent.mkdir(parents=True, exist_ok=True)
        unfinished = path.with_name("unfinished")
        remove_store(unfinished)
        run(LOADERS[name](setting, unfinished, setting.dataset(kind, size).days, kind))
        for suffix in ("", "-wal", "-shm"):
            part = unfinished.with_name(unfinished.name + suffix)
            if part.exists():
                part.rename(path.with_name(path.name + suffix))
    made.add(path)
    return path


made = set()
