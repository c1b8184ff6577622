#!/usr/bin/env python3
"""Cohorts (16.5) of the oracle: who belongs to one, from all events of a person before T.

Readings, where the text leaves one open:
- C1 `from` and `to` are days of the events that conditions count, in `--timezone`; of a first event, its day.
- C2 `within` is `[anchor, anchor + days)`; `install` is the person's first event, `entry` the first paywall view.
- C3 `--where` with a cohort leaves what is of the whole app as it is: the horizon (3.3) is that of all its trials.
"""
import json

import paths
from oracle import in_days, own_context

DAY = 86_400_000
PLANS = {
    "came_from_here": {"all": [{"country": ["DE", "US"]}]},
    "first_saw": {"any": [{"entry_point": ["home", "settings", "(none)"]}, {"plan": "yearly"}]},
    "keen": {"all": [{"event": "paywall_impression", "at_least": 2}]},
    "quick": {"all": [{"fact": "trial", "within": {"of": "install", "days": 3}}]},
    "soon": {"any": [{"event": ["purchase_started", "activity"], "within": {"of": "entry", "days": 1.5}}, {"fact": "purchase"}]},
    "spring": {"all": [{"event": "paywall_impression", "where": {"platform": "ios"}}], "from": "2026-01-20", "to": "2026-03-01"},
    "tried_app": {"any": [{"event": "trial_start", "where": {"trial_kind": "app"}}]},
    "payers": {"all": [{"fact": "trial_paid"}, {"event": "renewal", "at_least": 1}]},
}


def write(path):
    with open(path, "w") as file:
        json.dump({"cohorts": PLANS}, file)


def selected(persons, opts):
    """The persons that every filter keeps."""
    return [p for p in persons if all((name in PLANS and belongs(p, PLANS[name], opts)) != without for name, without in opts.cohorts)]


def belongs(person, plan, opts):
    test = all if "all" in plan else any
    return test(meets(person, condition, plan, opts) for condition in plan.get("all", plan.get("any")))


class Days:
    """C1: the days of a cohort, in the zone of the report."""

    def __init__(self, plan, opts):
        self.from_, self.to, self.zone = plan.get("from"), plan.get("to"), opts.zone


def meets(person, condition, plan, opts):
    days = Days(plan, opts)
    if "event" not in condition and "fact" not in condition:
        first = person.events[0]
        moment = paths.Moment(first, own_context(first))
        return in_days(first["ts"], days) and all(
            moment.of(name, opts) in (values if isinstance(values, list) else [values]) for name, values in condition.items())
    start, end = float("-inf"), float("inf")
    if "within" in condition:
        anchors = person.events if condition["within"]["of"] == "install" else person.impressions
        if not anchors:
            return False
        start = anchors[0]["ts"]
        end = start + condition["within"]["days"] * DAY
    found = [m for m in paths.moments_of(person, opts) if start <= m.ts < end and in_days(m.ts, days) and m.meets(condition, None, opts)]
    return len(found) >= condition.get("at_least", 1)
