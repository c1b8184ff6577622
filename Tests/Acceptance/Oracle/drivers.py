#!/usr/bin/env python3
"""`tollgate why` on events with planted causes (definitions 10).

Parts are compared with exact fractions, scores with their formulas written anew, p with permutations of single users, and the
segment that is named with the one that was planted. The counts that it starts from are those of `tollgate funnel`, which
compare.py checks, or those of the events for arms of an experiment.
"""
import argparse
import csv
import io
import itertools
import json
import math
import os
import random
import subprocess
import sys
import tempfile
from fractions import Fraction

DIMENSIONS = ["variant", "entry_point", "paywall", "experiment", "country", "platform", "store", "app_version"]
DAYS = [("2026-01-05", "2026-01-19"), ("2026-01-19", "2026-02-02")]


def table(program, store, *words):
    out = subprocess.run([program, *words, "--store", store, "--format", "csv"], check=True, capture_output=True, text=True)
    return list(csv.DictReader(io.StringIO(out.stdout)))


def events(seed, cause, arms=False):
    """Users of two fortnights, or of two arms: countries, platforms and entry points, and who of them pays."""
    dice = random.Random(seed)
    number = 0
    for side, first in enumerate([5, 5] if arms else [5, 19]):
        for _ in range(2600):
            number += 1
            weights = [5, 3, 2, 1]
            if cause == "mix" and side == 1:
                weights = [5, 3, 2, 6]
            country = dice.choices(["US", "DE", "FR", "IN"], weights)[0]
            platform = dice.choice(["ios", "android"])
            entry = dice.choices(["onboarding", "settings", "widget"], [3, 2, 1])[0]
            rate = {"US": 0.16, "DE": 0.18, "FR": 0.15, "IN": 0.02 if cause == "mix" else 0.12}[country]
            version = {}
            if cause == "release":
                version = {"app_version": "2" if side == 1 and dice.random() < 0.5 else "1"}
                if version["app_version"] == "2" and platform == "android":
                    rate /= 8
            if side == 1:
                if cause == "gone" and entry == "settings":
                    continue
                if cause == "rate" and country == "DE":
                    rate /= 3
                if cause == "pair" and country == "DE" and platform == "android":
                    rate /= 8
                if cause == "everywhere":
                    rate *= 0.6
            ts = f"2026-01-{first + dice.randrange(14):02}T{dice.randrange(24):02}:00:00Z"
            user = {"app": "steps", "user_id": f"u{number}", "country": country, "platform": platform, **version}
            if arms:
                yield {"event_id": f"x{number}", "event": "exposure", "ts": ts, "experiment": "test",
                       "variant": ["control", "new"][side], **user}
            else:
                yield {"event_id": f"i{number}", "event": "paywall_impression", "ts": ts, "entry_point": entry, **user}
            if dice.random() < rate:
                yield {"event_id": f"c{number}", "event": "conversion", "ts": ts.replace(":00:00Z", ":30:00Z"), "plan": "yearly",
                       "product_id": "y", "price": "30.00", "currency": "USD", "subscription_id": f"s{number}", **user}
    yield {"event_id": "end", "event": "activity", "ts": "2026-03-20T00:00:00Z", "app": "steps", "user_id": "end"}


def cells(program, store):
    """Both sides: {values of all dimensions: (users, paid)}."""
    sides = []
    for first, end in DAYS:
        rows = table(program, store, "funnel", "--by", ",".join(DIMENSIONS), "--from", first, "--to", end)
        sides.append({tuple(row[name] for name in DIMENSIONS): (int(row["users"]), int(row["paid_users"])) for row in rows})
    return sides


def counted(lines):
    """Both arms, from the events: {(country, platform): (users, paid)}."""
    paid = {event["user_id"] for event in lines if event["event"] == "conversion"}
    sides = [{}, {}]
    for event in lines:
        if event["event"] == "exposure":
            side, key = sides[event["variant"] == "new"], (event["country"], event["platform"])
            side[key] = add(side.get(key, (0, 0)), (1, event["user_id"] in paid))
    return sides


def add(left, right):
    return left[0] + right[0], left[1] + right[1]


def group(side, cut):
    found = {}
    for key, count in side.items():
        name = tuple(key[place] for place in cut)
        found[name] = add(found.get(name, (0, 0)), count)
    return found


def parts(sides, cut):
    """Kitagawa's symmetric split in fractions: {(segment, part): fraction}."""
    whole = [tuple(map(sum, zip(*side.values()))) for side in sides]
    middle = (Fraction(whole[0][1], whole[0][0]) + Fraction(whole[1][1], whole[1][0])) / 2
    groups = [group(side, cut) for side in sides]
    found = {}
    for name in set(groups[0]) | set(groups[1]):
        counts = [side.get(name, (0, 0)) for side in groups]
        rates = [Fraction(m, n) if n else None for n, m in counts]
        rates = [rates[0] if rates[0] is not None else rates[1], rates[1] if rates[1] is not None else rates[0]]
        shares = [Fraction(count[0], whole[side][0]) for side, count in enumerate(counts)]
        found[name, "mix"] = (shares[1] - shares[0]) * ((rates[0] + rates[1]) / 2 - middle)
        found[name, "rate"] = (shares[0] + shares[1]) / 2 * (rates[1] - rates[0])
    return found


def score(own, whole, of_periods=True):
    """z of rate and of mix (10.5) for ((n, m) before, (n, m) now) among all."""
    rest = [(w[0] - s[0], w[1] - s[1]) for s, w in zip(own, whole)]
    if sum(n for n, _ in rest) == 0 or own[0][0] + rest[1][0] == 0 or own[1][0] + rest[0][0] == 0:
        return 0, 0

    def rates(pair):
        known = [m / n if n else None for n, m in pair]
        return [known[0] if known[0] is not None else known[1], known[1] if known[1] is not None else known[0]]

    def variance(count):
        smoothed = (count[1] + 0.5) / (count[0] + 1)
        return smoothed * (1 - smoothed) / count[0] if count[0] else 0

    def pooled(pair):
        """Of the difference of both sides, with the rate of both together."""
        smoothed = (pair[0][1] + pair[1][1] + 0.5) / (pair[0][0] + pair[1][0] + 1)
        return smoothed * (1 - smoothed) * (1 / pair[0][0] + 1 / pair[1][0])

    a, b = rates(own), rates(rest)
    rate = 0
    if all(n for n, _ in own) and all(n for n, _ in rest):
        one = (a[1] - a[0]) / math.sqrt(pooled(own))
        two = ((a[1] - a[0]) - (b[1] - b[0])) / math.sqrt(pooled(own) + pooled(rest))
        if 0 < b[0] < 1 and 0 < b[1] < 1:
            # If the odds of all segments change by one factor, none differs.
            root = math.sqrt(b[1] / (1 - b[1]) / (b[0] / (1 - b[0])))
            moved = odds(a[1], 1 / root) - odds(a[0], root)
            unit, other = ((sum(m for _, m in pair) + 0.5) / (sum(n for n, _ in pair) + 1) for pair in (own, rest))
            of_factor = sum(other * (1 - other) / n / (b[side] * (1 - b[side])) ** 2 for side, (n, _) in enumerate(rest))
            two = moved / math.sqrt(pooled(own) + (unit * (1 - unit)) ** 2 * of_factor) if abs(moved) > 1e-12 else 0
        rate = 0 if one * two <= 0 else min(one, two, key=abs)
    w = [s[0] / t[0] for s, t in zip(own, whole)]
    # With a side that lacks the segment or the rest, the other side alone tells how far apart they are.
    known = [side for side in (0, 1) if own[side][0] and rest[side][0]] or [0, 1]
    gap = sum(a[side] - b[side] for side in known) / len(known)
    if all(n for n, _ in own + rest):
        total = (pooled(own) + pooled(rest)) / 4
    else:
        total = sum(variance(pair[side]) for side in known for pair in (own, rest)) / len(known) ** 2
    smoothed = [(s[0] + 0.5) / (t[0] + 1) for s, t in zip(own, whole)]
    error = gap ** 2 * sum(x * (1 - x) / t[0] for x, t in zip(smoothed, whole)) + (w[1] - w[0]) ** 2 * total
    mix = (w[1] - w[0]) * gap / math.sqrt(error) if error > 0 else 0
    if of_periods:
        # Its own number of users must have changed the same way.
        growth = (own[1][0] - own[0][0]) / math.sqrt(own[1][0] + own[0][0]) * (1 if gap > 0 else -1)
        mix = 0 if mix * growth <= 0 else min(mix, growth, key=abs)
        if known == [1] and not own[0][0]:
            # Users of a new segment were in others before, so their rate must differ from that of all before, too.
            moved = (a[1] - whole[0][1] / whole[0][0]) / math.sqrt(variance(own[1]) + variance(whole[0]))
            mix = 0 if mix * moved <= 0 else min(mix, moved, key=abs)
    return rate, mix


def odds(rate, factor):
    """The rate whose odds are `factor` times as large."""
    return rate * factor / (1 - rate + rate * factor)


def search(sides, used, dimensions=DIMENSIONS):
    """{segment name: (rate, mix)} of every segment of at least 20 users, of one and two dimensions. Arms have two dimensions."""
    whole = [tuple(map(sum, zip(*side.values()))) for side in sides]
    single = {}
    for place in used:
        groups = [group(side, [place]) for side in sides]
        single[place] = {name[0] for name in set(groups[0]) | set(groups[1])
                         if name[0] not in ("(none)", "(unattributed)") and sum(side.get(name, (0, 0))[0] for side in groups) >= 20}
    found = {}
    for cut in [(place,) for place in used] + list(itertools.combinations(used, 2)):
        groups = [group(side, cut) for side in sides]
        for name in set(groups[0]) | set(groups[1]):
            own = [side.get(name, (0, 0)) for side in groups]
            if any(value not in single[place] for place, value in zip(cut, name)) or own[0][0] + own[1][0] < 20:
                continue
            found[",".join(f"{dimensions[p]}={v}" for p, v in zip(cut, name))] = score(own, whole, dimensions is DIMENSIONS)
    return found


def count_score(own, whole):
    """z of a count (10.5): its own change, and by another factor than that of the rest."""
    (_, before), (_, now) = own
    rest = [w[1] - s[1] for s, w in zip(own, whole)]
    if before == now:
        return 0
    one = (now - before) / math.sqrt(now + before)
    all_own, others = before + now, sum(rest)
    if not others:
        return 0
    pooled = (now + rest[1]) / (all_own + others)
    two = (now / all_own - rest[1] / others) / math.sqrt(pooled * (1 - pooled) * (1 / all_own + 1 / others))
    return 0 if one * two <= 0 else min(one, two, key=abs)


def check_count(check, name, rows, sides, used, planted):
    """`why funnel --column paid_users`: each segment's own change, and the z of the first one."""
    whole = [tuple(map(sum, zip(*side.values()))) for side in sides]
    change = whole[1][1] - whole[0][1]
    total = next(row for row in rows if row["verdict"] == "total")
    check(Fraction(total["contribution"]) == change, f"{name}: the change of the count")
    for cut in [(place,) for place in used] + list(itertools.combinations(used, 2)):
        groups = [group(side, cut) for side in sides]
        label = ",".join(DIMENSIONS[place] for place in cut)
        own = {(row["segment"], row["part"]): Fraction(row["contribution"]) for row in rows
               if row["verdict"] == "part" and row["cut"] == label}
        expected = {(",".join(f"{DIMENSIONS[p]}={v}" for p, v in zip(cut, key)), "volume"):
                    groups[1].get(key, (0, 0))[1] - groups[0].get(key, (0, 0))[1] for key in set(groups[0]) | set(groups[1])}
        check(own == expected, f"{name}: parts of the count by {label}")
    found = sorted((row for row in rows if row["verdict"] in ("driver", "chance")), key=lambda row: int(row["rank"]))
    cut = [DIMENSIONS.index(dimension) for dimension in found[0]["cut"].split(",")]
    check(DIMENSIONS.index("app_version") not in cut, f"{name}: a count searches no version")
    values = tuple(part.split("=", 1)[1] for part in found[0]["segment"].split(","))
    own = [group(side, cut).get(values, (0, 0)) for side in sides]
    check(abs(float(found[0]["z"]) - count_score(own, whole)) < 1e-5, f"{name}: z of the count's {found[0]['segment']}")
    if planted:
        check(found[0]["segment"] == planted and found[0]["verdict"] == "driver", f"{name}: driver of the count {found[0]['segment']}")


def evidence(found):
    """{segment name: z² less 2 ln of how many segments have as many dimensions} (10.6)."""
    sizes = [name.count("=") for name in found]
    return {name: max(rate ** 2, mix ** 2) - 2 * math.log(sizes.count(name.count("="))) for name, (rate, mix) in found.items()}


def largest(found):
    return max(evidence(found).values())


def permuted(sides, used, times, seed):
    """The most evidence in deals of single users."""
    dice = random.Random(seed)
    users = [(key, met) for side in sides for key, (n, m) in side.items() for met in [1] * m + [0] * (n - m)]
    now = sum(n for n, _ in sides[1].values())
    for _ in range(times):
        dice.shuffle(users)
        dealt = [{}, {}]
        for place, (key, met) in enumerate(users):
            side = dealt[1 if place < now else 0]
            side[key] = add(side.get(key, (0, 0)), (1, met))
        yield largest(search(dealt, used))


def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--program", default=".build/release/tollgate")
    arguments.add_argument("--seeds", type=int, default=2)
    arguments.add_argument("--deals", type=int, default=60)
    options = arguments.parse_args()
    passed, failed = 0, 0

    def check(isTrue, text):
        nonlocal passed, failed
        if isTrue:
            passed += 1
        else:
            failed += 1
            print("FAILED:", text)

    planted = {"rate": "country=DE", "pair": "country=DE,platform=android", "mix": "country=IN", "everywhere": None, "nothing": None,
               "release": "platform=android,app_version=2", "gone": None}
    kinds = [("funnel", DIMENSIONS, list(planted)), ("arms", ["country", "platform"], ["rate", "pair", "everywhere", "nothing"])]
    runs = [(kind, names, cause, seed) for kind, names, causes in kinds for cause in causes for seed in range(options.seeds)]
    quiet = []
    for kind, dimensions, cause, seed in runs:
        segment = planted[cause]
        with tempfile.TemporaryDirectory() as folder:
            file, store = os.path.join(folder, "events.jsonl"), os.path.join(folder, "t.db")
            made = list(events(1_000 * seed + 7, cause, arms=kind == "arms"))
            with open(file, "w") as lines:
                lines.writelines(json.dumps(event) + "\n" for event in made)
            subprocess.run([options.program, "ingest", "--quiet", "--store", store, file], check=True)
            if kind == "arms":
                rows = table(options.program, store, "why", "experiment", "test", "--column", "paid", "--cut", ",".join(dimensions))
                sides = counted(made)
            else:
                rows = table(options.program, store, "why", "funnel", "--column", "paid_rate", "--from", DAYS[1][0], "--to", DAYS[1][1],
                             "--compare", "..".join(DAYS[0]), "--ages", "known")
                sides = cells(options.program, store)
                counts = table(options.program, store, "why", "funnel", "--column", "paid_users", "--from", DAYS[1][0], "--to",
                               DAYS[1][1], "--compare", "..".join(DAYS[0]), "--ages", "known")
        name = f"{kind}, {cause}, seed {seed}"
        used = [place for place in range(len(dimensions)) if len({key[place] for side in sides for key in side}) > 1]
        if kind == "funnel":
            check_count(check, name, counts, sides, used, "entry_point=settings" if cause == "gone" else None)
        ranked = sorted((row for row in rows if row["verdict"] in ("driver", "chance")), key=lambda row: int(row["rank"]))
        drivers = [row["segment"] for row in ranked if row["verdict"] == "driver"]
        if cause == "release":
            suspects = [(row["cut"], row["segment"]) for row in rows if row["verdict"] == "suspect"]
            check(suspects == [("platform,app_version", segment)], f"{name}: suspects {suspects}")
        if segment:
            check(drivers[:1] == [segment], f"{name}: drivers {drivers}")
        else:
            quiet.append(not drivers)
        # Parts: each within a millionth of its fraction, those of a cut adding up to the printed change.
        change = next(row["contribution"] for row in rows if row["verdict"] == "total")
        for cut in [(place,) for place in used] + list(itertools.combinations(used, 2)):
            exact = parts(sides, cut)
            label = ",".join(dimensions[place] for place in cut)
            own = {(row["segment"], row["part"]): row["contribution"] for row in rows
                   if row["verdict"] == "part" and row["cut"] == label}
            expected = {(",".join(f"{dimensions[p]}={v}" for p, v in zip(cut, key)), part): value
                        for (key, part), value in exact.items()}
            check(own.keys() == expected.keys() and all(abs(Fraction(own[key]) - expected[key]) < Fraction(1, 10 ** 6) for key in own),
                  f"{name}: parts by {label}")
            check(sum(map(Fraction, own.values())) == Fraction(change), f"{name}: parts by {label} add up")
        found = search(sides, used, dimensions)
        first = ranked[0]
        rate, mix = found[first["segment"]]
        check(abs(float(first["z"]) - (mix if first["part"] == "mix" else rate)) < 1e-5, f"{name}: z of {first['segment']}")
        own = evidence(found)[first["segment"]]
        if cause != "pair":
            check(own <= largest(found) + 1e-6, f"{name}: the most evidence")
        reached = sum(top >= own - 1e-9 for top in permuted(sides, used, options.deals, seed))
        p = float(first["p_search"])
        spread = 4 * math.sqrt(max(p * (1 - p), 0.01) / options.deals)
        check(abs(reached / options.deals - p) <= spread, f"{name}: p {p}, of single users {reached} of {options.deals}")
    # One question in twenty names a driver where there is none (10.7).
    alarms, allowed = quiet.count(False), 0.05 * len(quiet) + 3 * math.sqrt(0.05 * 0.95 * len(quiet))
    check(alarms <= allowed, f"{alarms} of {len(quiet)} without a planted segment have drivers")
    print(f"{passed} passed, {failed} failed")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
