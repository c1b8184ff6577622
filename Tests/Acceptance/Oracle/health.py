#!/usr/bin/env python3
"""`health`: the counts of cases and of all, by whole lists of events and persons, apart from the program.

    python3 health.py --program PATH --seeds A-B [--persons M] [--work DIR]

compares them with `tollgate health --format csv` on generated events, every third seed messy. Severities, meanings and the
days of single sources are the program's own. The last line is "N passed, M failed"; the exit status is 1 when anything failed.
The readings are A43 and A44 in README.md.
"""
import csv
import io
import os
import shutil

import compare
import generate
import oracle
import paths
import seeds
from oracle import DAY, UNATTRIBUTED

LATE = [("events received 1 to 2 d late", DAY, 2 * DAY), ("events received 2 to 7 d late", 2 * DAY, 7 * DAY),
        ("events received 7 to 30 d late", 7 * DAY, 30 * DAY), ("events received over 30 d late", 30 * DAY, None)]
ALONE = ["persons whose variants a join changed", "persons crossed by a join", "conversions that a join changed"]


def exposures(events):
    """The pairs of experiment and variant that were met."""
    return {(ev["experiment"], ev.get("variant")) for ev in events
            if ev["event"] in ("exposure", "paywall_impression") and "experiment" in ev}


def crossed(pairs):
    return [name for name in {name for name, _ in pairs} if len([1 for other, _ in pairs if other == name]) > 1]


def ids_of(person):
    """One of them may be known by an identify event alone."""
    return {ev[name] for ev in person.events for name in ("user_id", "previous_user_id") if name in ev}


def conversions_of(person):
    """What a join can change of each conversion that begins a subscription or is paid by the person: trial and credit."""
    found = []
    for ev in person.conversions:
        trial = person.trial_of.get(ev["event_id"])
        found.append((ev["ts"], None if trial is None else trial.start, tuple(person.contexts_of_conversion(ev, "last"))))
    return found


def has_facts(person):
    """A43: activity alone makes no fact."""
    return bool(person.impressions or exposures(person.events) or person.trials or person.conversions or person.spells)


def joins(opts, T, persons):
    """The joined persons with facts, and what their joins changed."""
    joined = [p for p in persons if len(ids_of(p)) > 1 and has_facts(p)]
    counts = dict.fromkeys(["persons of several ids"] + ALONE, 0)
    for person in joined:
        alone = []
        for name in ids_of(person):
            events = [ev for ev in person.events if ev["user_id"] == name]
            part = oracle.Person(events, T, opts.grace, person.first_payment)
            if has_facts(part):
                alone.append(part)
        met = exposures(person.events)
        counts["persons of several ids"] += 1
        counts[ALONE[0]] += any(exposures(part.events) != met for part in alone)
        counts[ALONE[1]] += bool(crossed(met)) and not any(crossed(exposures(part.events)) for part in alone)
        left = [c for part in alone for c in conversions_of(part)]
        for conversion in conversions_of(person):
            if conversion in left:
                left.remove(conversion)
            else:
                counts[ALONE[2]] += 1
    return counts


def checks(store, app, opts):
    """check -> (cases, of); None where there is no whole."""
    T, persons = oracle.people(store, app, opts)
    events = store.by_app[app]
    found = {}
    purchases = [(p, spell) for p in persons for spell in p.purchases]
    found["purchases without an impression"] = (
        sum(p.contexts_of_spell(spell, "last")[0][3] == UNATTRIBUTED for p, spell in purchases), len(purchases))
    trials = [(p, trial) for p in persons for trial in p.trials]
    found["trials without an impression"] = (
        sum(p.contexts_of_trial(trial, "last")[0][3] == UNATTRIBUTED for p, trial in trials), len(trials))
    impressions = [ev for ev in events if ev["event"] == "paywall_impression" and not oracle.left_out(ev)]
    found["impressions without an entry point"] = (sum("entry_point" not in ev for ev in impressions), len(impressions))
    seen = [p for p in persons if p.impressions]
    found["persons with impressions and no later identity"] = (
        sum(not p.trials and not p.spells and len(ids_of(p)) == 1 for p in seen), len(seen))
    met = [exposures(p.events) for p in persons]
    found["persons in two variants of an experiment"] = (
        sum(len(crossed(pairs)) for pairs in met), sum(len({name for name, _ in pairs}) for pairs in met))
    first = [spell for p in persons for spell in p.spells if spell.number == 1]
    found["subscriptions that began before the data"] = (sum(not spell.is_purchase for spell in first), len(first))
    owners = {}
    for p in persons:
        for sub in p.subscriptions.values():
            if sub.key is not None and sub.key[0] == "id" and sub.spells:
                owners.setdefault(sub.key[1], set()).add(id(p))
    found["subscription ids of two persons"] = (sum(len(set_) > 1 for set_ in owners.values()), None)
    counts = joins(opts, T, persons)
    exposed = sum(bool(pairs) for pairs in met)
    if any(ev["event"] == "identify" for p in persons for ev in p.events):
        found[ALONE[0]] = (counts[ALONE[0]], exposed)
        found[ALONE[1]] = (counts[ALONE[1]], exposed)
        found[ALONE[2]] = (counts[ALONE[2]], len([1 for p in persons for _ in p.conversions]))
    found["persons of several ids"] = (counts["persons of several ids"], None)
    if any(ev["event"] == "purchase_started" for p in seen for ev in p.events):
        by = ["paths", "--events", "-", "--app", app, "--by", "platform,app_version"]
        header, *rows = paths.checkout(store, oracle.Options(oracle.parser().parse_args(by)))
        rows = [row for row in rows if int(row[header.index("started")]) >= 5]
        found["app versions that never send purchase_started"] = (
            sum(row[header.index("sheet")] == "" for row in rows), len(rows))
    # A44: production events before T count, family-shared ones among them.
    known = [ev for ev in events if oracle.production(ev) and ev["ts"] // DAY * DAY < T]
    days = {ev["ts"] // DAY for ev in known}
    span = max(days) - min(days) + 1 if days else 0
    found["days without an event"] = (span - len(days), span)
    stamped = [ev["received_at"] - ev["ts"] for ev in known if "received_at" in ev]
    for name, least, most in LATE:
        found[name] = (sum(least < delay and (most is None or delay <= most) for delay in stamped), len(stamped))
    found["events received over 1 min before they happened"] = (
        sum(-DAY <= delay < -60_000 for delay in stamped), len(stamped))
    # Without --as-of, those that lie after the end of the data count, too.
    later = [ev for ev in events if opts.as_of is None and oracle.production(ev) and ev["ts"] // DAY * DAY >= T]
    ahead = sum(ev.get("received_at", ev["ts"]) - ev["ts"] < -DAY for ev in later)
    found["events received over 1 d before they happened"] = (
        sum(delay < -DAY for delay in stamped) + ahead, len(stamped) + ahead)
    return found


def difference(want, rows, app):
    have = {row["check"]: row for row in rows if row["app"] == app}
    lines = []
    for check, (cases, of) in want.items():
        row = have.get(check)
        if row is None:
            lines.append("  %s, %s: no row" % (app, check))
        elif int(row["cases"]) != cases or (of is not None and int(row["of"] or 0) != of):
            lines.append("  %s, %s: oracle %s of %s, program %s of %s" % (app, check, cases, of, row["cases"], row["of"]))
    return "\n".join(lines)


def compare_seed(tally, a, seed):
    data = os.path.join(a.work, "seed-%d" % seed)
    messy = seed % 3 == 0
    generate.generate(seed, a.persons, os.path.join(data, "events"), messy)
    store = oracle.load([os.path.join(data, "events")])
    db = os.path.join(data, "store.db")
    compare.run(a.program, ["ingest", "--quiet", "--store", db, os.path.join(data, "events")])
    argv = ["health", "--store", db, "--format", "csv"]
    code, out, err = compare.run(a.program, argv)
    rows = list(csv.DictReader(io.StringIO(out)))
    before = tally.failed
    opts = oracle.Options(oracle.parser().parse_args(["funnel", "--events", "-"]))
    tally.check(seed, argv, "" if code == 0 else "  exit status %d: %s" % (code, err))
    for app in store.by_app:
        if oracle.default_as_of(store.by_app[app]) is not None:
            tally.check(seed, argv, difference(checks(store, app, opts), rows, app))
    conflicts = [row for row in rows if row["check"] == "conflicting lines"]
    tally.check(seed, argv, "" if conflicts and int(conflicts[0]["cases"]) == store.conflicts else "  conflicting lines")
    failed = tally.failed - before
    print("seed %d: %d events%s: %s" % (seed, len(store.events), " messy" if messy else "", "%d differences" % failed
                                        if failed else "equal"), flush=True)
    if not failed:
        shutil.rmtree(data, ignore_errors=True)


def main():
    seeds.compare(seeds.parser(persons=60), compare_seed)


if __name__ == "__main__":
    main()
