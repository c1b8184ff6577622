#!/usr/bin/env python3
"""The counts behind an experiment's readout (definitions 8.1 and 8.2), by the oracle's fold: slow, and apart from the program.

    python3 experiment.py --program PATH --seeds A-B [--persons M] [--runs 6]

compares them with `tollgate experiment --format csv` on generated events: persons, crossed and leaked ones, and for every
built-in metric and variant those analysed, immature and with the outcome, and the rate or mean. The last line is "N passed,
M failed"; the exit status is 1 when anything failed.

Readings, where the text leaves one open:

- E1 "Seen with two variants": by exposures and impressions that carry the experiment, between its start and end. One without a
  variant is of the variant `(none)`.
- E2 `trial_start`: an introductory trial that began in the window. `trial_cancelled` (D5.3): of users whose first one began
  within 7 d, those cancelled in it (2.4) as known at T; the horizon is 7 d and the length of a trial (3.3).
- E3 `trial_to_paid`: the person's first trial of any kind within 7 d of the exposure. Its horizon is the least length that 99 %
  of these trials do not exceed, and the grace. Not estimable before a trial was watched that long.
- E4 `revenue`: payments in the window less refunds in the window, each at its own instant (7.1), whenever the payment was that is
  given back, in one currency (D6.1, D6.2). A payer is who made a payment above 0 in the window; what has no rate counts 0.
- E5 `refunded`: a payment of any time given back in full at an instant in the window.
- E6 `retained` (D5.1): an `activity` event in [7 d, 14 d); no rows where no exposed user ever has one.
- E7 `value_12` (D6.9), where the readout has one: the formula of value.py with the first exposure in place of the first paywall
  view and the purchases of `paid` (14 d) beside those of trials, net.
"""
import copy
import csv
import io
import os
import random
import shutil
import subprocess
from fractions import Fraction

import exchange
import generate
import oracle
import seeds
import value as viewer_value

DAY = 86_400_000


class Exposed:
    """8.1."""

    def __init__(self, person, experiment, start, end):
        self.person = person
        seen = [ev for ev in person.events
                if ev["event"] in ("exposure", "paywall_impression") and ev.get("experiment") == experiment
                and (start is None or ev["ts"] >= start) and (end is None or ev["ts"] < end)]
        self.variants = {ev.get("variant", oracle.NONE) for ev in seen}
        self.ts = min((ev["ts"] for ev in seen), default=None)

    def within(self, ts, days, first=0):
        return self.ts + first * DAY <= ts < self.ts + days * DAY


def paid_in(exposed, days):
    """The metric `paid`: a purchase (2.9)."""
    return any(exposed.within(spell.start, days) for spell in exposed.person.purchases)


def first_introductory(exposed):
    """E2."""
    return next((t for t in exposed.person.trials if t.kind == "introductory" and exposed.within(t.start, 7)), None)


def payments(person):
    return [p for sub in person.subscriptions.values() for p in sub.payments]


def revenue(exposed, convert):
    """E4: (millionths, whether the person paid); what has no rate counts 0."""
    amount, paid = Fraction(0), False
    for p in payments(exposed.person):
        if p.price > 0 and exposed.within(p.ts, 30):
            amount += convert.convert(p.price, p.ev["currency"], p)[0]
            paid = True
        for ts, given, currency in p.refunds:
            if given and exposed.within(ts, 30):
                amount -= convert.convert(given, currency, p)[0]
    return amount, paid


def revenues(store, opts, arms):
    """D6.1, without a currency asked for: US dollars where nothing lacks a rate, else the currency of most payers."""
    def of(currency):
        asked = copy.copy(opts)
        asked.currency = currency
        convert = exchange.Converter(store, asked)
        return {v: [revenue(e, convert) for e in members] for v, members in arms.items()}, convert.missing

    payers = {}
    for e in (e for members in arms.values() for e in members):
        for currency in {p.ev["currency"] for p in payments(e.person) if p.price > 0 and e.within(p.ts, 30)}:
            payers[currency] = payers.get(currency, 0) + 1
    if not payers:
        return None
    dollars, missing = of("USD")
    return of(min(payers, key=lambda c: (-payers[c], c.encode())))[0] if missing else dollars


def first_trial(exposed):
    """E3."""
    trials = [t for t in exposed.person.trials if exposed.within(t.start, 7)]
    return trials[0] if trials else None


def incidence(trials, T, horizon):
    """E3: F at the horizon; None while nobody was watched that long."""
    if not any(t.start + horizon <= T for t in trials):
        return None
    # What ends after the horizon is only known not to have ended before.
    return oracle.aalen_johansen([(min(u, horizon + 1), status if u <= horizon else 0) for u, status in oracle.trial_ends(trials, T)])[0]


def counts(store, opts, experiment, shares=None, start=None, end=None):
    """By app: persons by variant, crossed, leaked, and rows by (metric, variant): n, immature, events, value."""
    out = {}
    for app in oracle.apps_of(store, opts):
        T, persons = oracle.people(store, app, opts)
        if T is None:
            continue
        everyone = [Exposed(p, experiment, start, end) for p in persons]
        everyone = [e for e in everyone if e.ts is not None and oracle.in_days(e.ts, opts)]
        if not everyone:
            continue
        single = [e for e in everyone if len(e.variants) == 1]
        arms = {}
        for e in single:
            arms.setdefault(next(iter(e.variants)), []).append(e)
        leaked = 0
        if shares is not None:
            leaked = sum(len(members) for v, members in arms.items() if v not in shares)
            arms = {v: arms.get(v, []) for v in shares}
        out[app] = {"persons": {v: len(m) for v, m in arms.items()}, "crossed": len(everyone) - len(single),
                    "leaked": leaked, "rows": rows(store, opts, arms, T, opts.grace, oracle.trial_length(persons)),
                    "value_12": lambda variant, currency, known=(app, T, persons, arms): value_12(
                        store, opts, variant, currency, *known)}
    return out


def value_12(store, opts, variant, currency, app, T, persons, arms):
    """E7; None where it has no point."""
    asked = copy.copy(opts)
    asked.currency, asked.mode = currency, "net"
    H = max(oracle.horizon(persons, opts), 14 * DAY)
    viewers = [(e.ts + H <= T, viewer_value.counted(e.person, {"ts": e.ts}, 14)) for e in arms[variant]]
    everything = [s for p in persons for s in p.purchases]
    convert = exchange.Converter(store, asked)
    found = viewer_value.estimates(store, app, T, viewers, everything, asked, convert, {})
    return found[currency]["value_12"]


def rows(store, opts, arms, T, grace, length):
    found = {}
    cancelled = {e: t.cancelled for members in arms.values() for e in members
                 for t in [first_introductory(e)] if t is not None}
    for variant, members in arms.items():
        analysed = [e for e in members if e.ts + 7 * DAY + length <= T]
        trials = [e for e in analysed if e in cancelled]
        events = sum(1 for e in trials if cancelled[e])
        immature = len(members) - len(analysed)
        found["trial_cancelled", variant] = (
            len(trials), immature, events, Fraction(events, len(trials)) if trials else None)
        found["trial_cancelled_per_exposed", variant] = (
            len(analysed), immature, events, Fraction(events, len(analysed)) if analysed else None)
    used = any(ev["event"] == "activity" for members in arms.values() for e in members for ev in e.person.events)
    shares = {
        "trial_start": (7, lambda e: any(t.kind == "introductory" and e.within(t.start, 7) for t in e.person.trials)),
        "paid": (14, lambda e: paid_in(e, 14)),
        "refunded": (30, lambda e: any(p.full_refund is not None and e.within(p.full_refund, 30)
                                       for p in payments(e.person))),
    }
    if used:
        shares["retained"] = (14, lambda e: any(ev["event"] == "activity" and e.within(ev["ts"], 14, 7)
                                                for ev in e.person.events))
    for variant, members in arms.items():
        for metric, (days, happened) in shares.items():
            analysed = [e for e in members if e.ts + days * DAY <= T]
            events = sum(1 for e in analysed if happened(e))
            found[metric, variant] = (len(analysed), len(members) - len(analysed), events,
                                      None if not analysed else Fraction(events, len(analysed)))
    mature = {v: [e for e in members if e.ts + 30 * DAY <= T] for v, members in arms.items()}
    for variant, amounts in (revenues(store, opts, mature) or {}).items():
        immature = len(arms[variant]) - len(amounts)
        total = sum(amount for amount, _ in amounts)
        payers = sum(1 for _, paid in amounts if paid)
        found["revenue", variant] = (
            len(amounts), immature, sum(1 for amount, _ in amounts if amount != 0),
            None if not amounts else Fraction(total, 10 ** 6 * len(amounts)))
        found["revenue_per_payer", variant] = (
            len(amounts), immature, payers,
            None if payers == 0 or len(amounts) < 2 else Fraction(total, 10 ** 6 * payers))
        found["why", variant] = why_no_interval(variant, [amount for amount, paid in amounts if paid])
    trials = {v: [t for t in map(first_trial, members) if t is not None] for v, members in arms.items()}
    lengths = sorted(t.end - t.start for ts in trials.values() for t in ts)
    if lengths:
        length = next(x for i, x in enumerate(lengths) if 100 * (i + 1) >= 99 * len(lengths))
        for variant, own in trials.items():
            converted = sum(1 for t in own if t.conversion is not None)
            pending = sum(1 for t in own if t.conversion is None and t.deadline > T)
            found["trial_to_paid", variant] = (len(own), pending, converted, incidence(own, T, length + grace))
    return found


def why_no_interval(variant, paid):
    """statistics 2.13, as amended: what keeps a mean per payer from having an interval."""
    if len(paid) < 5:
        return "fewer than 5 payers in %s" % variant
    return "all payers in %s paid the same amount" % variant if len(set(paid)) == 1 else ""


# Comparison ---------------------------------------------------------------------------------------------------------

def options(rng, store):
    times = [ev["ts"] for ev in store.events]
    argv = []
    if rng.random() < 0.5:
        argv += ["--as-of", generate.iso(rng.choice(times) + rng.choice([0, 1, DAY, 8 * DAY, 14 * DAY, 15 * DAY, 31 * DAY]))]
    if rng.random() < 0.25:
        argv += ["--grace", rng.choice(["0", "1", "5"])]
    if rng.random() < 0.2:
        argv += ["--from", generate.iso(rng.choice(times))[:10]]
    return argv


def plan(rng, store, path):
    """A file with start, end and shares, or none."""
    if rng.random() < 0.5:
        return [], None, None, None
    times = [ev["ts"] for ev in store.events]
    lines, start, end, shares = [], None, None, None
    if rng.random() < 0.7:
        start = rng.choice(times) // DAY * DAY
        lines.append("start: " + generate.iso(start)[:10])
    if rng.random() < 0.4:
        end = (start or min(times) // DAY * DAY) + rng.choice([1, 10, 60, 200]) * DAY
        lines.append("end: " + generate.iso(end)[:10])
    if rng.random() < 0.4 or not lines:
        shares = ["a", "b"]
        lines.append("variants: {a: 1, b: 1}")
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")
    return ["--config", path], shares, start, end


def parse(text):
    """The program's rows as counts() has them."""
    out = {}
    for row in csv.DictReader(io.StringIO(text)):
        app = out.setdefault(row["app"], {"persons": {}, "crossed": 0, "leaked": 0, "rows": {}})
        key = row["metric"], row["variant"]
        if row["section"] == "health":
            if row["measure"] == "share":
                app["persons"][row["variant"]] = int(row["n"])
            if row["measure"] == "crossed":
                app["crossed"] = int(row["value"])
            if row["measure"] == "leaked":
                app["leaked"] += int(row["value"])
        if row["section"] == "metrics" and row["metric"] == "value_12" and row["measure"] == "mean" and row["value"]:
            app.setdefault("value_12", {})[row["variant"]] = row["value"], row["unit"]
        if row["section"] == "metrics" and not row["metric"].startswith(("revenue_capped", "value_12")):
            if row["measure"] in ("rate", "mean") and row["n"]:
                app["rows"].setdefault(key, {}).update(n=int(row["n"]), events=int(row["events"]), value=row["value"])
            if key[0] == "revenue_per_payer" and row["measure"] == "mean":
                app["rows"]["why", row["variant"]] = row["reason"], row["low"] == ""
            if row["measure"] == "immature":
                app["rows"].setdefault(key, {}).update(immature=int(row["value"]))
    return out


def difference(want, have):
    if want.keys() != have.keys():
        return "  apps %s instead of %s" % (sorted(have), sorted(want))
    for app in want:
        for name in ("persons", "crossed", "leaked"):
            if want[app][name] != have[app][name]:
                return "  %s: %s %s instead of %s" % (app, name, have[app][name], want[app][name])
        if want[app]["rows"].keys() - {k for k, v in have[app]["rows"].items()}:
            return "  %s: no rows %s" % (app, sorted(want[app]["rows"].keys() - have[app]["rows"].keys()))
        for key, wanted in want[app]["rows"].items():
            own = have[app]["rows"][key]
            if key[0] == "why":
                if own != (wanted, wanted != ""):
                    return "  %s revenue_per_payer of %s: reason, no interval %s instead of %s" % (
                        app, key[1], own, (wanted, wanted != ""))
                continue
            n, immature, events, value = wanted
            if (own["n"], own["immature"], own["events"]) != (n, immature, events):
                return "  %s %s: n, immature, events %s instead of %s" % (
                    app, key, (own["n"], own["immature"], own["events"]), (n, immature, events))
            # Sums of doubles: the last of six decimals may round the other way.
            if (value is None) != (own["value"] == "") or (
                    value is not None and abs(Fraction(own["value"]) - value) > Fraction(6, 10 ** 7) * max(1, abs(value))):
                return "  %s %s: value %s instead of %s" % (app, key, own["value"], None if value is None else float(value))
        for variant, (value, currency) in have[app].get("value_12", {}).items():
            expected = want[app]["value_12"](variant, currency)
            # A fit may differ by the last digits of a double.
            if expected is None or abs(float(value) - expected / 1e6) > 0.011 + 1e-4 * abs(expected / 1e6):
                return "  %s value_12 of %s: %s instead of %s" % (app, variant, value, expected)
    return ""


def compare_seed(tally, a, seed):
    rng = random.Random(seed * 7_919 + 5)
    persons = a.persons or rng.choice([12, 40, 90, 160])
    data = os.path.join(a.work, "seed-%d" % seed)
    shutil.rmtree(data, ignore_errors=True)
    generate.generate(seed, persons, os.path.join(data, "events"), False)
    store = oracle.load([os.path.join(data, "events")])
    db = os.path.join(data, "store.db")
    subprocess.run([a.program, "ingest", "--quiet", "--store", db, os.path.join(data, "events")], check=True)
    before = tally.failed
    experiments = sorted({ev["experiment"] for ev in store.events if "experiment" in ev})
    for _ in range(a.runs if experiments else 0):
        experiment = rng.choice(experiments)
        argv = options(rng, store)
        config, shares, start, end = plan(rng, store, os.path.join(data, "plan.yaml"))
        parser = oracle.parser()
        opts = oracle.Options(parser.parse_args(["trials", "--events", "."] + argv))
        want = counts(store, opts, experiment, shares, start, end)
        full = [a.program, "experiment", experiment, "--store", db, "--format", "csv"] + argv + config
        done = subprocess.run(full, capture_output=True, text=True, check=False)
        if want and done.returncode == 0:
            problem = difference(want, parse(done.stdout))
        else:
            problem = "" if not want and done.returncode == 2 else "  exit status %d: %s" % (done.returncode, done.stderr)
        tally.check(seed, full, problem)
    if tally.failed == before:
        shutil.rmtree(data, ignore_errors=True)


def main():
    seeds.compare(seeds.parser("12 to 160", runs=6, of="readouts"), compare_seed)


if __name__ == "__main__":
    main()
