"""Times `tollgate ingest` beside DuckDB on the same files, in turn, each as a whole process.

    python3 Tests/Benchmarks/bench.py --program .build/release/tollgate --data DIR --pairs 5

Prints a table for RESULTS.md: medians, their ratio, peak memory, size on disk.
"""

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))


def timed(command):
    started = time.monotonic()
    process = subprocess.Popen(command, stdout=subprocess.PIPE)
    output = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    assert status == 0, command
    return time.monotonic() - started, usage.ru_maxrss / 1024, output


def size(path):
    return sum(os.path.getsize(path + suffix) for suffix in ("", "-wal", ".wal") if os.path.exists(path + suffix))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True)
    parser.add_argument("--data", required=True)
    parser.add_argument("--pairs", type=int, default=5)
    parser.add_argument("--python", default=sys.executable)
    arguments = parser.parse_args()
    folder = tempfile.mkdtemp(prefix="tollgate-bench-", dir=os.path.dirname(os.path.abspath(arguments.data)))
    contestants = {
        "tollgate ingest": lambda store: [arguments.program, "ingest", "--store", store, arguments.data],
        "DuckDB, primary key": lambda store: [arguments.python, f"{HERE}/duckdb_ingest.py", store, arguments.data,
                                              "key"],
        "DuckDB, no key": lambda store: [arguments.python, f"{HERE}/duckdb_ingest.py", store, arguments.data, "none"],
    }
    figures = {name: [] for name in contestants}
    try:
        for _ in range(arguments.pairs):
            for name, command in contestants.items():
                store = os.path.join(folder, "store")
                seconds, megabytes, _ = timed(command(store))
                figures[name].append((seconds, megabytes, size(store)))
                for file in os.listdir(folder):
                    os.remove(os.path.join(folder, file))
        ours = [run[0] for run in figures["tollgate ingest"]]
        print("| program | seconds, median (min–max) | time ÷ ours | peak MB | store MB |")
        print("|---|---|---|---|---|")
        for name, runs in figures.items():
            seconds = [run[0] for run in runs]
            ratio = statistics.median(theirs / own for theirs, own in zip(seconds, ours))
            print(f"| {name} | {statistics.median(seconds):.2f} ({min(seconds):.2f}–{max(seconds):.2f}) | {ratio:.2f} | "
                  f"{max(run[1] for run in runs):.0f} | {statistics.median(run[2] for run in runs) / 1e6:.0f} |")
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
