"""Units, exact parts and the search of `why revenue`, of single payments and refunds (definitions 10, with the rules below for money).

A segment has n units with the sum m and the mean a on each side, the rest r with the mean b; k is now's days ÷ before's.
Parts: `volume` (n1 − k·n0)·(a0 + a1) ÷ 2, `rate` (a1 − a0)·(k·n0 + n1) ÷ 2; a side without units takes the other side's mean.
Scores: `rate` as in 10.5, by a1 − a0 and by a1 ÷ f − a0·f with f = √(b1 ÷ b0) (by the difference where b0 or b1 is not above 0), with the
variance about the means of both sides together, 0 where one of the four counts is below 2; `volume` by (n1 − k·n0) ÷ √(n1 + k²·n0) and by the ratio of
growths n1 ÷ n0 and r1 ÷ r0 on the log scale, ½ added to each count. Of either the one nearer to 0, or 0 where their signs differ.

Readings. M1: a pair that fills its parent does not stand out in it. M2: the dimensions of a class of aliases are those of its smallest.
The search leaves out a user whose change exceeds the standard error of all others' change.
M3: counts and contribution of a later driver are of the units that the drivers before it left over, its shares of all units.
"""
import itertools
import math
import random
from fractions import Fraction
from types import SimpleNamespace

import generate_money
import oracle
from oracle import DAY

DIMENSIONS = ["variant", "entry_point", "paywall", "experiment", "country", "platform", "store", "plan", "product", "tier", "offer_type", "stage"]

# Of the paywall that sold a subscription.
CONTEXTS = ["variant", "entry_point", "paywall", "experiment", "offer_type"]


# Units ------------------------------------------------------------------------------------------------------------

def stage_of(subscription, number):
    """`?` where the subscription began before the data (2.9)."""
    if not subscription.payments[0].is_conversion:
        return "?"
    return str(number) if number < 3 else "3-5" if number < 6 else "6-12" if number < 13 else "13+"


class Unit(tuple):
    """Values of the dimensions and micro-units, and whose they are."""

    def __new__(cls, values, amount, user):
        unit = super().__new__(cls, (values, amount))
        unit.user = user
        return unit


def units_of(store, column, first, end, as_of):
    """Units of the days [first, end), as known at `as_of`."""
    _, persons = oracle.people(store, "shop", SimpleNamespace(as_of=as_of, attribution="last", grace=3 * DAY))
    found = []

    def add(ts, amount, values):
        if first <= ts < min(end, as_of):
            found.append(Unit(values, amount, person.events[0]["user_id"]))

    for person in persons:
        for subscription in person.subscriptions.values():
            number = 0
            for spell in subscription.spells:
                event = spell.payments[0].ev
                context = person.contexts_of_spell(spell, "last")[0]
                values = tuple(oracle.dimension(name, event, context, None) for name in DIMENSIONS[:-1])
                for payment in spell.payments:
                    number += 1
                    own = values + (stage_of(subscription, number),)
                    if column != "refunded":
                        add(payment.ts, payment.price, own)
                    for ts, amount, _ in payment.refunds if column != "gross" else []:
                        add(ts, amount if column == "refunded" else -amount, own)
    return found


def sides_of(store, column, days, before, as_of):
    """Units of both sides at equal age (9.3), and now's days over before's."""
    now = [generate_money.instant(day) for day in days]
    first, end = generate_money.instant(before), now[0]
    sides = [units_of(store, column, first, end, as_of - (now[0] - first)), units_of(store, column, *now, as_of)]
    return sides, Fraction(min(now[1], as_of) - now[0], min(end, as_of - (now[0] - first)) - first)


def without_largest(sides, scale):
    """The sides without the user whose square of the change is more than that of all others, if there is one among 20 and more (10.1)."""
    moved = {}
    for side, factor in zip(sides, (-scale, 1)):
        for unit in side:
            moved[unit.user] = moved.get(unit.user, 0) + factor * unit[1]
    if len(moved) < 20:
        return sides
    most = max(moved, key=lambda user: abs(moved[user]))
    if 2 * moved[most] ** 2 <= sum(amount ** 2 for amount in moved.values()):
        return sides
    return [[unit for unit in side if unit.user != most] for side in sides]


# Parts ------------------------------------------------------------------------------------------------------------

def groups_of(side, cut):
    found = {}
    for values, amount in side:
        name = tuple(values[place] for place in cut)
        count, total = found.get(name, (0, 0))
        found[name] = count + 1, total + amount
    return found


def name_of(cut, values):
    return ",".join(f"{DIMENSIONS[place]}={value}" for place, value in zip(cut, values))


def split(own, scale):
    """Both parts of a segment of these counts and sums."""
    known = [Fraction(total, n) if n else None for n, total in own]
    a = [known[0] if own[0][0] else known[1], known[1] if own[1][0] else known[0]]
    before, now = own[0][0] * scale, own[1][0]
    return {"volume": (now - before) * (a[0] + a[1]) / 2, "rate": (a[1] - a[0]) * (before + now) / 2}


def parts(sides, cut, scale=1):
    """{(segment, part): micro-units} in fractions, {segment: counts and sums of both sides}."""
    groups = [groups_of(side, cut) for side in sides]
    found, counts = {}, {}
    for values in set(groups[0]) | set(groups[1]):
        own = [group.get(values, (0, 0)) for group in groups]
        name = name_of(cut, values)
        counts[name] = own
        for part, value in split(own, scale).items():
            found[name, part] = value
    return found, counts


def printed(found, change):
    """Cents of each part, rounded down, the missing ones to the largest remainders (10.4)."""
    cents = {key: math.floor(value / 10_000) for key, value in found.items()}
    order = sorted(found, key=lambda key: (cents[key] - found[key] / 10_000, key[1] == "rate", key[0].encode()))
    for key in order[:change - sum(cents.values())]:
        cents[key] += 1
    return cents


# Scores -----------------------------------------------------------------------------------------------------------

def minus(one, two):
    return tuple(map(int.__sub__, one, two))


def nearer(one, two):
    return 0 if one * two <= 0 else min(one, two, key=abs)


def volume(own, rest, scale):
    """The score and its first half, of the counts of both sides."""
    alone = (own[1] - scale * own[0]) / math.sqrt(own[1] + scale * scale * own[0])
    if alone == 0:
        return 0, 0
    half = [n + 0.5 for n in (own[1], own[0], rest[1], rest[0])]
    against = math.log(half[0] * half[3] / (half[1] * half[2])) / math.sqrt(sum(1 / n for n in half))
    return nearer(alone, against), alone


def ratio(difference, variance):
    if difference == 0 or variance == 0:
        return math.copysign(999, difference) if difference else 0
    return max(-999, min(999, difference / math.sqrt(variance)))


def rate(own, rest):
    """The score and its first half, of (n, Σx, Σx²) of both sides."""
    if min(n for n, _, _ in own + rest) < 2:
        return 0, 0
    def moved(pair):
        return pair[1][1] * pair[0][0] - pair[0][1] * pair[1][0]        # in whole numbers, so that 0 is 0

    def pooled(pair):
        return sum((n * squares - total * total) / n for n, total, squares in pair) / (pair[0][0] + pair[1][0] - 2)

    size, other = own[0][0] * own[1][0], rest[0][0] * rest[1][0]
    spread = [pooled(own)] * 2 + [pooled(rest)] * 2
    alone = ratio(moved(own) / size, spread[0] * (1 / own[0][0] + 1 / own[1][0]))
    (m0, m1), (b0, b1) = ([total / n for n, total, _ in pair] for pair in (own, rest))
    if min(b0, b1) > 0:
        root = math.sqrt(b1 / b0)
        # In whole numbers, so that 0 is 0.
        isAlike = own[1][1] * own[0][0] * rest[0][1] * rest[1][0] == own[0][1] * own[1][0] * rest[1][1] * rest[0][0]
        apart = 0 if isAlike else m1 / root - m0 * root
        factor = spread[2] / rest[0][0] / b0 ** 2 + spread[3] / rest[1][0] / b1 ** 2
        error = spread[1] / own[1][0] / root ** 2 + spread[0] / own[0][0] * root ** 2 + ((m1 / root + m0 * root) / 2) ** 2 * factor
    else:
        apart = (moved(own) * other - moved(rest) * size) / (size * other)
        error = sum(one / n for one, (n, _, _) in zip(spread, own + rest))
    return nearer(alone, ratio(apart, error)), alone


def score(own, whole, scale=1):
    """{part: (z, its first half)} of a segment among all, `volume` first; None without a rest."""
    rest = [minus(w, o) for o, w in zip(own, whole)]
    if rest[0][0] + rest[1][0] == 0:
        return None
    return {"volume": volume([n for n, _, _ in own], [n for n, _, _ in rest], scale), "rate": rate(own, rest)}


def larger(scores):
    """The part with the larger |z|; of equal ones `volume`."""
    return max(scores, key=lambda part: abs(scores[part][0]))


class Segment:
    def __init__(self, mask, names):
        self.mask = mask
        self.names = sorted(names, key=lambda name: (name.count("="), name.encode()))
        self.dimensions = self.names[0].count("=")


class Search:
    """Units as bits: a segment is a mask, and its counts are those of its bits and of the bits of each amount."""

    def __init__(self, sides, scale=1, ages=False):
        self.ages = ages        # whether units are payments of periods, of which subscriptions make more as they grow older
        self.scale = int(scale) if scale == int(scale) else float(scale)
        self.units = sides[0] + sides[1]
        self.now = ((1 << len(sides[1])) - 1) << len(sides[0])
        self.alive = (1 << len(self.units)) - 1
        self.amounts, self.single = {}, {}
        for place, (values, amount) in enumerate(self.units):
            self.amounts[amount] = self.amounts.get(amount, 0) | 1 << place
            for dimension, value in zip(DIMENSIONS, values):
                key = dimension, value
                self.single[key] = self.single.get(key, 0) | 1 << place
        values = [dimension for dimension, _ in self.single]
        self.single = {key: mask for key, mask in self.single.items() if values.count(key[0]) > 1}

    def split(self, mask):
        return [(amount, mask & bits) for amount, bits in self.amounts.items() if mask & bits]

    @staticmethod
    def count(pieces, side):
        n = total = squares = 0
        for amount, mask in pieces:
            k = (mask & side).bit_count()
            n, total, squares = n + k, total + k * amount, squares + k * amount * amount
        return n, total, squares

    def both(self, mask):
        pieces = self.split(mask)
        return [self.count(pieces, ~self.now), self.count(pieces, self.now)]

    def segments(self):
        """Those of 20 units and more of one and two dimensions, of equal units one."""
        large = [(key, mask & self.alive) for key, mask in self.single.items()
                 if (mask & self.alive).bit_count() >= 20 and key[1] not in ("(none)", "(unattributed)")
                 and not (key[0] == "stage" and key[1] != "1")]
        masks = {}
        for key, mask in large:
            masks.setdefault(mask, []).append("=".join(key))
        for (one, left), (two, right) in itertools.combinations(large, 2):
            if one[0] != two[0] and (left & right).bit_count() >= 20:
                pair = sorted([one, two], key=lambda key: DIMENSIONS.index(key[0]))
                masks.setdefault(left & right, []).append(",".join(map("=".join, pair)))
        return [Segment(mask, names) for mask, names in masks.items() if mask != self.alive]

    def scores(self):
        whole = self.both(self.alive)
        return [(segment, self.aged(segment, score(self.both(segment.mask), whole, self.scale))) for segment in self.segments()]

    def aging(self, segment):
        """The parts that only say that subscriptions are older: more payments, and, of a paywall without a plan, their money."""
        name = segment.names[0].split(",")
        own = {value.split("=", 1)[0] for value in name} & {"plan", "product", *CONTEXTS}
        if not self.ages or not own or "stage=1" in name:
            return ()
        return ("volume",) if own & {"plan", "product"} else ("volume", "rate")

    def aged(self, segment, scores):
        aging = self.aging(segment)
        if scores and aging and scores["volume"][0] > 0:
            scores["volume"] = 0, 0
        if scores and "rate" in aging:
            scores["rate"] = 0, 0
        return scores

    def handicaps(self):
        """The amounts taken off z² of segments of one and two dimensions."""
        sizes = [segment.dimensions for segment in self.segments()]
        return {number: 2 * math.log(max(1, sizes.count(number))) for number in (1, 2)}

    def evidence(self, segment, z):
        return z * z - self.handicaps()[segment.dimensions]

    def top(self):
        """The segments that 10.6 may name, each with its part and z: the one with the most evidence that is a finding of its own, then, if
        a pair that is none has more evidence for its rate, that pair, named where the first is no driver; empty where nothing has a score."""
        found = self.scores()
        if not found:
            return []
        handicaps = self.handicaps()

        def order(item):
            segment, scores = item
            z, alone = scores[larger(scores)]
            return -round(z * z - handicaps[segment.dimensions], 6), -abs(alone), segment.dimensions, segment.names[0].encode()

        def stands_in_both(segment):
            if segment.dimensions < 2:
                return True
            for name in segment.names[0].split(","):
                mask = self.single[tuple(name.split("=", 1))] & self.alive
                if all(item[0].mask != mask for item in found):
                    continue
                own = self.both(segment.mask)
                inside = score(own, self.both(mask), self.scale)
                z = 0 if inside is None else abs(inside[larger(inside)][0])
                if z < 2.576:
                    return False
            return True

        ordered = sorted(found, key=order)
        best = next((item for item in ordered if stands_in_both(item[0])), ordered[0])
        named = [best] if best is ordered[0] or larger(ordered[0][1]) != "rate" else [best, ordered[0]]
        return [(segment, larger(scores), scores[larger(scores)][0]) for segment, scores in named]

    def reached(self, evidence, deals, seed):
        """How many permutations of the side labels have as much evidence for some segment."""
        dice = random.Random(seed)
        handicaps = self.handicaps()
        masks = [(segment.mask, segment.mask.bit_count(), math.sqrt(max(0, evidence + handicaps[segment.dimensions])) - 1e-9,
                  self.aging(segment)) for segment in self.segments()]
        pieces = [self.split(mask) for mask, *_ in masks]
        sums = [self.count(piece, -1) for piece in pieces]
        everything = self.split(self.alive)
        whole = self.count(everything, -1)
        bits = [place for place in range(len(self.units)) if self.alive >> place & 1]
        size = (self.now & self.alive).bit_count()

        def hasLarge(now):
            for mask, n, limit, aging in masks:
                n1 = (mask & now).bit_count()
                z = volume((n - n1, n1), (len(bits) - size - n + n1, size - n1), self.scale)[0]
                if (0 if aging and z > 0 else abs(z)) >= limit:
                    return True
            all_now = self.count(everything, now)
            all_before = minus(whole, all_now)
            for piece, total, (*_, limit, aging) in zip(pieces, sums, masks):
                if "rate" in aging:
                    continue
                own = self.count(piece, now)
                other = minus(total, own)
                if abs(rate([other, own], [minus(all_before, other), minus(all_now, own)])[0]) >= limit:
                    return True
            return False

        found = 0
        for _ in range(deals):
            digits = bytearray(b"0" * len(self.units))
            for place in dice.sample(bits, size):
                digits[-1 - place] = 49
            found += hasLarge(int(digits, 2))
        return found
