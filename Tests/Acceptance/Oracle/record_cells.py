#!/usr/bin/env python3
"""Records the case `cells` of Tests/MetricsTests/Fixtures: generated events, and what the oracle says of them.

    python3 Tests/Acceptance/Oracle/record_cells.py

The same events stand in the store in any order and number of commits (CellTests); the options are those that decide what a
report is counted from: rows by what cells know and do not know, several contexts a unit, views, other zones, other rules.
"""
import json
import os
import random
import shutil

import generate
import oracle

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "MetricsTests", "Fixtures")
NAME = "cells"
SEED, PERSONS = 4, 90
KNOWN = ["variant", "entry_point", "plan", "tier", "experiment", "paywall", "trial_kind", "day", "week", "month"]
OTHERS = ["country", "platform", "store", "app_version", "property:campaign"]


def options(rng, store, report, number):
    argv = []
    times = sorted(event["ts"] for event in store.events)
    if number % 2:
        argv += ["--attribution", "all"]
    if report == "funnel" and number % 4 >= 2:
        argv += ["--unit", "view"]
    if number % 3 == 0:
        argv += ["--timezone", rng.choice(["America/St_Johns", "Pacific/Auckland", "America/Sao_Paulo"])]
        dims = rng.sample(["day", "week", "month"], 1) + rng.sample(KNOWN[:7], 1)
    else:
        dims = rng.sample(KNOWN, 1) + rng.sample(OTHERS, number % 3 - 1)
    argv += ["--by", ",".join(dims)]
    if rng.random() < 0.3:
        argv += ["--from", oracle_day(rng.choice(times[: len(times) // 2]))]
    if rng.random() < 0.3:
        argv += ["--as-of", generate.iso(rng.choice(times[len(times) // 2:]) + rng.choice([-1, 0, 1]))]
    if rng.random() < 0.2:
        argv += ["--grace", str(rng.choice([0, 1, 10]))]
    if rng.random() < 0.3:
        argv += ["--where", "platform=ios,android" if report == "funnel" else rng.choice(["plan=monthly,yearly", "tier=individual"])]
    return argv


def oracle_day(ms):
    return generate.iso(ms)[:10]


def text(cases):
    """The file as it is written by hand: a line a run."""
    def line(value):
        return json.dumps(value, ensure_ascii=False)

    parts = []
    for name, case in cases.items():
        fields = [" %s: %s" % (line(key), line(value)) for key, value in case.items() if key != "runs"]
        fields.append(' "runs": [\n%s\n  ]' % ",\n".join("   " + line(run) for run in case["runs"]))
        parts.append(" %s: {\n%s\n }" % (line(name), ",\n".join(" " + field for field in fields)))
    return "{\n%s\n}\n" % ",\n".join(parts)


def main():
    folder = os.path.join(ROOT, NAME)
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    made = os.path.join(folder, "made")
    generate.generate(SEED, PERSONS, made, False)
    lines = []
    for path in sorted(os.listdir(made)):
        with open(os.path.join(made, path), encoding="utf-8") as f:
            lines += [line for line in f.read().split("\n") if line]
    shutil.rmtree(made)
    events = os.path.join(folder, "events.jsonl")
    with open(events, "w", encoding="utf-8") as f:
        f.write("".join(line + "\n" for line in lines))
    store = oracle.load([events])
    rng = random.Random(SEED)
    runs = []
    for report in ["funnel", "trials", "savings", "cancellations"]:
        for number in range(12):
            args = options(rng, store, report, number)
            expected = "%s/%s-%d.csv" % (NAME, report, number + 1)
            with open(os.path.join(ROOT, expected), "w", encoding="utf-8", newline="") as f:
                f.write(oracle.run(store, report, args))
            runs.append({"report": report, "args": args, "expected": expected})
    summary = store.summary()
    path = os.path.join(ROOT, "cases.json")
    with open(path, encoding="utf-8") as f:
        cases = json.load(f)
    cases[NAME] = {
        "proves": "3 to 6: the same numbers whatever they are counted from, cells, facts or events, and in whatever order these came",
        "events": "%s/events.jsonl" % NAME,
        "ingest": {key: summary[key] for key in cases["trials"]["ingest"]},
        "runs": runs,
    }
    with open(path, "w", encoding="utf-8") as f:
        f.write(text(cases))


if __name__ == "__main__":
    main()
