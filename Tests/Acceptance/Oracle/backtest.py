"""The purchases and the money of `ltv --backtest` (analysis 14.1, 14.2) by the fold of `oracle.py`, and the program against them.

Forecasts end a search and are not compared. Each origin is folded from the events that it knows; what came is folded from all.
A purchase is found again by the event of its first payment.
"""
import copy
import csv
import datetime
import io
import os
import random
import shutil
import subprocess
from fractions import Fraction

import generate
import lifetime
import oracle
import seeds
from oracle import DAY, NONE
from recurring import spell_rows

HORIZONS = [30, 90, 180, 365]
LEAST = 30
EPOCH = datetime.date(1970, 1, 1)


def origins(first, last, every):
    """UTC midnights that begin a month, or a week on Monday, from `first` to `last`, in ms."""
    day = EPOCH + datetime.timedelta(days=first // DAY)
    while (day - EPOCH).days * DAY <= last:
        if day.day == 1 if every == "month" else day.weekday() == 0:
            at = (day - EPOCH).days * DAY
            if at >= first:
                yield at
        day += datetime.timedelta(days=1)


def known_at(store, origin):
    """14.1: events at or after the origin do not exist; nor those received then or later, where any event tells its reception."""
    tells = any("received_at" in ev for ev in store.events)
    past = oracle.Store()
    for app, events in store.by_app.items():
        past.by_app[app] = [ev for ev in events if ev["ts"] < origin and (not tells or oracle.received(ev) < origin)]
    return past


def cohorts(store, origin, apps, opts):
    """14.2: by row, the first payments of purchases that are active at the origin, lifetime plans aside."""
    then = copy.copy(opts)
    then.as_of = origin
    past = known_at(store, origin)
    found = {}
    for app in apps:
        if not any(oracle.production(ev) for ev in past.by_app[app]):
            continue
        _, persons = oracle.people(past, app, then)
        for person in persons:
            for spell in person.purchases:
                first = spell.payments[0].ev
                if first["plan"] == "lifetime" or not oracle.in_days(spell.start, opts):
                    continue
                if spell.end is not None and spell.end <= origin:
                    continue
                for row in spell_rows(person, spell, opts, opts.by):
                    found.setdefault((app,) + row + (first.get("currency") or NONE,), []).append(first["event_id"])
    return found


def came(spells, currency, origin, end, opts):
    """7.1: payments less refunds, each on its own day, in the currency of the purchases."""
    total = Fraction(0)
    for spell in spells:
        for payment in spell.payments:
            share = lifetime.kept(payment.ev, opts)
            if origin <= payment.ts < end and (payment.ev.get("currency") or NONE) == currency:
                total += payment.price * share
            for ts, amount, back in payment.refunds if opts.mode != "gross" else []:
                if origin <= ts < end and (back or NONE) == currency:
                    total -= amount * share
    return total


def backtest(store, opts, every):
    """(row, origin, horizon) -> (purchases, what came a purchase as CSV has it)."""
    apps = [app for app in oracle.apps_of(store, opts) if any(oracle.production(ev) for ev in store.by_app[app])]
    ends, spell_of = {}, {}
    for app in apps:
        ends[app], persons = oracle.people(store, app, opts)
        for person in persons:
            for spell in person.spells:
                for payment in spell.payments:
                    spell_of[app, payment.ev["event_id"]] = spell
    first = min(min(ev["ts"] for ev in store.by_app[app] if oracle.production(ev)) // DAY * DAY for app in apps)
    begun, out = set(), {}
    for origin in origins(first + 1, max(ends.values()), every):
        for key, members in cohorts(store, origin, apps, opts).items():
            T = ends[key[0]]
            if origin + HORIZONS[0] * DAY > T or (key not in begun and len(members) < LEAST):
                continue
            begun.add(key)
            spells = {id(spell): spell for spell in (spell_of.get((key[0], m)) for m in members) if spell is not None}
            for h in HORIZONS:
                end = origin + h * DAY
                if end > T:
                    continue
                total = came(spells.values(), key[-1], origin, end, opts)
                text = oracle.money(total / len(members), key[-1]) if end + opts.grace <= T else ""
                day = (EPOCH + datetime.timedelta(days=origin // DAY)).isoformat()
                out[key + (day, str(h))] = (str(len(members)), text)
    return out


def difference(want, text, by):
    names = ["app"] + by + ["currency", "origin", "horizon_days"]
    rows = [row for row in csv.DictReader(io.StringIO(text)) if row["origin"] != "all"]
    have = {tuple(row[name] for name in names): (row["purchases"], row["actual"]) for row in rows}
    if have.keys() != want.keys():
        return "  rows %s, expected %s" % (sorted(have.keys() - want.keys())[:3], sorted(want.keys() - have.keys())[:3])
    wrong = ["  %s: %s instead of %s" % (key, have[key], want[key]) for key in sorted(want) if have[key] != want[key]]
    return "\n".join(wrong[:3])


def compare_seed(tally, a, seed):
    rng = random.Random(seed * 7_919 + 3)
    data = os.path.join(a.work, "seed-%d" % seed)
    shutil.rmtree(data, ignore_errors=True)
    generate.generate(seed, a.persons or rng.choice([200, 300, 400]), os.path.join(data, "events"), False)
    store = oracle.load([os.path.join(data, "events")])
    db = os.path.join(data, "store.db")
    subprocess.run([a.program, "ingest", "--quiet", "--store", db, os.path.join(data, "events")], check=True)
    before = tally.failed
    for _ in range(a.runs if store.events else 0):
        every = rng.choice(["month"] * 5 + ["week"])         # events of four years have 230 Mondays
        argv = ["--currency", "native", "--by", rng.choice(["none", "plan", "country", "plan,variant"])]
        argv += ["--mode", rng.choice(["gross", "net"]), "--grace", rng.choice(["3", "0", "16"])]
        if rng.random() < 0.3:
            argv += ["--attribution", rng.choice(["first", "all"])]
        opts = oracle.Options(oracle.parser().parse_args(["ltv", "--events", "."] + argv))
        full = [a.program, "ltv", "--backtest", "--every", every, "--store", db, "--format", "csv"] + argv
        done = subprocess.run(full, capture_output=True, text=True, check=False)
        want = backtest(store, opts, every)
        problem = difference(want, done.stdout, opts.by) if done.returncode == 0 else "  status %d: %s" % (
            done.returncode, done.stderr)
        tally.check(seed, full, problem)
        a.compared = getattr(a, "compared", 0) + len(want)
    if tally.failed == before:
        shutil.rmtree(data, ignore_errors=True)
    print("seed %d: %d forecasts so far" % (seed, a.compared), flush=True)


if __name__ == "__main__":
    seeds.compare(seeds.parser("200 to 400", runs=2), compare_seed)
