"""Slow, independent reference implementation of `cadence`, `gates`, `nudges` and `activity`: whole lists, one question at a time.

What the reports mean is printed with them; the readings are A38 to A41 in README.md.
"""
import math
from datetime import date as Date, timedelta

from oracle import (DAY, NONE, Z, apps_of, dimension, f6, horizon, in_days, local_date, own_context, passes, people, production,
                    rate, rate_wilson, rows_of, sort_rows)

HOUR = 3_600_000
z = float(Z)


# A38 --------------------------------------------------------------------------------------------------------------

TIMES = [("1", 1, 1), ("2", 2, 2), ("3", 3, 3), ("4-5", 4, 5), ("6-10", 6, 10), ("11+", 11, math.inf)]
GAPS = [("0", 0, 0), ("1", 1, 1), ("2-3", 2, 3), ("4-7", 4, 7), ("8-14", 8, 14), ("15-30", 15, 30), ("31+", 31, math.inf)]


def range_of(ranges, number):
    return next(name for name, low, high in ranges if low <= number <= high)


def cadence(store, opts):
    header = ["app"] + opts.by + ["split", "range", "persons", "views", "trial_views", "paid_views"]
    for name in ("trial_rate", "paid_rate"):
        header += [name, name + "_low", name + "_high"]
    header += ["trials", "trial_cancelled", "trial_cancel_rate", "trial_cancel_rate_low", "trial_cancel_rate_high", "immature"]
    cells = {}
    for app in apps_of(store, opts):
        T, persons = people(store, app, opts)
        if T is None:
            continue
        H = horizon(persons, opts)
        for person in persons:
            def view_of(ts):
                seen = [i for i, ev in enumerate(person.impressions) if ts - 7 * DAY < ev["ts"] <= ts]
                return seen[-1] if seen else None
            trials = [(view_of(t.start), t) for t in person.trials if t.kind == "introductory"]
            direct = [view_of(ev["ts"]) for ev in person.conversions
                      if person.trial_of.get(ev["event_id"]) is None or person.trial_of[ev["event_id"]].kind == "app"]
            for i, ev in enumerate(person.impressions):
                context = own_context(ev)
                if not passes(ev, context, opts) or not in_days(ev["ts"], opts):
                    continue
                row = tuple(dimension(name, ev, context, opts) for name in opts.by)
                gap = "first" if i == 0 else range_of(GAPS, (ev["ts"] - person.impressions[i - 1]["ts"]) // DAY)
                mine = [t for place, t in trials if place == i]
                matured = [t for t in mine if t.deadline <= T]
                for split in (("times_seen", range_of(TIMES, i + 1)), ("days_since_last", gap)):
                    cells.setdefault((app,) + row + split, []).append(dict(
                        person=id(person), matured=ev["ts"] + H <= T, trial=bool(mine),
                        paid=any(t.conversion is not None for t in mine) or i in direct,
                        trials=len(matured), cancelled=sum(1 for t in matured if t.cancelled)))
    rows = []
    for key, all_views in cells.items():
        views = [v for v in all_views if v["matured"]]

        def total(name):
            return sum(v[name] for v in views)
        rows.append(list(key) + [len({v["person"] for v in views}), len(views), total("trial"), total("paid")]
                    + rate_wilson(total("trial"), len(views)) + rate_wilson(total("paid"), len(views))
                    + [total("trials"), total("cancelled")] + rate_wilson(total("cancelled"), total("trials"))
                    + [len(all_views) - len(views)])
    order = [name for name, _, _ in TIMES] + ["first"] + [name for name, _, _ in GAPS]
    n = 1 + len(opts.by)

    def place(row):
        if row[n] == "times_seen":
            return (0, order.index(row[n + 1]))
        return (1, 0 if row[n + 1] == "first" else 1 + [name for name, _, _ in GAPS].index(row[n + 1]))
    rows.sort(key=lambda row: ([c.encode("utf-8") for c in row[:n]], place(row)))
    return [header] + rows


# A39 --------------------------------------------------------------------------------------------------------------

def gates(store, opts):
    header = ["app"] + opts.by + ["gate", "persons", "hits"]
    for name in ("paywall", "trial", "purchase"):
        header += [name + "_persons", "hits_before_" + name]
    header += ["met", "met_paid", "met_paid_rate", "met_paid_rate_low", "met_paid_rate_high", "others", "others_paid",
               "others_paid_rate", "others_paid_rate_low", "others_paid_rate_high"]
    rows = []
    for app in apps_of(store, opts):
        T, persons = people(store, app, opts)
        if T is None:
            continue
        H = horizon(persons, opts)
        cells, met_of, all_matured = {}, {}, []
        for person in persons:
            start = person.events[0]["ts"]
            purchase = min((s.start for s in person.purchases), default=None)
            paid = purchase is not None and purchase < start + H
            mature = start + H <= T
            if mature:
                all_matured.append(paid)
            impression = person.impressions[0]["ts"] if person.impressions else None
            trial = min((t.start for t in person.trials if t.kind == "introductory"), default=None)
            hits_of = {}
            for ev in person.events:
                if ev["event"] == "gate_hit":
                    hits_of.setdefault(ev.get("limit_name", ev["entry_point"]), []).append(ev)
            for gate, hits in hits_of.items():
                first_ts = min(ev["ts"] for ev in hits)
                candidates = []
                for ev in hits:
                    if ev["ts"] == first_ts:
                        row = tuple(dimension(name, ev, own_context(ev), opts, NONE) for name in opts.by)
                        asked = passes(ev, own_context(ev), opts, NONE) and in_days(ev["ts"], opts)
                        candidates.append((not asked, [c.encode("utf-8") for c in row], row))
                not_asked, _, row = min(candidates)
                met = mature and first_ts < start + H and (purchase is None or first_ts <= purchase)
                if met:
                    met_of.setdefault(gate, []).append(paid)
                if not_asked:
                    continue

                def before(limit, at):
                    if limit is None:
                        return 0
                    return sum(1 for ev in hits if ev["ts"] < limit or (at and ev["ts"] == limit))
                cells.setdefault((app,) + row + (gate,), []).append(
                    (len(hits), before(impression, False), before(trial, True), before(purchase, True), met, paid))
        for key, found in cells.items():
            row = list(key) + [len(found), sum(f[0] for f in found)]
            for i in (1, 2, 3):
                steps = [f[i] for f in found if f[i] > 0]
                row += [len(steps), rate(sum(steps), len(steps))]
            x1, n1 = sum(1 for f in found if f[4] and f[5]), sum(1 for f in found if f[4])
            met = met_of.get(key[-1], [])
            x2, n2 = sum(all_matured) - sum(met), len(all_matured) - len(met)
            row += [n1, x1] + rate_wilson(x1, n1) + [n2, x2] + rate_wilson(x2, n2)
            rows.append(row)
    return [header] + sort_rows(rows, 2 + len(opts.by))


# A40 --------------------------------------------------------------------------------------------------------------

HOURS = [("0-6", 0, 6), ("6-24", 6, 24), ("24-48", 24, 48), ("48-72", 48, 72), ("72+", 72, math.inf)]


def nudges(store, opts):
    header = (["app"] + opts.by + ["hours_before_end", "nudges", "trials", "converted", "trial_to_paid_rate",
                                   "trial_to_paid_rate_low", "trial_to_paid_rate_high", "introductory_trials", "cancelled",
                                   "cancel_rate", "cancel_rate_low", "cancel_rate_high", "compared", "others", "reminded_rate",
                                   "others_rate", "others_reminded_soon", "difference", "difference_low", "difference_high",
                                   "reason"])
    trials_of = {}
    for app in apps_of(store, opts):
        T, persons = people(store, app, opts)
        for person in persons:
            for trial in person.trials:
                if trial.deadline > T or not in_days(trial.start, opts):
                    continue
                until = trial.conversion["ts"] if trial.conversion is not None else math.inf
                own = [ev["ts"] for ev in person.events if ev["event"] == "trial_nudge"
                       and trial.start <= ev["ts"] < trial.end and ev["ts"] <= until]
                switches = [ev for ev in person.events if ev["event"] in ("cancellation", "reactivation") and ev["ts"] >= trial.start]
                one = dict(person=id(person), kind=(trial.kind, math.floor((trial.end - trial.start) / DAY + 0.5)), start=trial.start,
                           end=trial.end, until=until, paid=trial.conversion is not None, own=own, switches=switches,
                           cancelled=trial.cancelled)
                for row in rows_of(trial.ev, person.contexts_of_trial(trial, opts.attribution), opts, opts.by, trial.kind):
                    trials_of.setdefault((app,) + row, []).append(one)
    rows = []
    for key, trials in trials_of.items():
        for name, low, high in HOURS:
            def inside(t, ts):
                return low * HOUR <= t["end"] - ts < high * HOUR
            with_one = [t for t in trials if any(inside(t, ts) for ts in t["own"])]
            if not with_one:
                continue
            paid = sum(1 for t in with_one if t["paid"])
            intro = [t for t in with_one if t["kind"][0] == "introductory"]
            cancelled = sum(1 for t in intro if t["cancelled"])
            rows.append(list(key) + [name, sum(1 for t in trials for ts in t["own"] if inside(t, ts)), len(with_one), paid]
                        + rate_wilson(paid, len(with_one)) + [len(intro), cancelled] + rate_wilson(cancelled, len(intro))
                        + comparison(trials, inside))
    order = [h for h, _, _ in HOURS]
    n = 1 + len(opts.by)
    rows.sort(key=lambda row: ([c.encode("utf-8") for c in row[:n]], order.index(row[n])))
    return [header] + rows


def past(t, age):
    """What has to be equal at an age: kind and length, the reminders so far, auto-renew just before."""
    before = [ev for ev in t["switches"] if ev["ts"] - t["start"] < age]
    is_off = bool(before) and before[-1]["event"] == "cancellation"
    return (t["kind"], len({ts for ts in t["own"] if ts - t["start"] < age}), is_off)


def landmarks_of(trials, inside):
    """[(those reminded at the age, those open at it and not reminded at it, of the same past)]: one for each age and past."""
    found = {}
    for t in trials:
        for ts in set(t["own"]):
            if inside(t, ts):
                found.setdefault((ts - t["start"], past(t, ts - t["start"])), []).append(t)
    sets = []
    for (age, history), reminded in found.items():
        others = [t for t in trials if t["start"] + age < t["end"] and t["start"] + age <= t["until"]
                  and t["start"] + age not in t["own"] and past(t, age) == history]
        sets.append((age, reminded, others))
    return sets


def terms(reminded, others):
    """One landmark's part of the two sums of Mantel and Haenszel."""
    if not reminded or not others:
        return 0.0, 0.0
    n1, n0 = len(reminded), len(others)
    x1, x0 = sum(t["paid"] for t in reminded), sum(t["paid"] for t in others)
    return (x1 * n0 - x0 * n1) / (n1 + n0), n1 * n0 / (n1 + n0)


def pooled(sets):
    """(difference, low, high), or None: the jackknife leaves out one trial of one landmark after the other, and adds up by person."""
    A = sum(terms(reminded, others)[0] for _, reminded, others in sets)
    W = sum(terms(reminded, others)[1] for _, reminded, others in sets)
    if W == 0:
        return None
    delta = A / W
    by_person = {}
    for _, reminded, others in sets:
        a, w = terms(reminded, others)
        for group in (reminded, others):
            for paid in (True, False):              # all of one outcome are missed alike
                alike = [t for t in group if t["paid"] == paid]
                if not alike:
                    continue
                rest = [u for u in group if u is not alike[0]]
                a_less, w_less = terms(rest, others) if group is reminded else terms(reminded, rest)
                for t in alike:
                    by_person[t["person"]] = by_person.get(t["person"], 0.0) + (a - a_less) - delta * (w - w_less)
    half = z * math.sqrt(sum(g * g for g in by_person.values())) / W
    return delta, max(-1.0, delta - half), min(1.0, delta + half)


def comparison(trials, inside):
    sets = landmarks_of(trials, inside)
    comparable = [s for s in sets if s[2]]
    n1 = sum(len(reminded) for _, reminded, _ in comparable)
    x1 = sum(t["paid"] for _, reminded, _ in comparable for t in reminded)
    others = {id(t): t for _, _, group in comparable for t in group}
    n0, x0 = len(others), sum(t["paid"] for t in others.values())
    if not comparable:
        return [0, 0, "", "", "", "", "", "", "no_open_trial"]
    W = sum(terms(reminded, group)[1] for _, reminded, group in comparable)
    soon = sum(sum(1 for t in group if any(age < ts - t["start"] <= age + DAY for ts in t["own"])) * len(reminded)
               / (len(reminded) + len(group)) for age, reminded, group in comparable) / W
    if soon > 0.5:
        return [n1, n0, "", "", f6(soon), "", "", "", "reminded_soon"]
    if min(n1, n0) < 50 or min(x1, n1 - x1, x0, n0 - x0) < 10:
        return [n1, n0, "", "", f6(soon), "", "", "", "too_few"]
    own = sum(sum(t["paid"] for t in reminded) * len(group) / (len(reminded) + len(group)) for _, reminded, group in comparable) / W
    rest = sum(sum(t["paid"] for t in group) * len(reminded) / (len(reminded) + len(group)) for _, reminded, group in comparable) / W
    return [n1, n0, f6(own), f6(rest), f6(soon)] + [f6(value) for value in pooled(comparable)] + [""]


# A41 --------------------------------------------------------------------------------------------------------------

PERIODS = ("day", "week", "month")


def status_at(person, ts):
    if any(p.ts <= ts < p.cover_end for s in person.spells for p in s.payments):
        return "paid"
    for t in person.trials:
        until = t.end if t.conversion is None else min(t.end, t.conversion["ts"])
        if t.start <= ts < until:
            return "trial"
    return "free"


def first_of(period, day):
    if period == "day":
        return day
    if period == "week":
        return day - timedelta(days=day.weekday())
    return day.replace(day=1)


def label_of(period, day):
    first = first_of(period, day)
    return first.isoformat()[:7] if period == "month" else first.isoformat()


def activity(store, opts):
    period = [name for name in opts.by if name in PERIODS][0]
    place = opts.by.index(period)
    by = [name for name in opts.by if name != period]
    wanted = [set(values) for name, values in opts.where if name == period]
    header = ["app"] + opts.by + ["status", "days", "daily_active", "weekly_active", "monthly_active", "stickiness"]
    rows = []
    for app in apps_of(store, opts):
        T, persons = people(store, app, opts)
        if T is None:
            continue
        oldest = min(ev["ts"] for ev in store.by_app[app] if production(ev))
        first_day = local_date(oldest - oldest % DAY, opts.zone)
        last_day = local_date(min(T, 4_102_444_800_000) - 1, opts.zone)
        found = {}                                  # row -> person -> [(day, ts)]
        for person in persons:
            context = own_context(person.impressions[0]) if person.impressions else (NONE,) * 4
            for ev in person.events:
                if ev["event"] != "activity":
                    continue
                if any(dimension(name, ev, context, opts) not in values for name, values in opts.where if name != period):
                    continue
                row = tuple(dimension(name, ev, context, opts) for name in by)
                found.setdefault(row, {}).setdefault(id(person), (person, []))[1].append(
                    (local_date(ev["ts"], opts.zone), ev["ts"]))
        for row, actives in found.items():
            near = {d + timedelta(days=k) for _, list_ in actives.values() for d, _ in list_ for k in range(0, 62)}
            for text in sorted({label_of(period, d) for d in near}):
                if any(text not in values for values in wanted):
                    continue
                start = Date.fromisoformat(text + "-01" if period == "month" else text)
                days = []
                d = start
                while label_of(period, d) == text:
                    if (first_day <= d <= last_day and (opts.from_ is None or d.isoformat() >= opts.from_)
                            and (opts.to is None or d.isoformat() < opts.to)):
                        days.append(d)
                    d += timedelta(days=1)
                if not days:
                    continue

                def active(on, length):
                    """Persons active in the window that ends on a day, by status at the last activity in it."""
                    counts = {"free": 0, "paid": 0, "trial": 0}
                    for person, list_ in actives.values():
                        inside = [ts for day, ts in list_ if on - timedelta(days=length) < day <= on]
                        if inside:
                            counts[status_at(person, max(inside))] += 1
                    return counts
                daily = [active(day, 1) for day in days]
                week, month = active(days[-1], 7), active(days[-1], 30)
                reach = (days[-1] - first_day).days + 1
                for status in ("all", "free", "paid", "trial"):
                    names = ["free", "paid", "trial"] if status == "all" else [status]
                    total = sum(c[n] for c in daily for n in names)
                    mau = sum(month[n] for n in names)
                    if total + mau == 0:
                        continue
                    mean = total / len(days)
                    labels = row[:place] + (text,) + row[place:]
                    rows.append([app] + list(labels) + [
                        status, len(days), f6(mean), sum(week[n] for n in names) if reach >= 7 else "",
                        mau if reach >= 30 else "", f6(mean / mau) if reach >= 30 and mau else ""])
    return [header] + sort_rows(rows, 2 + len(opts.by))


REPORTS = {"cadence": cadence, "gates": gates, "nudges": nudges, "activity": activity}
