"""Slow, independent reference implementation of `saves` and `winback`: what became of cancellations, and of churn (definitions 12)."""
from fractions import Fraction

from oracle import (DAY, NONE, apps_of, before, cover_so_far, f6, in_days, money, people, rate_wilson, rows_of, sort_rows)
from recovery import incidence, is_voluntary, median

HOUR = 3_600_000
SAVE_AGES = [1, 3, 7, 14, 30]
BACK_AGES = [7, 30, 90, 180]
BACK_WINDOW = 90 * DAY
REASONS = ["voluntary", "billing", "price_increase", "refund"]


# saves ------------------------------------------------------------------------------------------------------------

def is_toggle(ev):
    return ev["event"] in ("cancellation", "reactivation")


class Cancellation:
    """One that turned auto-renew off, with what ended it."""

    def __init__(self, person, ev, unit, E, grace_end, toggles, payment, last):
        self.person, self.ev, self.ts, self.unit = person, ev, ev["ts"], unit
        self.E, self.grace_end = E, grace_end
        self.payment, self.last = payment, last          # the next payment of the spell or the conversion; the last payment before
        following = [other for other in toggles if before(ev, other)]
        self.regretted = (bool(following) and following[0]["event"] == "reactivation"
                          and following[0]["ts"] < self.ts + HOUR)
        ends = [(other["ts"], 1, "reactivated") for other in following if other["event"] == "reactivation" and other["ts"] < E]
        if payment is not None:
            ends.append((payment["ts"], 0, "paid"))      # at one instant a payment comes first
        self.ended, _, self.outcome = min(ends) if ends else (None, 0, None)

    def settle(self, T):
        self.matured = self.grace_end <= T
        if self.outcome is None:
            self.outcome, self.ended = ("lost", self.E) if self.matured else ("open", T)

    @property
    def is_saved(self):
        return self.outcome in ("reactivated", "paid")

    @property
    def accepted_offer(self):
        return self.payment is not None and "offer_type" in self.payment and (self.last is None or "offer_type" not in self.last)

    def screen(self, names):
        seen = [i for i in self.person.impressions if self.ts - HOUR <= i["ts"] <= self.ts + HOUR]
        return seen[-1]["entry_point"] if seen and seen[-1]["entry_point"] in names else NONE


def subscription_of(person, ev):
    """2.6: the subscription of a churn event that has a payment before it."""
    for s in person.subscriptions.values():
        if any(other is ev for other in s.churn) and any(before(p.ev, ev) for p in s.payments):
            return s
    return None


def trial_of(person, ev):
    """The newest trial that a churn event of no subscription paid before is of: not converted and in its grace at most (A51)."""
    if subscription_of(person, ev) is not None:
        return None
    own = [t for t in person.trials if t.kind == "introductory" and person.churn_event_of_trial(ev, t)
           and ev["ts"] < t.deadline and not (t.conversion and before(t.conversion, ev))]
    return own[-1] if own else None


def is_off(toggles, ev, since=None):
    """Whether the last toggle before an event, since a payment, is a cancellation."""
    earlier = [other for other in toggles if before(other, ev) and (since is None or before(since, other))]
    return bool(earlier) and earlier[-1]["event"] == "cancellation"


def grace_end_so_far(person, s, paid, following):
    """2.8 and 1.7: the end of the cover so far plus grace; billing issues behind the next payment are that payment's (A50)."""
    end = cover_so_far(paid) + person.G
    for ev in s.churn:
        if (ev["event"] == "billing_issue" and "grace_ends_at" in ev and before(paid[-1].ev, ev) and ev["ts"] < end < ev["grace_ends_at"]
                and not (following and before(following.ev, ev))):
            end = ev["grace_ends_at"]
    return end


def of_subscription(person, s, ev):
    last = [p for p in s.payments if before(p.ev, ev)][-1]
    spell = next(sp for sp in s.spells if last in sp.payments)
    number = spell.payments.index(last) + 1
    paid, rest = spell.payments[:number], spell.payments[number:]
    E = cover_so_far(paid)
    covering = [p for p in paid if p.cover_end == E and E > p.ts]
    if E <= ev["ts"] or covering[-1].ev["plan"] == "lifetime":
        return None
    toggles = [other for other in s.churn if is_toggle(other)]
    if is_off(toggles, ev, since=last.ev):
        return None
    following = rest[0] if rest else None
    return Cancellation(person, ev, spell, E, grace_end_so_far(person, s, paid, following), toggles,
                        following.ev if following else None, last.ev)


def of_trial(person, trial, ev):
    if not ev["ts"] < trial.end:
        return None
    toggles = [other for other in person.events if is_toggle(other) and trial_of(person, other) is trial]
    if is_off(toggles, ev):
        return None
    return Cancellation(person, ev, trial, trial.end, trial.deadline, toggles, trial.conversion, None)


def cancellations_of(person, T):
    """Those that turn auto-renew off, of a subscription before those of a trial; regretted ones among them."""
    found = []
    for ev in person.events:
        if not is_voluntary(ev):
            continue
        s, trial = subscription_of(person, ev), trial_of(person, ev)
        unit = None
        if s is not None:
            unit = of_subscription(person, s, ev)
        elif trial is not None:
            unit = of_trial(person, trial, ev)
        if unit is not None:
            unit.settle(T)
            found.append(unit)
    return found


def saves(store, opts):
    screens = ["screen"] if opts.cancel_screens else []
    header = ["app"] + opts.by + screens + ["cancellations", "regretted", "open", "matured", "saved", "lost"]
    for name in ["saved"] + ["saved_%d" % age for age in SAVE_AGES]:
        header += [name + "_rate", name + "_rate_low", name + "_rate_high"]
    header += ["hours_p50", "reactivated", "paid", "accepted_offer"]
    cells = {}
    for app in apps_of(store, opts):
        T, persons = people(store, app, opts)
        if T is None:
            continue
        for person in persons:
            for unit in cancellations_of(person, T):
                if not in_days(unit.ts, opts):
                    continue
                if unit.last is None:
                    ev, kind = unit.unit.ev, unit.unit.kind
                    contexts = person.contexts_of_trial(unit.unit, opts.attribution)
                else:
                    ev, kind = unit.unit.payments[0].ev, unit.unit.trial.kind if unit.unit.trial else NONE
                    contexts = person.contexts_of_spell(unit.unit, opts.attribution)
                for row in rows_of(dict(ev, ts=unit.ts), contexts, opts, opts.by, kind):
                    key = (app,) + row + ((unit.screen(opts.cancel_screens),) if screens else ())
                    cells.setdefault(key, (T, []))[1].append(unit)
    rows = []
    for key, (T, units) in cells.items():
        regretted = [u for u in units if u.regretted]
        units = [u for u in units if not u.regretted]
        matured = [u for u in units if u.matured]

        def count(*outcomes):
            return sum(u.outcome in outcomes for u in units)
        out = [len(units), len(regretted), count("open"), len(matured), count("reactivated", "paid"), count("lost")]
        out += rate_wilson(sum(u.is_saved for u in matured), len(matured))
        times = [(u.ended - u.ts, {"open": 0, "lost": 2}.get(u.outcome, 1)) for u in units]
        for age in SAVE_AGES:
            out += incidence(times, age * DAY, sum(u.ts + age * DAY <= T for u in units), len(units))
        out += [median(times), count("reactivated"), count("paid"), sum(u.accepted_offer for u in units)]
        rows.append(list(key) + out)
    return [header] + sort_rows(rows, 1 + len(opts.by) + len(screens))


# winback ----------------------------------------------------------------------------------------------------------

class Churned:
    """A churned spell, and what came of it."""

    def __init__(self, spell, T):
        self.spell, self.E = spell, spell.end
        self.reason = spell.reason if spell.reason in REASONS else "other"
        self.currency = spell.payments[-1].ev.get("currency") or NONE
        spells = spell.sub.spells
        self.back = spells[spell.number].payments[0] if spell.number < len(spells) else None
        self.time = (self.back.ts if self.back else T) - self.E
        self.is_observed = self.back is not None and self.back.ts + BACK_WINDOW <= T

    def amounts(self):
        """(currency, signed amount) of the payments since it came back, and of what was given back of them."""
        end = self.back.ts + BACK_WINDOW
        for payment in self.spell.sub.payments:
            if self.back.ts <= payment.ts < end:
                yield payment.ev.get("currency") or NONE, payment.price
                for ts, amount, currency in payment.refunds:
                    if ts < end:
                        yield currency or NONE, -amount


def churned_spells(person, T):
    """2.8 as amended: a spell that never covered a millisecond is in no active count, so it does not churn."""
    return [Churned(spell, T) for spell in person.spells
            if spell.churned and any(p.cover_end > p.ts for p in spell.payments)]


def winback(store, opts):
    header = ["app"] + opts.by + ["reason", "currency", "churned", "came_back"]
    for age in BACK_AGES:
        header += ["came_back_%d_rate" % age, "came_back_%d_rate_low" % age, "came_back_%d_rate_high" % age]
    header += ["days_p50", "with_offer"]
    for age in BACK_AGES:
        header += ["with_offer_%d_rate" % age, "with_offer_%d_rate_low" % age, "with_offer_%d_rate_high" % age]
    header += ["observed_90", "amount_90", "mean_90"]
    cells = {}
    for app in apps_of(store, opts):
        T, persons = people(store, app, opts)
        if T is None:
            continue
        for person in persons:
            for unit in churned_spells(person, T):
                if not in_days(unit.E, opts):
                    continue
                spell = unit.spell
                kind = spell.trial.kind if spell.trial else NONE
                contexts = person.contexts_of_spell(spell, opts.attribution)
                for row in rows_of(dict(spell.payments[0].ev, ts=unit.E), contexts, opts, opts.by, kind):
                    key = (app,) + row + (unit.reason,)
                    cells.setdefault(key + (unit.currency,), (T, [], []))[1].append(unit)
                    for currency, amount in unit.amounts() if unit.is_observed else []:
                        cells.setdefault(key + (currency,), (T, [], []))[2].append(amount)
    rows = []
    for key, (T, units, amounts) in cells.items():
        back = [u for u in units if u.back is not None]
        observed = sum(u.is_observed for u in back)
        times = [(u.time, 1 if u.back is not None else 0) for u in units]
        out = [len(units), len(back)]
        for age in BACK_AGES:
            out += incidence(times, age * DAY, sum(u.E + age * DAY <= T for u in units), len(units))
        out.append(median(times, DAY))
        out.append(sum("offer_type" in u.back.ev for u in back))
        # Coming back without an offer is another end.
        offered = [(u.time, 0 if u.back is None else 1 if "offer_type" in u.back.ev else 2) for u in units]
        for age in BACK_AGES:
            out += incidence(offered, age * DAY, sum(u.E + age * DAY <= T for u in units), len(units))
        out += [observed, money(Fraction(sum(amounts)), key[-1])]
        out.append(money(Fraction(sum(amounts), observed), key[-1]) if observed else "")
        rows.append(list(key) + out)
    return [header] + sort_rows(rows, 3 + len(opts.by))


def instants(report, persons, T, rng):
    """Instants at which some number of the report changes."""
    found = []
    for person in persons:
        if report == "saves":
            for unit in cancellations_of(person, T):
                found += [unit.ts, unit.ts + HOUR, unit.E, unit.grace_end, unit.grace_end, unit.ts + rng.choice(SAVE_AGES) * DAY]
                found += [unit.ended] if unit.is_saved else []
        else:
            for unit in churned_spells(person, T):
                found += [unit.E, unit.spell.grace_end, unit.E + rng.choice(BACK_AGES) * DAY]
                found += [unit.back.ts, unit.back.ts + BACK_WINDOW, unit.back.ts + BACK_WINDOW] if unit.back else []
    return [ts for ts in found if ts < T]


REPORTS = {"saves": saves, "winback": winback}
