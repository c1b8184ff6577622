"""`kill -9` at random instants of every command that writes; then the same command again."""

import json
import os
import sqlite3

from harness import Row

NIGHT = "2026-04-01"


def all_kills(harness, count, wanted, persons):
    """A row for each command; the ingest has half of the kills."""
    data = harness.sample("kill-data", persons)
    base = harness.path("base.db")
    harness.must("ingest", "--store", base, "--quiet", data)
    sqlite3.connect(base).execute("PRAGMA wal_checkpoint(TRUNCATE)").connection.close()
    expected = harness.content(base)
    others = [vacuum, backup, forget, prune, repair, nightly]
    share = max(2, count // 2 // len(others))
    if not wanted or "ingest" in wanted:
        yield ingest(harness, count if wanted == ["ingest"] else count - share * len(others), data, expected)
    for test in others:
        if not wanted or test.__name__ in wanted:
            yield test(harness, share, data, base, expected)


class Kills:
    """Kills a command until so many kills have struck, at most twice as many times.

    How long a command takes changes with what else the machine does: instants are drawn from a span that shrinks when a
    command has ended before its kill.
    """

    def __init__(self, harness, row, count, command):
        self.harness = harness
        self.row = row
        self.count = count
        self.command = command
        self.span = harness.length(*command)

    def __iter__(self):
        while self.row.struck < self.count and self.row.tried < 2 * self.count:
            yield self.row.tried
        # A test whose kills all come too late proves nothing.
        if self.row.struck < self.count / 2:
            self.row.wrong.append("too few kills struck")

    def strike(self):
        """Whether the command was still at work."""
        struck = self.harness.kill(self.command, self.harness.random.uniform(0.01, max(0.02, self.span)))
        self.row.tried += 1
        self.row.struck += struck
        self.span *= 1.01 if struck else 0.9
        return struck


def ingest(harness, count, data, expected):
    row = Row("`kill -9` of `ingest`")
    store = harness.path("killed.db")
    kills = Kills(harness, row, count, harness.ingest(store, data))
    for number in kills:
        harness.remove_store(store)
        if kills.strike():
            # Before the first commit there is no store, only its part.
            if os.path.exists(store):
                connection = sqlite3.connect(store)
                files = connection.execute("SELECT COUNT(*) FROM file").fetchone()[0]
                connection.close()
                row.note("with files committed")
                if files == 0:
                    row.wrong.append(f"kill {number}: a store without a file")
            else:
                row.note("before the first commit")
        harness.must(*harness.ingest(store, data))
        if harness.content(store) != expected:
            row.wrong.append(f"kill {number}: another content than that of an undisturbed run")
        leftovers = [name for name in os.listdir(harness.folder) if ".part-" in name]
        if leftovers:
            row.wrong.append(f"kill {number}: left behind: {leftovers}")
    if "with files committed" not in row.outcomes:
        row.wrong.append("no kill came behind the first commit")
    return row


def killed(harness, row, store, command, count, base):
    """Yields number and whether the command was still at work, each time with the store a copy of the base."""
    harness.copy(base, store)
    kills = Kills(harness, row, count, command)
    for number in kills:
        harness.copy(base, store)
        yield number, kills.strike()


def unchanged(harness, name, command, count, base, expected, again=None):
    """A command that changes no content: the store says the same right after the kill, and after the same command again."""
    row = Row(f"`kill -9` of `{name}`")
    store = harness.path("killed.db")
    for number, struck in killed(harness, row, store, command(store), count, base):
        if struck:
            row.note("store as before")
        if harness.content(store) != expected:
            row.wrong.append(f"kill {number}: the store has changed")
        harness.must(*command(store))
        if harness.content(store) != expected:
            row.wrong.append(f"kill {number}: the store has changed by the command again")
        if again:
            again(row, number)
    return row


def vacuum(harness, count, data, base, expected):
    return unchanged(harness, "vacuum", lambda store: ["vacuum", "--store", store, "--quiet"], count, base, expected)


def backup(harness, count, data, base, expected):
    folder = harness.path("copies")
    os.makedirs(folder, exist_ok=True)
    copy = os.path.join(folder, "copy.db")

    def again(row, number):
        if harness.content(copy) != expected:
            row.wrong.append(f"kill {number}: the copy is another store")
        harness.remove(copy)

    return unchanged(harness, "backup", lambda store: ["backup", "--store", store, "--quiet", copy], count, base,
                     expected, again)


def either(harness, name, command, count, base, before, after, statuses=(0,), check=None):
    """A command that changes the content: it is as before or as after, and never between."""
    row = Row(f"`kill -9` of `{name}`")
    store = harness.path("killed.db")
    for number, struck in killed(harness, row, store, command(store), count, base):
        if struck:
            found = harness.content(store)
            row.note("not begun" if found == before else "done" if found == after else "between")
            if found not in (before, after):
                row.wrong.append(f"kill {number}: the store is between before and after")
        done = harness.run(*command(store))
        if done.returncode not in statuses:
            row.wrong.append(f"kill {number}: again ends with {done.returncode}: {done.stderr}")
        if harness.content(store) != after:
            row.wrong.append(f"kill {number}: not what an undisturbed run gives")
        if check:
            check(row, number, store)
    return row


def forget(harness, count, data, base, expected):
    connection = sqlite3.connect(base)
    user = connection.execute("SELECT user_id FROM events WHERE event = 'conversion' LIMIT 1").fetchone()[0]
    connection.close()
    store = harness.copy(base, harness.path("after.db"))
    command = lambda store: ["forget", "--store", store, "--user", user, "--quiet"]
    harness.must(*command(store))
    after = harness.content(store)
    assert after != expected

    def check(row, number, store):
        for suffix in ("", "-wal"):
            if os.path.exists(store + suffix) and user.encode() in open(store + suffix, "rb").read():
                row.wrong.append(f"kill {number}: the id is still in the file")

    # A user who is gone already is said to be.
    return either(harness, "forget", command, count, base, expected, after, (0, 2), check)


def prune(harness, count, data, base, expected):
    store = harness.copy(base, harness.path("after.db"))
    command = lambda store: ["prune", "--store", store, "--older-than", "30", "--quiet"]
    harness.must(*command(store))
    return either(harness, "prune", command, count, base, expected, harness.content(store))


def repair(harness, count, data, base, expected):
    damaged = harness.copy(base, harness.path("damaged.db"))
    connection = sqlite3.connect(damaged)
    connection.executescript("DELETE FROM payment_row; DELETE FROM entry_cell; PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()
    store = harness.copy(damaged, harness.path("after.db"))
    before = harness.content(store)
    command = lambda store: ["doctor", "--store", store, "--repair", "--quiet"]
    return either(harness, "doctor --repair", command, count, damaged, before, expected)


def nightly(harness, count, data, base, expected):
    row = Row("`kill -9` of `nightly`")
    folder = harness.path("night")
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "night.yaml"), "w") as config:
        config.write(f"sources: [{{files: {data}}}]\nstore: night.db\nthresholds: {{sample_ratio_p: 0}}\n"
                     "reports: [funnel --format csv --output funnel.csv]\nprometheus: night.prom\n")
    command = ["nightly", "--config", os.path.join(folder, "night.yaml"), "--night", NIGHT, "--quiet"]
    store = os.path.join(folder, "night.db")
    record = os.path.join(folder, "nightly", f"{NIGHT}.json")

    def said():
        with open(record) as file:
            found = json.load(file)
        return {key: value for key, value in found.items() if key not in ("started_at", "seconds")}

    def clear():
        harness.remove_store(store)
        for name in ("nightly", "funnel.csv", "night.prom"):
            harness.remove(os.path.join(folder, name))

    clear()
    kills = Kills(harness, row, count, command)
    wanted = said()
    for number in kills:
        clear()
        if kills.strike():
            kept = os.path.exists(record) and said()
            row.note("no record" if not kept else "a night that has begun" if kept.get("error") else "record there")
        harness.must(*command)
        if harness.content(store) != expected:
            row.wrong.append(f"kill {number}: another content than that of an undisturbed night")
        if said() != wanted:
            row.wrong.append(f"kill {number}: another record: {said()}")
        leftovers = [name for name in os.listdir(folder) if ".part-" in name]
        if leftovers:
            row.wrong.append(f"kill {number}: left behind: {leftovers}")
    return row
