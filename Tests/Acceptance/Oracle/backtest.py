"""The purchases, the money and the forecasts of `ltv --backtest` by the fold of `oracle.py`, and the program
against them.

Forecasts end a search and are compared within 0.02 or 1/1000. Each origin is folded from the events that it knows; what came is folded from all.
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

import backtest_predict as predict
import backtest_trials as trials
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
    """Events at or after the origin do not exist; nor those received then or later, where any event tells its reception."""
    tells = any("received_at" in ev for ev in store.events)
    past = oracle.Store()
    for app, events in store.by_app.items():
        past.by_app[app] = [ev for ev in events if ev["ts"] < origin and (not tells or oracle.received(ev) < origin)]
    return past


class Row:
    """The purchases of a row as an origin knows them."""

    def __init__(self):
        self.active, self.new = [], []                       # purchases active at the origin; those 30 days old
        self.bought = {}                                     # by plan
        self.spells = []                                     # all purchases


def known(store, origin, before, apps, opts):
    """The rows, the runs of each app by plan, the spell of each payment and the trials of each app, as an origin knows them."""
    then = copy.copy(opts)
    then.as_of = origin
    past = known_at(store, origin)
    rows, runs, spell_of, live = {}, {}, {}, {}
    for app in apps:
        if not any(oracle.production(ev) for ev in past.by_app[app]):
            continue
        _, persons = oracle.people(past, app, then)
        for person in persons:
            for spell in person.spells:
                for payment in spell.payments:
                    spell_of[app, payment.ev["event_id"]] = spell
            for spell in person.purchases:
                add_purchase(rows, runs.setdefault(app, {}), app, person, spell, origin, before, opts)
        live[app] = trials.Trials(app, persons, origin, opts)
    return rows, runs, spell_of, live


def add_purchase(rows, runs, app, person, spell, origin, before, opts):
    first = spell.payments[0].ev
    lasts = first["plan"] != "lifetime"
    own = predict.runs_of(spell) if lasts else []
    for number, run in enumerate(own):
        add_run(runs, own, number, spell, origin, opts)
    if not oracle.in_days(spell.start, opts):
        return
    for name in spell_rows(person, spell, opts, opts.by):
        row = rows.setdefault((app,) + name + (first.get("currency") or NONE,), Row())
        row.spells.append(spell)
        for number, run in enumerate(own):
            add_run(row.bought, own, number, spell, origin, opts)
        if before < spell.start + 30 * DAY <= origin:
            row.new.append(first["event_id"])
        if lasts and (spell.end is None or spell.end > origin):
            row.active.append(predict.Member(spell, origin, first["event_id"]))


def add_run(into, own, number, spell, origin, opts):
    following = own[number + 1][0] if number + 1 < len(own) else None
    into.setdefault(own[number][0].ev["plan"], predict.Runs()).add(own[number], following, spell, origin, opts)


def came(spell, currency, of, origin, end, opts):
    """7.1: payments less refunds, each on its own day, in the currency of the purchase; of a new one, in its first 12 months."""
    total = Fraction(0)
    if spell is not None:
        low, high = (spell.start, oracle.add_months(spell.start, 12)) if of == "new" else (origin, end)
        for payment in spell.payments:
            share = lifetime.kept(payment.ev, opts)
            if low <= payment.ts < high and (payment.ev.get("currency") or NONE) == currency:
                total += payment.price * share
            for ts, amount, back in payment.refunds if opts.mode != "gross" else []:
                if low <= ts < high and (back or NONE) == currency:
                    total -= amount * share
    return total


def backtest(store, opts, every):
    """(row, origin, of, horizon) -> (purchases, trials among them, what came a purchase as CSV has it, the forecast, that
    without states, those with and without trials), and (row, horizon, age) -> [(what was
    predicted for active purchases of this age, what came)]."""
    apps = [app for app in oracle.apps_of(store, opts) if any(oracle.production(ev) for ev in store.by_app[app])]
    ends, spell_of, live = {}, {}, {}
    for app in apps:
        ends[app], persons = oracle.people(store, app, opts)
        for person in persons:
            for spell in person.spells:
                for payment in spell.payments:
                    spell_of[app, payment.ev["event_id"]] = spell
        live[app] = trials.Trials(app, persons, ends[app], opts)
    first = min(min(ev["ts"] for ev in store.by_app[app] if oracle.production(ev)) // DAY * DAY for app in apps)
    begun, out, by_age, states, switch = set(), {}, {}, predict.States(), trials.Switch()
    for origin in origins(first + 1, max(ends.values()), every):
        before = list(origins(origin - 31 * DAY, origin - 1, every))[-1]
        rows, runs, then, now = known(store, origin, before, apps, opts)
        states.settle(then, origin, opts.grace)
        switch.settle(origin, opts.grace, lambda series, point: sum(sums_of(
            series[0], point["keys"], then, now, "active", point["origin"], point["end"], opts).values()))
        for key, row in rows.items():
            money = of_trials = None
            open_now = now[key[0]].open.get(key, [])
            for of, members in (("active", [m.key for m in row.active]), ("new", row.new)):
                for place, h in enumerate(HORIZONS if of == "active" else [336]):
                    end = origin + h * DAY
                    starts = (key, of) in begun and members or len(members) >= LEAST
                    if end > ends[key[0]] or not starts:
                        continue
                    begun.add((key, of))
                    own = (members, [m for m, _ in open_now] if of == "active" else [])
                    count = len(own[0]) + len(own[1])
                    sums = sums_of(key, own, spell_of, live, of, origin, end, opts)
                    total = sum(sums.values())
                    text = oracle.money(total / count, key[-1]) if end + opts.grace <= ends[key[0]] else ""
                    day = (EPOCH + datetime.timedelta(days=origin // DAY)).isoformat()
                    if of == "active":
                        money = money or predict.forecast(key, row.active, row.bought, runs[key[0]], states)
                        of_trials = of_trials or now[key[0]].money(key, row.spells, runs[key[0]], origin, opts)
                        forecast = [""] * 4
                        if money[place] is not None:
                            with_states, without_states, ages = money[place]
                            more = of_trials[place] or 0.0
                            kept = more if switch.keeps((key, h)) else 0.0
                            switch.note((key, h), origin, end, own, with_states + more, with_states)
                            if of_trials[place] is not None:
                                ages["trial"] = kept
                            forecast = [oracle.money(Fraction(x) / count, key[-1]) for x in (
                                with_states + kept, without_states + kept, with_states + more, with_states)]
                            if text:
                                note_ages(by_age, key + (str(h),), ages, ages_of(row, own[1], key[0], spell_of, live, sums, origin))
                    else:
                        forecast = [lifetime.predicted(row.spells, origin, key[-1], opts, 0)[1]] * 4
                    out[key + (day, of, str(h if of == "active" else 365))] = [str(count), str(len(own[1])), text] + forecast
        for key, row in rows.items():
            states.watch(key, row.active)
    return out, by_age


def sums_of(key, keys, spell_of, live, of, origin, end, opts):
    """What came of purchases and trials, by the id of their spell."""
    members, of_trials = keys
    spells = [spell_of.get((key[0], m)) for m in members] + [live[key[0]].spell_of.get(m) for m in of_trials]
    return {id(spell): came(spell, key[-1], of, origin, end, opts) for spell in spells}


def ages_of(row, of_trials, app, spell_of, live, sums, origin):
    """What came by age; purchases that turned out to be one have the age of the oldest."""
    starts, found = {}, {}
    for m in row.active:
        place = id(spell_of.get((app, m.key)))
        starts[place] = min(m.start, starts.get(place, m.start))
    for place, start in starts.items():
        band = predict.age(start, origin)
        found[band] = found.get(band, 0) + sums[place]
    places = {id(live[app].spell_of.get(m)) for m in of_trials} - set(starts)
    found["trial"] = sum(sums[place] for place in places)
    return found


def note_ages(by_age, key, predicted, actual):
    for band, money in predicted.items():
        by_age.setdefault(key + (band,), []).append((money, float(actual.get(band, 0))))


def age_difference(by_age, text, by):
    """Errors by age: the number of forecasts exactly, mape and bias within 0.002 or 1/500."""
    names = ["app"] + by + ["currency", "horizon_days", "age_days"]
    have = {tuple(row[name] for name in names): [row[name] for name in ("origins", "mape", "bias")]
            for row in csv.DictReader(io.StringIO(text)) if row["age_days"] not in ("", "all")}
    want = {}
    for key, pairs in by_age.items():
        came_in = sum(a for _, a in pairs)
        want[key] = [str(len(pairs))] + [str(sum(f(p - a) for p, a in pairs) / came_in) if came_in > 0 else ""
                                         for f in (abs, lambda x: x)]
    if have.keys() != want.keys():
        return "  ages %s, expected %s" % (sorted(have.keys() - want.keys())[:3], sorted(want.keys() - have.keys())[:3])
    wrong = ["  %s: %s instead of %s" % (key, have[key], want[key]) for key in sorted(want)
             if have[key][0] != want[key][0] or not all(
                 p == q or p and q and abs(float(p) - float(q)) <= max(0.002, abs(float(q)) / 500)
                 for p, q in zip(have[key][1:], want[key][1:]))]
    return "\n".join(wrong[:3])


def difference(want, text, by):
    names = ["app"] + by + ["currency", "origin", "of", "horizon_days"]
    table = [row for row in csv.DictReader(io.StringIO(text)) if row["origin"] != "all"]
    have = {tuple(row[name] for name in names): [row[name] for name in (
        "purchases", "trials", "actual", "predicted", "predicted_fit", "predicted_with_trials", "predicted_without_trials")]
            for row in table}
    # The forecasts as of the end of the data come after the others.
    last = max((key[-3] for key in want), default="")
    have = {key: cells for key, cells in have.items() if key[-3] <= last}
    if have.keys() != want.keys():
        return "  rows %s, expected %s" % (sorted(have.keys() - want.keys())[:3], sorted(want.keys() - have.keys())[:3])
    wrong = ["  %s: %s instead of %s" % (key, have[key], want[key]) for key in sorted(want) if not agree(have[key], want[key])]
    return "\n".join(wrong[:3])


def agree(have, want):
    """Counts and money exactly; forecasts, which end a search, within 0.02 or 1/1000."""
    if have[:3] != want[:3]:
        return False
    return all(p == q or p and q and abs(float(p) - float(q)) <= max(0.02, abs(float(q)) / 1000)
               for p, q in zip(have[3:], want[3:]))


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
        want, by_age = backtest(store, opts, every)
        problem = "  status %d: %s" % (done.returncode, done.stderr)
        if done.returncode == 0:
            problem = difference(want, done.stdout, opts.by) or age_difference(by_age, done.stdout, opts.by)
        tally.check(seed, full, problem)
        a.compared = getattr(a, "compared", 0) + len(want)
        a.ages = getattr(a, "ages", 0) + len(by_age)
    if tally.failed == before:
        shutil.rmtree(data, ignore_errors=True)
    print("seed %d: %d forecasts and %d ages so far" % (seed, a.compared, a.ages), flush=True)


if __name__ == "__main__":
    seeds.compare(seeds.parser("200 to 400", runs=2), compare_seed)
