"""Subscription analytics and paywall experiments from event files, offline.

    import tollgate

    db = tollgate.open("tollgate.db")
    db.ingest(["events"])
    db.report("funnel", by="variant", where=["country=US,DE"])
    db.view("payments", where="app = 'steps'")

Tables are pandas data frames where pandas is installed, else lists of dicts; `as_="arrow"` gives a table of pyarrow, and
`as_="list"` always a list. The program is the one in this package, or the one that the variable TOLLGATE_PROGRAM names.
"""

import datetime
import difflib
import importlib.util
import io
import json
import os
import shutil
import sqlite3
import subprocess
from pathlib import Path

__all__ = ["PROGRAM", "Error", "Store", "open"]

_BUNDLED = Path(__file__).resolve().parent / "bin" / "tollgate"

#: The program that everything here runs.
PROGRAM = Path(
    os.environ.get("TOLLGATE_PROGRAM") or (_BUNDLED if _BUNDLED.exists() else shutil.which("tollgate") or _BUNDLED))

VIEWS = [
    "events", "users", "entries", "exposures", "trials", "subscriptions", "payments", "quarantine", "files",
    "reported_counts",
]


class Error(Exception):
    """The program's error message and exit status."""

    def __init__(self, status, message):
        super().__init__(message)
        self.status = status
        self.message = message


def __getattr__(name):
    if name == "__version__":
        return _run(["--version"]).strip()
    raise AttributeError(f"module {__name__} has no attribute {name}")


def open(store="tollgate.db", program=None):
    """Returns a store; `ingest` creates it if it is missing."""
    return Store(store, program)


class Store:
    """One store and the program that reads and writes it."""

    def __init__(self, path, program=None):
        self.path = Path(path)
        self.program = Path(program or PROGRAM)

    def __repr__(self):
        return f"tollgate.open({str(self.path)!r})"

    def run(self, *words, **options):
        """Returns what a command of the program prints; options are those of the command line, `_` for `-`."""
        return _run([*words, *arguments(options)], self.path, self.program)

    # Reading

    def csv(self, report, *words, **options):
        """Returns a report's CSV as the program writes it."""
        return self.run(report, *words, "--format", "csv", **options)

    def json(self, report, *words, **options):
        """Returns a report with its definition, parameters and as-of."""
        return json.loads(self.run(report, *words, "--format", "json", **options))

    def report(self, report, *words, as_=None, **options):
        """Returns a report as a table: keys are texts, an undefined number is missing."""
        form = _form(as_)
        if form == "pandas":
            import pandas

            text = io.StringIO(self.csv(report, *words, **options))
            return pandas.read_csv(text, keep_default_na=False, na_values=[""])
        return _table(self.json(report, *words, **options)["rows"], form)

    def experiment(self, name, **options):
        """Returns the readout of an experiment, with its sentences and numbers."""
        return self.json("experiment", name, **options)

    def sql(self, query, parameters=(), as_=None):
        """Returns the rows of a query over the store's views."""
        form = _form(as_)
        with sqlite3.connect(f"{self.path.resolve().as_uri()}?mode=ro", uri=True) as connection:
            if form == "pandas":
                import pandas

                return pandas.read_sql(query, connection, params=parameters)
            cursor = connection.execute(query, parameters)
            names = [column[0] for column in cursor.description]
            return _table([dict(zip(names, row)) for row in cursor], form)

    def view(self, name, columns="*", where="1 = 1", as_=None):
        """Returns a view as a table, its instants in UTC."""
        if name not in VIEWS:
            near = difflib.get_close_matches(name, VIEWS, 1)
            raise ValueError(f"{name} is not a view; " + (f"did you mean {near[0]}? " if near else "")
                             + f"The views are {', '.join(VIEWS)}")
        form = _form(as_)
        query = f"SELECT {columns} FROM {name} WHERE {where}"
        if form == "pandas":
            import pandas

            frame = self.sql(query, as_=form)
            for column in frame.columns:
                if _is_instant(column):
                    frame[column] = pandas.to_datetime(frame[column], format="ISO8601", utc=True)
            return frame
        rows = self.sql(query, as_="list")
        for row in rows:
            for column, value in row.items():
                if _is_instant(column) and value is not None:
                    row[column] = datetime.datetime.fromisoformat(value.replace("Z", "+00:00"))
        return _table(rows, form)

    def duckdb(self, *views):
        """Returns a DuckDB connection in which the views named, or all but `events`, are tables."""
        import duckdb

        connection = duckdb.connect()
        for name in views or [view for view in VIEWS if view != "events"]:
            connection.register(name, self.view(name))
        return connection

    # Writing

    def ingest(self, paths, mapping=None, **options):
        """Reads files and folders into the store; returns the output of the program."""
        paths = [paths] if isinstance(paths, (str, os.PathLike)) else list(paths)
        return self.run("ingest", *paths, mapping=mapping, **options)

    def init(self, path, app=None, events=None, **options):
        """Proposes how to read a file, takes every default, and reads it; `events` has kinds by event name."""
        given = [f"{name}={kind}" for name, kind in (events or {}).items()]
        return self.run("init", path, yes=True, app=app, event=given, **options)


def arguments(options):
    """Returns `by="variant", where=["a=b", "c=d"], plot=True` as words of the command line."""
    words = []
    for name, values in options.items():
        option = "--" + name.rstrip("_").replace("_", "-")
        for value in values if isinstance(values, (list, tuple)) else [values]:
            if value is None or value is False:
                continue
            words.append(option if value is True else f"{option}={value}")
    return words


def environment():
    """Returns the variables that the program runs with: zones come from Python where the system has none."""
    variables = dict(os.environ)
    if "TZDIR" not in variables and not os.path.isdir("/usr/share/zoneinfo"):
        found = importlib.util.find_spec("tzdata")
        if found and found.submodule_search_locations:
            variables["TZDIR"] = str(Path(found.submodule_search_locations[0]) / "zoneinfo")
    return variables


def _run(words, store=None, program=None):
    program = Path(program or PROGRAM)
    variables = environment()
    if store is not None:
        variables["TOLLGATE_STORE"] = str(store)
    try:
        done = subprocess.run(
            [str(program), *map(str, words)], stdin=subprocess.DEVNULL, capture_output=True, text=True, encoding="utf-8",
            env=variables)
    except FileNotFoundError:
        raise Error(
            127, f"{program} is not there: install the wheel of this system, or set TOLLGATE_PROGRAM to a program"
        ) from None
    if done.returncode != 0:
        raise Error(done.returncode, done.stderr.strip() or done.stdout.strip())
    return done.stdout


def _is_instant(column):
    return column == "ts" or column.endswith(("_at", "_until")) or column == "deadline"


def _form(as_):
    if as_ is None:
        return "pandas" if importlib.util.find_spec("pandas") else "list"
    if as_ not in ("pandas", "arrow", "list"):
        raise ValueError(f"as_ is {as_!r}, but must be 'pandas', 'arrow' or 'list'")
    return as_


def _table(rows, form):
    if form == "list":
        return rows
    if form == "pandas":
        import pandas

        return pandas.DataFrame(rows)
    import pyarrow

    return pyarrow.Table.from_pylist(rows)
