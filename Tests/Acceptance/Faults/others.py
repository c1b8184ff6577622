"""Others at the store: two writers, readers during a writer, a read-only file system, a clock that jumps."""

import os
import subprocess

from harness import Row


def all_others(harness):
    for test in (two_writers, reader_during_writer, read_only, clock):
        yield test(harness)


def two_writers(harness):
    row = Row("two writers at once")
    data = harness.sample("writers-data", 1500)
    files = [os.path.join(data, name) for name in sorted(os.listdir(data))]
    reference, store = harness.path("one-writer.db"), harness.path("two-writers.db")
    harness.must("ingest", "--store", reference, "--quiet", data)
    expected = harness.content(reference)
    for number in range(30):
        harness.remove_store(store)
        # Every other time, both start the store.
        if number % 2:
            harness.must("ingest", "--store", store, "--quiet", files[0])
        # Each has all files but a few, in its own order.
        halves = [files[: len(files) * 3 // 4], files[len(files) // 4:][::-1]]
        writers = [subprocess.Popen([harness.program, "ingest", "--store", store, "--quiet", "--commit-every", "2000",
                                     "--lock-timeout", "60", *half], stderr=subprocess.PIPE, text=True)
                   for half in halves]
        ends = [(writer.communicate()[1], writer.returncode) for writer in writers]
        row.tried += 1
        row.struck += 1
        if any(status != 0 for _, status in ends):
            row.wrong.append(f"{ends}")
        row.note("both done, each event once")
        if harness.content(store) != expected:
            row.wrong.append("another content than that of one writer")
    # One that waits no longer says who is in the way.
    import sqlite3
    connection = sqlite3.connect(store, isolation_level=None)
    connection.execute("BEGIN IMMEDIATE")
    late = harness.path("late.jsonl")
    with open(late, "w") as file:
        file.write('{"event_id":"late","event":"activity","ts":"2026-01-05T00:00:00Z","app":"steps","user_id":"late"}\n')
    for command in (["ingest", late], ["vacuum"], ["forget", "--user", "x"], ["prune", "--older-than", "99"],
                    ["doctor", "--repair"]):
        done = harness.run(*command, "--store", store, "--lock-timeout", "0.2")
        row.tried += 1
        row.struck += 1
        row.note("refused, status 5")
        if done.returncode != 5 or "another process" not in done.stderr:
            row.wrong.append(f"{command}: {done.returncode}: {done.stderr.strip()}")
    connection.execute("ROLLBACK")
    connection.close()
    return row


def reader_during_writer(harness):
    row = Row("a reader during a writer")
    data = harness.sample("readers-data", 4000)
    store = harness.path("read.db")
    writer = subprocess.Popen([harness.program, *harness.ingest(store, data)], stderr=subprocess.PIPE, text=True)
    last = -1
    while writer.poll() is None:
        done = harness.run("activity", "--by", "month", "--store", store, "--format", "csv")
        row.tried += 1
        row.struck += 1
        if done.returncode == 2 and "no such store" in done.stderr and last < 0:
            row.note("no store before the first commit")
            continue
        if done.returncode != 0:
            row.wrong.append(f"{done.returncode}: {done.stderr.strip()}")
            continue
        row.note("answered")
        active = sum(int(line.split(",")[2]) for line in done.stdout.splitlines()[1:] if line.split(",")[2].isdigit())
        if active < last:
            row.wrong.append(f"a later reader saw less: {active} after {last}")
        last = max(last, active)
    if writer.wait() != 0:
        row.wrong.append(f"the writer ended with {writer.returncode}: {writer.stderr.read()}")
    done = harness.run("doctor", "--rebuild-check", "--store", store)
    if done.returncode != 0:
        row.wrong.append(done.stderr.strip())
    return row


def read_only(harness):
    row = Row("a read-only file system")
    folder = harness.path("read-only")
    os.makedirs(folder, exist_ok=True)
    data = harness.sample("read-only-data", 60)
    store = os.path.join(folder, "store.db")
    harness.must("ingest", "--store", store, "--quiet", data)
    script = """
        mount --make-rprivate / && mount --bind "$1" "$1" && mount -o remount,bind,ro "$1" || exit 99
        shift; exec "$@"
    """
    for command, wanted in [
        (["funnel", "--store", store], (0,)), (["doctor", "--rebuild-check", "--store", store], (0,)),
        (["export", "trials", "--store", store], (0,)), (["ingest", "--store", store, data], (1, 5)),
        (["vacuum", "--store", store], (1, 5)), (["forget", "--store", store, "--user", "x"], (1, 5)),
        (["backup", "--store", store, os.path.join(folder, "copy.db")], (1, 2)),
        (["ingest", "--store", os.path.join(folder, "new.db"), data], (1,)),
        (["funnel", "--store", store, "--output", os.path.join(folder, "f.csv")], (2,)),
    ]:
        done = subprocess.run(["unshare", "--mount", "sh", "-c", script, "sh", folder, harness.program, *command],
                              capture_output=True, text=True)
        if done.returncode == 99 or "unshare" in done.stderr:
            row.skipped = "no right to mount"
            return row
        row.tried += 1
        row.struck += 1
        row.note("read" if 0 in wanted else "refused with the path")
        if done.returncode not in wanted or (0 not in wanted and folder not in done.stderr):
            row.wrong.append(f"{command}: {done.returncode}: {done.stderr.strip()}")
    return row


def clock(harness):
    """Reports are a function of the data: whatever the clock says, their bytes are the same."""
    row = Row("a clock that jumps")
    if subprocess.run(["sh", "-c", "command -v faketime"], capture_output=True).returncode != 0:
        row.skipped = "no faketime (Debian package faketime)"
        return row
    data = harness.sample("clock-data", 300)
    files = [os.path.join(data, name) for name in sorted(os.listdir(data))]
    reference, store = harness.path("steady.db"), harness.path("jumping.db")
    harness.must("ingest", "--store", reference, "--quiet", data)
    expected = harness.content(reference)
    for place, instant in enumerate(["1999-12-31", "2038-01-20", "2026-03-29 01:59:59", "2001-01-01"]):
        for command in (["ingest", "--store", store, "--quiet", *files[place::4]],
                        ["backup", "--store", store, "--quiet", harness.path("jumping-copy.db")]):
            done = subprocess.run(["faketime", instant, harness.program, *command], capture_output=True, text=True)
            row.tried += 1
            row.struck += 1
            row.note("done")
            if done.returncode != 0:
                row.wrong.append(f"{instant}: {command[0]}: {done.returncode}: {done.stderr.strip()}")
    if harness.content(store) != expected:
        row.wrong.append("another content than with a steady clock")
    return row
