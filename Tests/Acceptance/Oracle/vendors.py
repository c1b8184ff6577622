"""Slow, independent reference implementation of `reconcile --vendor`: a metric under the house settings, then one switch of the
vendor's preset after another, each number asked for afresh from the folded lives.

A number is a function of the metric, the settings and the period alone. The readings, A42 to A49, are in README.md.
"""
import copy
import csv
import io
from datetime import date as Date, datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from zoneinfo import ZoneInfo

import exchange
from oracle import (DAY, NONE, UNATTRIBUTED, Subscription, before, f6, local_date, money, off_at, own_context, passes, people)
from recurring import MONTHS, kept_share

# Analysis 13.1: all switches, in the order in which they are applied.
ORDER = ["zone", "cohort", "unit", "base", "link", "window", "refund", "access", "renewal_off", "resubscription", "change", "week",
         "rate_day", "money"]
HOUSE = {"cohort": "trial_start", "unit": "trial", "base": "matured", "link": "own", "window": "elapsed", "refund": "own_day",
         "access": "cover", "renewal_off": "active", "resubscription": "new", "change": "same", "week": 1 / MONTHS["weekly"]}
# A user from the first payment on.
OF_TERMS = ["plan", "product_id", "tier"]
PACIFIC = "America/Los_Angeles"
DAYS = {"window": "complete_days"}

V2 = {
    "trial_conversion": {"zone": "UTC", "cohort": "first_seen", "unit": "person", "base": "all", "link": "chain", "refund": "uncounted"},
    "new_trials": {"zone": "UTC"},
    "active_trials": {"zone": "UTC", "access": "grace"},
    "active_subscriptions": {"zone": "UTC", "access": "grace"},
    "mrr": {"zone": "UTC", "access": "grace", "week": Fraction(4)},
    "revenue": {"zone": "UTC", "refund": "payment_day"},
    "churn_rate": {"zone": "UTC", "access": "grace", "resubscription": "netted"},
    "refund_rate": {"zone": "UTC"},
    "realized_ltv": {"zone": "UTC", "base": "all", **DAYS},
    "conversion_to_paying": {"zone": "UTC", "base": "all", **DAYS, "refund": "uncounted"},
    "initial_conversion": {"zone": "UTC", "base": "all", **DAYS},
}
V3 = dict(V2, **{
    "trial_conversion": {"zone": "UTC", "base": "all", "refund": "uncounted"},
    "revenue": {"zone": "UTC"},
    "active_subscriptions": {"zone": "UTC", "access": "grace", "change": "new"},
    "churn_rate": {"zone": "UTC", "access": "grace", "change": "new"},
    "conversion_to_paying": {"zone": "UTC", "base": "all", **DAYS, "refund": "uncounted_in_window"},
})
PRESETS = {
    "revenuecat": V3,
    "revenuecat-v2": V2,
    "revenuecat-v3": V3,
    "adapty": {
        "trial_conversion": {"zone": "UTC", "unit": "person", "base": "all", "link": "ever"},
        "new_trials": {"zone": "UTC"},
        "active_trials": {"zone": "UTC"},
        "active_subscriptions": {"zone": "UTC", "refund": "erased", "renewal_off": "not_active"},
        "mrr": {"zone": "UTC", "refund": "erased", "week": 1 / Fraction("0.23")},
        "churned_subscriptions": {"zone": "UTC"},
        "revenue": {"zone": "UTC"},
        "refund_rate": {"zone": "UTC", "base": "first_purchases", "refund": "refund_day"},
        "realized_ltv": {"zone": "UTC", "unit": "payer", "base": "all"},
        "conversion_to_paying": {"zone": "UTC", "base": "all", "window": "none"},
        "initial_conversion": {"zone": "UTC", "base": "all", "window": "none"},
    },
    "superwall": {
        "trial_conversion": {"zone": "UTC", "base": "all"},
        "new_trials": {"zone": "UTC"},
        "active_trials": {"zone": "UTC"},
        "active_subscriptions": {"zone": "UTC"},
        "mrr": {"zone": "UTC"},
        "churn_rate": {"zone": "UTC"},
        "revenue": {"zone": "UTC"},
        "realized_ltv": {"zone": "UTC", "base": "all", "window": "none"},
        "conversion_to_paying": {"zone": "UTC", "base": "all", "window": "none"},
    },
    "app-store-connect": {
        "trial_conversion": {"zone": PACIFIC, "base": "all"},
        "new_trials": {"zone": PACIFIC},
        "active_subscriptions": {"zone": PACIFIC, "renewal_off": "not_active"},
        "churn_rate": {"zone": PACIFIC, "base": "due"},
        "revenue": {"zone": PACIFIC},
        "refund_rate": {"zone": PACIFIC, "refund": "refund_day"},
    },
    "mixpanel": {
        "trial_conversion": {"unit": "person", "base": "all", "link": "ever", "window": "within_7d"},
        "new_trials": {"unit": "event"},
        "conversion_to_paying": {"base": "all"},
    },
}


# periods ----------------------------------------------------------------------------------------------------------

class Period:
    """Civil days [first, end) as texts, None for no bound; read in whatever zone is in force."""

    def __init__(self, label, first, end):
        self.label, self.first, self.end = label, first, end

    def holds(self, ts, zone):
        day = local_date(ts, zone).isoformat()
        return (self.first is None or self.first <= day) and (self.end is None or day < self.end)


def day_start(text, zone):
    """The first instant of a civil day."""
    day = Date.fromisoformat(text)
    return round(datetime(day.year, day.month, day.day, tzinfo=zone).timestamp()) * 1000


def next_label(day, by):
    if by == "day":
        return day + timedelta(days=1)
    return (day.replace(day=1) + timedelta(days=32)).replace(day=1)


def periods(opts, zones, first, T):
    """One period, or the civil days or months from the first event's to the last known one's (A42)."""
    if not opts.by:
        return [Period(None, opts.from_, opts.to)]
    day = min(local_date(first, zone) for zone in zones)
    last = max(local_date(T - 1, zone) for zone in zones)
    if opts.from_ is not None:
        day = max(day, Date.fromisoformat(opts.from_))
    if opts.to is not None:
        last = min(last, Date.fromisoformat(opts.to) - timedelta(days=1))
    found = []
    while day <= last:
        following = next_label(day, opts.by[0])
        end = following.isoformat() if opts.to is None else min(following.isoformat(), opts.to)
        found.append(Period(day.isoformat()[:10 if opts.by[0] == "day" else 7], day.isoformat(), end))
        day = following
    return found


# facts ------------------------------------------------------------------------------------------------------------

class Facts:
    """One app at T."""

    def __init__(self, store, app, opts):
        self.T, self.persons = people(store, app, opts)
        self.opts = opts
        self.converter = exchange.Converter(store, opts)
        self.currencies = set()
        self.refolded = {}

    def payments(self, person):
        return [p for spell in person.spells for p in spell.payments]

    def spells(self, person, s):
        """2.8, without the payments that were given back in full where these never were."""
        if s["refund"] != "erased":
            return person.spells
        if id(person) not in self.refolded:
            found = []
            for sub in person.subscriptions.values():
                again = Subscription(sub.key)
                again.churn = sub.churn
                again.payments = [copy.copy(p) for p in sub.payments if p.full_refund is None]
                person.fold_spells(again)
                found += again.spells
            self.refolded[id(person)] = found
        return self.refolded[id(person)]

    def keeps_trial(self, person, trial):
        """2.11: a trial by its own event; each metric counts only what --where leaves."""
        return passes(trial.ev, person.contexts_of_trial(trial, "last")[0], self.opts, trial.kind)

    def keeps_spell(self, person, spell):
        """A subscription, and its payments, by its spell's first payment."""
        kind = spell.trial.kind if spell.trial is not None else NONE
        return passes(spell.payments[0].ev, person.contexts_of_spell(spell, "last")[0], self.opts, kind)

    def keeps_user(self, person):
        """A34: the first impression's context, the first payment's terms, and the rest of the first event."""
        ev = {k: v for k, v in person.events[0].items() if k not in OF_TERMS}
        paid = sorted((p.ts, n) for n, p in enumerate(self.payments(person)))
        if paid:
            payment = self.payments(person)[paid[0][1]]
            ev.update({k: payment.ev[k] for k in OF_TERMS if k in payment.ev})
        context = own_context(person.impressions[0]) if person.impressions else (UNATTRIBUTED,) * 4
        return passes(ev, context, self.opts)

    def kept_payments(self, person):
        return [p for spell in person.spells if self.keeps_spell(person, spell) for p in spell.payments]

    def amount(self, micro, currency, payment):
        value, currency = self.converter.convert(micro, currency or NONE, payment)
        if value:
            self.currencies.add(currency)
        return value

    def flows(self, payment, s):
        """7.1: (ts, micro-units) that came in and went out with a payment, by the mode and the refund switch."""
        if s["refund"] == "erased" and payment.full_refund is not None:
            return []
        share = kept_share(payment.ev, self.opts) if self.opts.mode == "proceeds" else 1
        found = [(payment.ts, self.amount(payment.price, payment.ev.get("currency"), payment) * share)]
        if self.opts.mode != "gross":
            for ts, back, currency in payment.refunds:
                at = payment.ts if s["refund"] == "payment_day" else ts
                found.append((at, -self.amount(back, currency, payment) * share))
        return found

    def bound(self, period, s):
        return self.T if period.end is None else min(self.T, day_start(period.end, s["zone"]))

    def covers(self, start, end, bound):
        """Whether [start, end) covers the moment just before `bound`; what ends at T has ended."""
        return start < bound and (end > bound if bound == self.T else end >= bound)


def expirations(sub, first, last):
    """The expirations of a subscription after `first`, up to `last`; all without one."""
    return [ev["ts"] for ev in sub.churn if ev["event"] == "expiration" and first < ev["ts"] and (last is None or ev["ts"] <= last)]


def access(spell):
    """A46: [(start, end)] of the access with grace: up to the next payment, at last to the grace's end, and never behind an expiration."""
    by_refund = any(p.cut_by_refund for p in spell.payments if p.cover_end == spell.end)
    found = []
    for place, p in enumerate(spell.payments):
        following = spell.payments[place + 1].ts if place + 1 < len(spell.payments) else None
        end = following if following is not None else spell.end if by_refund else spell.grace_end
        later = [q.ts for q in spell.sub.payments if q.ts > p.ts or q is not p and q.ts == p.ts and before(p.ev, q.ev)]
        ended = expirations(spell.sub, p.ts, min(later, default=None))
        found.append((p.ts, min([max(end, p.cover_end)] + ended)))
    return found


def has_access(facts, spell, s, bound):
    if s["access"] == "grace":
        return any(facts.covers(start, end, bound) for start, end in access(spell))
    return any(facts.covers(p.ts, p.cover_end, bound) for p in spell.payments)


def access_end(spell, s):
    if s["access"] != "grace":
        return spell.end
    return max([end for start, end in access(spell) if end > start] or [spell.end])


def has_churned(spell, s):
    """Known by the end of the grace, and with grace as access by an expiration, too."""
    later = None if spell.next_payment is None else spell.next_payment.ts
    return spell.churned or s["access"] == "grace" and bool(expirations(spell.sub, spell.payments[-1].ts, later))


def active_spells(facts, s, bound):
    """(spell, payment in force) of the active ones that are not lifetime at that moment."""
    for person in facts.persons:
        for spell in facts.spells(person, s):
            if facts.keeps_spell(person, spell) and has_access(facts, spell, s, bound):
                last = [p for p in spell.payments if p.ts < bound][-1]
                if last.ev["plan"] != "lifetime" and not (s["renewal_off"] == "not_active" and off_at(spell, bound)):
                    yield spell, last


# metrics ----------------------------------------------------------------------------------------------------------

def trial_payments(person, trial, link, facts):
    """The payments that can be the conversion of a trial."""
    if link == "own":
        return [p for p in facts.payments(person) if trial.conversion is not None and p.ev["event_id"] == trial.conversion["event_id"]]
    later = [p for p in facts.payments(person) if p.ts >= trial.start]
    if link == "ever":
        return later
    if "subscription_id" in trial.ev:                                 # A44
        return [p for p in later if person.key_by_id_or_product(p.ev) == ("id", trial.ev["subscription_id"])]
    return [p for p in later if p.ev["product_id"] == trial.ev.get("product_id")]


def trial_converted(person, trial, s, facts):
    found = trial_payments(person, trial, s["link"], facts)
    if s["window"] == "within_7d":
        found = [p for p in found if p.ts < trial.start + 7 * DAY]
    if s["refund"] == "uncounted":
        found = [p for p in found if p.full_refund is None]
    return bool(found)


def trial_conversion(facts, s, period):
    x = n = 0
    for person in facts.persons:
        counted = []
        for trial in person.trials:
            seen = trial.start if s["cohort"] == "trial_start" else person.events[0]["ts"]
            ripe = {"matured": trial.deadline <= facts.T, "ended": trial.end <= facts.T, "all": True}[s["base"]]
            if ripe and period.holds(seen, s["zone"]) and facts.keeps_trial(person, trial):
                counted.append(trial_converted(person, trial, s, facts))
        if s["unit"] == "person":
            n += bool(counted)
            x += any(counted)
        else:
            n += len(counted)
            x += sum(counted)
    return share(x, n)


def kept_trials(facts):
    return [(person, trial) for person in facts.persons for trial in person.trials if facts.keeps_trial(person, trial)]


def new_trials(facts, s, period):
    if s["unit"] == "event":                                              # A51: all that starts a trial, repeats among them
        starts = [ev for person in facts.persons for ev in person.events if ev["event"] == "trial_start"]
        return count(sum(period.holds(ev["ts"], s["zone"]) for ev in starts))
    return count(sum(period.holds(t.start, s["zone"]) for _, t in kept_trials(facts)))


def active_trials(facts, s, period):
    bound = facts.bound(period, s)

    def end(person, trial):
        last = trial.end
        if s["access"] == "grace":
            gone = [ev["ts"] for ev in person.events if ev["event"] == "expiration" and person.churn_event_of_trial(ev, trial)]
            last = min([trial.deadline] + gone)
        return last if trial.conversion is None else min(last, trial.conversion["ts"])
    return count(sum(facts.covers(t.start, end(person, t), bound) for person, t in kept_trials(facts)))


def active_subscriptions(facts, s, period):
    return count(sum(1 for _ in active_spells(facts, s, facts.bound(period, s))))


def mrr(facts, s, period):
    total = Fraction(0)
    for _, last in active_spells(facts, s, facts.bound(period, s)):
        plan = last.ev["plan"]
        times = s["week"] if plan == "weekly" else Fraction(1, MONTHS[plan])
        total += facts.amount(last.price, last.ev.get("currency"), last) * times
    return amount(total, facts)


def churn_rate(facts, s, period):
    start, bound = min(facts.T, day_start(period.first, s["zone"])), facts.bound(period, s)
    if s["base"] == "due":
        return due(facts, s, start, bound)
    x = n = 0
    for person in facts.persons:
        for spell in facts.spells(person, s):
            if not facts.keeps_spell(person, spell):
                continue
            if has_access(facts, spell, s, start):
                n += 1
                E = access_end(spell, s)
                churned = has_churned(spell, s) and (E < bound or E == bound == facts.T)      # A45
                x += bool(churned) or s["change"] == "new" and replaced(spell, start, bound)
            if s["resubscription"] == "netted" and spell.number > 1 and start <= spell.start < bound:
                x -= 1
    return share(x, n)


def replaced(spell, start, bound):
    """v3: the subscription of the product that was paid for at the start ends with a payment for another one."""
    product = [p for p in spell.payments if p.ts < start][-1].ev["product_id"]
    return any(start <= p.ts < bound and p.ev["product_id"] != product for p in spell.payments)


def due(facts, s, start, bound):
    """1 - renewed / due, of the paid periods that end in the period: renewed where the spell goes on (2.8)."""
    found = []
    for person in facts.persons:
        for spell in facts.spells(person, s):
            if facts.keeps_spell(person, spell):
                for p in spell.payments:
                    E = p.cover_end
                    if p.ts < E and start <= E and (E < bound or E == bound == facts.T):
                        found.append(p is spell.payments[-1])
    return share(sum(found), len(found))


def churned_subscriptions(facts, s, period):
    """7.3: those that were ever covered and whose churned end is in the period."""
    start = None if period.first is None else min(facts.T, day_start(period.first, s["zone"]))
    bound = facts.bound(period, s)
    n = 0
    for person in facts.persons:
        for spell in facts.spells(person, s):
            if facts.keeps_spell(person, spell) and spell.churned and any(p.cover_end > p.ts for p in spell.payments):
                n += (start is None or start <= spell.end) and (spell.end < bound or spell.end == bound == facts.T)
    return count(n)


def revenue(facts, s, period):
    total = Fraction(0)
    for person in facts.persons:
        for payment in facts.kept_payments(person):
            total += sum(value for ts, value in facts.flows(payment, s) if period.holds(ts, s["zone"]))
    return amount(total, facts)


def refund_rate(facts, s, period):
    x = n = 0
    for person in facts.persons:
        first = [spell.payments[0] for spell in person.spells if spell.is_purchase]
        for p in facts.kept_payments(person):
            on_days = period.holds(p.ts, s["zone"])
            n += on_days and (s["base"] != "first_purchases" or p in first)
            if s["refund"] == "refund_day":
                x += any(period.holds(ts, s["zone"]) for ts, _, _ in p.refunds)
            else:
                x += on_days and bool(p.refunds)
    return share(x, n)


def in_window(ts, first, s, opts):
    """Whether something falls into a person's first N days."""
    if s["window"] == "none":
        return True
    if s["window"] == "complete_days":
        return (local_date(ts, s["zone"]) - local_date(first, s["zone"])).days <= opts.days
    return ts < first + opts.days * DAY


def cohort(facts, s, period):
    """(person, whether an instant is within the window) of the persons first seen in the period."""
    for person in facts.persons:
        first = person.events[0]["ts"]
        if facts.keeps_user(person) and period.holds(first, s["zone"]) and (s["base"] == "all" or first + facts.opts.days * DAY <= facts.T):
            yield person, lambda ts, first=first: in_window(ts, first, s, facts.opts)


def pays(facts, person, within, s):
    """Whether a payment above 0 within the window counts."""
    for p in facts.payments(person):
        if p.price > 0 and within(p.ts):
            gone = p.full_refund is not None and (s["refund"] == "uncounted"
                                                  or (s["refund"] == "uncounted_in_window" and within(p.full_refund)))
            if not gone:
                return True
    return False


def realized_ltv(facts, s, period):
    total, n = Fraction(0), 0
    for person, within in cohort(facts, s, period):
        n += s["unit"] != "payer" or pays(facts, person, within, s)
        total += sum(value for p in facts.payments(person) for ts, value in facts.flows(p, s) if within(ts))
    return amount(total / n if n else None, facts)


def conversion_to_paying(facts, s, period):
    found = [pays(facts, person, within, s) for person, within in cohort(facts, s, period)]
    return share(sum(found), len(found))


def initial_conversion(facts, s, period):
    found = [pays(facts, person, within, s) or any(within(t.start) for t in person.trials)
             for person, within in cohort(facts, s, period)]
    return share(sum(found), len(found))


METRICS = {m.__name__: m for m in (trial_conversion, new_trials, active_trials, active_subscriptions, mrr, churn_rate,
                                   churned_subscriptions, revenue, refund_rate, realized_ltv, conversion_to_paying, initial_conversion)}
SHARES = ["trial_conversion", "churn_rate", "refund_rate", "conversion_to_paying", "initial_conversion"]
OF_MONEY = ["mrr", "revenue", "realized_ltv"]


COLUMNS = ["step", "switch", "before", "after", "part"]


# printing ---------------------------------------------------------------------------------------------------------

def count(n):
    return lambda: str(n)


def share(x, n):
    return lambda: "" if n == 0 else f6(Fraction(x, n))


def amount(value, facts):
    """Printed once the currency is known: --currency, or the only one that the app's money is in (A47)."""
    def text():
        found = sorted(facts.currencies) or [facts.converter.target or NONE]
        if len(found) > 1:
            raise SystemExit("several currencies: " + ", ".join(found))
        return "" if value is None else money(value, found[0])
    return text


def part(after, before):
    return "" if after == "" or before == "" else format(Decimal(after) - Decimal(before), "f")


def vendor_row(text, metric, preset):
    """--vendor-value: a rate is in percent; within half a unit of its last digit is rounding (13.3)."""
    digits = text.rstrip("%")
    scale = Decimal("0.01") if metric in SHARES else Decimal(1)
    value = Decimal(digits) * scale
    half = Decimal(1).scaleb(Decimal(digits).as_tuple().exponent) * scale / 2
    left = part(str(value), preset)
    return ["rounding" if left != "" and abs(Decimal(left)) <= half else "unexplained", preset, format(value, "f"), left]


def steps(facts, opts, preset, period):
    """[(step, value)] from the house number to the vendor's."""
    settings = dict(HOUSE, zone=opts.zone)
    numbers = [("ours", METRICS[opts.metric](facts, settings, period))]
    for name in ORDER:
        if name in preset:
            settings[name] = ZoneInfo(preset[name]) if name == "zone" else preset[name]
            numbers.append((name, METRICS[opts.metric](facts, settings, period)))
    return numbers


def report(store, opts):
    preset = PRESETS[opts.vendor][opts.metric]
    facts = Facts(store, opts.apps[0], opts)
    first = min((person.events[0]["ts"] for person in facts.persons), default=facts.T - 1)
    zones = [opts.zone] + [ZoneInfo(preset[name]) for name in preset if name == "zone"]
    tables = [(period, steps(facts, opts, preset, period)) for period in periods(opts, zones, first, facts.T)]
    facts.converter.check()
    rows = [["app"] + opts.by + COLUMNS]
    for period, numbers in tables:
        key = [opts.apps[0]] + ([period.label] if opts.by else [])
        own, before = [], ""
        for name, number in numbers:
            own.append([name, before, number(), "" if name == "ours" else part(number(), before)])
            before = number()
        own.append(["vendor", before, before, ""])
        if opts.vendor_value is not None:
            own.append(vendor_row(opts.vendor_value, opts.metric, before))
        own.append(["missing", "", "", ""])
        rows += [key + [str(place)] + row for place, row in enumerate(own)]
    return rows


# comparison -------------------------------------------------------------------------------------------------------

def told(text):
    """{period: [(app, step, switch, before, after, part)]} of what is compared: parts and given values as numbers; periods without
    any number left out (A42)."""
    found = {}
    for row in csv.DictReader(io.StringIO(text)):
        period = row.get("month") or row.get("day") or ""
        given = "" if row["part"] == "" else Decimal(row["part"])
        after = Decimal(row["after"]) if row["switch"] in ("rounding", "unexplained") else row["after"]
        found.setdefault(period, []).append((row["app"], row["step"], row["switch"], row["before"], after, given))
    return {period: rows for period, rows in found.items() if any(row[4] != "" and Decimal(row[4]) != 0 for row in rows)}


def difference(want, have):
    """The first row of `reconcile --vendor` that differs; empty without one."""
    a, b = told(want), told(have)
    for period in sorted(set(a) | set(b)):
        x, y = a.get(period, []), b.get(period, [])
        for i in range(max(len(x), len(y))):
            p, q = x[i] if i < len(x) else None, y[i] if i < len(y) else None
            if p != q:
                return "  period %r row %d\n    oracle  %s\n    program %s" % (period, i + 1, p, q)
    return ""


REPORTS = {"reconcile": report}
