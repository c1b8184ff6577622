"""What every fault needs: the program, a sample, and what a store says."""

import csv
import hashlib
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import time

VIEWS = ["events", "users", "entries", "exposures", "trials", "subscriptions", "payments", "quarantine"]
REPORTS = [["funnel"], ["trials"], ["savings"], ["cancellations"], ["revenue"], ["mrr"], ["retention"],
           ["funnel", "--by", "country"], ["activity", "--by", "month"]]
SIDE_FILES = ("", "-wal", "-shm", ".seal", ".nightly-lock")


class Row:
    """A line of the table: a fault, how often it was tried, how often it struck, what came of it, and what was wrong."""

    def __init__(self, fault):
        self.fault = fault
        self.tried = self.struck = 0
        self.outcomes = {}
        self.memory = self.seconds = 0
        self.wrong = []
        self.skipped = None

    def note(self, outcome):
        self.outcomes[outcome] = self.outcomes.get(outcome, 0) + 1

    def cost(self, memory, seconds):
        """Peak memory in MB and seconds of the processor of one process; the row tells the most of all."""
        self.memory, self.seconds = max(self.memory, memory), max(self.seconds, seconds)

    def cells(self):
        if self.skipped:
            return [self.fault, "0", "", f"skipped: {self.skipped}", ""]
        outcomes = ", ".join(f"{count} {outcome}" for outcome, count in sorted(self.outcomes.items(), key=lambda x: -x[1]))
        if self.memory:
            outcomes += f"; at most {self.memory:.0f} MB, {self.seconds:.2f} s"
        return [self.fault, str(self.tried), str(self.struck), outcomes, str(len(self.wrong))]


class Harness:
    def __init__(self, program, folder, seed):
        self.program = os.path.abspath(program)
        self.folder = folder
        self.random = random.Random(seed)

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def run(self, *arguments, timeout=600, **options):
        return subprocess.run([self.program, *arguments], capture_output=True, text=True, errors="replace",
                              timeout=timeout, **options)

    def must(self, *arguments, **options):
        done = self.run(*arguments, **options)
        assert done.returncode == 0, f"{arguments}: {done.returncode}: {done.stderr}{done.stdout}"
        return done

    def sample(self, name, persons):
        self.must("sample", "--output", self.path(name), "--persons", str(persons), "--seed", "7", "--quiet")
        return self.path(name)

    def ingest(self, store, data):
        """Many small commits, so that most faults strike between two of them or inside one."""
        return ["ingest", "--store", store, "--quiet", "--commit-every", "5000", data]

    def copy(self, source, target):
        for suffix in SIDE_FILES:
            self.remove(target + suffix)
            if os.path.exists(source + suffix):
                shutil.copyfile(source + suffix, target + suffix)
        return target

    def remove(self, path):
        if os.path.isdir(path):
            shutil.rmtree(path)
        elif os.path.lexists(path):
            os.remove(path)

    def remove_store(self, store):
        for suffix in SIDE_FILES:
            self.remove(store + suffix)

    def content(self, store, views=True):
        """A digest of what the store says: the rows of its views in order, and its reports."""
        digest = hashlib.sha256()
        if views:
            connection = sqlite3.connect(f"file:{store}?mode=ro", uri=True)
            assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
            connection.close()
            for view in VIEWS:
                done = subprocess.run([self.program, "export", view, "--store", store], capture_output=True)
                assert done.returncode == 0, f"export {view}: {done.stderr}"
                rows = csv.reader(done.stdout.decode(errors="surrogateescape").splitlines(keepends=True))
                columns = next(rows)
                # Numbers of files, persons and rows depend on how often a command was run.
                kept = [place for place, column in enumerate(columns) if column not in ("file", "id", "person")]
                for row in sorted([row[place] for place in kept] for row in rows):
                    digest.update(repr(row).encode(errors="surrogateescape"))
        for report in REPORTS:
            digest.update(self.must(*report, "--store", store, "--format", "csv").stdout.encode())
        return digest.hexdigest()

    def kill(self, arguments, after, **options):
        """Runs a command and ends it with SIGKILL; whether it was still running then."""
        process = subprocess.Popen([self.program, *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                   **options)
        try:
            process.wait(timeout=after)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
        return process.wait() == -signal.SIGKILL

    def length(self, *arguments, **options):
        started = time.monotonic()
        self.must(*arguments, **options)
        return time.monotonic() - started
