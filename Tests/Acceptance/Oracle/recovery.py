"""Slow, independent reference implementation of `recovery`: what became of failed charges (definitions 12)."""
from fractions import Fraction

from oracle import (DAY, NONE, STAGE, aalen_johansen, apps_of, before, f6, in_days, money, order_key, people, rate, rate_wilson, rows_of,
                    sort_rows, stage, wilson)

AGES = [1, 3, 7, 16, 30, 60]
WINDOW = 60 * DAY
HOUR = 3_600_000


class Charge:
    def __init__(self, ev, unit, last, price, currency, cover_end, access_end):
        self.opened, self.unit, self.last, self.price, self.currency = ev["ts"], unit, last, price, currency
        self.cover_end, self.access_end = cover_end, access_end
        self.outcome, self.ended, self.payment, self.key = "open", None, None, None

    def access_with(self, opts):
        """12.4: the end of access on the grace of --grace-whatif, or the later one that a billing issue set."""
        own = self.access_end if self.access_end > self.cover_end + opts.grace else 0
        return max(own, self.cover_end + opts.grace_whatif)

    def close(self, outcome, ts, payment=None, key=None):
        self.outcome, self.ended, self.payment, self.key = outcome, ts, payment, key

    def blocks(self, issue):
        """Whether it is open when another issue comes, or has been paid since."""
        if self.outcome == "lost":
            return self.ended > issue["ts"]
        return self.outcome != "cancelled" or self.key > order_key(issue)


def is_voluntary(ev):
    return ev["event"] == "cancellation" and ev.get("reason", "voluntary") == "voluntary"


def follow(charge, happenings, T):
    """The first of what can end a charge: (order, outcome, ts, payment); at one instant a payment comes first."""
    for key, outcome, ts, payment in sorted(happenings, key=lambda h: h[0]):
        if ts <= charge.opened + WINDOW if outcome == "recovered" else ts < charge.opened + WINDOW:
            charge.close(outcome, ts, payment, key)
            return
        break
    if charge.opened + WINDOW <= T:
        charge.close("lost", charge.opened + WINDOW)


def of_subscription(person, s, T):
    """12.1 for a subscription: an issue opens a charge when none is open since its last payment."""
    charges = []
    for issue in (ev for ev in s.churn if ev["event"] == "billing_issue"):
        earlier = [p for p in s.payments if before(p.ev, issue)]
        if not earlier:
            continue
        last = earlier[-1]
        if charges and charges[-1].last is last and charges[-1].blocks(issue):
            continue
        spell = next(sp for sp in s.spells if last in sp.payments)
        access = last.cover_end + person.G
        for ev in s.churn:
            if ev["event"] == "billing_issue" and "grace_ends_at" in ev and before(last.ev, ev) and ev["ts"] < access < ev["grace_ends_at"]:
                access = ev["grace_ends_at"]
        charge = Charge(issue, spell, last, last.price, last.ev.get("currency") or NONE, last.cover_end, access)
        happenings = [(order_key(p.ev), "recovered", p.ts, p) for p in s.payments if before(issue, p.ev)]
        for ev in s.churn:
            if before(issue, ev) and (is_voluntary(ev) or (
                    ev["event"] == "refund" and any(ts == ev["ts"] for ts, _, _ in last.refunds))):
                happenings.append((order_key(ev), "cancelled", ev["ts"], None))
        follow(charge, happenings, T)
        charges.append(charge)
    return charges


def of_trials(person, prices, T):
    charges = []
    for ev in person.events:
        if ev["event"] != "billing_issue":
            continue
        key = person.key_by_id_or_product(ev)
        if key is None:                              # 2.6: of the subscription paid last before it
            if any(before(p.ev, ev) for s in person.subscriptions.values() for p in s.payments):
                continue
        elif key in person.subscriptions and any(before(p.ev, ev) for p in person.subscriptions[key].payments):
            continue
        own = [t for t in person.trials if t.kind == "introductory" and person.churn_event_of_trial(ev, t)
               and ev["ts"] < t.deadline and not (t.conversion and before(t.conversion, ev))]
        if not own:
            continue
        trial = own[-1]
        same = [c for c in charges if c.unit is trial]
        if same and same[-1].blocks(ev):
            continue
        charge = Charge(ev, trial, None, 0, NONE, trial.end, trial.deadline)
        happenings = []
        if trial.conversion:
            payment = next(p for s in person.subscriptions.values() for p in s.payments if p.ev is trial.conversion)
            happenings.append((order_key(payment.ev), "recovered", payment.ts, payment))
        for other in person.events:
            if is_voluntary(other) and before(ev, other) and other["ts"] < trial.deadline:
                candidates = [t for t in person.trials if t.kind == "introductory" and person.churn_event_of_trial(other, t)
                              and other["ts"] < t.deadline and not (t.conversion and before(t.conversion, other))]
                if candidates and candidates[-1] is trial:
                    happenings.append((order_key(other), "cancelled", other["ts"], None))
        follow(charge, happenings, T)
        charge.price, charge.currency = price_of(charge, trial.ev, prices)
        charges.append(charge)
    return charges


def price_of(charge, ev, prices):
    """12.3: the price of a trial's product in the currency of the payment that came back, else in the user's country."""
    product = ev.get("product_id")
    country = prices.get((product, "country", ev["country"])) if ev.get("country") else None
    back = charge.payment.ev.get("currency") if charge.payment else None
    if not back:
        return country or prices.get((product,), (0, NONE))
    if country and country[1] == back:
        return country
    return prices.get((product, "currency", back), (charge.payment.price, back))


def most_paid(persons):
    """5.2's rule for the product of a trial: of all purchases, of those of a country and of those in a currency."""
    counts = {}
    for person in persons:
        for spell in person.purchases:
            ev = spell.payments[0].ev
            if spell.payments[0].price > 0 and "offer_type" not in ev:
                product = ev["product_id"]
                keys = [(product,), (product, "currency", ev["currency"])]
                keys += [(product, "country", ev["country"])] if ev.get("country") else []
                for key in keys:
                    own = counts.setdefault(key, {}).setdefault((spell.payments[0].price, ev["currency"]), [0, 0])
                    own[0] += 1
                    own[1] = max(own[1], spell.start)
    return {product: max(own, key=lambda k: (own[k][0], own[k][1], k[0])) for product, own in counts.items()}


def recovery(store, opts):
    header = ["app"] + opts.by + ["currency", "charges", "open", "matured", "recovered", "cancelled", "lost"]
    for name in ["recovered"] + ["recovered_%d" % age for age in AGES]:
        header += [name + "_rate", name + "_rate_low", name + "_rate_high"]
    header += ["hours_p50", "at_risk", "recovered_amount", "repriced", "lost_amount", "open_amount", "after_access"]
    header += ["recovered_inside", "lost_with_access"] if opts.grace_whatif is not None else []
    cells = {}
    for app in apps_of(store, opts):
        T, persons = people(store, app, opts)
        if T is None:
            continue
        prices = most_paid(persons)
        for person in persons:
            charges = [c for s in person.subscriptions.values() for c in of_subscription(person, s, T)]
            for charge in charges + of_trials(person, prices, T):
                if not in_days(charge.opened, opts):
                    continue
                if charge.last is None:
                    ev, kind = charge.unit.ev, charge.unit.kind
                    contexts = person.contexts_of_trial(charge.unit, opts.attribution)
                else:
                    ev, kind = charge.unit.payments[0].ev, charge.unit.trial.kind if charge.unit.trial else NONE
                    contexts = person.contexts_of_spell(charge.unit, opts.attribution)
                number = "trial" if charge.last is None else stage(charge.unit, charge.last)
                for row in rows_of(dict(ev, ts=charge.opened, **{STAGE: number}), contexts, opts, opts.by, kind):
                    cells.setdefault((app,) + row + (charge.currency,), (T, [], []))[1].append(charge)
                    if charge.payment:
                        cells.setdefault((app,) + row + (charge.payment.ev.get("currency") or NONE,), (T, [], []))[2].append(charge.payment.price)
    rows = []
    for key, (T, charges, amounts) in cells.items():
        def of(*outcomes):
            return [c for c in charges if c.outcome in outcomes]
        matured = [c for c in charges if c.opened + WINDOW <= T]
        times = [(c.ended - c.opened if c.ended is not None else T - c.opened, {"open": 0, "recovered": 1}.get(c.outcome, 2))
                 for c in charges]
        out = [len(charges), len(of("open")), len(matured), len(of("recovered")), len(of("cancelled")), len(of("lost"))]
        out += rate_wilson(sum(c.outcome == "recovered" for c in matured), len(matured))
        for age in AGES:
            observed = sum(c.opened + age * DAY <= T for c in charges)
            out += incidence(times, age * DAY, observed, len(charges))
        out.append(median(times))
        currency = key[-1]
        at_risk, back = sum(c.price for c in charges), sum(amounts)
        recovered = sum(c.price for c in of("recovered"))
        gone, left = sum(c.price for c in of("cancelled", "lost")), sum(c.price for c in of("open"))
        assert at_risk + back - recovered == back + gone + left
        out += [money(Fraction(x), currency) for x in (at_risk, back, back - recovered, gone, left)]
        out.append(rate(sum(c.ended >= c.access_end for c in of("recovered")), len(of("recovered"))))
        if opts.grace_whatif is not None:
            inside = sum(c.outcome == "recovered" and c.ended < c.access_with(opts) for c in matured)
            free = sum(c.outcome == "lost" and c.access_with(opts) > max(c.opened, c.cover_end) for c in matured)
            out += [inside, free] if matured else ["", ""]
        rows.append(list(key) + out)
    return [header] + sort_rows(rows, 2 + len(opts.by))


def at(times, limit):
    """Those up to an instant: who is still under observation there is censored at it."""
    return [(t, s) if t <= limit else (limit + 1, 0) for t, s in times]


def incidence(times, limit, observed, count):
    if observed == 0:
        return ["", "", ""]
    F, variance = aalen_johansen(at(times, limit))
    if F in (0, 1):
        n = Fraction(observed if F == 0 else count)
    else:
        n = F * (1 - F) / variance
    return [f6(F)] + wilson(n * F, n)


def median(times, unit=HOUR):
    hits = sorted({t for t, s in times if s == 1})
    if not hits:
        return ""
    F = aalen_johansen(times)[0]
    return f6(Fraction(next(t for t in hits if aalen_johansen(at(times, t))[0] >= F / 2), unit))


REPORTS = {"recovery": recovery}
