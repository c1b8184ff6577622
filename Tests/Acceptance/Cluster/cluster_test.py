"""`tollgate cluster` on a real standalone Spark cluster of one master and two workers, held against the SQLite store.

    .venv/cluster/bin/python Tests/Acceptance/Cluster/cluster_test.py --program .build/release/tollgate

Every report and option equals the store's bytes, and the facts its rows; a killed executor changes nothing; a worker
that fails or that loses rows is one clear error, and the former build stays; persons of a million events and partitions
of a hundred thousand persons go through; a build that is run again adds nothing. Without Java or Spark it says so and
is skipped. The last line is "N passed, M failed"; the exit status is 1 when anything failed.
"""

import argparse
import csv
import glob
import gzip
import io
import os
import pathlib
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "Oracle"))

import standalone

ROOT = pathlib.Path(__file__).resolve().parents[3]
SAMPLE = ROOT / "SampleData" / "events"
#: Each report, with options of every kind that changes which facts or events it reads. What is brought by the same rules
#: and apps is brought once.
REPORTS = [
    "funnel", "funnel --by none", "funnel --by variant --format json", "funnel --unit view", "funnel --plot --by variant",
    "funnel --format html", "funnel --by month,plan --sort users:desc --limit 3", "funnel --by property:campaign",
    "funnel --from 2026-02-01 --to 2026-03-01 --format csv --spreadsheet", "trials", "trials --by country,platform --format markdown",
    "savings", "savings --by none", "cancellations", "cancellations --by plan --format json",
    "cancellations --where plan=yearly,monthly --timezone America/New_York --by week",
    "revenue", "revenue --mode proceeds --store-fee 0.3 --by month", "revenue --mode net --by app_version", "mrr", "mrr --movement --by month",
    "subscriptions", "subscriptions --movement --by month", "retention", "retention --by-period", "refunds", "refunds --date refund",
    "ltv", "value --by variant", "cadence", "gates", "nudges", "activity --by week", "experiments", "health", "health --format json",
    "quarantine list", "aa-replay --metric paid --repetitions 5",
    "trials --app steps", "cancellations --app steps --by plan", "ltv --grace 2",
]
#: The same with facts of their own, folded on the cluster.
RULES = ["--as-of 2026-02-15", "--attribution all --grace 1", "--attribution first --as-of 2026-02-01T12:00:00Z --grace 0"]
REFOLDED = ["funnel", "funnel --by country,entry_point", "trials --by variant", "savings", "cancellations", "revenue --by month", "retention"]
#: Jobs are small and many: compiling for speed takes longer than it saves.
JAVA = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
#: What both have to refuse with the same words.
REFUSED = ["trials --app nobody", "funnel --by nothing", "revenue --currency USD"]


class Lab:
    """A cluster, a folder, and the program."""

    def __init__(self, program, folder, cluster):
        self.program = program
        self.folder = pathlib.Path(folder)
        self.cluster = cluster
        self.passed = self.failed = 0

    def check(self, name, difference):
        if not difference:
            self.passed += 1
            return
        self.failed += 1
        print(f"DIFFERENT {name}\n{difference}", flush=True)

    def run(self, *arguments, status=0):
        done = subprocess.run(
            [self.program, *map(str, arguments)], capture_output=True, cwd=self.folder,
            env=standalone.environment(self.cluster.folder),
        )
        if status is not None and done.returncode != status:
            raise AssertionError(
                f"{' '.join(map(str, arguments))}: status {done.returncode} instead of {status}\n{done.stderr.decode()[-3000:]}")
        return done

    def spark(self, **conf):
        """What every command says to Spark."""
        settings = {
            "spark.executor.memory": "1g", "spark.executor.cores": "1", "spark.driver.memory": "1g",
            "spark.sql.shuffle.partitions": "4", "spark.default.parallelism": "2", "spark.ui.enabled": "false",
            "spark.driver.extraJavaOptions": JAVA, "spark.executor.extraJavaOptions": JAVA,
        }
        settings.update({key.replace("_", "."): value for key, value in conf.items()})
        words = ["--master", self.cluster.master]
        for key, value in settings.items():
            words += ["--conf", f"{key}={value}"]
        return words

    def build(self, data, *paths, status=0, options=(), **conf):
        done = self.run("cluster", "build", *self.spark(**conf), *options, "--data", data, *paths, status=status)
        return done.stdout.decode().strip(), done.stderr.decode().strip()

    def ingest(self, store, *paths, status=0):
        self.run("ingest", "--store", store, "--quiet", *paths, status=status)

    def report(self, data, words, cache=None, status=None, rates=None):
        options = ["--cache", cache] if cache else []
        options += ["--rates", rates] if rates else []
        return self.run("cluster", "report", *self.spark(), *options, "--data", data, *words, status=status)

    def compare(self, store, data, words, cache, rates=None):
        want = self.run(*words, "--store", store, status=None)
        have = self.report(data, words, cache, rates=rates)
        name = " ".join(words)
        if want.returncode != have.returncode:
            self.check(name, f"  status {want.returncode} and {have.returncode}: {have.stderr.decode()[-500:]}")
        elif want.returncode != 0:
            clean = lambda text: text.decode().replace(str(store), "STORE")
            self.check(name, "" if clean(want.stderr) == clean(have.stderr) else f"  {want.stderr}\n  {have.stderr}")
        else:
            self.check(name, first_difference(want.stdout, have.stdout))

    def compare_rows(self, name, store, data, cache):
        """The rows of facts and cells that the cluster has folded against those of the store."""
        # Facts that are kept would serve for cells.
        for content, report, tables in (("cells", "trials", CELLS), ("facts", "value", FACTS)):
            self.compare(store, data, [report], cache)
            kept = glob.glob(f"{cache}/*-{content}.db")
            assert len(kept) == 1, kept
            self.check(f"{content} of {name}", rows_difference(store, kept[0], tables))


def first_difference(want, have):
    a, b = want.decode("utf-8", "replace").split("\n"), have.decode("utf-8", "replace").split("\n")
    for number in range(max(len(a), len(b))):
        x, y = (lines[number] if number < len(lines) else "<no line>" for lines in (a, b))
        if x != y:
            return f"  line {number + 1}\n    store   {x}\n    cluster {y}"
    return ""


#: Facts as texts, so that the numbers of dictionaries, which each store has its own, do not matter.
FACTS = {
    "entries": "SELECT * FROM entries",
    "exposures": "SELECT * FROM exposures",
    "trials": "SELECT * FROM trials",
    "subscriptions": "SELECT * FROM subscriptions",
    "payments": "SELECT * FROM payments",
    "conversions": """
        SELECT u.name, a.text, f.number, f.credit, f.ts, f.trial_start, f.conversion_trial_kind, e.text, v.text, p.text, n.text
        FROM conversion_fact f JOIN user u ON u.id = f.person JOIN name a ON a.id = f.app
        JOIN name e ON e.id = f.experiment JOIN name v ON v.id = f.variant JOIN name p ON p.id = f.paywall
        JOIN name n ON n.id = f.entry_point""",
    "refunds": """
        SELECT u.name, f.number, a.text, f.payment, f.spell, f.ts, f.amount, c.text
        FROM refund_fact f JOIN user u ON u.id = f.person JOIN name a ON a.id = f.app JOIN name c ON c.id = f.currency""",
    "outcomes": "SELECT a.text, f.ts, length(f.outcome) FROM exposure_fact f JOIN name a ON a.id = f.app",
}


#: Of cells those whose units have no number of a dictionary.
CELLS = {
    family: f"""
        SELECT a.text, e.text, v.text, p.text, n.text, o.plan, o.is_family_tier, o.trial_kind, d.text, f.id & 65535,
          hex(f.units)
        FROM {family}_cell f JOIN origin o ON o.id = f.id >> 16 JOIN name a ON a.id = o.app JOIN name e ON e.id = o.experiment
        JOIN name v ON v.id = o.variant JOIN name p ON p.id = o.paywall JOIN name n ON n.id = o.entry_point
        JOIN name d ON d.id = o.product"""
    for family in ("entry", "trial", "exposed_trial")
} | {
    "lengths": "SELECT a.text, l.length, l.trials FROM trial_length l JOIN name a ON a.id = l.app",
    "purchases": "SELECT count(DISTINCT id), sum(length(units)) > 0 FROM purchase_cell",
    "exposures": "SELECT count(DISTINCT id), sum(length(units)) > 0 FROM exposure_cell",
}


def rows_difference(left, right, tables):
    for name, sql in tables.items():
        rows = []
        for path in (left, right):
            connection = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
            # A person goes by the ids that are one: which of them is least depends on who was seen first.
            groups = {}
            for person, user in connection.execute("SELECT person, name FROM user"):
                groups.setdefault(person, []).append(user)
            names = {user: min(users) for users in groups.values() for user in users}
            cursor = connection.execute(sql)
            columns = [c[0] for c in cursor.description]
            found = []
            for row in cursor:
                # Numbers of persons are the store's own.
                values = zip(columns, row)
                found.append(repr([
                    names.get(value, value) if column in ("user_id", "name") else value
                    for column, value in values if column != "person"
                ]))
            rows.append(sorted(found))
            connection.close()
        if rows[0] != rows[1]:
            only = [next(iter(sorted(set(a) - set(b))), "-") for a, b in (rows, rows[::-1])]
            return f"  {name}: {len(rows[0])} and {len(rows[1])} rows\n    store   {only[0]}\n    cluster {only[1]}"
    return ""


# ---------------------------------------------------------------------------------------------------- tests


def test_sample(lab, reports=REPORTS, rules=RULES):
    """Every report on the sample data."""
    store, data, cache = lab.folder / "sample.db", lab.folder / "sample", lab.folder / "sample-cache"
    lab.ingest(store, SAMPLE)
    said, _ = lab.build(data, SAMPLE)
    print(f"  {said}", flush=True)
    lab.compare_rows("the sample", store, data, cache)
    for words in reports:
        lab.compare(store, data, words.split(), cache)
    for words in REFUSED:
        lab.compare(store, data, words.split(), cache)
    for options in rules:
        for words in REFOLDED:
            lab.compare(store, data, f"{words} {options}".split(), cache)
    experiments = lab.run("experiments", "--store", store, "--format", "csv").stdout.decode().split("\n")[1:2]
    for line in experiments:
        name = line.split(",")[1]
        for options in ([], ["--format", "json"], ["--over-time"]):
            lab.compare(store, data, ["experiment", name, *options], cache)
    for path, name in ((store, "store"), (data, "cluster")):
        words = ["report", "--output", str(lab.folder / f"page-{name}")]
        lab.run(*words, "--store", path) if name == "store" else lab.report(data, words, cache, status=0)
    for page in sorted((lab.folder / "page-store").iterdir()):
        if page.suffix == ".csv":
            lab.check(page.name, first_difference(page.read_bytes(), (lab.folder / "page-cluster" / page.name).read_bytes()))
    lab.check("a build without news", "" if unchanged(lab, data, SAMPLE) else "  something was added")


def unchanged(lab, data, *paths):
    """Whether a build of the same files adds nothing."""
    before = tree(data)
    said, _ = lab.build(data, *paths)
    print(f"  {said}", flush=True)
    return ", 0 events, 0 duplicates" in said and " 0 users updated" in said and tree(data) == before


def tree(folder):
    return sorted(str(path.relative_to(folder)) for path in pathlib.Path(folder).rglob("*"))


def test_random(lab, seeds=(3,), runs=24):
    """Random events, messy ones among them, read in several builds; random reports, half of them by other rules."""
    import cohorts
    import compare
    import exchange
    import generate
    import oracle
    import paths

    for seed in seeds:
        rng = random.Random(seed)
        folder = lab.folder / f"random-{seed}"
        # A cluster refuses the kind `payment`: which one is the first depends on all users of the app (2.12).
        generate.generate(seed, 90, str(folder / "events"), seed % 3 == 0, has_places=True)
        files = sorted(path for path in (folder / "events").rglob("*") if path.is_file() and not path.name.startswith("."))
        store, data, cache = folder / "store.db", folder / "data", folder / "cache"
        lab.ingest(store, folder / "events", status=None)
        rng.shuffle(files)
        third = max(1, len(files) // 3)
        for number, part in enumerate((files[:third], files[third:2 * third], files[2 * third:])):
            if part:
                # The third build writes the facts of all persons as one batch again; those of `faults` lie in two. The
                # second shuffles its joins as if they were many.
                said, errors = lab.build(
                    data, *part, status=None, spark_tollgate_factBatches="2", spark_tollgate_fewJoins="0" if number == 1 else "1000")
                print(f"  {said} {errors}", flush=True)
                if "build" not in said:
                    raise AssertionError(f"build {number + 1} failed: {errors}")
        events = oracle.load([str(folder / "events")])
        rates = exchange.random_rates(seed, events.events)
        exchange.write(rates, str(folder / "rates.csv"), seed)
        paths.write(str(folder / "paths.yaml"))
        # A store's cohorts lie beside it, those of a cluster in the current folder.
        for place in (folder, lab.folder):
            cohorts.write(str(place / "cohorts.yaml"))
        # Facts are compared before there are rates: only the reports below are given them.
        lab.compare_rows(f"seed {seed}", store, data, cache)
        lab.run("rates", "import", "--store", store, folder / "rates.csv")
        lab.compare(store, data, ["health"], cache, rates=folder / "rates.csv")
        compare_quarantine(lab, store, data, cache)
        times = sorted(event["ts"] for event in events.events)
        other = ["--as-of", generate.iso(times[len(times) * 2 // 3]), "--grace", "1", "--attribution", rng.choice(["first", "all"])]
        for number in range(runs):
            # A bridge to a vendor's number reads a store alone.
            report = rng.choice([name for name in compare.REPORTS if name != "reconcile"])
            words = without(compare.options(rng, events, report), "--as-of", "--grace", "--attribution", "--app")
            words = compare.for_program(words, folder)
            if number % 2:
                words += other if report not in ("cadence", "gates", "activity") else other[:4]
            lab.compare(store, data, [report, *words, "--format", "csv"], cache, rates=folder / "rates.csv")


def without(words, *options):
    """Words without some options and their values."""
    kept = []
    skips = False
    for word in words:
        if skips or word in options:
            skips = not skips
        else:
            kept.append(word)
    return kept


def compare_quarantine(lab, store, data, cache):
    """The reasons and texts in quarantine; a store that one content has left for another no longer knows its line."""
    words = ["quarantine", "list", "--format", "csv"]
    want, have = lab.run(*words, "--store", store).stdout, lab.report(data, words, cache, status=0).stdout
    rows = [sorted(row[3:] for row in csv.reader(io.StringIO(text.decode()))) for text in (want, have)]
    lab.check("quarantine list", "" if rows[0] == rows[1] else f"  {len(rows[0])} and {len(rows[1])} rows")


def test_formats(lab):
    """The same events as NDJSON, CSV, gzip, zstd and Parquet, whole and by lines."""
    folder = lab.folder / "formats"
    folder.mkdir()
    lines = []
    for path in sorted(SAMPLE.rglob("*.zst"))[:40]:
        lines += subprocess.run(["zstd", "-dcq", path], capture_output=True, check=True).stdout.decode().splitlines()
    lines += ['{"event_id":"broken"', '{"event_id":"x","event":"activity","app":"steps"}']
    text = ("\n".join(lines) + "\n").encode()
    (folder / "plain.jsonl").write_bytes(text)
    store = folder / "store.db"
    lab.ingest(store, folder / "plain.jsonl")
    reports = ("trials", "funnel --by none", "revenue", "quarantine list --format csv")
    want = {name: lab.run(*name.split(), "--store", store).stdout for name in reports}
    half = len(lines) // 2
    first, second = (("\n".join(part) + "\n").encode() for part in (lines[:half], lines[half:]))
    (folder / "first.jsonl.gz").write_bytes(gzip.compress(first))
    (folder / "first.jsonl").write_bytes(first)
    # Named as if it were not compressed.
    subprocess.run(["zstd", "-q", "-o", folder / "second.jsonl"], input=second, check=True)
    (folder / "second.jsonl.gz").write_bytes(gzip.compress(second))
    cases = {
        "whole": ([folder / "first.jsonl.gz", folder / "second.jsonl"], []),
        "by lines": ([folder / "first.jsonl", folder / "second.jsonl.gz"], ["--whole-file", "0", "--conf", "spark.sql.files.maxPartitionBytes=65536"]),
        "parquet": ([parquet(lab, folder, lines)], []),
    }
    for name, (paths, options) in cases.items():
        data = folder / f"data-{name.replace(' ', '-')}"
        cache = folder / f"cache-{name.replace(' ', '-')}"
        said, errors = lab.build(data, *paths, options=options)
        print(f"  {name}: {said}", flush=True)
        for words, output in want.items():
            have = lab.report(data, words.split(), cache, status=0).stdout
            if words.startswith("quarantine"):
                if name != "parquet":
                    lab.check(f"{name}: {words}", quarantine_difference(output, have, half))
            else:
                lab.check(f"{name}: {words}", first_difference(output, have))


def quarantine_difference(want, have, half):
    """The broken lines are the last two of the second file, whose lines are counted from one again."""
    numbers = [sorted(int(row.split(",")[1]) for row in text.decode().splitlines()[1:]) for text in (want, have)]
    return "" if [number - half for number in numbers[0]] == numbers[1] else f"  lines {numbers[0]} less {half}, and {numbers[1]}"


def parquet(lab, folder, lines):
    """The valid lines as a Parquet file, by Spark itself."""
    script = folder / "parquet.py"
    valid = [line for line in lines[:-2]]
    (folder / "valid.jsonl").write_text("\n".join(valid) + "\n")
    script.write_text(
        "import sys\nfrom pyspark.sql import SparkSession\n"
        "spark = SparkSession.builder.master('local[1]').getOrCreate()\n"
        "rows = spark.read.json(sys.argv[1], prefersDecimal=True)\n"
        "rows.coalesce(1).write.parquet(sys.argv[2])\n")
    subprocess.run(
        [sys.executable, str(script), str(folder / "valid.jsonl"), str(folder / "parquet")], check=True, capture_output=True,
        env=standalone.environment(lab.cluster.folder))
    return folder / "parquet"


def test_faults(lab, persons=3000):
    """An executor is killed; workers fail, lose rows or are of another version; the former build stays."""
    folder = lab.folder / "faults"
    events = folder / "events"
    lab.run("sample", "--output", events, "--persons", str(persons), "--seed", "5", "--quiet")
    files = sorted(path for path in events.rglob("*.zst"))
    store, data, cache = folder / "store.db", folder / "data", folder / "cache"
    lab.build(data, *files[: len(files) // 2])
    before = tree(data)

    def refuse(name, script, expected, data=data, before=before):
        program = folder / name
        program.write_text(f"#!/bin/bash\n{script}\n")
        program.chmod(0o755)
        _, errors = lab.build(data, events, status=1, options=["--program", program], spark_task_maxFailures="1")
        lines = errors.splitlines()
        lab.check(name, "" if len(lines) == 1 and expected in lines[0] else f"  {errors}")
        left = tree(data)
        is_same = left == before if before else not any("part-" in name for name in left)
        lab.check(f"{name}: the former build", "" if is_same else "  is not as it was")

    real = lab.program
    refuse("fails", "cat >/dev/null; echo 'tollgate worker: row 17: is no event' >&2; exit 65", "row 17: is no event")
    refuse("loses", f'if [ "$2" = fold ]; then {real} "$@" | sed \'$d\'; exit 0; fi; exec {real} "$@"', "the workers account for")
    # Of a first build: a file of facts, and the facts of a bucket.
    for step in ("table", "fold-buckets"):
        script = f'if [ "$2" = {step} ]; then {real} "$@" | sed 1d; exit 0; fi; exec {real} "$@"'
        refuse(f"loses-{step}", script, "nothing was stored", folder / f"loses-{step}-data", [])
    refuse("old", f'shift 2; exec {real} worker fold --protocol 0', "--protocol")
    refuse("missing", 'cat >/dev/null; exit 127', "127")

    killed = []
    built = threading.Event()

    def kill():
        """Kills an executor while rows go through a worker on it."""
        while not built.is_set() and not killed:
            for pids in lab.cluster.executors().values():
                for pid in pids:
                    children = subprocess.run(["pgrep", "-a", "-P", str(pid)], capture_output=True, text=True).stdout
                    if "worker fold" in children:
                        os.kill(pid, signal.SIGKILL)
                        killed.append(pid)
                        return
            time.sleep(0.02)

    thread = threading.Thread(target=kill)
    thread.start()
    said, _ = lab.build(data, events)
    built.set()
    thread.join()
    print(f"  killed executor {killed}: {said}", flush=True)
    lab.check("an executor was killed", "" if killed else "  none was there")
    lab.ingest(store, events)
    for words in ("funnel", "cancellations", "health"):
        lab.compare(store, data, [words], cache)


def test_sizes(lab, persons=100_000, events=1_000_000):
    """One partition of many small persons, and one with a single large person."""
    folder = lab.folder / "sizes"
    folder.mkdir()
    start = 1_767_225_600_000
    with open(folder / "many.jsonl", "w") as file:
        for number in range(persons):
            file.write(
                f'{{"event_id":"m{number}","event":"paywall_impression","app":"many","user_id":"u{number}",'
                f'"ts":{start + number},"entry_point":"home"}}\n')
    with open(folder / "one.jsonl", "w") as file:
        for number in range(events):
            kind = '"paywall_impression","entry_point":"home"' if number % 2 else '"activity"'
            file.write(
                f'{{"event_id":"o{number}","event":{kind},"app":"one","user_id":"bot","ts":{start + number * 1000}}}\n')
    store, data, cache = folder / "store.db", folder / "data", folder / "cache"
    lab.ingest(store, folder / "many.jsonl", folder / "one.jsonl")
    said, _ = lab.build(data, folder / "many.jsonl", folder / "one.jsonl", spark_sql_shuffle_partitions="1")
    print(f"  {said}", flush=True)
    lab.compare(store, data, ["funnel"], cache)
    lab.compare(store, data, ["savings"], cache)


TESTS = {"sample": test_sample, "random": test_random, "formats": test_formats, "faults": test_faults, "sizes": test_sizes}
#: What continuous integration tries of each: everything once, and less of it.
QUICK = {
    "sample": {"reports": REPORTS[::4], "rules": RULES[1:2]},
    "random": {"runs": 8},
    "sizes": {"persons": 10_000, "events": 100_000},
}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--program", required=True)
    parser.add_argument("--only", type=lambda text: text.split(","), default=list(TESTS), help=",".join(TESTS))
    parser.add_argument("--keep", help="a folder that everything is kept in")
    parser.add_argument("--quick", action="store_true", help="less of everything, as continuous integration does")
    arguments = parser.parse_args()
    if problem := standalone.missing():
        print(f"skipped: {problem}")
        return 0
    folder = arguments.keep or tempfile.mkdtemp(prefix="tollgate-spark-")
    os.makedirs(folder, exist_ok=True)
    cluster = standalone.Cluster(os.path.join(folder, "cluster"))
    lab = Lab(os.path.abspath(arguments.program), folder, cluster)

    def end(*_):
        raise SystemExit(130)

    signal.signal(signal.SIGTERM, end)
    try:
        started = time.monotonic()
        cluster.start()
        print(f"one master and two workers: {time.monotonic() - started:.1f} s", flush=True)
        for name in arguments.only:
            started = time.monotonic()
            before = lab.failed
            try:
                TESTS[name](lab, **(QUICK.get(name, {}) if arguments.quick else {}))
            except AssertionError as error:
                lab.check(name, f"  {error}")
            result = "equal" if lab.failed == before else f"{lab.failed - before} differences"
            print(f"{name}: {result}, {time.monotonic() - started:.1f} s", flush=True)
    finally:
        cluster.stop()
        if not arguments.keep:
            shutil.rmtree(folder, ignore_errors=True)
    print(f"{lab.passed} passed, {lab.failed} failed")
    return 1 if lab.failed else 0


if __name__ == "__main__":
    sys.exit(main())
