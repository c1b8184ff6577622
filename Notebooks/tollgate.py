"""The store and the program from a notebook: views and reports as data frames.

    sample = tollgate.sample()                  # SampleData, ingested once into out/notebooks
    sample.view("trials", where="app = 'steps'")
    sample.report("funnel", by="variant", where="country=DE,AT")

For your own data: tollgate.Tollgate("path/to/store.db"). The program is the one built by `make build`, or the one that the
variable TOLLGATE_PROGRAM names.
"""

import io
import json
import os
import sqlite3
import subprocess
from pathlib import Path

import duckdb
import matplotlib.style
import pandas

ROOT = Path(__file__).resolve().parent.parent
PROGRAM = Path(os.environ.get("TOLLGATE_PROGRAM", ROOT / ".build/release/tollgate"))
SAMPLE_EVENTS = ROOT / "SampleData/events"
SAMPLE_RATES = ROOT / "SampleData/rates.csv"
# Of control in every picture, as on the pages; the others take the colours of the style in order.
CONTROL = "#8590a1"
matplotlib.style.use(Path(__file__).with_name("tollgate.mplstyle"))
VIEWS = [
    "events", "users", "entries", "exposures", "trials", "subscriptions", "payments", "quarantine", "files",
    "reported_counts",
]


class Tollgate:
    """One store, opened for reading."""

    def __init__(self, store, program=PROGRAM):
        self.store, self.program = Path(store), Path(program)
        if not self.program.exists():
            raise FileNotFoundError(f"{self.program} is not there: run `make build`, or set TOLLGATE_PROGRAM")

    def run(self, *arguments):
        """What the program prints for a command; an error has what it says."""
        done = subprocess.run([self.program, *map(str, arguments)], capture_output=True, text=True,
                              env={**os.environ, "TOLLGATE_STORE": str(self.store)})
        if done.returncode != 0:
            raise RuntimeError(f"tollgate {' '.join(map(str, arguments))}: {done.stderr.strip()}")
        return done.stdout

    def csv(self, report, *words, **options):
        """A report's CSV as the program writes it; options are those of the command line, `_` for `-`."""
        return self.run(report, *words, "--format", "csv", *arguments(options))

    def report(self, report, *words, **options):
        """A report as a data frame: keys are texts, an undefined number is NaN."""
        return pandas.read_csv(io.StringIO(self.csv(report, *words, **options)), keep_default_na=False, na_values=[""])

    def json(self, report, *words, **options):
        """A report with its definition, parameters and as-of."""
        return json.loads(self.run(report, *words, "--format", "json", *arguments(options)))

    def sql(self, query, parameters=()):
        """Rows of a query over the store's views."""
        with sqlite3.connect(f"file:{self.store}?mode=ro", uri=True) as connection:
            return pandas.read_sql(query, connection, params=parameters)

    def view(self, name, columns="*", where="1 = 1"):
        """A view as a data frame, its instants as UTC timestamps."""
        frame = self.sql(f"SELECT {columns} FROM {name} WHERE {where}")
        for column in frame.columns:
            if column == "ts" or column.endswith(("_at", "_until")) or column == "deadline":
                frame[column] = pandas.to_datetime(frame[column], format="ISO8601", utc=True)
        return frame

    def duckdb(self, *views):
        """A DuckDB connection in which the views named, or all but `events`, are tables."""
        connection = duckdb.connect()
        for name in views or [view for view in VIEWS if view != "events"]:
            connection.register(name, self.view(name))
        return connection


def arguments(options):
    """`by="variant", where=["a=b", "c=d"], plot=True` as words of the command line."""
    words = []
    for name, values in options.items():
        option = "--" + name.rstrip("_").replace("_", "-")
        for value in values if isinstance(values, (list, tuple)) else [values]:
            words += [option] if value is True else [] if value is False else [f"{option}={value}"]
    return words


def sample(folder=ROOT / "out/notebooks"):
    """The store of SampleData; files that are in it already are skipped."""
    folder.mkdir(parents=True, exist_ok=True)
    opened = Tollgate(folder / "sample.db")
    opened.run("ingest", "--quiet", SAMPLE_EVENTS)
    opened.run("rates", "import", SAMPLE_RATES)
    return opened
