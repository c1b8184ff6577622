"""The open trials of `ltv --backtest` as an origin knows them, and what they are expected to bring, by analysis 14.4.

A trial counts at each UTC midnight that it is open at: its group there is its plan, whether its user turned auto-renew off
before, and its age in days. Its end is how many days later it converted, lapsed, or was last seen.
"""
from collections import Counter
from fractions import Fraction

import backtest_predict as predict
import lifetime
from oracle import DAY, NONE, PLAN_MONTHS, add_months, in_days, rows_of

LONGEST = 366


class Trials:
    """Those of an app at an origin."""

    def __init__(self, app, persons, origin, opts):
        self.app, self.open, self.ends, self.spell_of = app, {}, {}, {}
        sold = {}
        for person in persons:
            for spell in person.purchases:
                first = spell.payments[0].ev
                if first.get("currency"):
                    for place in (country(first), None):
                        sold.setdefault(place, Counter())[first["currency"]] += 1
        for person in persons:
            for trial in person.trials:
                self.add(person, trial, sold, origin, opts)

    def add(self, person, trial, sold, origin, opts):
        spell = None
        if trial.conversion is not None:
            spell = next((s for s in person.spells if s.payments[0].ts == trial.conversion["ts"]), None)
        self.spell_of[trial.ev["event_id"]] = spell
        counts = sold.get(country(trial.ev), sold.get(None))
        if counts is None:
            return
        currency = min(counts, key=lambda name: (-counts[name], name.encode("utf-8")))
        rows = []
        if in_days(trial.start, opts):
            rows = [(self.app,) + row + (currency,)
                    for row in rows_of(trial.ev, person.contexts_of_trial(trial, opts.attribution), opts, opts.by, trial.kind)]
        is_open = trial.conversion is None and trial.deadline > origin
        end = "open" if is_open else "lapsed"
        if spell is not None and (spell.payments[0].ev.get("currency") or NONE) == currency:
            end = spell.payments[0].ev["plan"]
        last = trial.conversion["ts"] if trial.conversion is not None else min(trial.deadline, origin) - 1
        switches = [ev for ev in person.events if trial.kind == "introductory" and ev["ts"] >= trial.start
                    and ev["event"] in ("cancellation", "reactivation")]

        def group(at):
            before = [ev for ev in switches if ev["ts"] < at]
            return (trial.ev.get("plan"), bool(before) and before[-1]["event"] == "cancellation", (at - trial.start) // DAY)
        midnight = (trial.start // DAY + 1) * DAY
        while midnight <= last and midnight - trial.start <= LONGEST * DAY:
            for place in rows + [(self.app,)]:
                self.ends.setdefault((place, group(midnight)), []).append(((last - midnight) // DAY, end))
            midnight += DAY
        if is_open and group(origin)[2] <= LONGEST:
            for row in rows:
                self.open.setdefault(row, []).append((trial.ev["event_id"], group(origin)))

    def ends_of(self, row, group):
        for place in (row, row[:1]):
            found = self.ends.get((place, group), [])
            if len(found) >= predict.ENOUGH:
                return found
        return []

    def money(self, row, spells, runs, origin, opts):
        """By horizon; None where it cannot be told, or no trial is open."""
        groups = Counter(group for _, group in self.open.get(row, []))
        values = {plan: Value(plan, [s for s in spells if s.payments[0].ev["plan"] == plan], runs, row[-1], origin, opts)
                  for plan in {s.payments[0].ev["plan"] for s in spells}}
        return [self.within(h, row, groups, values, origin) if groups else None for h in predict.HORIZONS]

    def within(self, horizon, row, groups, values, origin):
        total = 0.0
        for group, count in groups.items():
            for days, plan, share in conversions(self.ends_of(row, group)):
                if days < horizon and plan in values:
                    each = values[plan].within(origin + days * DAY, origin + horizon * DAY)
                    if each is None:
                        return None
                    total += count * share * each
        return total


def country(ev):
    return (ev.get("country") or NONE).upper()


def conversions(ends):
    """Aalen and Johansen: (days, plan, share) with lapses and other plans competing."""
    risk, open_yet, found = len(ends), 1.0, []
    for day in sorted({days for days, _ in ends}):
        number = Counter(end for days, end in ends if days == day)
        gone = sum(n for end, n in number.items() if end != "open")
        found += [(day, plan, open_yet * n / risk) for plan, n in number.items() if plan not in ("open", "lapsed")]
        open_yet *= 1 - gone / risk
        risk -= gone + number["open"]
    return found


class Value:
    """7.6: the first payment's mean and the later ones' times the renewals to expect of those due."""

    def __init__(self, plan, spells, runs, currency, origin, opts):
        self.plan = plan

        def amounts(payments):
            return [predict.left(p, currency, opts) for p in payments]
        self.once = predict.mean(amounts(s.payments[0] for s in spells), len(spells))
        later = [x for x in amounts(p for s in spells for p in s.payments[1:] if p.ev["plan"] == plan) if x is not None]
        self.again = predict.mean(later, len(later)) if later else self.once
        self.counts = tuple(lifetime.renewals_known(spells, origin, opts.grace))
        if sum(x + y for x, y in self.counts) < 10 and plan in runs:
            self.counts = runs[plan].counts

    def within(self, start, end):
        due = 0
        while self.plan != "lifetime" and self.length(due + 1, start) < end:
            due += 1
        if due == 0:
            return self.once
        chance = predict.chances(self.counts)
        if chance is None:
            known = self.counts[0] if self.counts else (0, 0)
            if due > 1 or not sum(known):
                return None
            return self.once + self.again * known[1] / sum(known)
        total, share = 0.0, 1.0
        for n in range(1, due + 1):
            share *= chance(n)
            total += share
        return self.once + self.again * total

    def length(self, n, start):
        return start + 7 * n * DAY if self.plan == "weekly" else add_months(start, n * PLAN_MONTHS[self.plan])


class Switch:
    """Whether open trials count: unless forecasts whose money an origin knows were off less without them."""

    def __init__(self):
        self.points = {}

    def note(self, series, origin, end, keys, with_trials, without):
        self.points.setdefault(series, []).append(dict(
            origin=origin, end=end, keys=keys, forecasts=(with_trials, without), settled=None))

    def settle(self, origin, grace, money):
        for series, points in self.points.items():
            for point in points:
                if point["settled"] is None and point["end"] + grace <= origin:
                    point["settled"] = money(series, point)

    def keeps(self, series):
        known = [p for p in self.points.get(series, []) if p["settled"] is not None]
        with_trials, without = (sum(abs(p["forecasts"][place] - float(p["settled"])) for p in known) for place in (0, 1))
        return with_trials <= without
