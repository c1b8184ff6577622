#!/usr/bin/env python3
"""`value` (what a viewer brings) by whole lists and exact fractions, apart from the program; only the fit is of doubles.

    python3 value.py --program PATH --seeds A-B [--persons M] [--runs 10]

compares users, purchases, survival, values and what they rest on with `tollgate value --format csv` on generated events, and
that intervals hold their values. Values of fits may differ by the last digits of a double: 10^-4 of themselves and a cent. The
last line is "N passed, M failed"; the exit status is 1 when anything failed. The readings are A42 in README.md.
"""
import csv
import io
import math
import os
import random
import shutil
import subprocess
from fractions import Fraction

import cohorts
import compare
import exchange
import generate
import oracle
import recurring
import seeds
from lifetime import boundary, days_of_data, golden, matters, renewals_known
from oracle import DAY, NONE
from recurring import payments_due

NAMED = ["weekly", "monthly", "yearly", "lifetime"]
HORIZONS = [1, 3, 12, 24]


def left(payment, opts, convert):
    """What is left of a payment by --mode, and in which currency."""
    given = sum(amount for _, amount, currency in payment.refunds if currency == payment.ev.get("currency"))
    amount = payment.price - (0 if opts.mode == "gross" else min(given, payment.price))
    amount, currency = convert.convert(amount, payment.ev.get("currency") or NONE, payment)
    return amount * (recurring.kept_share(payment.ev, opts) if opts.mode == "proceeds" else 1), currency


def full(payment, opts, convert):
    amount, currency = convert.convert(payment.price, payment.ev.get("currency") or NONE, payment)
    return amount * (recurring.kept_share(payment.ev, opts) if opts.mode == "proceeds" else 1)


def counted(person, entry, days=7):
    """3.2: the purchases whose conversion a funnel counts for this entry, or within `days` of it."""
    start = entry["ts"]
    found = []
    for spell in person.purchases:
        trial = person.trial_of.get(spell.payments[0].ev["event_id"])
        of_trial = trial is not None and trial.kind == "introductory" and start <= trial.start < start + 7 * DAY
        if spell.start >= start and (of_trial or spell.start < start + days * DAY):
            found.append(spell)
    return found


def fitted_retention(known):
    """Methods 2.11: a function t -> r_t, or None when it is not identified."""
    lost, kept = sum(x for x, _ in known), sum(y for _, y in known)
    if sum(1 for x, y in known if x + y) < 2 or lost == 0 or kept == 0:
        return None
    if all(x == 0 for x, _ in known[1:]):
        share = Fraction(known[0][0], sum(known[0]))
        if share == 1:
            return None
        return lambda t: float(1 - share) if t == 1 else 1.0
    churn = Fraction(lost, lost + kept)
    if sum(t * (y * churn / (1 - churn) - x) for t, (x, y) in enumerate(known)) <= 0:
        return lambda t: float(1 - churn)

    def likelihood(c, s):
        """c = alpha / (alpha + beta), s = 1 / (alpha + beta)."""
        total = 0.0
        for t, (x, y) in enumerate(known):
            if x:
                total += x * math.log(c / (1 + t * s))
            if y:
                total += y * math.log((1 - c + t * s) / (1 + t * s))
        return total

    def best_c(log_s):
        s = math.exp(log_s)
        return golden(lambda c: likelihood(c, s), 1e-9, 1 - 1e-9, 60)
    log_s = golden(lambda u: likelihood(best_c(u), math.exp(u)), -16, 16, 60)
    s, c = math.exp(log_s), best_c(log_s)
    return lambda t: (1 - c + (t - 1) * s) / (1 + (t - 1) * s)


def survival(spells, payments, assumed, T, grace):
    """[(S(n), basis)] for n = 1, 2, ... as far as it is known."""
    known = renewals_known(spells, T, grace)
    if sum(x + y for x, y in known) < 10 and assumed is not None:
        return [(assumed ** n, "assumed" if n else "seen") for n in range(payments)]
    retention = fitted_retention(known)
    found, seen = [(1.0, "seen")], True
    while len(found) < payments:
        t = len(found)
        stopped, went_on = known[t - 1] if t <= len(known) else (0, 0)
        seen = seen and stopped + went_on >= 10
        share, basis = found[-1]
        if seen:
            found.append((share * went_on / (stopped + went_on), "seen"))
        elif retention is not None:
            found.append((share * retention(t), "predicted"))
        elif stopped + went_on:
            found.append((share * went_on / (stopped + went_on), "predicted"))
        elif assumed is not None:
            found.append((share * assumed, "assumed"))
        else:
            break
        order = ["seen", "predicted", "assumed"]
        found[-1] = (found[-1][0], max(found[-1][1], basis, key=order.index))
    return found


def estimates(store, app, T, viewers, everything, opts, convert, assumed):
    """{currency: dict of columns} of viewers, each (matured, purchases); everything: the purchases of the app."""
    out = {}
    users = sum(1 for matured, _ in viewers if matured)
    spells = [s for _, own in viewers for s in own]
    bought = [s for matured, own in viewers if matured for s in own]
    firsts = [(s.payments[0].ev["plan"],) + left(s.payments[0], opts, convert) + (s,) for s in bought]
    for currency in sorted({f[2] for f in firsts}) or [opts.currency or NONE]:
        plans = sorted({f[0] for f in firsts if f[2] == currency}, key=oracle.PLANS.index)
        sums, bases, sources = [0.0] * 25, ["seen"] * 25, set()
        few = ["fewer than 5 buyers: no interval"] if 0 < sum(1 for f in firsts if f[2] == currency) < 5 else []
        has_point, not_known, limits = [True] * 25, [], []
        everybody = sum(1 for f in firsts if f[2] == currency)
        for plan in plans:
            mine = [f for f in firsts if f[0] == plan and f[2] == currency]
            of_plan = [s for s in spells if s.payments[0].ev["plan"] == plan]
            known = renewals_known(of_plan, T, opts.grace)
            own = bool(known) and sum(known[0]) >= 30
            sources.add("own" if own else "app")
            of_app = [s for s in everything if s.payments[0].ev["plan"] == plan]
            later = [left(p, opts, convert) for s in of_plan for p in s.payments[1:]]
            later = [a for a, c in later if c == currency]
            if not later:
                later = [left(p, opts, convert) for s in of_app for p in s.payments[1:]
                         if opts.currency or (p.ev.get("currency") or NONE) == currency]
                later = [a for a, c in later if c == currency]
            if not later:
                later = [full(f[3].payments[0], opts, convert) for f in mine]
            price = float(sum(later) / len(later))
            curve = survival(of_plan if own else of_app, payments_due(plan, 24), assumed.get(plan), T, opts.grace)
            known = known if own else renewals_known(of_app, T, opts.grace)
            thin = sum(x + y for x, y in known) < 10 and assumed.get(plan) is None
            if thin and matters(len(mine), everybody):
                curve = curve[:1]
            limit = boundary(plan, known)
            if not matters(len(mine), everybody) or (not thin and sum(x + y for x, y in known) < 10):
                limit = None
            late = [m for m in range(1, 25) if payments_due(plan, m) > len(curve)]
            if late:
                not_known.append("%s not known yet from month %d on (%d days of data)" % (
                    plan, late[0], days_of_data(store, app, T)))
            predicted = [m for m in range(1, 25) if payments_due(plan, m) <= len(curve)
                         and curve[payments_due(plan, m) - 1][1] == "predicted"]
            if everybody < 5:                           # a prediction without an interval is none
                curve = [x for x in curve if x[1] == "seen"]
            if limit is not None and predicted and everybody >= 5:
                limits.append(limit)
                for month in predicted:
                    has_point[month] = False
            for month in range(1, 25):
                n = payments_due(plan, month)
                if sums[month] is None or n > len(curve):
                    sums[month] = None
                    continue
                sums[month] += float(sum(f[1] for f in mine)) + len(mine) * price * sum(s for s, _ in curve[1:n])
                bases[month] = max(bases[month], curve[n - 1][1], key=["seen", "predicted", "assumed"].index)
        columns = {"users": users, "survival": "mixed" if len(sources) == 2 else next(iter(sources), "")}
        counts = {plan: sum(1 for f in firsts if f[0] == plan and f[2] == currency) for plan in oracle.PLANS}
        for plan in NAMED:
            columns[plan + "_purchases"] = counts[plan]
        columns["other_purchases"] = sum(n for plan, n in counts.items() if plan not in NAMED)
        for month in HORIZONS:
            known = users > 0 and sums[month] is not None
            columns["value_%d" % month] = sums[month] / users if known else None
            columns["basis_%d" % month] = bases[month] if known else ""
            if not has_point[month]:
                columns["value_%d" % month] = None
        columns["note"] = "; ".join(few + not_known + limits) if users else ""
        out[currency] = columns
    return out


def value(store, opts, assumed):
    """{(key..., currency): dict of columns}."""
    out = {}
    convert = exchange.Converter(store, opts)
    for app in oracle.apps_of(store, opts):
        T, persons = oracle.people(store, app, opts)
        if T is None:
            continue
        H = oracle.horizon(persons, opts)
        cells = {}
        everything = [s for p in persons for s in p.purchases]
        for person in persons:
            for row, entry, _ in oracle.entries(person, opts):
                if oracle.in_days(entry["ts"], opts):
                    matured = entry["ts"] + H <= T
                    cells.setdefault((app,) + row, []).append((matured, counted(person, entry)))
        for key, viewers in cells.items():
            for currency, columns in estimates(store, app, T, viewers, everything, opts, convert, assumed).items():
                out[key + (currency,)] = columns
    convert.check()
    return out


def difference(want, text, by):
    rows = {tuple(row[name] for name in ["app"] + by + ["currency"]): row for row in csv.DictReader(io.StringIO(text))}
    if rows.keys() != want.keys():
        return "  rows %s, expected %s" % (sorted(rows.keys() - want.keys()), sorted(want.keys() - rows.keys()))
    for key, columns in want.items():
        row = rows[key]
        for name, expected in columns.items():
            if not name.startswith("value_"):
                if row[name] != str(expected):
                    return "  %s %s: %s instead of %s" % (key, name, row[name], expected)
                continue
            if (expected is None) != (row[name] == ""):
                return "  %s %s: %r instead of %s" % (key, name, row[name], expected)
            if expected is None:
                continue
            have, units = float(row[name]), expected / 1e6
            if abs(have - units) > 0.011 + 1e-4 * abs(units):
                return "  %s %s: %s instead of %s" % (key, name, have, units)
            low, high = row[name + "_low"], row[name + "_high"]
            buyers = sum(columns[plan + "_purchases"] for plan in NAMED + ["other"])
            if (low == "") != (high == "") or (low == "") != (buyers < 5):
                return "  %s %s: bounds %r and %r of %d buyers" % (key, name, low, high, buyers)
            if low and float(low) > float(high):
                return "  %s %s: bounds %s and %s" % (key, name, low, high)
    return ""


def options(rng, store):
    argv = [x for x in compare.options(rng, store, "funnel")]
    for name in ("--unit", "--attribution"):
        if name in argv:
            place = argv.index(name)
            del argv[place:place + 2]
    if rng.random() < 0.6:
        argv += ["--mode", rng.choice(["gross", "net", "proceeds"])]
    if rng.random() < 0.5:
        argv += ["--store-fee", rng.choice(["0.15", "0.3"])]
    if rng.random() < 0.35:
        return argv + ["--currency", rng.choice(["USD", "EUR", "KWD"])]
    return argv + ["--currency", "native"]


def compare_seed(tally, a, seed):
    rng = random.Random(seed * 6_700_417 + 9)
    persons = a.persons or rng.choice([40, 90, 160, 300])
    data = os.path.join(a.work, "seed-%d" % seed)
    shutil.rmtree(data, ignore_errors=True)
    generate.generate(seed, persons, os.path.join(data, "events"), False)
    store = oracle.load([os.path.join(data, "events")])
    rates = exchange.random_rates(seed, store.events)
    exchange.write(rates, os.path.join(data, "rates.csv"), seed)
    cohorts.write(os.path.join(data, "cohorts.yaml"))
    store.rates = {key: Fraction(text) for key, text in rates.items()}
    db = os.path.join(data, "store.db")
    for argv in (["ingest", "--quiet", "--store", db, os.path.join(data, "events")],
                 ["rates", "import", "--quiet", "--store", db, os.path.join(data, "rates.csv")]):
        subprocess.run([a.program] + argv, check=True)
    before = tally.failed
    for _ in range(a.runs if store.events else 0):
        argv = options(rng, store)
        opts = oracle.Options(oracle.parser().parse_args(["value", "--events", ".", "--mode", "proceeds"] + argv))
        assumed, extra = {}, []
        if rng.random() < 0.4:
            assumed = {"yearly": 0.4, "monthly": 0.75}
            extra = ["--renewal", "yearly=0.4", "--renewal", "monthly=0.75"]
        full_argv = [a.program, "value", "--store", db, "--format", "csv"] + argv + extra
        done = subprocess.run(full_argv, capture_output=True, text=True, check=False)
        try:
            want = value(store, opts, assumed)
            problem = difference(want, done.stdout, opts.by) if done.returncode == 0 else "  status %d: %s" % (
                done.returncode, done.stderr)
        except exchange.Missing as missing:
            # Prices of renewals that no row takes need no rates.
            problem = "" if done.returncode in (0, 2) else "  status %d: %s" % (done.returncode, missing)
        tally.check(seed, full_argv, problem)
    if tally.failed == before:
        shutil.rmtree(data, ignore_errors=True)


def main():
    seeds.compare(seeds.parser("40 to 300", runs=10), compare_seed)


if __name__ == "__main__":
    main()
