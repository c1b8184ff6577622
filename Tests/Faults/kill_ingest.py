"""Kills `tollgate ingest` with SIGKILL at random instants, runs the same command again, and compares the store with that
of an undisturbed run: every row of every view, and every report, byte for byte.

    python3 Tests/Faults/kill_ingest.py --program .build/release/tollgate --kills 20
"""

import argparse
import hashlib
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time

VIEWS = ["events", "users", "entries", "exposures", "trials", "subscriptions", "payments", "quarantine"]
REPORTS = ["funnel", "trials", "savings", "cancellations"]


def ingest(program, store, data):
    # Many small commits, so that most kills fall between two of them or inside one.
    return [program, "ingest", "--store", store, "--quiet", "--commit-every", "5000", data]


def content(program, store):
    """A digest of what the store says: the rows of its views in order, and its reports."""
    digest = hashlib.sha256()
    connection = sqlite3.connect(f"file:{store}?mode=ro", uri=True)
    assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    for view in VIEWS:
        columns = [row[1] for row in connection.execute(f"PRAGMA table_info({view})")]
        # Numbers of files and rows depend on how often a command was run.
        kept = [f'"{column}"' for column in columns if column not in ("file", "id")]
        for row in sorted(repr(row) for row in connection.execute(f"SELECT {', '.join(kept)} FROM {view}")):
            digest.update(row.encode())
    connection.close()
    for report in REPORTS:
        digest.update(subprocess.run([program, report, "--store", store, "--format", "csv"], check=True,
                                     capture_output=True).stdout)
    return digest.hexdigest()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--persons", type=int, default=12000)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    program = os.path.abspath(arguments.program)
    folder = tempfile.mkdtemp(prefix="tollgate-kill-")
    random.seed(arguments.seed)
    try:
        data = os.path.join(folder, "data")
        subprocess.run([program, "sample", "--output", data, "--persons", str(arguments.persons), "--seed", "7",
                        "--quiet"], check=True)
        reference = os.path.join(folder, "reference.db")
        started = time.monotonic()
        subprocess.run(ingest(program, reference, data), check=True)
        length = time.monotonic() - started
        expected = content(program, reference)
        killed = partial = wrong = 0
        for number in range(arguments.kills):
            store = os.path.join(folder, f"killed-{number}.db")
            process = subprocess.Popen(ingest(program, store, data))
            time.sleep(random.uniform(0.02, max(0.03, length * 0.98)))
            process.send_signal(signal.SIGKILL)
            if process.wait() == -signal.SIGKILL:
                killed += 1
                try:
                    connection = sqlite3.connect(store)
                    partial += connection.execute("SELECT COUNT(*) FROM file").fetchone()[0] > 0
                    connection.close()
                except sqlite3.OperationalError:
                    pass  # Killed before there was a table.
            subprocess.run(ingest(program, store, data), check=True)
            if content(program, store) != expected:
                wrong += 1
                print(f"kill {number}: the store differs from that of an undisturbed run", file=sys.stderr)
            for suffix in ("", "-wal", "-shm"):
                if os.path.exists(store + suffix):
                    os.remove(store + suffix)
        print(f"{arguments.kills} runs of {length:.1f} s, {killed} killed, {partial} of those with files committed, "
              f"{wrong} stores wrong")
        # A test whose kills all come too late proves nothing.
        sys.exit(1 if wrong or killed < arguments.kills / 2 or partial == 0 else 0)
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
