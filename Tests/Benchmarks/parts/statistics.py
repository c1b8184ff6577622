"""Statistics: the same comparisons by tollgate's `calc`, gbstats and tea-tasting, on the same summaries."""

import json
import random
import subprocess
import time

from harness.goal import Goal
from harness.process import Failed, run
from harness.summary import median, spread, table

TITLE = "Statistics"
COUNT = 5_000
# Two libraries' special functions agree to about 1e-9; gbstats takes p as 1 − cdf, so that small ones have a rounding
# of 1e-16 in them.
RELATIVE, ABSOLUTE = 1e-7, 1e-12
SEED = 11

# By the name that the peers' script has: our method, and how a comparison is asked and answered.
METHODS = {
    "difference of means": (
        "welch_from_summary",
        lambda row: {f"{name}_{short}": row[arm][name] for name in ("mean", "sd", "n")
                     for arm, short in (("control", "c"), ("treatment", "t"))},
        ("diff", "lower", "upper", "p_two_sided")),
    "lift by the delta method": (
        "growthbook_two_sided_relative",
        lambda row: {arm: {name: row[arm][name] for name in ("n", "sum", "sum_squares")}
                     for arm in ("control", "treatment")},
        ("estimate", "lower", "upper", "p_value")),
    "difference of proportions, Wald": (
        "growthbook_proportion_absolute",
        lambda row: {f"{name}_{short}": row[arm][name] for name in ("x", "n")
                     for arm, short in (("control", "c"), ("treatment", "t"))},
        ("estimate", "lower", "upper", "p_value")),
}


def comparisons():
    """Summaries of two arms: revenue with its mean and deviation, and conversions."""
    draw = random.Random(SEED)

    def arm(users, rate, mean):
        mean, sd = mean * draw.uniform(0.95, 1.05), draw.uniform(2, 20)
        return {"n": users, "x": round(users * rate * draw.uniform(0.95, 1.05)), "mean": mean, "sd": sd,
                "sum": mean * users, "sum_squares": sd * sd * (users - 1) + mean * mean * users}
    found = []
    for _ in range(COUNT):
        users, rate, mean = round(10 ** draw.uniform(2.5, 6)), draw.uniform(0.02, 0.3), draw.uniform(0.5, 5)
        found.append({"control": arm(users, rate, mean), "treatment": arm(users, rate, mean)})
    return found


def measure(setting):
    rows = comparisons()
    path = setting.work / "comparisons.json"
    path.write_text(json.dumps(rows))
    ours = {name: {"seconds": [], "peak_mb": 0} for name in METHODS}
    theirs, cells = {}, {}
    for _ in range(setting.pairs):
        for name in METHODS:
            seconds, answers = ask(setting, name, rows)
            ours[name]["seconds"].append(seconds)
            ours[name]["rows"] = answers
        peer = json.loads(run([setting.statistics_python, *setting.peer("statistics_engines.py", path)[1:]]).output)
        for engine, methods in peer["answers"].items():
            for name, answer in methods.items():
                theirs.setdefault(engine, {}).setdefault(name, []).append(answer["seconds"])
                cells[f"{engine}, {name}"] = agreed(engine, name, ours[name]["rows"], answer["rows"])
    return {"count": COUNT, "versions": peer["versions"], "cells": cells, "peers": theirs,
            "ours": {name: one["seconds"] for name, one in ours.items()}}


def ask(setting, name, rows):
    """Seconds of the whole process, start to end, and its numbers."""
    method, question, fields = METHODS[name]
    lines = "".join(json.dumps({"id": place, "method": method, "input": question(row)}) + "\n"
                    for place, row in enumerate(rows))
    started = time.perf_counter()
    done = subprocess.run([setting.program, "calc"], input=lines.encode(), stdout=subprocess.PIPE, check=True)
    seconds = time.perf_counter() - started
    answers = [json.loads(line)["result"] for line in done.stdout.splitlines()]
    return seconds, [[answer[field] for field in fields] for answer in answers]


def agreed(engine, name, ours, theirs):
    """How many numbers are the same; raises with the first that differs."""
    if len(ours) != len(theirs):
        raise Failed(f"{name}: tollgate has {len(ours)} answers, {engine} {len(theirs)}")
    for place, (own, other) in enumerate(zip(ours, theirs)):
        for one, two in zip(own, other):
            if abs(one - two) > max(ABSOLUTE, RELATIVE * abs(two)):
                raise Failed(f"{name}, comparison {place}: tollgate {own}, {engine} {other}")
    return sum(len(row) for row in ours)


def markdown(figures):
    rows = []
    for engine, methods in figures["peers"].items():
        for name, seconds in methods.items():
            own = figures["ours"][name]
            per = 1e6 / figures["count"]
            rows.append([name, f"{engine} {figures['versions'][engine]}", spread([value * per for value in own], 1),
                         spread([value * per for value in seconds], 1), f"{median(seconds) / median(own):.1f}",
                         f"{figures['cells'][f'{engine}, {name}']:,}"])
    return (f"{figures['count']:,} comparisons\n\n"
            + table(["method", "engine", "tollgate, µs each", "engine, µs each", "engine ÷ tollgate", "numbers equal"], rows))


def goals(figures):
    rows = [(engine, name, median(seconds) / median(figures["ours"][name]))
            for engine, methods in figures["peers"].items() for name, seconds in methods.items()]
    engine, name, ratio = min(rows, key=lambda row: row[2])
    return [Goal("statistics beside gbstats and tea-tasting", "same numbers",
                 f"{sum(figures['cells'].values()):,} numbers equal; least {ratio:.1f}× faster ({engine}, {name})", True)]
