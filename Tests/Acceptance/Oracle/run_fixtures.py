#!/usr/bin/env python3
"""Runs the oracle on worked cases: every CSV must be byte-equal and every ingest count equal.

    python3 run_fixtures.py [FOLDER]

The folder has `cases.json` (by name: the ingest counts, and runs with arguments and the file expected) and, by case,
`events` (or the path `events` of the case). Default: Tests/MetricsTests/Fixtures. The exit status is 1 when anything is different
or missing.
"""
import json
import os
import sys
import oracle

FIXTURES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "MetricsTests", "Fixtures")


def former_rows(run):
    """The shared cases were made when reports had other rows by default."""
    report = run["report"]
    if "--by" in run["args"] or report not in oracle.DEFAULT_BY:
        return []
    if report in ("cadence", "gates", "nudges", "activity"):
        return []
    return ["--by", "variant,entry_point" + (",plan" if report == "cancellations" else "")]


def main():
    root = sys.argv[1] if len(sys.argv) > 1 else FIXTURES
    path = os.path.join(root, "cases.json")
    if not os.path.exists(path):
        sys.exit("no %s" % path)
    with open(path, encoding="utf-8") as f:
        cases = json.load(f)
    passed = failed = 0

    def check(ok, *what):
        nonlocal passed, failed
        passed, failed = passed + ok, failed + (not ok)
        if not ok:
            print("DIFFERENT", *what)

    for name, case in cases.items():
        store = oracle.load([os.path.join(root, case.get("events", name + "/events"))])
        summary = store.summary()
        for key, want in case["ingest"].items():
            check(summary[key] == want, name, "ingest", key, "want", want, "have", summary[key])
        for run in case["runs"]:
            with open(os.path.join(root, run["expected"]), encoding="utf-8", newline="") as f:
                want = f.read()
            have = oracle.run(store, run["report"], run["args"] + former_rows(run))
            lines = [(a, b) for a, b in zip(want.split("\n"), have.split("\n")) if a != b]
            check(have == want, name, run["report"], run["args"], *["\n  want %s\n  have %s" % pair for pair in lines])
    print("%d passed, %d failed" % (passed, failed))
    sys.exit(0 if passed and not failed else 1)


if __name__ == "__main__":
    main()
