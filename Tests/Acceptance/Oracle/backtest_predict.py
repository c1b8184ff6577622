"""The forecasts of `ltv --backtest` from the spells that an origin knows, by searches of its own.

A run is what a purchase pays for one plan without a change. All amounts are micro-units a purchase.
"""
import itertools
import math
from fractions import Fraction

import lifetime
from oracle import DAY, NONE, PLAN_MONTHS, add_months, off_at

HORIZONS = [30, 90, 180, 365]
ENOUGH = 30


def runs_of(spell):
    return [list(run) for _, run in itertools.groupby(spell.payments, key=lambda p: p.ev["plan"])]


def left(payment, currency, opts):
    """A payment less its refunds and fees, in a currency; None of a payment in another."""
    if (payment.ev.get("currency") or NONE) != currency:
        return None
    back = 0 if opts.mode == "gross" else sum(a for _, a, c in payment.refunds if (c or NONE) == currency)
    return (payment.price - back) * lifetime.kept(payment.ev, opts)


class Runs:
    """The runs of a row's purchases for one plan."""

    def __init__(self):
        self.number = 0
        self.made, self.missed = {}, {}                 # by payments before
        self.firsts, self.laters, self.changes = [], [], []

    def add(self, run, following, spell, origin, opts):
        currency = spell.payments[0].ev.get("currency") or NONE
        self.number += 1
        amounts = [left(p, currency, opts) for p in run]
        self.firsts += [a for a in amounts[:1] if a is not None]
        self.laters += [a for a in amounts[1:] if a is not None]
        due = None
        for n, payment in enumerate(run, 1):
            due = payment.plan_end if due is None else max(due, payment.plan_end)
            over = following is not None or spell.grace_end <= origin
            if due + opts.grace > origin or (n == len(run) and not over):
                return
            into = self.made if n < len(run) else self.missed
            into[n] = into.get(n, 0) + 1
        if following is not None:
            self.changes.append(left(following, currency, opts) or 0)

    @property
    def known(self):
        return sum(self.made.values()) + sum(self.missed.values())

    @property
    def counts(self):
        last = max(list(self.made) + list(self.missed), default=0)
        return tuple((self.missed.get(n, 0), self.made.get(n, 0)) for n in range(1, last + 1))

    def again(self):
        return mean(self.laters, len(self.laters)) if self.laters else mean(self.firsts, self.number)

    def per_renewal(self):
        """The money of changes of plan for each renewal known."""
        return float(Fraction(sum(self.changes)) / self.known) if self.known else 0.0


def mean(amounts, number):
    return float(Fraction(sum(amounts)) / number)


def dues(spell, origin):
    """The instants of the renewals to come, a year ahead; those of a lifetime plan are none."""
    last = spell.payments[-1]
    plan = last.ev["plan"]
    if plan == "lifetime":
        return []
    first = last.plan_end if last.plan_end > origin else spell.end
    found, n = [], 0
    while True:
        due = first + 7 * n * DAY if plan == "weekly" else add_months(first, n * PLAN_MONTHS[plan])
        if due >= origin + HORIZONS[-1] * DAY:
            return found
        found.append(due)
        n += 1


class Member:
    def __init__(self, spell, origin, first):
        run = runs_of(spell)[-1]
        self.key, self.origin = first, origin
        self.plan, self.paid, self.dues = run[0].ev["plan"], len(run), dues(spell, origin)
        last = spell.payments[-1]
        self.due = None if self.plan == "lifetime" else last.plan_end if last.plan_end > origin else spell.end
        soon = sum(1 for h in HORIZONS if self.due is None or self.due >= origin + h * DAY)
        self.state = (off_at(spell, origin), soon)
        self.start = spell.start


def age(start, origin):
    """The days from a first payment to an origin, in bands that the horizons part."""
    lived = [h for h in HORIZONS if origin - start >= h * DAY]
    first = lived[-1] if lived else 0
    return "%d-%d" % (first, HORIZONS[len(lived)] - 1) if len(lived) < len(HORIZONS) else "%d+" % first


class States:
    """The next renewals of purchases that were active at earlier origins: made or not."""

    def __init__(self):
        self.open, self.seen = [], {}

    def watch(self, row, members):
        self.open += [(row, m) for m in members if m.due is not None]

    def settle(self, spell_of, origin, grace):
        still = []
        for row, m in self.open:
            if m.due + grace > origin:
                still.append((row, m))
                continue
            spell = spell_of.get((row[0], m.key))
            if spell is None:
                continue
            then = next((p for p in spell.payments if p.ts >= m.origin), None)
            kept = then is not None and then.ev["plan"] == m.plan
            for place in (row, row[:1]):
                self.seen.setdefault((place, m.plan, m.state), []).append((m.paid, kept))
        self.open = still

    def of(self, row, plan, state):
        for place in (row, row[:1]):
            found = self.seen.get((place, plan, state), [])
            if len(found) >= ENOUGH:
                return found
        return None


_fits = {}


def chances(counts):
    """The shifted beta-geometric model's chance of renewal 1, 2, ... given the one before; None where counts fit none."""
    if counts not in _fits:
        _fits[counts] = fitted(counts)
    return _fits[counts]


def fitted(counts):
    lost, kept = sum(x for x, _ in counts), sum(y for _, y in counts)
    if sum(1 for x, y in counts if x + y) < 2 or not lost or not kept:
        return None
    limit = lifetime.boundary("", counts)
    if limit is not None and "never" in limit:
        first = counts[0][0] / sum(counts[0])
        return None if first == 1 else lambda n: 1 - first if n == 1 else 1.0
    if limit is not None:
        return lambda n: kept / (lost + kept)

    def likelihood(odds, size):
        total = math.exp(size)
        a, b = total / (1 + math.exp(-odds)), total / (1 + math.exp(odds))
        return sum((x * math.log(a / (total + i)) if x else 0) + (y * math.log((b + i) / (total + i)) if y else 0)
                   for i, (x, y) in enumerate(counts))

    def best_odds(size):
        return lifetime.golden(lambda odds: likelihood(odds, size), -14.0, 14.0, 45)
    rough = max([float(x) for x in range(-10, 25)], key=lambda size: likelihood(best_odds(size), size))
    size = lifetime.golden(lambda s: likelihood(best_odds(s), s), rough - 1, rough + 1, 40)
    total = math.exp(size)
    b = total / (1 + math.exp(best_odds(size)))
    return lambda n: (b + n - 1) / (total + n - 1)


def forecast(row, members, bought, app, states):
    """By horizon: the money of active purchases with and without their renewal state, and the first by age; None where it is
    not known."""
    ages = sorted({age(m.start, m.origin) for m in members})
    out = [[0.0, 0.0, dict.fromkeys(ages, 0.0)] for _ in HORIZONS]
    for plan in sorted({m.plan for m in members} - {"lifetime"}, key=lifetime.PLAN_ORDER.index):
        own, mine = bought[plan], [m for m in members if m.plan == plan]
        source = own if own.known >= 10 else app[plan]
        counts = source.counts
        matters = 5 * len(mine) >= len(members)
        again, change = own.again(), own.per_renewal()
        chance = chances(counts)
        for place, h in enumerate(HORIZONS):
            ends = [sum(1 for due in m.dues if due < m.origin + h * DAY) for m in mine]
            if not any(ends):
                continue
            p = chance
            if p is None and max(ends) == 1 and source.known:
                p = next_share(counts)
            if p is None or (matters and source.known < 10):
                out[place] = None
                continue
            if out[place] is None:
                continue
            for number, knows in enumerate((True, False)):
                for m, n in zip(mine, ends):
                    total = 0.0
                    seen = states.of(row, plan, m.state) if knows else None
                    share = 1.0
                    for k in range(n):
                        then = p(m.paid + k)
                        if k == 0 and seen is not None:
                            then = scaled(seen, p)(then)
                        total += share * change
                        share *= then
                        total += share * again
                    out[place][number] += total
                    if knows:
                        out[place][2][age(m.start, m.origin)] += total
    return out


def next_share(counts):
    """Without a fit: the share that made renewal n, or of all renewals where nobody reached it."""
    every = sum(y for _, y in counts) / sum(x + y for x, y in counts)
    return lambda n: counts[n - 1][1] / sum(counts[n - 1]) if n <= len(counts) and sum(counts[n - 1]) else every


def scaled(seen, p):
    """Renewals or losses of the model in proportion, so that as many renew as did."""
    expected = sum(p(paid) for paid, _ in seen)
    kept = sum(1 for _, again in seen if again)
    if kept <= expected:
        return lambda x: x * kept / expected if expected > 0 else 0.0
    rest = len(seen) - expected
    return lambda x: 1 - (1 - x) * (len(seen) - kept) / rest if rest > 0 else 1.0
