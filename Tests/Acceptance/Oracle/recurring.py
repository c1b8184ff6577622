"""Slow, independent reference implementation of definitions 7.1-7.4: `revenue`, `mrr`, `subscriptions`.

Money is exact fractions of micro-units. A state is asked for at an instant as the rule says it, and a movement is what two
states one millisecond apart differ by. A comment "A<n>" refers to the numbered reading in README.md.
"""
import math
from datetime import date as Date, timedelta
from fractions import Fraction

from exchange import Converter

from oracle import (DAY, INF, NONE, RENEWING, STAGE, apps_of, in_days, local_date, money, off_at, people, rate_wilson, rows_of,
                    sort_rows, stage)

PERIODS = ("day", "week", "month")
# 7.2: months of a plan; a week is 7 / (365.2425 / 12) of one.
MONTHS = {"weekly": Fraction(7 * 12) / Fraction("365.2425"), "monthly": 1, "two_month": 2, "quarterly": 3,
          "semiannual": 6, "yearly": 12}


def payments_due(plan, months):
    """A35: payments, the first among them, that are due in [0, months) from the first one on."""
    return 1 if plan == "lifetime" else math.ceil(months / Fraction(MONTHS[plan]))


def spell_rows(person, spell, opts, by):
    """2.10, 2.11: a spell has its first payment's context and fields; `trial_kind` is its trial's."""
    kind = spell.trial.kind if spell.trial is not None else NONE
    ev = dict(spell.payments[0].ev, **{RENEWING: "no" if off_at(spell, INF) else "yes"})
    return rows_of(ev, person.contexts_of_spell(spell, opts.attribution), opts, by, kind)


class Without:
    """Options with other filters."""

    def __init__(self, opts, where):
        self.__dict__.update(opts.__dict__)
        self.where = where


# 7.1 --------------------------------------------------------------------------------------------------------------

def revenue(store, opts):
    header = ["app"] + opts.by + ["currency", "payments", "refunds", "gross", "refunded", "revenue"]
    cells = {}
    convert = Converter(store, opts)
    for app in apps_of(store, opts):
        _, persons = people(store, app, opts)
        for person in persons:
            for spell in person.spells:
                for payment in spell.payments:
                    kept = kept_share(payment.ev, opts)
                    add_money(cells, app, person, spell, payment.ts, payment.ev.get("currency") or NONE, payment.price,
                              1, kept, opts, convert, payment)
                    for ts, amount, currency in payment.refunds:
                        add_money(cells, app, person, spell, ts, currency or NONE, amount, -1, kept, opts, convert, payment)
    convert.check()
    rows = []
    for key, moves in cells.items():
        paid = [(amount, kept) for amount, sign, kept in moves if sign > 0]
        back = [(amount, kept) for amount, sign, kept in moves if sign < 0]
        gross, refunded = sum(a for a, _ in paid), sum(a for a, _ in back)
        amount = {"gross": gross, "net": gross - refunded,
                  "proceeds": sum(a * k for a, k in paid) - sum(a * k for a, k in back)}[opts.mode]
        rows.append(list(key) + [len(paid), len(back)] + [money(x, key[-1]) for x in (gross, refunded, amount)])
    return [header] + sort_rows(rows, 2 + len(opts.by))


def kept_share(ev, opts):
    """7.1: 1 - tax - commission as the payment records them; A28: --store-fee where it records no commission."""
    return (1 - Fraction(str(ev.get("tax_percentage", 0)))
            - Fraction(str(ev.get("commission_percentage", opts.store_fee))))


def add_money(cells, app, person, spell, ts, currency, amount, sign, kept, opts, convert, payment):
    """A payment or a refund, by its own day and the spell's other dimensions."""
    if not in_days(ts, opts):
        return
    kind = spell.trial.kind if spell.trial is not None else NONE
    ev = dict(spell.payments[0].ev, ts=ts, **{STAGE: stage(spell, payment)})          # only the calendar dimensions look at ts
    contexts = person.contexts_of_spell(spell, opts.attribution)
    found = rows_of(ev, contexts, opts, opts.by, kind)
    if found:
        amount, currency = convert.convert(amount, currency, payment)
    for row in found:
        cells.setdefault((app,) + row + (currency,), []).append((amount, sign, kept))


# 7.2, 7.3 ---------------------------------------------------------------------------------------------------------

def covered(spell, t):
    """2.7: active at t when t is covered."""
    return any(p.ts <= t < p.cover_end for p in spell.payments)


def mrr_at(spell, t, convert):
    """7.2: (currency, amount) of an active spell whose last payment is of no lifetime, else None."""
    if not covered(spell, t):
        return None
    last = [p for p in spell.payments if p.ts <= t][-1]
    if last.ev["plan"] == "lifetime":
        return None
    price, currency = convert.convert(last.price, last.ev.get("currency") or NONE, last)
    return (currency, price / Fraction(MONTHS[last.ev["plan"]]))


def count_at(spell, t):
    return ("", Fraction(1)) if covered(spell, t) else None


def movements(spell, state_at):
    """7.3: (instant, movement, currency, signed amount, change of the active count)."""
    instants = sorted({p.ts for p in spell.payments} | {p.cover_end for p in spell.payments if p.cover_end != INF})
    found = []
    for t in instants:
        old, new = state_at(spell, t - 1), state_at(spell, t)
        if old == new:
            continue
        if old is not None and new is not None and old[0] == new[0]:
            found.append((t, "expansion" if new[1] > old[1] else "contraction", old[0], new[1] - old[1], 0))
            continue
        if old is not None:
            ended = t == spell.end and spell.churned
            found.append((t, "churned" if ended else "contraction", old[0], -old[1], -1))
        if new is not None:
            first = "new" if spell.number == 1 else "resubscribed"
            found.append((t, "expansion" if found else first, new[0], new[1], 1))
    return found


class States:
    """A29: rows are states at the end of half-open periods; the last period closes at T, with what ends at that instant."""

    def __init__(self, opts):
        self.opts = opts
        self.periods = [name for name in opts.by if name in PERIODS]
        assert len(self.periods) <= 1
        self.by = [name for name in opts.by if name not in PERIODS]
        self.units = Without(opts, [w for w in opts.where if w[0] not in PERIODS])
        self.cells = {}             # (app, units' row) -> list of (ts, kind, value...)
        self.T = {}

    def add(self, app, T, row, change):
        self.T[app] = T
        self.cells.setdefault((app, row), []).append(change)

    def rows(self):
        """(key, changes before the period, changes in it) for each period that may have a row."""
        opts = self.opts
        for (app, row), changes in self.cells.items():
            T = self.T[app]
            placed = []
            for change in changes:
                ts = change[0]
                if ts > T:
                    continue
                if ts == T:
                    ts = T - 1      # at T itself only covers end
                placed.append((local_date(ts, opts.zone).isoformat(), ts, change))
            last = local_date(min(T, 4_102_444_800_000) - 1, opts.zone).isoformat()
            known = [p for p in placed if opts.to is None or p[0] < opts.to]
            if opts.from_ is not None and opts.from_ > local_date(T - 1, opts.zone).isoformat():
                continue
            if not self.periods:
                yield ((app,) + row, [c for d, _, c in known if opts.from_ is not None and d < opts.from_],
                       [c for d, _, c in known if opts.from_ is None or d >= opts.from_])
                continue
            if not placed:
                continue
            name = self.periods[0]
            place = opts.by.index(name)
            first = min(d for d, _, _ in placed)
            if opts.from_ is not None:
                first = max(first, opts.from_)
            days = days_between(first, min(last, opts.to) if opts.to is not None and opts.to <= last else next_day(last))
            labels = sorted({label(name, d) for d in days})
            wanted = [set(values) for dim, values in opts.where if dim == name]
            assert all(dim == name for dim, _ in opts.where if dim in PERIODS)
            for text in labels:
                if any(text not in values for values in wanted):
                    continue
                def is_in(d):
                    return label(name, d) == text and (opts.from_ is None or d >= opts.from_)
                inside = [c for d, _, c in known if is_in(d)]
                before = [c for d, _, c in known if not is_in(d) and label(name, d) <= text]
                key = (app,) + row[:place] + (text,) + row[place:]
                yield key, before, inside


def label(name, date):
    if name == "day":
        return date
    if name == "month":
        return date[:7]
    d = Date.fromisoformat(date)
    return (d - timedelta(days=d.weekday())).isoformat()


def next_day(date):
    return (Date.fromisoformat(date) + timedelta(days=1)).isoformat()


def days_between(first, end):
    """The days from first to end, end exclusive."""
    out = []
    while first < end:
        out.append(first)
        first = next_day(first)
    return out


def mrr(store, opts):
    header = ["app"] + opts.by + ["currency"]
    names = ["new", "resubscribed", "expansion", "contraction", "churned"]
    header += ["opening"] + names + ["closing"] if opts.movement else ["active_subscriptions", "mrr", "arr"]
    convert = Converter(store, opts)
    states = States(opts)
    for app in apps_of(store, opts):
        T, persons = people(store, app, opts)
        for person in persons:
            for spell in person.spells:
                for row in spell_rows(person, spell, states.units, states.by):
                    for change in movements(spell, lambda s, t: mrr_at(s, t, convert)):
                        states.add(app, T, row + (change[2],), change)
    convert.check()
    rows = []
    for key, before, inside in states.rows():
        active = sum(c[4] for c in before + inside)
        if active == 0 and not inside:
            continue
        currency = key[-1]
        closing = sum(c[3] for c in before + inside)
        if opts.movement:
            values = [sum(c[3] for c in before)] + [sum(c[3] for c in inside if c[1] == n) for n in names] + [closing]
            rows.append(list(key) + [money(v, currency) for v in values])
        else:
            rows.append(list(key) + [active, money(closing, currency), money(12 * closing, currency)])
    return [header] + sort_rows(rows, 2 + len(opts.by))


# 2.7, 2.8, 7.4 ----------------------------------------------------------------------------------------------------

STATUS = ["renewing", "set_to_cancel", "lifetime", "in_grace", "billing_retry"]


def status(spell, T):
    """A30: what a spell is at T; None where it is over."""
    if T < spell.end:
        if spell.payments[-1].ev["plan"] == "lifetime":
            return "lifetime"
        return "set_to_cancel" if off_at(spell, INF) else "renewing"
    if not spell.churned:
        return "in_grace"
    if spell.reason == "billing" and spell.next_payment is None and T < spell.end + 60 * DAY:
        return "billing_retry"
    return None


def subscriptions(store, opts):
    movement = ["opening", "new", "resubscribed", "recovered", "lapsed", "churned", "closing"]
    states = States(opts)
    has_status = not opts.movement and not states.periods and opts.to is None
    header = ["app"] + opts.by + (movement if opts.movement else [
        "active", "new", "resubscribed", "churned", "churn_rate", "churn_rate_low", "churn_rate_high", "trials_active",
        "trials_started"] + (STATUS if has_status else []))
    for app in apps_of(store, opts):
        T, persons = people(store, app, opts)
        for person in persons:
            for spell in person.spells:
                for row in spell_rows(person, spell, states.units, states.by):
                    for change in movements(spell, count_at):
                        states.add(app, T, row, change + (spell,))
                    what = status(spell, T)
                    if has_status and what is not None:
                        states.add(app, T, row, (T, "status", what, 0, 0, spell))
            for trial in person.trials if not opts.movement else []:
                end = trial.end if trial.conversion is None else min(trial.end, trial.conversion["ts"])
                contexts = person.contexts_of_trial(trial, opts.attribution)
                for row in rows_of(trial.ev, contexts, states.units, states.by, trial.kind):
                    states.add(app, T, row, (trial.start, "trial", 1, 0, 0, trial))
                    states.add(app, T, row, (end, "trial", -1, 0, 0, trial))
    rows = []
    for key, before, inside in states.rows():
        moves = [c for c in inside if c[1] not in ("trial", "status")]
        opening = sum(c[4] for c in before)
        closing = opening + sum(c[4] for c in inside)

        def count(name):
            return sum(1 for c in moves if c[1] == name)
        trials_active = sum(c[2] for c in before + inside if c[1] == "trial")
        shown = [c for c in inside if c[1] == "status" and c[2] in ("in_grace", "billing_retry")]
        events = [c for c in inside if c[1] != "status"]
        if opening == 0 and closing == 0 and trials_active == 0 and not events and not shown:
            continue
        if opts.movement:
            rows.append(list(key) + [opening] + [count(n) for n in
                                                 ("new", "resubscribed", "expansion", "contraction", "churned")] + [closing])
            continue
        # 7.4: of those active at its start, those that churned in it
        churned = [c[5] for c in moves if c[1] == "churned"]
        at_start = [s for s in churned if sum(c[4] for c in before if c[5] is s) == 1]
        row = [closing, count("new"), count("resubscribed"), len(churned)] + rate_wilson(len(at_start), opening)
        row += [trials_active, sum(1 for c in inside if c[1] == "trial" and c[2] == 1)]
        if has_status:
            row += [sum(1 for c in inside if c[1] == "status" and c[2] == n) for n in STATUS]
        rows.append(list(key) + row)
    return [header] + sort_rows(rows, 1 + len(opts.by))


REPORTS = {"revenue": revenue, "mrr": mrr, "subscriptions": subscriptions}
