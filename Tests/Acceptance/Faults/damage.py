"""Damage to the file and its log: flipped bits, torn pages, a log that ends anywhere."""

import os
import shutil
import sqlite3

from harness import Row

PAGE = 4096


def all_damage(harness, count):
    data = harness.sample("damage-data", 400)
    base = harness.path("sound.db")
    harness.must("ingest", "--store", base, "--quiet", data)
    harness.must("vacuum", "--store", base, "--quiet")
    harness.must("doctor", "--store", base, "--seal", "--quiet")
    for suffix in ("-wal", "-shm"):
        harness.remove(base + suffix)
    expected = harness.content(base)
    for name, how in (("a flipped bit", flip), ("a torn page", tear)):
        yield flips(harness, f"{name} of a sealed store", count, base, expected, how, isSealed=True)
        yield flips(harness, f"{name} without a seal", count, base, expected, how, isSealed=False)
    yield cut_logs(harness, max(5, count // 4))


def flip(harness, file, size):
    place = harness.random.randrange(size)
    file.seek(place)
    byte = file.read(1)[0]
    file.seek(place)
    file.write(bytes([byte ^ 1 << harness.random.randrange(8)]))


def tear(harness, file, size):
    """The second half of a page is that of another, as when a power cut stops a write."""
    pages = size // PAGE
    one, other = harness.random.randrange(pages), harness.random.randrange(pages)
    file.seek(other * PAGE + PAGE // 2)
    half = file.read(PAGE // 2)
    file.seek(one * PAGE + PAGE // 2)
    file.write(half)


NAMED = ("is damaged", "is not a tollgate store", "is a store of version", "cannot be opened")


def flips(harness, name, count, base, expected, damage, isSealed):
    """The doctor names any damage to a sealed store. Without a seal, SQLite's check and the rebuild find what they can:
    a value that is another valid value passes, and is counted as unseen."""
    row = Row(name)
    store = harness.path("damaged.db")
    with open(base, "rb") as file:
        sound = file.read()
    for number in range(count):
        harness.copy(base, store)
        if isSealed:
            shutil.copyfile(base + ".seal", store + ".seal")
        with open(store, "r+b") as file:
            damage(harness, file, len(sound))
        with open(store, "rb") as file:
            if file.read() == sound:
                continue
        row.tried += 1
        row.struck += 1
        done = harness.run("doctor", "--store", store, "--rebuild-check")
        if done.returncode == 5 and any(words in done.stderr for words in NAMED):
            row.note("named, status 5")
        elif done.returncode == 0 and not isSealed:
            try:
                same = harness.content(store) == expected
            except (AssertionError, sqlite3.Error):
                same = False
            row.note("in no value of the store" if same else "unseen")
        else:
            row.note(f"status {done.returncode}")
            row.wrong.append(f"{name} {number}: status {done.returncode}: {done.stderr.strip()[:300]}")
    return row


def cut_logs(harness, count):
    """A power cut: of the log, any part may have reached the disk, and the file is as the last checkpoint left it."""
    row = Row("a log cut at a random length")
    data = harness.sample("log-data", 1500)
    files = sorted(os.listdir(data))
    store, kept = harness.path("log.db"), harness.path("kept.db")
    # A connection that stays open keeps the log from being moved into the file.
    harness.remove_store(store)
    harness.must("ingest", "--store", store, "--quiet", os.path.join(data, files[0]))
    reader = sqlite3.connect(store)
    reader.execute("BEGIN")
    reader.execute("SELECT COUNT(*) FROM file").fetchone()
    harness.must("ingest", "--store", store, "--quiet", "--commit-every", "2000", data)
    harness.copy(store, kept)
    reader.close()
    reference = harness.path("reference.db")
    harness.remove_store(reference)
    harness.must("ingest", "--store", reference, "--quiet", data)
    expected = harness.content(reference)
    length = os.path.getsize(kept + "-wal")
    for number in range(count):
        harness.copy(kept, store)
        harness.remove(store + "-shm")
        cut = harness.random.randrange(length)
        with open(store + "-wal", "r+b") as log:
            log.truncate(cut)
            if number % 2:
                # The last sectors hold what was there before.
                log.seek(max(0, cut - 700))
                log.write(os.urandom(700))
        row.tried += 1
        row.struck += 1
        done = harness.run("doctor", "--store", store, "--rebuild-check")
        if done.returncode != 0:
            row.wrong.append(f"cut at {cut}: {done.stderr.strip()}")
            row.note(f"status {done.returncode}")
            continue
        connection = sqlite3.connect(store)
        taken = connection.execute("SELECT COUNT(*) FROM file").fetchone()[0]
        connection.close()
        row.note("all commits there" if taken == len(files) else "an earlier commit")
        harness.must("ingest", "--store", store, "--quiet", data)
        if harness.content(store) != expected:
            row.wrong.append(f"cut at {cut}: the same ingest again gives another store")
    return row
