#!/usr/bin/env python3
"""Compares the first row of `reconcile --vendor`, the house number, as the oracle has it, with the program's own report.

    python3 vendors_house.py --program PATH --seeds A-B [--runs N] [--events FOLDER]

Generated events, or those of a folder. Reports that have the number: trials, subscriptions, mrr, revenue and ltv; `refund_rate` and
`initial_conversion` are in no report.
"""
import csv
import io
import os
import random
import shutil
from fractions import Fraction

import compare
import exchange
import generate
import generate_vendors
import oracle
import seeds
import vendors

SIMPLE = {"trial_conversion": ("trials", "trial_to_paid_rate"), "new_trials": ("trials", "trials"),
          "active_trials": ("subscriptions", "trials_active"), "active_subscriptions": ("mrr", "active_subscriptions"),
          "churn_rate": ("subscriptions", "churn_rate"), "churned_subscriptions": ("subscriptions", "churned"),
          "mrr": ("mrr", "mrr"), "revenue": ("revenue", "revenue")}


def without(argv, *names):
    out = []
    for name, value in zip(argv[::2], argv[1::2]):
        if name not in names:
            out += [name, value]
    return out


def question(argv):
    """The program's report, and how a row of it says the house number: from the row, or from none."""
    asked = dict(zip(argv[::2], argv[1::2]))
    metric, days = asked["--metric"], asked.get("--days", "30")
    rest = without(argv, "--vendor", "--metric", "--days", "--vendor-value")
    if metric in SIMPLE:
        report, column = SIMPLE[metric]
        if metric == "active_subscriptions":
            rest += ["--currency", "native"]
            return [report] + rest, lambda rows: str(sum(int(row[column]) for row in rows))
        if metric != "revenue":
            rest = without(rest, "--mode")
        nothing = "" if metric in vendors.SHARES else "0.00" if metric in vendors.OF_MONEY else "0"
        return [report] + rest, lambda rows: rows[0][column] if rows else nothing
    if metric == "realized_ltv" and days in ("7", "30", "90"):
        return ["ltv"] + rest, lambda rows: rows[0]["ltv_person_" + days] if rows else ""
    if metric == "conversion_to_paying" and days in ("7", "30", "90"):
        names = ["payers_" + days, "persons_" + days]
        return ["ltv", "--currency", "native"] + without(rest, "--currency", "--mode"), lambda rows: ratio(rows, *names)
    return None, None


def ratio(rows, x, n):
    """Of one currency; with several a payer may be in two rows."""
    if len(rows) > 1:
        return None
    return "" if not rows or rows[0][n] == "0" else oracle.f6(Fraction(int(rows[0][x]), int(rows[0][n])))


def compare_question(tally, program, seed, db, store, argv):
    full, read = question(argv)
    if full is None:
        return None
    full = [full[0], "--store", db, "--format", "csv"] + full[1:]
    code, out, err = compare.run(program, full)
    if code != 0:
        tally.check(seed, [program] + full, "  exit status %d: %s" % (code, err))
        return None
    by = argv[argv.index("--by") + 1]
    rows = list(csv.DictReader(io.StringIO(out)))
    for row in csv.DictReader(io.StringIO(oracle.run(store, "reconcile", argv))):
        if row["switch"] == "ours":
            have = read([r for r in rows if by == "none" or r[by] == row[by]])
            if have is not None:
                # A42: a period without a number; the program has no row of one that begins at T.
                empty = by != "none" and row["after"] in ("", "0", "0.00", "0.000", "0.000000")
                tally.check(seed, [program] + full, "" if have == row["after"] or (empty and have in ("", "0", "0.00")) else
                            "  %s %s: oracle %r program %r" % (argv[3], row.get(by, ""), row["after"], have))
    return argv[3]


def compare_seed(tally, a, seed):
    rng = random.Random(seed * 7_368_787 + 5)
    data = os.path.join(a.work, "seed-%d" % seed)
    shutil.rmtree(data, ignore_errors=True)
    folder = a.events or os.path.join(data, "events")
    os.makedirs(data)
    if not a.events:
        generate.generate(seed, a.persons or rng.choice([3, 12, 40, 90]), folder, seed % 3 == 0)
    store = oracle.load([folder])
    db, before, asked = os.path.join(data, "store.db"), tally.failed, {}
    compare.compare_ingest(tally, a.program, seed, [folder], db, store)
    rates = exchange.random_rates(seed, store.events)
    exchange.write(rates, os.path.join(data, "rates.csv"), seed)
    store.rates = {key: Fraction(text) for key, text in rates.items()}
    compare.run(a.program, ["rates", "import", "--store", db, os.path.join(data, "rates.csv")])
    for _ in range(a.runs if store.events else 0):
        argv = generate_vendors.options(rng, store)
        metric = None if argv is None else compare_question(tally, a.program, seed, db, store, argv)
        if metric is not None:
            asked[metric] = asked.get(metric, 0) + 1
    failed = tally.failed - before
    print("seed %d: %s: %s" % (seed, " ".join("%s %d" % item for item in sorted(asked.items())),
                               "%d differences" % failed if failed else "equal"), flush=True)
    if not failed:
        shutil.rmtree(data)


def main():
    p = seeds.parser("3 to 90", runs=30)
    p.add_argument("--events", help="a folder of events instead of generated ones")
    seeds.compare(p, compare_seed)


if __name__ == "__main__":
    main()
