"""Slow, independent reference implementation of `paths`: whole lists, one question at a time (definitions 11)."""
import json

from oracle import (CONTEXT, DAY, NONE, KIND_ORDER, aalen_johansen, apps_of, dimension, entries, f6, horizon, in_days, order_key,
                    own_context, passes, people, rate_wilson, sort_rows, trial_length, wilson)
from fractions import Fraction

HOUR = 3_600_000
UNITS = {"s": 1000, "m": 60_000, "h": HOUR, "d": DAY}
# Paths whose windows are as narrow as the generated events are dense.
PLANS = {
    "buying": {"entry": {"event": "paywall_impression"}, "steps": [
        {"name": "sheet", "event": "purchase_started", "within": "3d", "optional": True},
        {"name": "trial", "fact": "trial", "within": "7d", "same": ["variant"]},
        {"name": "nudge", "event": ["trial_nudge", "activity"], "within": "4d", "optional": True},
        {"name": "paid", "fact": "trial_paid"},
        {"name": "again", "fact": "renewal", "within": "40d"}]},
    "opening": {"entry": {"event": ["exposure", "paywall_impression"]}, "steps": [
        {"name": "seen", "event": "paywall_impression", "within": "36h", "from": "entry"},
        {"name": "closed", "event": "paywall_dismissal", "within": "30m", "optional": True},
        {"name": "bought", "fact": "purchase", "within": "10d"},
        {"name": "left", "event": ["cancellation", "expiration"], "within": "60d", "from": "entry"}]},
    "free": {"entry": {"event": "activity"}, "steps": [
        {"name": "gate", "event": "gate_hit", "within": "5d"},
        {"name": "direct", "fact": "direct", "within": "9000m", "from": "entry", "same": ["country"]},
        {"name": "refund", "event": "refund", "within": "90d", "same": ["plan"]}]},
    "trials": {"entry": {"fact": "trial_any"}, "steps": [
        {"name": "off", "event": "cancellation", "within": "3d", "optional": True},
        {"name": "on", "event": "reactivation", "within": "3d", "optional": True},
        {"name": "paid", "fact": "trial_paid", "within": "20d"}]},
    "kinds": {"entry": {"event": "paywall_impression"}, "steps": [
        {"name": "in_store", "event": "trial_start", "where": {"trial_kind": "introductory"}, "within": "9d", "optional": True},
        {"name": "in_app", "event": "trial_start", "where": {"trial_kind": "app"}, "within": "20d"}]},
    "tried": {"entry": {"fact": "trial"}, "steps": [
        {"name": "off", "event": "cancellation", "within": "3d", "optional": True},
        {"name": "paid", "fact": "trial_paid"}]},
    "conversions": {"entry": {"event": "conversion", "where": {"plan": ["monthly", "yearly"]}}, "steps": [
        {"name": "renewal", "event": "renewal", "within": "33d"}]},
    "purchases": {"entry": {"fact": "purchase", "where": {"country": "DE"}}, "steps": [
        {"name": "off", "event": "cancellation", "within": "33d", "optional": True},
        {"name": "more", "fact": "renewal", "within": "400d", "from": "entry", "same": ["plan", "tier"]},
        {"name": "back", "event": ["refund", "restore"], "within": "30d"}]},
}


def write(path):
    with open(path, "w") as f:
        json.dump({"paths": PLANS}, f)


def columns(name):
    out = [name]
    for part in ("rate", "step_rate"):
        out += [name + "_" + part + end for end in ("", "_low", "_high")]
    return out + [name + "_dropped"] + [name + "_incidence" + end for end in ("", "_low", "_high")] + [
        name + "_hours_" + q for q in ("p25", "p50", "p75")]


def step_values(reached, before, users, times, settled):
    """11.7, 11.8."""
    out = [reached] + rate_wilson(reached, users) + rate_wilson(reached, before) + [before - reached]
    if settled == 0:
        return out + [""] * 6
    F, variance = aalen_johansen(times)
    n = Fraction(settled) if F in (0, 1) else F * (1 - F) / variance
    out += [f6(F)] + wilson(n * F, n)
    for q in (Fraction(1, 4), Fraction(1, 2), Fraction(3, 4)):
        hit = [t for t in sorted({t for t, status in times if status == 1})
               if aalen_johansen([(min(x, t + 1), s if x <= t else 0) for x, s in times])[0] >= q * F]
        out.append(f6(Fraction(hit[0], HOUR)) if hit else "")
    return out


class Times:
    """Of one step: the users who reached it, and how long all took."""

    def __init__(self):
        self.reached = self.settled = 0
        self.times = []

    def add(self, anchor, reached, end, T, mature):
        if anchor is None:
            return
        if reached is not None:
            self.reached += mature
            self.times.append((reached - anchor, 1))
            self.settled += end <= T
        elif end <= T:
            self.times.append((end - anchor, 2))
            self.settled += 1
        else:
            self.times.append((T - anchor, 0))


def checkout(store, opts):
    steps = ["sheet", "started", "paid"]
    if opts.to_step:
        steps = steps[:steps.index(opts.to_step) + 1]
    header = ["app"] + opts.by + ["users"]
    for name in steps:
        header += columns(name)
        if name == "started":
            header += ["started_with_sheet", "sheet_left", "dismissed", "no_trace"]
            header += [name + end for name in ("abandonment_rate", "bounce_rate") for end in ("", "_low", "_high")]
    header.append("immature")
    cells = {}
    for app in apps_of(store, opts):
        T, persons = people(store, app, opts)
        if T is None:
            continue
        H = horizon(persons, opts)
        if len(steps) < 3 and opts.horizon is None:
            H = 7 * DAY
        for person in persons:
            for row, entry, credited in entries(person, opts):
                start = entry["ts"]
                if not in_days(start, opts):
                    continue
                cell = cells.setdefault((app,) + row, dict(users=0, immature=0, sends=False, with_sheet=0, sheet_left=0, dismissed=0,
                                                           no_trace=0, steps=[Times() for _ in range(3)]))
                mature = start + H <= T
                cell["users" if mature else "immature"] += 1
                over = start + 7 * DAY
                window = lambda ts: start <= ts < over
                own = [ev for ev in person.events if window(ev["ts"]) and (opts.unit == "user" or credited([own_context(ev)]))]
                sheets = [ev for ev in own if ev["event"] == "purchase_started"]
                dismissals = [ev for ev in own if ev["event"] == "paywall_dismissal"]
                cell["sends"] |= any(ev["event"] == "purchase_started" for ev in person.events)
                trials = [t for t in person.trials if t.kind == "introductory" and window(t.start)
                          and credited(person.contexts_of_trial(t, opts.attribution))]
                direct = [ev for ev in person.conversions
                          if window(ev["ts"]) and credited(person.contexts_of_conversion(ev, opts.attribution))
                          and ((t := person.trial_of.get(ev["event_id"])) is None or t.kind == "app" or t.start < start)]
                starts = [t.ev for t in trials] + direct
                first = min(starts, key=order_key) if starts else None
                paid = [t.conversion["ts"] for t in trials if t.conversion] + [ev["ts"] for ev in direct]
                end = max([over] + [t.deadline for t in trials])
                sheet = min(sheets, key=order_key) if sheets else None
                cell["steps"][0].add(start, sheet and sheet["ts"], over, T, mature)
                cell["steps"][1].add(start, first and first["ts"], over, T, mature)
                cell["steps"][2].add(first and first["ts"], min(paid) if paid else None, end, T, mature)
                if mature and first:
                    cell["with_sheet"] += sheet is not None and order_key(sheet) < order_key(first)
                elif mature:
                    cell["sheet_left" if sheet else "dismissed" if dismissals else "no_trace"] += 1
    rows = []
    for key, c in cells.items():
        users = c["users"]
        reached = [s.reached for s in c["steps"]]
        lacks = not c["sends"] and len(steps) > 1 and reached[1] >= 5
        out = [users]
        for i, name in enumerate(steps):
            s = c["steps"][i]
            values = step_values(s.reached, reached[1] if name == "paid" else users, users, s.times, s.settled)
            out += [""] * len(values) if name == "sheet" and lacks else values
            if name == "started":
                if lacks:
                    out += ["", "", c["dismissed"], c["no_trace"]] + [""] * 6
                else:
                    assert users == s.reached + c["sheet_left"] + c["dismissed"] + c["no_trace"]
                    out += [c["with_sheet"], c["sheet_left"], c["dismissed"], c["no_trace"]]
                    out += rate_wilson(c["sheet_left"], reached[0]) + rate_wilson(c["dismissed"] + c["no_trace"], users)
        rows.append(list(key) + out + [c["immature"]])
    return [header] + sort_rows(rows, 1 + len(opts.by))


# Steps of a file -------------------------------------------------------------------------------------------------

class Moment:
    """An event, or a fact at its event."""

    def __init__(self, ev, context, fact=None, trial=None, trial_kind=None):
        self.ev, self.context, self.fact, self.trial, self.trial_kind = ev, context, fact, trial, trial_kind

    @property
    def ts(self):
        return self.ev["ts"]

    def of(self, name, opts):
        if name == "offering":
            return self.ev.get("offering", NONE)
        own = "introductory" if self.ev["event"] == "trial_start" else NONE
        return dimension(name, self.ev, self.context, opts, self.trial_kind if self.fact else self.ev.get("trial_kind", own))

    def meets(self, condition, entry, opts):
        kinds = condition.get("event", [])
        if self.fact != condition.get("fact") or not self.fact and self.ev["event"] not in (
                kinds if isinstance(kinds, list) else [kinds]):
            return False
        for name, values in condition.get("where", {}).items():
            if self.of(name, opts) not in (values if isinstance(values, list) else [values]):
                return False
        return entry is None or all(self.of(name, opts) == entry.of(name, opts) for name in condition.get("same", []))


def moments_of(person, opts):
    """Everything that a path can name, in the order of 1.2."""
    mode = opts.attribution
    out = [Moment(ev, own_context(ev)) for ev in person.events]
    for t in person.trials:
        context = person.contexts_of_trial(t, mode)[0]
        if t.kind == "introductory":
            out.append(Moment(t.ev, context, "trial", t, t.kind))
        out.append(Moment(t.ev, context, "trial_any", t, t.kind))
        if t.conversion:
            out.append(Moment(t.conversion, context, "trial_paid", t, t.kind))
    for ev in person.conversions:
        if ev["event_id"] not in person.trial_of:
            out.append(Moment(ev, person.contexts_of_conversion(ev, mode)[0], "direct"))
    for spell in person.purchases:
        context = person.contexts_of_spell(spell, mode)[0]
        kind = spell.trial.kind if spell.trial else NONE
        out.append(Moment(spell.payments[0].ev, context, "purchase", None, kind))
        later = [p.ev for p in spell.payments if p.ts > spell.start]
        if later:
            out.append(Moment(later[0], context, "renewal", None, kind))
    return sorted(out, key=lambda m: order_key(m.ev))


def free(store, opts, plan):
    steps = plan["steps"]
    if opts.to_step:
        steps = steps[:[s["name"] for s in steps].index(opts.to_step) + 1]
    header = ["app"] + opts.by + ["users"] + [c for s in steps for c in columns(s["name"])] + ["immature"]
    within = lambda s: int(s["within"][:-1]) * UNITS[s["within"][-1]]
    cells = {}
    for app in apps_of(store, opts):
        T, persons = people(store, app, opts)
        if T is None:
            continue
        H = at = 0                                                        # 11.6
        for s in steps:
            end = (0 if s.get("from") == "entry" else at) + (within(s) if "within" in s else trial_length(persons) + opts.grace)
            H = max(H, end)
            if not s.get("optional"):
                at = end
        for person in persons:
            moments = moments_of(person, opts)
            firsts = {}
            for m in moments:
                if m.meets(plan["entry"], None, opts):
                    row = tuple(m.of(name, opts) for name in opts.by)
                    asked = all(m.of(name, opts) in values for name, values in opts.where)
                    if opts.unit == "user":
                        if asked:
                            firsts[row] = m
                        break
                    if asked:
                        firsts.setdefault(row, m)
            for row, entry in firsts.items():
                if not in_days(entry.ts, opts):
                    continue
                wanted = [(name, value) for name, value in zip(opts.by, row) if name in CONTEXT] if opts.unit == "view" else []

                def counts(m):
                    return opts.unit == "user" or (all(m.of(n, opts) == v for n, v in wanted) and all(
                        m.of(n, opts) in v for n, v in opts.where if n in CONTEXT))
                cell = cells.setdefault((app,) + row, dict(users=0, immature=0, steps=[Times() for _ in steps]))
                mature = entry.ts + H <= T
                cell["users" if mature else "immature"] += 1
                last, open_, found = entry, [], []
                for i, s in enumerate(steps):
                    anchor = entry if s.get("from") == "entry" else last
                    if anchor is None:
                        found.append((None, None, None))
                        continue
                    end = anchor.ts + within(s) if "within" in s else anchor.trial.deadline
                    match = next((m for m in moments if last and order_key(m.ev) > order_key(last.ev) and counts(m)
                                  and m.meets(s, entry, opts) and ("within" in s or m.trial is last.trial)), None)
                    if match and match.ts >= end:
                        match = None
                    found.append((anchor.ts, match, end))
                    if s.get("optional"):
                        open_.append(i)
                        continue
                    if match:
                        for j in open_:
                            a, m, e = found[j]
                            if a is not None and not (m and order_key(m.ev) < order_key(match.ev)):
                                found[j] = (a, None, min(e, match.ts))
                    open_, last = [], match
                for times, (anchor, match, end) in zip(cell["steps"], found):
                    times.add(anchor, match and match.ts, end, T, mature)
    rows = []
    for key, c in cells.items():
        before, out = c["users"], [c["users"]]
        for s, t in zip(steps, c["steps"]):
            out += step_values(t.reached, before, c["users"], t.times, t.settled)
            if not s.get("optional"):
                before = t.reached
        rows.append(list(key) + out + [c["immature"]])
    return [header] + sort_rows(rows, 1 + len(opts.by))


def paths(store, opts):
    return checkout(store, opts) if opts.path == "checkout" else free(store, opts, PLANS[opts.path])


REPORTS = {"paths": paths}
