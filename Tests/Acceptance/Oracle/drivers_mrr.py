#!/usr/bin/env python3
"""`tollgate why mrr` on random stores: what moved recurring revenue between the ends of two periods, by segment (definitions 7.3, 10.3,
10.4).

Movements are those of recurring.py, by exact fractions. The total, every part of every cut, its subscriptions and amounts, and the
sentence with the paired test over users are compared to the last digit. Parts of a cut have to add up to the printed change.

    python3 drivers_mrr.py --program PATH --seeds 1-6

"""
import csv
import io
import itertools
import json
import math
import os
import random
import shutil
from datetime import date as Date, timedelta
from fractions import Fraction
from zoneinfo import ZoneInfo

import exchange
import generate
import oracle
import recurring
import seeds
from compare import run
from oracle import DAY

DIMENSIONS = ["plan", "tier", "country", "platform", "store", "app_version", "variant", "entry_point", "paywall", "experiment", "offer_type"]
MOVEMENTS = ["new", "resubscribed", "expansion", "contraction", "churned"]


def printed(exact, places):
    """10.4: {key: units} of {key: micro-units}; rounded down, and one more for the largest remainders, an earlier one first."""
    unit = Fraction(1_000_000, 10 ** places)
    total = round(sum(exact.values(), Fraction(0)) / unit)
    floors = {key: math.floor(value / unit) for key, value in exact.items()}
    missing = total - sum(floors.values())
    rest = {key: round((exact[key] / unit - floors[key]) * 1_000_000) for key in exact}
    order = sorted(exact, key=lambda key: (-rest[key], MOVEMENTS.index(key[1]), key[0].encode()))
    for key in order[:max(0, missing)]:
        floors[key] += 1
    for key in reversed(order[len(order) + min(0, missing):]):
        floors[key] -= 1
    return floors, total


class Sum:
    """Both ends and the movements between them, in micro-units."""

    def __init__(self):
        self.amounts, self.active, self.moved = [Fraction(0), Fraction(0)], [0, 0], {}

    def add(self, change, is_before):
        _, movement, _, amount, active = change
        for side in ([0, 1] if is_before else [1]):
            self.amounts[side] += amount
            self.active[side] += active
        if not is_before:
            self.moved[movement] = self.moved.get(movement, 0) + amount

    def merge(self, other):
        for side in range(2):
            self.amounts[side] += other.amounts[side]
            self.active[side] += other.active[side]
        for movement, amount in other.moved.items():
            self.moved[movement] = self.moved.get(movement, 0) + amount


def expected(store, app, opts, first, end):
    """({values: Sum}, {user: Sum}, currencies) from the start of `first` to that of `end`, as the last known instant tells it."""
    convert = recurring.Converter(store, opts)
    T, persons = oracle.people(store, app, opts)
    if first > oracle.local_date(T - 1, opts.zone).isoformat():
        return {}, {}, set()
    cells, users, count = {}, {}, {}
    for number, person in enumerate(persons):
        for spell in person.spells:
            for values in recurring.spell_rows(person, spell, opts, DIMENSIONS):
                for change in recurring.movements(spell, lambda s, t: recurring.mrr_at(s, t, convert)):
                    if change[0] > T:
                        continue
                    day = oracle.local_date(min(change[0], T - 1), opts.zone).isoformat()
                    if day >= end:
                        continue
                    for table, key in ((cells, values + (change[2],)), (users, number)):
                        table.setdefault(key, Sum()).add(change, day < first)
                    seen = count.setdefault(values + (change[2],), [0])
                    seen[0] += day >= first
    convert.check()
    kept = {key: own for key, own in cells.items() if own.active[1] or count[key][0]}
    return {key[:-1]: own for key, own in kept.items()}, users, {key[-1] for key in kept}


def normal_p(z):
    return math.erfc(abs(z) / math.sqrt(2))


def unlike(cells, past, scale, wanted):
    """(name, its change, its change in the days before, whether it is told) of the value that moved most unlike the days before: its
    own difference or the excess over its share of the whole's, whichever is fewer standard errors, each subscription that moved an
    observation; 0 if their signs differ."""
    table = {}
    for side, is_past in ((cells, False), (past, True)):
        for values, own in side.items():
            moved = float(sum(map(abs, own.moved.values()))) / 1e6
            revenue, active = float(sum(own.amounts)) / 1e6, sum(own.active)
            change = float(own.amounts[1] - own.amounts[0]) / 1e6
            for name in [("", "")] + [(dimension, values[DIMENSIONS.index(dimension)]) for dimension in wanted]:
                known = table.setdefault(name, ([0, 0, 0, 0], [0, 0, 0, 0]))[is_past]
                for place, amount in enumerate((revenue, active, change, moved)):
                    known[place] += amount
    whole = table.pop(("", ""), ([0, 0, 0, 0], [0, 0, 0, 0]))

    def difference(sides):
        return sides[0][2] - scale * sides[1][2]

    def variance(sides):
        now, past = (moved * (revenue / active if active else moved) for revenue, active, _, moved in sides)
        return now + scale ** 2 * past

    counts = {dimension: sum(name[0] == dimension for name in table) for dimension in wanted}
    names = [name for name in sorted(table, key=lambda name: (wanted.index(name[0]), name[1].encode())) if counts[name[0]] > 1]
    best = None
    for name in names:
        sides = table[name]
        rest = [[all_of - own for all_of, own in zip(*both)] for both in zip(whole, sides)]
        everything = whole[0][0] + whole[1][0]
        share = (sides[0][0] + sides[1][0]) / everything if everything > 0 else 0
        own, excess = difference(sides), difference(sides) - share * difference(whole)
        error = variance(sides) * (1 - share) ** 2 + variance(rest) * share ** 2
        scores = [change / math.sqrt(spread) if spread > 0 else 0 for change, spread in ((own, variance(sides)), (excess, error))]
        z = min(scores, key=abs) if scores[0] * scores[1] > 0 else 0
        if best is None and z or best and abs(z) > abs(best[3]) + 1e-9:
            best = (name, sides[0][2], scale * sides[1][2], z)
    return best and (*best[:3], normal_p(best[3]) * len(names))


def clause(best, places, currency):
    if best is None or best[3] >= 0.05:
        return {""}
    (dimension, value), change, earlier, _ = best
    def texts(amount):
        units = abs(amount) * 10 ** places
        for number in {math.floor(units + 0.5 - 1e-4), math.floor(units + 0.5 + 1e-4)}:
            whole, point, cents = oracle.money(Fraction(number) * 1_000_000 / 10 ** places, currency).partition(".")
            yield "%s%s%s%s %s" % ("−" if amount < 0 else "+" if amount > 0 else "", f"{int(whole):,}", point, cents, currency)
    return {". It moved most unlike the days before in %s %s: by %s, after %s" % (dimension.replace("_", " "), value, now, past)
            for now in texts(change) for past in texts(earlier)}


def sentence(users, total, change, places, currency):
    differences = [round(own.amounts[1]) - round(own.amounts[0]) for own in users.values()]
    squares = sum(x * x for x in differences)
    if squares == 0 or change == 0:
        return {"it did not change"}
    p = normal_p(sum(differences) / math.sqrt(squares))
    whole, point, cents = oracle.money(abs(Fraction(change) * 1_000_000 / 10 ** places), currency).partition(".")
    text = f"{int(whole):,}{point}{cents}"
    words = ["more than chance explains", "which chance alone can explain"]
    kept = words if abs(p - 0.05) < 1e-9 else words[:1] if p < 0.05 else words[1:]
    return {"it %s by %s %s a month, %s" % ("fell" if change < 0 else "rose", text, currency, word) for word in kept}


def rows_by_cut(cells, places, wanted):
    """{cut: {(segment, movement): (units, Sum)}} of every dimension with several values, and of every pair."""
    used = [place for place, name in enumerate(DIMENSIONS) if name in wanted and len({values[place] for values in cells}) > 1]
    used.sort(key=lambda place: wanted.index(DIMENSIONS[place]))
    found = {}
    for cut in [(place,) for place in used] + list(itertools.combinations(used, 2)):
        sums = {}
        for values, own in cells.items():
            sums.setdefault(",".join("%s=%s" % (DIMENSIONS[place], values[place]) for place in cut), Sum()).merge(own)
        exact = {(name, movement): amount for name, own in sums.items() for movement, amount in own.moved.items() if amount != 0}
        units, _ = printed(exact, places)
        found[",".join(DIMENSIONS[place] for place in cut)] = {key: (units[key], sums[key[0]]) for key in exact}
    return found


def columns(own, currency):
    return [str(own.active[0]), str(own.active[1]), oracle.money(own.amounts[0], currency), oracle.money(own.amounts[1], currency)]


def difference(text, cells, users, currency, wanted):
    rows = list(csv.DictReader(io.StringIO(text)))
    names = ["before_n", "now_n", "before_amount", "now_amount"]
    places = oracle.CURRENCY_DECIMALS.get(currency, 2)
    if not cells:
        return "" if not [row for row in rows if row["verdict"] not in ("data", "suspect")] else "  rows without subscriptions"
    total = Sum()
    for own in cells.values():
        total.merge(own)
    change = round((total.amounts[1] - total.amounts[0]) * 10 ** places / 1_000_000)
    def amount(units):
        return oracle.money(Fraction(units) * 1_000_000 / 10 ** places, currency)
    own = next((row for row in rows if row["verdict"] == "total"), None)
    if own is None:
        return "  no total"
    pair = ([own[name] for name in names] + [own["contribution"]], columns(total, currency) + [amount(change)])
    if pair[0] != pair[1]:
        return "  total %s, oracle %s" % pair
    if any(row["verdict"] in ("driver", "chance") for row in rows):
        return "  a driver"
    by_cut = {}
    for row in rows:
        if row["verdict"] == "part":
            by_cut.setdefault(row["cut"], {})[row["segment"], row["part"]] = [row["contribution"]] + [row[name] for name in names]
    want = {cut: {key: [amount(units)] + columns(own, currency) for key, (units, own) in parts.items()}
            for cut, parts in rows_by_cut(cells, places, wanted).items()}
    want = {cut: parts for cut, parts in want.items() if parts}
    if sorted(want) != sorted(by_cut):
        return "  cuts %s, oracle %s" % (sorted(by_cut), sorted(want))
    for cut, parts in by_cut.items():
        if sum(Fraction(part[0]) for part in parts.values()) * 10 ** places != change:
            return "  parts by %s do not add up" % cut
        if parts != want[cut]:
            keys = [key for key in set(parts) | set(want[cut]) if parts.get(key) != want[cut].get(key)]
            return "  %d parts by %s, such as %s: %s, oracle %s" % (len(keys), cut, keys[0], parts.get(keys[0]), want[cut].get(keys[0]))
    return ""


def all_rates(seed, events):
    """A rate for each currency on each day with money, so that none is missing."""
    rng = random.Random(seed * 37 + 5)
    days = sorted({ev["ts"] // DAY for ev in events})
    currencies = sorted({ev["currency"].upper() for ev in events if ev.get("currency")} - {"USD"})
    return {(currency, day): "%.6f" % (rng.uniform(0.8, 1.3) * (0.007 if currency == "JPY" else 1)) for currency in currencies for day in days}


def asked(rng, store, app):
    """(words, options of the oracle, first day after before, last day, dimensions)."""
    zone = rng.choice(["UTC", "UTC", "America/Los_Angeles", "Asia/Kolkata"])
    events = store.by_app[app]
    T = oracle.default_as_of(events)
    oldest, newest = (oracle.local_date(ts, ZoneInfo(zone)) for ts in (min(ev["ts"] for ev in events), T - 1))
    span = max(3, (newest - oldest).days)
    start = oldest + timedelta(days=rng.randrange(1, span))
    end = start + timedelta(days=rng.choice([1, 7, 28, 60]))
    words = ["--app", app, "--timezone", zone, "--from", str(start), "--to", str(end)]
    first = start
    if rng.random() < 0.4:
        first = start - timedelta(days=rng.randrange(0, 40))
        words += ["--compare", "%s..%s" % (first - timedelta(days=rng.randrange(1, 30)), first)]
    elif rng.random() < 0.5:
        words += ["--compare", "previous"]
    wanted = DIMENSIONS
    if rng.random() < 0.3:
        wanted = rng.sample(DIMENSIONS, 3)
        words += ["--cut", ",".join(wanted)]
    where = []
    if rng.random() < 0.3:
        where = ["--where", "plan=" + rng.choice(["monthly", "yearly", "weekly,monthly"])]
    more = rng.choice([[], [], ["--attribution", "first"]]) + rng.choice([[], [], ["--grace", "10"]]) + where
    currency = rng.choice([[], ["--currency", "native"], ["--currency", "EUR"]])
    args = ["mrr", "--events", "-", "--app", app, "--timezone", zone, *more, "--currency", (currency or ["", "USD"])[1]]
    return words + more + currency, oracle.Options(oracle.parser().parse_args(args)), str(first), str(end), wanted


def compare_seed(tally, a, seed):
    rng = random.Random(seed * 1_000_003 + 29)
    data = os.path.join(a.work, "seed-%d" % seed)
    shutil.rmtree(data, ignore_errors=True)
    events = os.path.join(data, "events")
    generate.generate(seed, a.persons or rng.choice([12, 40, 90, 160]), events, False, comes_back=True)
    store = oracle.load([events])
    db, rates = os.path.join(data, "store.db"), os.path.join(data, "rates.csv")
    known = all_rates(seed, store.events)
    exchange.write(known, rates, seed)
    store.rates = {key: Fraction(text) for key, text in known.items()}
    for argv in (["ingest", "--quiet", "--store", db, events], ["rates", "import", "--store", db, rates]):
        code, _, err = run(a.program, argv)
        tally.check(seed, [a.program] + argv, "" if code == 0 else "  exit status %d: %s" % (code, err))
    before, parts = tally.failed, 0
    for _ in range(a.runs if store.events else 0):
        app = rng.choice(list(store.by_app))
        if oracle.default_as_of(store.by_app[app]) is None:
            continue
        words, opts, first, end, wanted = asked(rng, store, app)
        cells, users, currencies = expected(store, app, opts, first, end)
        argv = ["why", "mrr", "--store", db, *words, "--format"]
        code, out, err = run(a.program, argv + ["csv"])
        found = ""
        if len(currencies) > 1:
            found = "" if code == 2 and "amounts are in" in err else "  exit status %d instead of 2: %s" % (code, err)
        elif code == 0 and "the data begin on" in err + run(a.program, argv + ["json"])[1]:
            # Nothing is known of the days before.
            found = "" if not out.strip().split("\n")[1:] or all(",data," in line for line in out.strip().split("\n")[1:]) else "  rows before the data"
        elif code != 0:
            found = "  exit status %d: %s" % (code, err)
        else:
            currency = next(iter(currencies), "USD")
            found = difference(out, cells, users, currency, wanted)
            parts += out.count(",part,")
            if not found and cells:
                total = sum((own.amounts[1] - own.amounts[0] for own in cells.values()), Fraction(0))
                places = oracle.CURRENCY_DECIMALS.get(currency, 2)
                want = sentence(users, total, round(total * 10 ** places / 1_000_000), places, currency)
                have = json.loads(run(a.program, argv + ["json"])[1])
                if change_of(want):
                    begin = have["parameters"]["before_from"]
                    past, _, _ = expected(store, app, opts, begin, first)
                    length = (Date.fromisoformat(first) - Date.fromisoformat(begin)).days
                    known = oracle.default_as_of(store.by_app[app]) / DAY - (Date.fromisoformat(first) - Date(1970, 1, 1)).days
                    looked_at = wanted if wanted is not DIMENSIONS else [name for name in wanted if name != "app_version"]
                    best = unlike(cells, past, min((Date.fromisoformat(end) - Date.fromisoformat(first)).days, known) / length, looked_at)
                    want = {text + more for text in want for more in clause(best, places, currency)}
                if not want & set(texts(have)):
                    found = "  sentence %s, oracle %s" % ([text for text in texts(have) if text.startswith("it ")], want)
        tally.check(seed, [a.program] + argv + ["csv"], found)
        if tally.failed >= before + 3:
            break
    failed = tally.failed - before
    print("seed %d: %d events, %d parts: %s" % (seed, len(store.events), parts, "%d differences" % failed if failed else "equal"), flush=True)
    if not failed:
        shutil.rmtree(data, ignore_errors=True)


def change_of(sentences):
    return "it did not change" not in sentences


def texts(node):
    """All texts of a JSON document."""
    if isinstance(node, str):
        yield node
    for child in node.values() if isinstance(node, dict) else node if isinstance(node, list) else []:
        yield from texts(child)


def self_test():
    """10.4 by hand: three times 0.8333 are 2.50, so 0.83 each and a cent for the first; −0.005 and 0.015 are 0.01: −0.01 and 0.01 are
    rounded down, one cent is missing, and of the equal remainders that of the earlier movement comes first."""
    third = Fraction(10_000_000, 12)
    assert printed({(name, "new"): third for name in "abc"}, 2) == ({("a", "new"): 84, ("b", "new"): 83, ("c", "new"): 83}, 250)
    half = Fraction(5_000)
    assert printed({("a", "churned"): -half, ("b", "new"): 3 * half}, 2) == ({("a", "churned"): -1, ("b", "new"): 2}, 1)
    assert normal_p(1.959963984540054) - 0.05 < 1e-12


def main():
    p = seeds.parser("12 to 160", runs=20, of="questions")
    p.add_argument("--self-test", action="store_true")
    self_test()
    seeds.compare(p, compare_seed)


if __name__ == "__main__":
    main()
