"""A build of `tollgate cluster` beside a job of pure Spark SQL windows that counts the same funnel.

    .venv/cluster/bin/python Tests/Benchmarks/cluster.py --program .build/release/tollgate --size 5.6M

Makes events (or takes --events), starts a standalone cluster of this machine, and prints for one and for two workers of
one core each: seconds of the whole command, CPU seconds of executors and of the workers below them per million events,
the share of the fold, and the ratio to the window job. Figures of CPU are those of the processes, from /proc.
"""

import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "Acceptance" / "Cluster"))

import standalone

TICK = os.sysconf("SC_CLK_TCK")

#: The funnel of definitions 3 by variant and entry point, of events without duplicates and joined ids, as windows.
WINDOWS = r"""
import sys
from pyspark.sql import SparkSession
spark = SparkSession.builder.appName("windows").config("spark.sql.session.timeZone", "UTC").getOrCreate()
schema = (
    "event_id STRING, event STRING, ts STRING, app STRING, user_id STRING, environment STRING, entry_point STRING, "
    "variant STRING, trial_kind STRING, trial_days BIGINT, product_id STRING, plan STRING, price STRING, currency STRING")
spark.read.schema(schema).option("recursiveFileLookup", "true").json(sys.argv[1]).selectExpr(
    "*", "coalesce(unix_millis(try_cast(ts AS TIMESTAMP)), try_cast(ts AS BIGINT)) AS at").createOrReplaceTempView("raw")
spark.sql('''
    SELECT * FROM (SELECT *, row_number() OVER (PARTITION BY app, event_id ORDER BY at) AS copy FROM raw
      WHERE coalesce(environment, 'production') = 'production') WHERE copy = 1
''').createOrReplaceTempView("event")
spark.sql('''
    SELECT app, user_id, event, at, entry_point, variant, plan, trial_kind,
      min(CASE WHEN event = 'paywall_impression' THEN at END) OVER w AS entry,
      first(CASE WHEN event = 'paywall_impression' THEN struct(coalesce(variant, '(none)') AS v, entry_point AS e) END, true)
        OVER (PARTITION BY app, user_id ORDER BY at, event_id ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS cell,
      lead(at) OVER (PARTITION BY app, user_id ORDER BY at, event_id) AS next
    FROM event WINDOW w AS (PARTITION BY app, user_id)
''').createOrReplaceTempView("placed")
spark.sql('''
    SELECT app, cell.v AS variant, cell.e AS entry_point, count(DISTINCT user_id) AS users,
      count(DISTINCT CASE WHEN event = 'trial_start' AND at >= entry AND at < entry + 604800000 THEN user_id END) AS trial_users,
      count(DISTINCT CASE WHEN event = 'conversion' AND at >= entry THEN user_id END) AS paid_users
    FROM placed WHERE entry IS NOT NULL GROUP BY 1, 2, 3
''').write.mode("overwrite").parquet(sys.argv[2])
spark.stop()
"""


class Watch:
    """CPU seconds of the executors of a cluster, and of the processes below them, by what these are.

    Reads /proc ten times a second, of most processes no more than their number: a program that looked through all of
    them took a tenth of both processors.
    """

    #: Looks at a process that has just begun and may still become another program.
    LOOKS = 10

    def __init__(self, cluster):
        self.parents = {pid for name, pid in cluster.pids.items() if name != "master"}
        # By process: its number and its start, as numbers are used again.
        self.executors = {}
        self.former = set()
        self.folds = {}
        self.ends = threading.Event()
        self.thread = threading.Thread(target=self.run)

    def __enter__(self):
        # Executors of the job before may not have ended.
        for pid in self.processes():
            self.note(pid)
        self.former = set(self.executors)
        self.executors.clear()
        self.folds.clear()
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.ends.set()
        self.thread.join()

    def run(self):
        looks = {}
        while not self.ends.wait(0.1):
            here = self.processes()
            looks = {pid: looks.get(pid, 0) for pid in here}
            for pid in here:
                if looks[pid] < self.LOOKS:
                    looks[pid] = looks[pid] + 1 if not self.note(pid) else 0

    @staticmethod
    def processes():
        return [int(name) for name in os.listdir("/proc") if name.isdigit()]

    def note(self, pid):
        """Notes the times of a process that is looked for, and says whether it is one."""
        try:
            fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
            command = pathlib.Path(f"/proc/{pid}/cmdline").read_bytes()
        except OSError:
            return False
        parent, (own, system, below, below_system), start = int(fields[1]), map(int, fields[11:15]), fields[19]
        if command.startswith(b"tollgate-worker\0worker\0fold"):
            self.folds[pid, start] = own + system
        elif parent in self.parents and b"CoarseGrainedExecutorBackend" in command and (pid, start) not in self.former:
            # Its own time, and that of the children it has waited for: workers are counted when they have ended.
            self.executors[pid, start] = (own + system, below + below_system)
        else:
            return False
        return True

    @property
    def own(self):
        return sum(own for own, _ in self.executors.values()) / TICK

    @property
    def below(self):
        return sum(below for _, below in self.executors.values()) / TICK

    @property
    def fold(self):
        """Of those processes that fold; seen ten times a second, so a little less than it was."""
        return sum(self.folds.values()) / TICK


def settings(cluster):
    return [
        "--master", cluster.master, "--conf", "spark.executor.memory=2g", "--conf", "spark.executor.cores=1",
        "--conf", "spark.driver.memory=1g", "--conf", "spark.sql.shuffle.partitions=8", "--conf", "spark.ui.showConsoleProgress=false",
    ]


def timed(cluster, command):
    # As `tollgate cluster` has it: otherwise a driver compiles for speed what it runs once.
    environment = standalone.environment(cluster.folder) | {"JDK_JAVA_OPTIONS": "-XX:TieredStopAtLevel=1"}
    with Watch(cluster) as watch:
        started = time.monotonic()
        done = subprocess.run(command, env=environment, capture_output=True, text=True)
        seconds = time.monotonic() - started
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(command)}\n{done.stdout[-2000:]}\n{done.stderr[-4000:]}")
    return seconds, watch.own, watch.below, watch.fold, done.stdout.strip()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--program", required=True)
    parser.add_argument("--events", help="a folder of event files (default: made)")
    parser.add_argument("--size", default="5.6M", help="of those that are made")
    parser.add_argument("--workers", type=lambda text: [int(n) for n in text.split(",")], default=[1, 2])
    parser.add_argument("--pairs", type=int, default=1)
    parser.add_argument(
        "--pinned", action="store_true",
        help="each worker on a processor of its own, as in containers of one core: what a second one brings")
    parser.add_argument(
        "--share", type=float,
        help="of a processor's time that each worker has at most, such as 0.6: driver and master have the rest, as on a cluster "
        "whose cores are free (root, control groups)")
    arguments = parser.parse_args()
    if problem := standalone.missing():
        raise SystemExit(problem)
    program = os.path.abspath(arguments.program)
    folder = pathlib.Path(tempfile.mkdtemp(prefix="tollgate-cluster-bench-"))
    try:
        events = arguments.events
        if not events:
            events = folder / "events"
            count = int(float(arguments.size.rstrip("Mm")) * 1_000_000)
            subprocess.run([program, "sample", "--output", events, "--events", str(count), "--seed", "1", "--quiet"], check=True)
        summary = subprocess.run(
            [program, "ingest", "--store", folder / "store.db", "--format", "json", events], check=True, capture_output=True)
        ingest = json.loads(summary.stdout)
        millions = ingest["events"] / 1e6
        print(f"{ingest['events']:,} events; one process, SQLite: {ingest['seconds']:.1f} s", flush=True)
        (folder / "windows.py").write_text(WINDOWS)
        walls = {}
        for workers in arguments.workers:
            cluster = standalone.Cluster(folder / f"cluster-{workers}", workers, "2500m", arguments.pinned, arguments.share)
            try:
                cluster.start()
                # Spark's half gigabyte is read from the disk by whoever comes first.
                one = next(path for path in sorted(pathlib.Path(events).rglob("*")) if path.is_file())
                timed(cluster, [program, "cluster", "build", *settings(cluster), "--data", str(folder / f"warm-{workers}"), str(one)])
                for pair in range(arguments.pairs):
                    data = folder / f"data-{workers}-{pair}"
                    build = timed(cluster, [program, "cluster", "build", *settings(cluster), "--data", str(data), str(events)])
                    windows = timed(cluster, [
                        f"{standalone.spark_home()}/bin/spark-submit", *settings(cluster), str(folder / "windows.py"), str(events), str(folder / "out")])
                    again = timed(cluster, [program, "cluster", "build", *settings(cluster), "--data", str(data), str(events)])
                    for name, run in (("build", build), ("windows", windows)):
                        walls.setdefault(name, {}).setdefault(workers, []).append(run[0])
                    for name, (seconds, own, below, fold, said) in (("build", build), ("windows", windows), ("build again", again)):
                        print(
                            f"{workers} workers, {name:12} {seconds:7.1f} s, CPU a million events: "
                            f"{(own + below) / millions:6.2f} s, of these tollgate's {below / millions:6.2f} s, "
                            f"the fold's {fold / millions:.2f} s  {said}", flush=True)
                    print(
                        f"{workers} workers, build / windows: {build[0] / windows[0]:.2f} by the clock, "
                        f"{(build[1] + build[2]) / max(windows[1] + windows[2], 0.01):.2f} by CPU", flush=True)
                if workers == arguments.workers[-1]:
                    # Of cells, of the same that were kept, and of facts.
                    for report in ("funnel", "cancellations", "revenue"):
                        want = subprocess.run([program, report, "--store", folder / "store.db", "--format", "csv"], capture_output=True).stdout
                        seconds, *_ = timed(cluster, [
                            program, "cluster", "report", *settings(cluster), "--data", str(data), "--cache", str(folder / "cache"),
                            report, "--format", "csv", "--output", str(folder / "report.csv")])
                        same = "equal" if (folder / "report.csv").read_bytes() == want else "DIFFERENT"
                        print(f"{workers} workers, report {report}: {seconds:.1f} s, {same}", flush=True)
            finally:
                cluster.stop()
        for name, seconds in walls.items():
            least = {workers: min(runs) for workers, runs in seconds.items()}
            first, last = min(least), max(least)
            if first < last:
                print(f"{name}: {last} workers are {least[first] / least[last]:.2f}x as fast as {first}")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
