"""Reports of damaged stores: each ends with status 5 and says what is damaged, or has the numbers of the sound store; none
crashes, takes more than 512 MB or 10 s of the processor, or, where there is a seal, has other numbers.

    python3 Tests/Acceptance/Faults/faults.py --program .build/release/tollgate --only reads --reads 2000 --write
"""

import os
import shutil
import sqlite3
import subprocess
import threading

from damage import NAMED, PAGE, flip, tear
from harness import Row

REPORTS = [["revenue", "--by", "day"], ["refunds"], ["mrr", "--movement", "--by", "month"], ["subscriptions"], ["ltv"],
           ["funnel"], ["funnel", "--by", "country"], ["trials", "--by", "day"], ["savings"], ["cancellations"],
           ["retention"], ["value"], ["activity"], ["health"], ["experiments"]]
#: Of these, each damaged store is asked so many, in turn.
ASKED = 4
MEMORY_MB = 512
SECONDS = 10
#: After which a report is ended.
PATIENCE = 120


def pages(harness, size, count):
    return harness.random.sample(range(1, size // PAGE), count)


def at(file, page, content=None):
    file.seek(page * PAGE)
    return file.write(content) if content is not None else file.read(PAGE)


def zero(harness, file, size):
    """A page that never came to the disk."""
    at(file, *pages(harness, size, 1), bytes(PAGE))


def swap(harness, file, size):
    exchange(file, *pages(harness, size, 2))


def exchange(file, one, other):
    first, second = at(file, one), at(file, other)
    at(file, one, second)
    at(file, other, first)


def head(harness, file, size):
    """A byte of what SQLite keeps of the whole file: counters, sizes, the list of free pages, the version."""
    file.seek(harness.random.randrange(16, 100))
    file.write(bytes([harness.random.randrange(256)]))


def tables(harness, file, size):
    """A bit of the list of tables, their columns and where they begin."""
    place = harness.random.randrange(100, PAGE)
    file.seek(place)
    byte = file.read(1)[0] ^ 1 << harness.random.randrange(8)
    file.seek(place)
    file.write(bytes([byte]))


def cut(harness, file, size):
    """The file ends inside a page."""
    file.truncate(harness.random.randrange(PAGE, size))


def all_reads(harness, count):
    data = harness.sample("reads-data", 400)
    days = sorted(os.listdir(data))
    earlier, base, other = (harness.path(name) for name in ("earlier.db", "reads.db", "other.db"))
    half = [os.path.join(data, day) for day in days[:len(days) // 2]]
    harness.must("ingest", "--store", earlier, "--quiet", *half)
    # The later store has the pages of the earlier one, and those that came since.
    fold(harness, earlier)
    harness.copy(earlier, base)
    harness.must("ingest", "--store", base, "--quiet", data)
    fold(harness, base)
    harness.must("ingest", "--store", other, "--quiet", "--commit-every", "2000", harness.sample("foreign", 60))
    with open(earlier, "rb") as file, open(other, "rb") as another:
        old, foreign = file.read(), another.read()
    connection = sqlite3.connect(f"file:{base}?mode=ro&immutable=1", uri=True)
    of_table = {}
    for name, page in connection.execute("SELECT name, pageno FROM dbstat WHERE pageno > 1"):
        of_table.setdefault(name, []).append(page - 1)
    connection.close()
    sound = {tuple(report): run(harness, report, base)[1] for report in REPORTS}

    def stale(harness, file, size):
        """A write that was lost: the page is as it was some commits before."""
        page = harness.random.randrange(1, min(size, len(old)) // PAGE)
        at(file, page, old[page * PAGE:(page + 1) * PAGE])

    def swap_in_table(harness, file, size):
        """Each page is where one of its kind may be."""
        exchange(file, *harness.random.sample(harness.random.choice([own for own in of_table.values() if len(own) > 1]), 2))

    def of_other(harness, file, size):
        page = harness.random.randrange(min(size, len(foreign)) // PAGE)
        at(file, page, foreign[page * PAGE:(page + 1) * PAGE])

    kinds = [("a flipped bit", flip), ("a torn page", tear), ("a zeroed page", zero), ("two swapped pages", swap),
             ("two swapped pages of a table", swap_in_table), ("a stale page", stale), ("a page of another store", of_other),
             ("a byte of the file's head", head), ("a bit of the list of tables", tables), ("a file cut short", cut)]
    each = max(1, count // (2 * len(kinds) + 1))
    for name, damage in kinds:
        for seal in (False, True):
            yield damaged(harness, f"reports after {name}{' of a sealed store' if seal else ''}", each, base, sound, damage, seal)
    yield foreign_logs(harness, each, base, other, sound)


def fold(harness, store):
    """Everything into the file, sealed."""
    harness.must("doctor", "--store", store, "--seal", "--quiet")
    for suffix in ("-wal", "-shm"):
        harness.remove(store + suffix)


def run(harness, report, store):
    """Status, what was printed, the message, peak memory in MB, seconds of the processor; status None where it took too long."""
    process = subprocess.Popen([harness.program, *report, "--store", store, "--format", "csv"], stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE)
    late = threading.Timer(PATIENCE, process.kill)
    late.start()
    errors = []
    reader = threading.Thread(target=lambda: errors.append(process.stderr.read()))
    reader.start()
    output = process.stdout.read()
    reader.join()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    seconds = usage.ru_utime + usage.ru_stime
    in_time = late.is_alive() and seconds <= SECONDS
    late.cancel()
    process.stdout.close()
    process.stderr.close()
    return (process.returncode if in_time else None, output, errors[0].decode(errors="replace"), usage.ru_maxrss / 1024, seconds)


def judge(harness, row, store, report, sound, what, seal=True):
    """Without a seal nobody sees a value that has become another valid one: other numbers are told, and not wrong."""
    status, output, message, memory, seconds = run(harness, report, store)
    row.struck += 1
    row.cost(memory, seconds)
    if memory > MEMORY_MB:
        outcome, wrong = f"over {MEMORY_MB} MB", True
    elif status is None:
        outcome, wrong = "too slow", True
    elif status < 0:
        outcome, wrong = "a crash", True
    elif status == 0:
        same = output == sound[tuple(report)]
        outcome, wrong = ("the sound numbers", False) if same else ("other numbers", seal)
    elif status == 5 and any(words in message for words in NAMED):
        outcome, wrong = "named, status 5", False
    else:
        outcome, wrong = f"status {status}", True
    row.note(outcome)
    if wrong:
        row.wrong.append(f"{what}: {' '.join(report)}: {outcome}: {message.strip()[:200]}")


def damaged(harness, name, count, base, sound, damage, seal):
    row = Row(name)
    store = harness.path("read.db")
    size = os.path.getsize(base)
    for number in range(count):
        harness.copy(base, store)
        if not seal:
            harness.remove(store + ".seal")
        with open(store, "r+b") as file:
            damage(harness, file, size)
        row.tried += 1
        for place in range(ASKED):
            judge(harness, row, store, REPORTS[(number * ASKED + place) % len(REPORTS)], sound, f"{name} {number}", seal)
    return row


def foreign_logs(harness, count, base, other, sound):
    """The log of another store lies beside the file."""
    row = Row("reports beside another store's log")
    store = harness.path("read.db")
    with open(other, "rb") as file:
        pages = file.read()
    for number in range(count):
        harness.copy(base, store)
        source = other + "-wal" if os.path.exists(other + "-wal") else None
        if source:
            shutil.copyfile(source, store + "-wal")
        else:
            with open(store + "-wal", "wb") as log:
                log.write(pages[:harness.random.randrange(len(pages))])
        row.tried += 1
        judge(harness, row, store, REPORTS[number % len(REPORTS)], sound, f"log {number}")
    return row
