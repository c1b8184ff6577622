#!/usr/bin/env python3
"""`tollgate why revenue` on payments with planted causes (definitions 10; the rules for money are in search_money.py).

Units are single payments and refunds, folded by oracle.py. Counts, shares, means, sums and every part are compared exactly; the order
of the search, its scores and its p with search_money.py. Then the first driver has to be the planted one: the segment or an alias of
it has the planted values, and its part is the planted part.

    python3 drivers_money.py --program PATH
    python3 drivers_money.py --program PATH --false-alarms 40   # how many small stores without a cause have a driver
    python3 drivers_money.py --self-test                        # search_money.py against numbers worked out by hand
"""
import argparse
import csv
import io
import itertools
import json
import math
import os
import subprocess
import sys
import tempfile
from fractions import Fraction

import generate_money
import oracle
from search_money import DIMENSIONS, Search, larger, parts, printed, score, sides_of, split, units_of, without_largest

NOW = ("2026-03-02", "2026-03-30")
BEFORE = "2026-02-02"
# Cause, column, days, the other side's first day, other words than `--compare previous`, and the values and parts of the first drivers;
# an empty list: no driver.
RUNS = [
    ("price", "gross", NOW, BEFORE, [], [("country=DE,plan=yearly", "rate")]),
    ("plan", "gross", NOW, BEFORE, [], [("country=FR", "rate")]),
    ("variant", "gross", NOW, BEFORE, [], [("variant=B,plan=yearly", "rate")]),
    ("renewals", "gross", NOW, BEFORE, [], [("platform=android", "volume")]),
    ("two", "gross", NOW, BEFORE, [], [("platform=android", "volume"), ("country=DE,plan=yearly", "rate")]),
    ("everywhere", "gross", NOW, BEFORE, [], []),
    ("nothing", "gross", NOW, BEFORE, [], []),
    ("nothing", "refunded", NOW, BEFORE, [], None),
    # A period that is not over, at equal age; and two weeks before four.
    ("price", "revenue", ("2026-03-16", "2026-04-13"), "2026-02-16", [], None),
    ("renewals", "revenue", NOW, "2026-02-16", ["--compare", "2026-02-16..2026-03-02"], [("platform=android", "volume")]),
]
COLUMNS = ["before_n", "now_n", "before_share", "now_share", "before_rate", "now_rate", "before_amount", "now_amount"]


def cents_text(cents):
    return "%s%d.%02d" % ("-" if cents < 0 else "", *divmod(abs(cents), 100))


class Comparison:
    def __init__(self):
        self.passed = self.failed = 0

    def check(self, isTrue, text):
        self.passed, self.failed = self.passed + bool(isTrue), self.failed + (not isTrue)
        if not isTrue:
            print("FAILED:", text, flush=True)

    def same(self, own, expected, text):
        self.check(own == expected, f"{text}: {own}, expected {expected}")


def why(options, words, file, folder):
    store = os.path.join(folder, "t.db")
    if not os.path.exists(store):
        subprocess.run([options.program, "ingest", "--quiet", "--store", store, file], check=True)
    return subprocess.run([options.program, "why", "revenue", *words, "--store", store, "--format", "csv"], capture_output=True, text=True)


def rows_of(options, words, file, folder):
    out = why(options, words, file, folder)
    out.check_returncode()
    return list(csv.DictReader(io.StringIO(out.stdout)))


def counts_text(own, sizes):
    """before_n to now_amount of a segment with these counts and sums, of so many units."""
    share = ["%.6f" % (n / size) if size else "" for (n, _), size in zip(own, sizes)]
    rates = [cents_text(round(Fraction(total, n) / 10_000)) if n else "" for n, total in own]
    return [str(own[0][0]), str(own[1][0]), *share, *rates, *(cents_text(total // 10_000) for _, total in own)]


def columns_text(row):
    return [row[name] for name in COLUMNS]


def compare_parts(tally, name, rows, sides, scale):
    """Every part and its columns; {(segment, part): cents}."""
    whole = [(len(side), sum(amount for _, amount in side)) for side in sides]
    sizes = [n for n, _ in whole]
    change = round((whole[1][1] - whole[0][1] * scale) / 10_000)
    total = next(row for row in rows if row["verdict"] == "total")
    tally.same([total["contribution"], *columns_text(total)], [cents_text(change), *counts_text(whole, sizes)], f"{name}: total")
    tally.same(list(rows[0])[-2:], COLUMNS[-2:], f"{name}: last columns")
    other = {(row["verdict"], row["contribution_units"]) for row in rows} - {(verdict, "") for verdict in ("total", "data", "driver", "chance", "part")}
    tally.same(other, set(), f"{name}: verdicts and contribution_units")
    used = [place for place in range(len(DIMENSIONS)) if len({values[place] for side in sides for values, _ in side}) > 1]
    cuts = [(place,) for place in used] + list(itertools.combinations(used, 2))

    def label(cut):
        return ",".join(DIMENSIONS[place] for place in cut)

    by_cut = {}
    for row in rows:
        if row["verdict"] == "part":
            by_cut.setdefault(row["cut"], []).append(row)
    tally.same(sorted(by_cut), sorted(map(label, cuts)), f"{name}: cuts")
    all_parts = {}
    for cut in cuts:
        exact, counts = parts(sides, cut, scale)
        expected = printed(exact, change)
        all_parts.update(expected)
        own = by_cut.get(label(cut), [])
        tally.same(sorted((row["segment"], row["part"]) for row in own), sorted(expected), f"{name}: parts by {label(cut)}")
        tally.same(sum(Fraction(row["contribution"]) * 100 for row in own), change, f"{name}: parts by {label(cut)} add up")
        pairs = [([row["segment"], row["part"], row["contribution"], *columns_text(row)],
                  [row["segment"], row["part"], cents_text(expected[row["segment"], row["part"]]),
                   *counts_text(counts[row["segment"]], sizes)])
                 for row in own if (row["segment"], row["part"]) in expected]
        wrong = [pair for pair in pairs if pair[0] != pair[1]]
        tally.check(not wrong, f"{name}: {len(wrong)} parts by {label(cut)} (own, expected): {wrong[:2]}")
    return all_parts


def compare_search(tally, name, rows, sides, scale, deals, seed, cents, ages):
    """Drivers and `chance` in order, each against the search of what the ones before left over."""
    searched = without_largest(sides, scale)
    search = Search(searched, scale, ages)
    shown = [row for row in rows if row["verdict"] in ("driver", "chance")]
    found = sorted(shown, key=lambda row: int(row["rank"]))
    def moved(row):
        return float(row["contribution"] or 0)

    change = next(moved(row) for row in rows if row["verdict"] == "total")
    tally.same(shown, sorted(found, key=lambda row: moved(row) * change < 0), f"{name}: order of drivers")
    tally.check(len(found) <= 5 and (not found or found[0]["rank"] == "1"), f"{name}: {len(found)} drivers")
    for rank, row in enumerate(found):
        label = f"{name}, rank {row['rank']}"
        named = search.top()
        if not named:
            tally.check(False, f"{label}: {row['segment']}, expected none")
            return found
        is_pair = len(named) > 1 and row["segment"] == named[1][0].names[0]
        segment, part, z = named[is_pair]
        if is_pair:
            reached = search.reached(search.evidence(named[0][0], named[0][2]), deals, seed + rank)
            tally.check(reached / deals > 0.05 - 4 * math.sqrt(0.05 / deals), f"{label}: {named[0][0].names[0]} is a driver")
            tally.check(row["verdict"] == "driver", f"{label}: chance explains {row['segment']}")
        tally.same([row["rank"], row["segment"], row["part"]], [str(rank + 1), segment.names[0], part], f"{label}: place")
        tally.check(abs(float(row["z"]) - z) <= 2e-6, f"{label}: z {row['z']}, expected {z:.6f}")
        tally.same(row["aliases"].split(), segment.names[1:], f"{label}: aliases")
        own = [(n, amount) for n, amount, _ in search.both(segment.mask)]
        tally.same(columns_text(row), counts_text(own, [len(side) for side in sides]), f"{label}: columns")
        if rank == 0:
            tally.same(row["contribution"], cents_text(cents.get((row["segment"], part), 0)), f"{label}: contribution")
        exact = split(own, scale)[part] / 1_000_000
        tally.check(abs(Fraction(row["contribution"]) - exact) < Fraction(1, 100), f"{label}: contribution {row['contribution']} of {float(exact):.4f}")
        p = float(row["p_search"])
        runs = deals if p > 0.01 else deals // 4
        reached = search.reached(search.evidence(segment, z), runs, seed + rank)
        spread = 4 * math.sqrt(max(p * (1 - p), 3 / runs) * (1 / runs + 1 / 999))
        tally.check(abs(reached / runs - p) <= spread, f"{label}: p {p}, of single units {reached} of {runs}")
        tally.check((row["verdict"] == "driver") == (p <= 0.05), f"{label}: {row['verdict']} with p {p}")
        if row["verdict"] == "chance":
            return found
        search.alive &= ~segment.mask
    if len(found) < 5:
        for segment, _, z in search.top():
            reached = search.reached(search.evidence(segment, z), deals // 4, seed + 9)
            tally.check(reached / (deals // 4) > 0.005, f"{name}: one driver more, {segment.names[0]}, z {z:.3f}, p < 0.005")
    return found


def write(folder, seed, cause, per_day):
    file = os.path.join(folder, "events.jsonl")
    with open(file, "w") as lines:
        lines.writelines(json.dumps(event) + "\n" for event in generate_money.events(seed, cause, per_day))
    return file, oracle.load([file])


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--program", default=".build/release/tollgate")
    arguments.add_argument("--seeds", type=int, default=1)
    arguments.add_argument("--deals", type=int, default=300)
    arguments.add_argument("--causes", default=",".join(generate_money.CAUSES))
    arguments.add_argument("--false-alarms", type=int, default=0, metavar="N", help="how many of N small stores without a cause have a driver")
    arguments.add_argument("--self-test", action="store_true")
    options = arguments.parse_args()
    tally = Comparison()
    if options.self_test:
        self_test(tally)
    elif options.false_alarms:
        false_alarms(tally, options)
    else:
        for seed in range(options.seeds):
            for cause in options.causes.split(","):
                compare_cause(tally, options, seed, cause)
    print(f"{tally.passed} passed, {tally.failed} failed")
    sys.exit(tally.failed > 0)


def compare_cause(tally, options, seed, cause):
    with tempfile.TemporaryDirectory() as folder:
        file, store = write(folder, 1_000 * seed + 7, cause, 10)
        as_of = oracle.default_as_of(store.by_app["shop"])
        for _, column, days, before, words, planted in [run for run in RUNS if run[0] == cause]:
            sides, scale = sides_of(store, column, days, before, as_of)
            name = f"{cause}, {column}, seed {seed}"
            words = ["--column", column, "--from", days[0], "--to", days[1], *(words or ["--compare", "previous"])]
            rows = rows_of(options, words, file, folder)
            cents = compare_parts(tally, name, rows, sides, scale)
            found = compare_search(tally, name, rows, sides, scale, options.deals, seed, cents, column != "refunded")
            drivers = [({row["segment"], *row["aliases"].split()}, row["part"]) for row in found if row["verdict"] == "driver"]
            if planted is not None:
                isFound = [has(names, values) and part == other for (names, part), (values, other) in zip(drivers, planted)]
                tally.check(all(isFound) and len(drivers) >= len(planted) and (planted or not drivers), f"{name}: drivers {drivers}, planted {planted}")
        if cause == "nothing":
            tally.same(why(options, ["--column", "payments"], file, folder).returncode, 2, "status of --column payments")


def has(names, values):
    """One of the names has all the values, `country=DE,plan=yearly`, among its own, or a product of the plan, named after it."""
    def meets(value, own):
        return value in own or value.startswith("plan=") and any(one.startswith(value.replace("plan", "product", 1) + "_") for one in own)

    return any(all(meets(value, name.split(",")) for value in values.split(",")) for name in names)


def false_alarms(tally, options):
    alarms = 0
    for seed in range(options.false_alarms):
        with tempfile.TemporaryDirectory() as folder:
            file, _ = write(folder, 50_000 + seed, "nothing", 5)
            rows = rows_of(options, ["--column", "gross", "--from", NOW[0], "--to", NOW[1], "--compare", "previous"], file, folder)
            alarms += any(row["verdict"] == "driver" for row in rows)
    most = 0.05 * options.false_alarms + 3 * math.sqrt(0.05 * 0.95 * options.false_alarms)
    tally.check(alarms <= most, f"more than {most:.1f} false alarms")
    print(f"{alarms} of {options.false_alarms} stores without a cause have a driver")


# search_money.py against numbers worked out by hand ---------------------------------------------------------------

def self_test(tally):
    test_parts(tally)
    test_scores(tally)
    test_parent(tally)
    test_others_of_parent(tally)
    test_units(tally)


def unit(amount, **values):
    return tuple(values.get(name, "(none)") for name in DIMENSIONS), amount


def test_parts(tally):
    """DE 10, 10 and US 30, 30 before; DE 10 and US 40, 40, 40 now: 130 − 80 = 50.
    DE: volume (1 − 2) · 10. US: volume (3 − 2) · (30 + 40) ÷ 2, rate (40 − 30) · (2 + 3) ÷ 2."""
    sides = [[unit(10, country="DE")] * 2 + [unit(30, country="US")] * 2, [unit(10, country="DE")] + [unit(40, country="US")] * 3]
    cut = (DIMENSIONS.index("country"),)

    def texts(sides, scale=1):
        return [f"{segment} {part} {value}" for (segment, part), value in sorted(parts(sides, cut, scale)[0].items())]

    tally.same(texts(sides), ["country=DE rate 0", "country=DE volume -10", "country=US rate 25", "country=US volume 35"], "parts")
    # Before half as long counts twice, 130 − 160 = −30: volume (1 − 4) · 10 and (3 − 4) · 35, rate 10 · (4 + 3) ÷ 2.
    tally.same(texts(sides, 2), ["country=DE rate 0", "country=DE volume -30", "country=US rate 35", "country=US volume -35"], "parts of unequal sides")
    # A segment that is new takes its own mean for both sides: all volume.
    tally.same(texts([[unit(10, country="DE")] * 2, [unit(10, country="DE"), unit(30, country="US")]]),
               ["country=DE rate 0", "country=DE volume -10", "country=US rate 0", "country=US volume 30"], "parts of a new segment")
    # ½, ½, ½ and −½ of a cent are 1: rounded down 0, 0, 0 and −1, and two are missing: volume first, in byte order.
    half = Fraction(5_000)
    found = printed({("c", "volume"): half, ("a", "rate"): -half, ("b", "volume"): half, ("a", "volume"): half}, 1)
    tally.same(found, {("c", "volume"): 0, ("a", "rate"): -1, ("b", "volume"): 1, ("a", "volume"): 1}, "printed parts")


def scored(own, rest, scale=1):
    def counts(*amounts):
        return len(amounts), sum(amounts), sum(amount * amount for amount in amounts)

    return score([counts(*side) for side in own], [counts(*a, *b) for a, b in zip(own, rest)], scale)


def test_scores(tally):
    def near(own, expected, text):
        tally.check(all(abs(a - b) < 1e-6 for a, b in zip(own, expected)), f"{text}: {own}, expected {expected}")

    # Means 15 and 35, 10 and 15; sums of squares 50, 50, 0, 50, so variances 50 and 25: own 20 ÷ √50. With f = √1.5, against the rest
    # 35 ÷ f − 15 f = 10.2062, of the variance 25 ÷ 1.5 + 25 · 1.5 + 23.4743² (12.5/100 + 12.5/225) = 153.660. No count moves.
    own = [(10, 20), (30, 40)]
    near(scored(own, [(10, 10), (10, 20)])["rate"], (0.8233482, 2.8284271), "z of a rate")
    near(scored(own, [(10, 10), (10, 20)])["volume"], (0, 0), "z of equal counts")
    # The rest falls to 15 of 40: 47.969 ÷ √145.76 is more than own. It rises to 9 times as much: the signs differ.
    near(scored(own, [(40, 40), (10, 20)])["rate"], (2.8284271, 2.8284271), "z of a rate, rest falling")
    near(scored(own, [(10, 10), (90, 90)])["rate"], (0, 2.8284271), "z of a rate behind the rest")
    near(scored([(20, 20), (10, 10)], [(10, 10), (10, 10)])["rate"], (-999, -999), "z without an error")
    near(scored([(20,), (10, 10)], [(10, 10), (10, 10)])["rate"], (0, 0), "z of one unit")
    # All halve: own −7.5 ÷ √31.25, no other factor than the rest. From 0, 28.5774 ÷ √(41.6667 + 93.75 + 36.863). A rest from 0 has no
    # factor: 20 − 15 ÷ √(50 + 125).
    near(scored([(10, 20), (5, 10)], [(40, 20), (20, 10)])["rate"], (0, -1.3416408), "z of amounts that fall alike")
    near(scored([(-10, 10), (30, 40)], [(10, 10), (10, 20)])["rate"], (2.1772328, 3.1304952), "z of a rate from 0")
    near(scored(own, [(-10, 10), (10, 20)])["rate"], (0.3779645, 2.8284271), "z of a rate, rest from 0")
    # 4 and 16 of a rest of 10: own 12 ÷ √20; ln(16.5 ÷ 4.5) = 1.2992830, variance 0.0606061 + 0.2222222 + 2 · 0.0952381.
    own = [(10,) * 4, (10,) * 16]
    near(scored(own, [(10,) * 10] * 2)["volume"], (1.8885713, 2.6832816), "z of a volume")
    # The rest grows more (40.5 ÷ 10.5 > 16.5 ÷ 4.5): the signs differ. Before half as long: own 8 ÷ √32 is the nearer one.
    near(scored(own, [(10,) * 10, (10,) * 40])["volume"], (0, 2.6832816), "z of a volume behind the rest")
    near(scored(own, [(10,) * 10] * 2, 2)["volume"], (1.4142136, 1.4142136), "z of a volume of unequal sides")
    # None before: own 2 ÷ √2; ln(2.5 ÷ 0.5) = 1.6094379, variance 0.4 + 2 + 0.4 + 0.4. Nothing to compare a mean with.
    found = scored([(), (10, 10)], [(10, 10), (10, 10)])
    near(found["volume"] + found["rate"], (0.8997031, 1.4142136, 0, 0), "z of a new segment")
    tally.same(larger({"volume": (-2, -2), "rate": (2, 3)}), "volume", "equal scores")
    tally.same(scored(own, [(), ()]), None, "z without a rest")


def test_parent(tally):
    """All pay 10. Android's weekly ones go from 100 to 40, its yearly ones from 20 to 14, 200 others stay. The pair against its rest:
    ln(40.5 ÷ 100.5) − ln(214.5 ÷ 220.5) = −0.881254, SE 0.209377. Among android, ln(40.5 ÷ 100.5) − ln(14.5 ÷ 20.5) = −0.562555, SE
    0.390368, is −1.44, so that android takes its place: 120 to 54, ln(54.5 ÷ 120.5) = −0.793460, SE 0.191371 (own −66 ÷ √174)."""
    sides = []
    for numbers in ((100, 20, 100, 100), (40, 14, 100, 100)):
        kinds = [("android", "weekly"), ("android", "yearly"), ("ios", "weekly"), ("ios", "yearly")]
        sides.append([unit(10, platform=platform, plan=plan) for n, (platform, plan) in zip(numbers, kinds) for _ in range(n)])
    search = Search(sides)
    found = {segment.names[0]: scores["volume"][0] for segment, scores in search.scores()}
    first = min(found, key=found.get)
    tally.check(first == "platform=android,plan=weekly" and abs(found[first] + 4.208929) < 1e-4, f"the pair is the largest: {found}")
    (segment, part, z), *_ = search.top()
    tally.check((segment.names, part) == (["platform=android"], "volume") and abs(z + 4.146187) < 1e-4, f"its parent: {segment.names} {part} {z}")


def test_others_of_parent(tally):
    """All pay 10. Android's weekly payments go from 300 to 60, its yearly ones from 300 to 120, 1,200 others stay. Among android, ln(60.5 ÷ 300.5)
    − ln(120.5 ÷ 300.5) = −0.689, SE 0.180, is −3.83: beyond 2.576. But without the pair, android's others fall as well: ln(120.5 ÷ 300.5) = −0.914,
    SE 0.115, is −7.9, own −180 ÷ √420 = −8.8. So android takes the pair's place, 600 to 180."""
    sides = []
    for numbers in ((300, 300, 600, 600), (60, 120, 600, 600)):
        kinds = [("android", "weekly"), ("android", "yearly"), ("ios", "weekly"), ("ios", "yearly")]
        sides.append([unit(10, platform=platform, plan=plan) for n, (platform, plan) in zip(numbers, kinds) for _ in range(n)])
    (segment, part, z), *_ = Search(sides).top()
    # Own −420 ÷ √780 = −15.0386; ln(180.5 ÷ 600.5) = −1.2020, SE 0.0942, is −12.762.
    tally.check((segment.names, part) == (["platform=android"], "volume") and abs(z + 12.762) < 0.001, f"its others: {segment.names} {part} {z}")


def test_units(tally):
    """A spell's later payments keep its country; a late one begins the next spell; refunds count on their own days."""
    def event(number, user, kind, ts, price=None, **fields):
        money = {} if price is None else {"price": price, "currency": "USD"}
        return {"event_id": f"e{number}", "event": kind, "ts": ts + "T12:00:00Z", "app": "shop", "user_id": user, "product_id": "p",
                "plan": "monthly", "subscription_id": "s" + user, **money, **fields}
    events = [
        event(1, "1", "conversion", "2026-01-15", "10", country="US", entry_point="card", variant="A"),
        event(2, "1", "renewal", "2026-02-15", "10", country="DE"),
        event(3, "1", "renewal", "2026-04-15", "10", country="FR"),
        event(4, "1", "refund", "2026-04-20", "4"),
        event(5, "1", "refund", "2026-04-21"),
        event(6, "2", "renewal", "2026-02-03", "60", country="US"),
        event(7, "3", "conversion", "2026-02-04", "0", offer_type="promotional", country="IN"),
        event(8, "3", "renewal", "2026-02-05", "12", country="IN"),
        event(9, "4", "conversion", "2026-02-06", "7", environment="sandbox"),
        event(10, "5", "conversion", "2026-02-07", "0", country="IN"),
    ]
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "e.jsonl")
        with open(file, "w") as lines:
            lines.writelines(json.dumps(one) + "\n" for one in events)
        store = oracle.load([file])

    def found(column, first, end):
        chosen = [DIMENSIONS.index(name) for name in ("country", "variant", "stage")]
        units = units_of(store, column, generate_money.instant(first), generate_money.instant(end), generate_money.instant("2026-06-01"))
        return sorted((*(values[place] for place in chosen), amount / 1_000_000) for values, amount in units)

    bought = [("IN", "(unattributed)", "1", 0), ("IN", "(unattributed)", "1", 12), ("US", "(unattributed)", "?", 60), ("US", "A", "2", 10)]
    tally.same(found("gross", "2026-02-01", "2026-03-01"), bought, "units of February")
    tally.same(found("revenue", "2026-04-01", "2026-05-01"), [("FR", "(unattributed)", "3-5", amount) for amount in (-6, -4, 10)], "units of April")
    tally.same(found("refunded", "2026-04-01", "2026-05-01"), [("FR", "(unattributed)", "3-5", amount) for amount in (4, 6)], "refunds of April")


if __name__ == "__main__":
    main()
