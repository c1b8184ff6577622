"""Slow, independent reference implementation of definitions 6.4 and 7.5-7.6: `retention`, `ltv`, and `refunds`.

Counts and means are exact fractions, survival too; bounds are decimals. The retention fit of 7.6 is found by nested
searches, one parameter inside the other, and its columns are compared within a tolerance (`differs`).
A comment "A<n>" refers to the numbered reading in README.md.
"""
import math
from decimal import Decimal
from fractions import Fraction

from oracle import (DAY, NONE, OFFERING, PLAN_MONTHS, STAGE, TERMS, UNATTRIBUTED, Z, add_months, apps_of, dec, dimension, f6, in_days,
                    money, own_context, passes, people, production, rate, rate_wilson, rows_of, sort_rows, stage)
from recurring import kept_share, payments_due, spell_rows

AGES = [12, 35, 65, 95, 185, 370]
PAYMENTS = [2, 3, 4, 5, 6, 7, 13, 25]


# 6.4 --------------------------------------------------------------------------------------------------------------

def cohorts(store, opts):
    """2.9, 6.2: (key, T, spell) of first spells that are purchases, not lifetime, by the day of their start."""
    for app in apps_of(store, opts):
        T, persons = people(store, app, opts)
        for person in persons:
            for spell in person.purchases:
                if spell.payments[0].ev["plan"] == "lifetime" or not in_days(spell.start, opts):
                    continue
                for row in spell_rows(person, spell, opts, opts.by):
                    yield (app,) + row, T, spell


def survival(steps):
    """Kaplan-Meier and Greenwood: steps = [(at risk, ended)] up to the time; the three cells of S."""
    S, variance = Fraction(1), Fraction(0)
    for n, d in steps:
        if d:
            S *= 1 - Fraction(d, n)
            variance = None if variance is None or d == n else variance + Fraction(d, n * (n - d))
    if S in (0, 1):
        return [f6(S), "", ""]
    log_S = dec(S).ln()
    spread = (Z * dec(variance).sqrt() / -log_S).exp()
    return [f6(S), f6((log_S * spread).exp()), f6((log_S / spread).exp())]


def retention(store, opts):
    cells = {}
    for key, T, spell in cohorts(store, opts):
        cells.setdefault(key, (T, []))[1].append(spell)
    return by_period(cells, opts) if opts.by_period else by_days(cells, opts)


def by_days(cells, opts):
    ages = opts.at or AGES
    header = ["app"] + opts.by + ["subscriptions", "churned", "median_days"]
    for a in ages:
        header += ["at_risk_%d" % a, "survival_%d" % a, "survival_%d_low" % a, "survival_%d_high" % a]
    rows = []
    for key, (T, spells) in cells.items():
        data = []
        for s in spells:
            if s.churned:
                data.append((s.end - s.start, 1))
            elif s.start + opts.grace <= T:                       # A31: an end is known a grace later
                data.append((min(s.end, T - opts.grace) - s.start, 0))
        times = sorted({t for t, _ in data})
        steps = [(u, sum(1 for t, _ in data if t >= u), sum(e for t, e in data if t == u)) for u in times]
        row = list(key) + [len(spells), sum(1 for s in spells if s.churned), median(steps)]
        for a in ages:
            at_risk = sum(1 for t, _ in data if t >= a * DAY)
            cell = survival([(n, d) for u, n, d in steps if u <= a * DAY])
            row += [at_risk] + (cell if at_risk or cell[0] == f6(0) else ["", "", ""])
        rows.append(row)
    return [header] + sort_rows(rows, 1 + len(opts.by))


def median(steps):
    S = Fraction(1)
    for u, n, d in steps:
        S *= 1 - Fraction(d, n)
        if S <= Fraction(1, 2):
            return f6(Fraction(u, DAY))
    return ""


def due(spell, number):
    """6.4: the end of what the payment before paid for; behind the last payment lengths of its plan from there (A32)."""
    before = spell.payments[:number - 1][-1]
    skipped = max(0, number - 1 - len(spell.payments))
    plan = before.ev["plan"]
    if plan == "lifetime" or not skipped:
        return before.plan_end
    return (before.plan_end + skipped * 7 * DAY if plan == "weekly" else
            add_months(before.plan_end, skipped * PLAN_MONTHS[plan]))


def last_chance(spell, T, G, limit):
    """6.4: the payments up to this one had their chance: due date + grace <= T; the grace after the last payment is 1.7's."""
    for number in range(2, limit + 1):
        latest = max(due(spell, n) for n in range(2, number + 1))     # never before an earlier one
        if latest + G > T or (number > len(spell.payments) and not spell.churned):
            return number - 1
    return limit


def period_table(spells, T, G, limit):
    """By payment number: had the chance, made it, and had the chance and made the one before."""
    table = []
    chances = [(last_chance(s, T, G, limit), len(s.payments)) for s in spells]
    for n in range(2, limit + 1):
        had = [k for last, k in chances if last >= n]
        table.append((n, len(had), sum(1 for k in had if k >= n), sum(1 for k in had if k >= n - 1)))
    return table


def renewals_known(spells, T, G):
    """6.4: of renewal 1, 2, ...: (stopped, went on) of those that made the payment before and had the chance."""
    table = period_table(spells, T, G, max([len(s.payments) for s in spells], default=0) + 1)
    return [(r - made, made) for _, _, made, r in table if r]


def by_period(cells, opts):
    numbers = opts.at or PAYMENTS
    header = ["app"] + opts.by + ["subscriptions"]
    for n in numbers:
        header += ["survival_%d" % n, "survival_%d_low" % n, "survival_%d_high" % n]
    for n in numbers:
        header += ["at_risk_%d" % n, "paid_%d" % n, "retention_%d" % n, "retention_%d_low" % n, "retention_%d_high" % n]
    rows = []
    for key, (T, spells) in cells.items():
        table = period_table(spells, T, opts.grace, max(numbers))
        row = list(key) + [len(spells)]
        for n in numbers:
            cell = survival([(r, r - made) for m, _, made, r in table if m <= n and r])
            row += cell if table[n - 2][3] or cell[0] == f6(0) else ["", "", ""]
        for n in numbers:
            had, made = table[n - 2][1:3]
            row += [had, made] + rate_wilson(made, had)
        rows.append(row)
    return [header] + sort_rows(rows, 1 + len(opts.by))


# refunds ----------------------------------------------------------------------------------------------------------

def refunds(store, opts):
    by_refund = opts.date == "refund"
    cells = {}

    def cell(app, person, spell, payment, ts, currency):
        if not in_days(ts, opts):
            return []
        kind = spell.trial.kind if spell.trial is not None else NONE
        ev = dict(spell.payments[0].ev, ts=ts, **{STAGE: stage(spell, payment)})
        contexts = person.contexts_of_spell(spell, opts.attribution)
        return [cells.setdefault((app,) + row + (currency,), dict(
            payments=0, refunded=0, full=0, at_risk=0, within=0, refunds=0, gross=0, amount=0))
            for row in rows_of(ev, contexts, opts, opts.by, kind)]

    for app in apps_of(store, opts):
        T, persons = people(store, app, opts)
        for person in persons:
            for spell in person.spells:
                for payment in spell.payments:
                    currency = payment.ev.get("currency") or NONE
                    for c in cell(app, person, spell, payment, payment.ts, currency):
                        c["payments"] += 1
                        c["gross"] += payment.price
                        if not by_refund:
                            c["refunded"] += bool(payment.refunds)
                            c["full"] += payment.full_refund is not None
                            if payment.ts + 30 * DAY <= T:
                                c["at_risk"] += 1
                                c["within"] += any(ts < payment.ts + 30 * DAY for ts, _, _ in payment.refunds)
                    completing = completes(payment)
                    for place, (ts, amount, back) in enumerate(payment.refunds):
                        for c in cell(app, person, spell, payment, ts if by_refund else payment.ts, back or NONE):
                            c["amount"] += amount
                            if by_refund:
                                c["refunds"] += 1
                                c["full"] += place == completing
    header = ["app"] + opts.by + ["currency"]
    header += (["refunds", "full", "full_rate", "full_rate_low", "full_rate_high", "partial", "payments"] if by_refund else
               ["payments", "refunded", "refund_rate", "refund_rate_low", "refund_rate_high", "full", "partial", "at_risk_30",
                "refunded_30", "refunded_30_rate", "refunded_30_rate_low", "refunded_30_rate_high"])
    header += ["gross", "refunded_amount", "refunded_share"]
    rows = []
    for key, c in cells.items():
        if by_refund:
            row = [c["refunds"], c["full"]] + rate_wilson(c["full"], c["refunds"]) + [c["refunds"] - c["full"], c["payments"]]
        else:
            row = [c["payments"], c["refunded"]] + rate_wilson(c["refunded"], c["payments"])
            row += [c["full"], c["refunded"] - c["full"], c["at_risk"], c["within"]] + rate_wilson(c["within"], c["at_risk"])
        rows.append(list(key) + row + [money(c["gross"], key[-1]), money(c["amount"], key[-1]), rate(c["amount"], c["gross"])])
    return [header] + sort_rows(rows, 2 + len(opts.by))


def completes(payment):
    """A33: the place of the refund after which nothing is left of the payment; None where something is."""
    given = 0
    for place, (ts, amount, currency) in enumerate(payment.refunds):
        if currency == payment.ev.get("currency"):
            given += amount
            if given >= payment.price and ts == payment.full_refund:
                return place
    return None


# 7.5 --------------------------------------------------------------------------------------------------------------

LTV_AGES = [7, 30, 90, 180, 365]
HORIZONS = [12, 24, 36]


def person_rows(person, opts):
    """A34: context of the first impression; plan, product and offer of the first payment; the rest of the first event."""
    first = person.events[0]
    of_terms = [name if name != "product" else "product_id" for name in TERMS]
    ev = {k: v for k, v in first.items() if k not in of_terms + [OFFERING]}
    kind = NONE
    paid = [(p.ts, s, p) for s in person.spells for p in s.payments]
    if paid:
        at = min(ts for ts, _, _ in paid)
        # Of payments at one instant, the first in the order of 1.2.
        order = [e["event_id"] for e in person.events]
        _, spell, payment = min((x for x in paid if x[0] == at), key=lambda x: order.index(x[2].ev["event_id"]))
        kind = spell.trial.kind if spell.trial is not None else NONE
        ev.update({k: payment.ev[k] for k in of_terms if k in payment.ev and k != "trial_kind"})
        ev[OFFERING] = spell.payments[0].ev[OFFERING]
    context = own_context(person.impressions[0]) if person.impressions else (UNATTRIBUTED,) * 4
    if not in_days(first["ts"], opts) or not passes(ev, context, opts, kind):
        return None
    return tuple(dimension(name, ev, context, opts, kind) for name in opts.by)


# No generated row has 30 purchases a month, from which on a range of earlier errors is made.
TESTED = ["tested_ltv_12m", "tested_ltv_12m_low", "tested_ltv_12m_high", "tested_errors"]


def kept(ev, opts):
    return kept_share(ev, opts) if opts.mode == "proceeds" else 1


def ltv(store, opts):
    header = ["app"] + opts.by + ["currency"]
    for a in LTV_AGES:
        header += ["persons_%d" % a, "ltv_person_%d" % a, "payers_%d" % a, "ltv_payer_%d" % a]
    header += ["purchases"]
    for m in HORIZONS:
        header += ["predicted_ltv_%dm" % m, "predicted_ltv_%dm_low" % m, "predicted_ltv_%dm_high" % m]
    header += ["predicted_note"] + TESTED
    persons_of_row, sums, bought = {}, {}, {}
    for app in apps_of(store, opts):
        T, persons = people(store, app, opts)
        for person in persons:
            row = person_rows(person, opts)
            if row is not None:
                add_person(persons_of_row, sums, (app,) + row, person, T, opts)
            for spell in person.purchases:
                if in_days(spell.start, opts):
                    currency = spell.payments[0].ev.get("currency") or NONE
                    for row in spell_rows(person, spell, opts, opts.by):
                        bought.setdefault((app,) + row + (currency,), (T, []))[1].append(spell)
    keys = set(sums) | set(bought)
    keys |= {row + (NONE,) for row in persons_of_row if not any(key[:-1] == row for key in keys)}
    rows = []
    for key in keys:
        cells = []
        for place, a in enumerate(LTV_AGES):
            persons = persons_of_row.get(key[:-1], [0] * 5)[place]
            total, payers = sums.get(key, [(0, 0)] * 5)[place]
            cells += [persons, money(Fraction(total) / persons, key[-1]) if persons else "",
                      payers, money(Fraction(total) / payers, key[-1]) if payers else ""]
        T, spells = bought.get(key, (None, []))
        days = days_of_data(store, key[0], T) if spells else 0
        rows.append(list(key) + cells + predicted(spells, T, key[-1], opts, days) + ["", "", "", 0])
    return [header] + sort_rows(rows, 2 + len(opts.by))


def add_person(persons_of_row, sums, row, person, T, opts):
    """7.5: net revenue within A days of the first event, of persons followed that long."""
    start = person.events[0]["ts"]
    counts = persons_of_row.setdefault(row, [0] * 5)
    for place, a in enumerate(LTV_AGES):
        end = start + a * DAY
        if end > T:
            continue
        counts[place] += 1
        mine, payer = {}, set()
        for spell in person.spells:
            for p in spell.payments:
                share = kept(p.ev, opts)
                currency = p.ev.get("currency") or NONE
                if p.ts < end:
                    mine[currency] = mine.get(currency, 0) + p.price * share
                    if p.price > 0:
                        payer.add(currency)
                for ts, amount, back in p.refunds if opts.mode != "gross" else []:
                    if ts < end:
                        mine[back or NONE] = mine.get(back or NONE, 0) - amount * share
        for currency, amount in mine.items():
            cells = sums.setdefault(row + (currency,), [(0, 0)] * 5)
            total, payers = cells[place]
            cells[place] = (total + amount, payers + (currency in payer))


# 7.6 --------------------------------------------------------------------------------------------------------------

def days_of_data(store, app, T):
    """D6.9: UTC days from that of the app's oldest production event (A41) to the last before T."""
    first = min(ev["ts"] for ev in store.by_app[app] if production(ev))
    return max(0, -(-(T - first // DAY * DAY) // DAY))


def matters(buyers, everybody):
    """D6.9: a plan that makes 20 % of the purchases."""
    return 5 * buyers >= everybody


def boundary(plan, known):
    """7.6, Methods 2.11: what a fit at its boundary says; None for another fit, and for none."""
    lost, kept = sum(x for x, _ in known), sum(y for _, y in known)
    if sum(1 for x, y in known if x + y) < 2 or lost == 0 or kept == 0:
        return None
    if all(x == 0 for x, _ in known[1:]):
        return "%s plans have only a range because so far users churn either at once or never: too extreme to project" % plan
    churn = Fraction(lost, lost + kept)
    if sum(t * (y * churn / (1 - churn) - x) for t, (x, y) in enumerate(known)) <= 0:
        return "%s plans have only a range because so far all users seem equally likely to churn: too simple to project" % plan
    return None


PLAN_ORDER = ["weekly", "monthly", "two_month", "quarterly", "semiannual", "yearly", "lifetime"]


def predicted(spells, T, currency, opts, days):
    if not spells:
        return [0] + [""] * 9 + ["no purchases"]
    totals = [[0.0, 0.0, 0.0] for _ in HORIZONS]
    has_point = [True] * len(HORIZONS)
    notes = []
    for plan in PLAN_ORDER:
        own = [s for s in spells if s.payments[0].ev["plan"] == plan]
        if not own:
            continue
        share = len(own) / len(spells)

        def net(p):
            back = 0 if opts.mode == "gross" else sum(a for _, a, c in p.refunds if (c or NONE) == currency)
            return (p.price - back) * kept(p.ev, opts)
        once = float(Fraction(sum(net(s.payments[0]) for s in own)) / len(own))
        later = [p for s in own for p in s.payments[1:] if p.ev["plan"] == plan and (p.ev.get("currency") or NONE) == currency]
        again = float(Fraction(sum(net(p) for p in later)) / len(later)) if later else once
        known = renewals_known(own, T, opts.grace)
        lost, stayed = [x for x, _ in known], [y for _, y in known]
        reason = None
        lasts = [payments_due(plan, months) - 1 for months in HORIZONS]
        if matters(len(own), len(spells)) and sum(lost) + sum(stayed) < 10 and any(lasts):
            first = next(months for months, last in zip(HORIZONS, lasts) if last)
            notes.append("%s not known yet from %dm on (%d days of data)" % (plan, first, days))
            for place, last in enumerate(lasts):
                if last:
                    totals[place] = None
                elif totals[place] is not None:
                    totals[place][0] += share * once
            continue
        all_expected = expected_renewals(lost, stayed, lasts)
        for place, months in enumerate(HORIZONS):
            expected = all_expected[place]
            if isinstance(expected, str):
                totals[place] = None
                if reason is None:
                    reason = "%s not estimable from %dm on: %s" % (plan, months, expected)
            elif totals[place] is not None:
                value, low, high = expected
                totals[place][0] += share * (once + again * value)
                down, up = share * again * (value - low), share * again * (high - value)
                if again < 0:
                    down, up = up, down
                totals[place][1] += down ** 2
                totals[place][2] += up ** 2
        if reason is not None:
            notes.append(reason)
        limit = boundary(plan, known)
        if limit is not None and matters(len(own), len(spells)) and any(lasts):
            notes.append(limit)
            has_point = [point and last == 0 for point, last in zip(has_point, lasts)]
    out = [len(spells)]
    for total, point in zip(totals, has_point):
        if total is None:
            out += ["", "", ""]
        else:
            value, down, up = total
            out += [money(Fraction(value), currency) if point else ""]
            out += [money(Fraction(x), currency) for x in (value - math.sqrt(down), value + math.sqrt(up))]
    return out + ["; ".join(notes)]


def expected_renewals(lost, stayed, lasts):
    """For each of `lasts` the sum of S(t), t = 1 ... last, with 95 % bounds, or why it cannot be told."""
    fit = None
    if len(lost) >= 2 and sum(lost) > 0 and sum(stayed) > 0:
        fit = both_models(tuple(lost), tuple(stayed), tuple(lasts))
    out = []
    for place, last in enumerate(lasts):
        if last == 0:
            out.append((0.0, 0.0, 0.0))
        elif not lost:
            out.append("no renewal was due yet")
        elif fit is not None:
            out.append(fit[place])
        elif last == 1:
            low, high = wilson_double(stayed[0], stayed[0] + lost[0])
            out.append((stayed[0] / (stayed[0] + lost[0]), low, high))
        elif sum(stayed) == 0:
            out.append("nobody renewed")
        else:
            out.append("nobody churned" if sum(lost) == 0 else "only one renewal was due")
    return out


def wilson_double(x, n):
    z = float(Z)
    root = z * math.sqrt(x * (1 - x / n) + z * z / 4)
    return (0.0 if x == 0 else (x + z * z / 2 - root) / (n + z * z)), (1.0 if x == n else (x + z * z / 2 + root) / (n + z * z))


_known = {}


def both_models(lost, stayed, lasts):
    """7.6 by the shifted beta-geometric; A36: bounds of it and of the discrete Weibull, whichever is further out."""
    key = lost, stayed, lasts
    if key not in _known:
        sbg, other = profile(*key), weibull(*key)
        _known[key] = [(value, min(low, b[1]), max(high, b[2])) for (value, low, high), b in zip(sbg, other)]
    return _known[key]


def weibull(lost, stayed, lasts):
    """S(t) = exp(-rate t^shape): maximum likelihood, and the range over all models within z^2/2 of it."""
    data = [(t + 1, l, k) for t, (l, k) in enumerate(zip(lost, stayed))]

    def likelihood(log_rate, log_shape):
        rate, shape, out = math.exp(log_rate), math.exp(log_shape), 0.0
        for t, l, k in data:
            hazard = rate * (t ** shape - (t - 1) ** shape)
            if k:
                out -= k * hazard
            if l:
                chance = -math.expm1(-hazard)
                out += l * math.log(chance) if chance > 0 else -1e9
        return out

    def quantities(log_rate, log_shape):
        rate, shape, sums = math.exp(log_rate), math.exp(log_shape), [0.0]
        for t in range(1, max(lasts) + 1):
            sums.append(sums[-1] + math.exp(-rate * t ** shape))
        return [sums[last] for last in lasts]
    return two_parameters(likelihood, quantities, (-20.0, 5.0), [-8 + 0.5 * x for x in range(21)])


def profile(lost, stayed, lasts):
    """Maximum likelihood, and the range over all models within z^2/2 of it, in ln(alpha/beta) and ln(alpha + beta)."""
    data = list(enumerate(zip(lost, stayed)))

    def likelihood(odds, size):
        total = math.exp(size)
        a, b = total / (1 + math.exp(-odds)), total / (1 + math.exp(odds))
        out = 0.0
        for i, (l, k) in data:
            if l:
                out += l * math.log(a / (total + i))
            if k:
                out += k * math.log((b + i) / (total + i))
        return out

    def quantities(odds, size):
        total = math.exp(size)
        b = total / (1 + math.exp(odds))
        S, sums = 1.0, [0.0]
        for t in range(max(lasts)):
            S *= (b + t) / (total + t)
            sums.append(sums[-1] + S)
        return [sums[last] for last in lasts]

    return two_parameters(likelihood, quantities, (-14.0, 14.0), [float(x) for x in range(-24, 25)])


def two_parameters(likelihood, quantities, span, grid):
    """For each of the second parameter the first is searched, on which the quantities depend monotonously:
    [(at the maximum, lowest, highest)]."""
    tops, edges = {}, {}
    step = grid[1] - grid[0]

    def top_of(b):
        if b not in tops:
            tops[b] = golden(lambda a: likelihood(a, b), span[0], span[1], 40)
        return tops[b]

    def around(b):
        return max(grid[0], b - step), min(grid[-1], b + step)

    rough = max(grid, key=lambda b: likelihood(top_of(b), b))
    best = golden(lambda b: likelihood(top_of(b), b), *around(rough), 35)
    peak = likelihood(top_of(best), best)
    floor = peak - float(Z) ** 2 / 2

    def ends(b):
        if b not in edges:
            edges[b] = None
            top = top_of(b)
            if likelihood(top, b) >= floor:
                found = []
                for move in (-0.25, 0.25):
                    inside, outside = top, top + move
                    while likelihood(outside, b) >= floor and abs(outside - top) < 60:
                        inside, outside = outside, outside + (outside - top)
                    for _ in range(30):
                        middle = (inside + outside) / 2
                        inside, outside = (middle, outside) if likelihood(middle, b) >= floor else (inside, middle)
                    found.append(quantities(inside, b))
                edges[b] = found
        return edges[b]

    out = []
    for place, value in enumerate(quantities(top_of(best), best)):
        bounds = []
        for side, sign in ((1, -1), (0, 1)):
            def extreme(b):
                found = ends(b)
                return -1e9 if found is None else sign * found[side][place]
            rough = max(grid + [best], key=extreme)
            near = golden(extreme, *around(rough), 18)
            bounds.append(sign * max(extreme(near), extreme(rough), sign * value))
        out.append((value, bounds[0], bounds[1]))
    return out


def golden(f, low, high, rounds):
    """Where f, which has one maximum between two points, has it."""
    ratio = (math.sqrt(5) - 1) / 2
    a, b = high - ratio * (high - low), low + ratio * (high - low)
    fa, fb = f(a), f(b)
    for _ in range(rounds):
        if fa >= fb:
            high, b, fb = b, a, fa
            a = high - ratio * (high - low)
            fa = f(a)
        else:
            low, a, fa = a, b, fb
            b = low + ratio * (high - low)
            fb = f(b)
    return (low + high) / 2


def differs(want, have):
    """Whether two CSV texts of `ltv` differ: predictions by more than 0.02 or 1/1000."""
    a, b = [line.split(",") for line in want.split("\n")], [line.split(",") for line in have.split("\n")]
    if len(a) != len(b) or a[0] != b[0]:
        return True
    for x, y in zip(a[1:], b[1:]):
        if len(x) != len(y):
            return True
        if len(x) != len(a[0]):                     # quoted cells: byte for byte
            if x != y:
                return True
            continue
        for name, p, q in zip(a[0], x, y):
            if p == q:
                continue
            if not (name.startswith("predicted_ltv") and p and q):
                return True
            if abs(Decimal(p) - Decimal(q)) > max(Decimal("0.02"), abs(Decimal(p)) / 1000):
                return True
    return False


REPORTS = {"retention": retention, "ltv": ltv, "refunds": refunds}
