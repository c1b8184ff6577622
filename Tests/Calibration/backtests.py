"""How wrong `ltv --backtest` finds forecasts on stores whose truth is known, as a Markdown table.

Five shapes of `tollgate sample`, each of several seeds, and the public telephone company: its customers are drawn anew from the
Kaplan-Meier curve of their contract, as its own file lets all losses fall into its last month. TOLLGATE_SHARED names the folder
that holds it. Coverage is the share of 90% ranges that held what came, with its 95% interval over seeds (Student's t).
"""
import argparse
import csv
import datetime
import io
import json
import math
import os
import random
import shutil
import statistics
import subprocess
import tempfile

SHAPES = [("steps", "monthly"), ("steps", "yearly"), ("coach", "monthly"), ("coach", "yearly"), ("techniq", "monthly")]
CONTRACTS = ["month_to_month", "one_year", "two_year"]
START = datetime.datetime(2020, 1, 1)
DAYS = 1826
T975 = {1: 12.706, 2: 4.303, 3: 3.182, 4: 2.776, 5: 2.571, 6: 2.447, 7: 2.365, 8: 2.306, 9: 2.262}


def run(*argv):
    return subprocess.run([str(a) for a in argv], check=True, capture_output=True, text=True).stdout


def simulated(a, app, seed, folder):
    run(a.program, "sample", "--quiet", "--app", app, "--seed", seed, "--persons", a.persons, "--days", DAYS,
        "--first-day", START.date(), "--output", folder)


def customers(path):
    """By contract: (months, whether the customer left, what a month costs)."""
    found = {}
    lines = subprocess.run(["zstd", "-dc", path], check=True, capture_output=True, text=True).stdout.splitlines()
    paid = {}
    for line in map(json.loads, lines):
        own = paid.setdefault(line["user_id"], {"months": 0, "left": False})
        if line["event"] == "expiration":
            own["left"] = True
        else:
            own["months"] += 1
            own["price"] = line["price"]
            own.setdefault("contract", line.get("entry_point"))
    for own in paid.values():
        found.setdefault(own["contract"], []).append((own["months"], own["left"], own["price"]))
    return found


def telephone(path, contract, seed, folder, bought=60):
    """New customers each month, who stay as long as the curve of their contract says."""
    rng = random.Random(seed)
    own = customers(path)[contract]
    shares, share = [], 1.0                                  # that leave after month 1, 2, ... of those that pay it
    for month in range(1, max(m for m, _, _ in own) + 1):
        risk = sum(1 for m, _, _ in own if m >= month)
        lost = sum(1 for m, left, _ in own if m == month and left)
        shares.append(lost / risk if risk else 0)
    os.makedirs(folder)
    end = START + datetime.timedelta(days=DAYS)
    with open(os.path.join(folder, "events.jsonl"), "w") as out:
        number = 0
        for month in range(DAYS // 30):
            for _ in range(bought):
                number += 1
                begun = START + datetime.timedelta(days=30 * month + rng.random() * 30)
                price = rng.choice(own)[2]
                for paid in range(500):
                    at = plus_months(begun, paid)
                    if at >= end:
                        break
                    line = dict(event_id="%d-%d" % (number, paid), event="renewal" if paid else "conversion",
                                ts=at.strftime("%Y-%m-%dT%H:%M:%SZ"), app="telco", user_id="u%d" % number,
                                subscription_id="s%d" % number, product_id="monthly", plan="monthly", price=price,
                                currency="USD")
                    out.write(json.dumps(line) + "\n")
                    if rng.random() < shares[min(paid, len(shares) - 1)]:
                        break


def plus_months(at, months):
    year, month = divmod(at.year * 12 + at.month - 1 + months, 12)
    for day in range(at.day, 27, -1):
        try:
            return at.replace(year=year, month=month + 1, day=day)
        except ValueError:
            pass
    return at.replace(year=year, month=month + 1)


def tested(a, folder):
    """The rows of the backtest of a folder of events."""
    db = folder + ".db"
    run(a.program, "ingest", "--quiet", "--store", db, folder)
    shutil.rmtree(folder)
    text = run(a.program, "ltv", "--store", db, "--by", "plan", "--backtest", "--format", "csv")
    os.remove(db)
    return [row for row in csv.DictReader(io.StringIO(text)) if row["currency"] == "USD"]


def numbers(runs, of, days):
    """(forecasts, purchases, median error, bias, errors of the fit, without trials, of last payments and the cohort before,
    ranges, held, interval)."""
    rows = [[r for r in rows if r.get("of", "active") == of and r["horizon_days"] == days and r["origin"] != "all"
             and r["actual"] and r["predicted"] and float(r["actual"]) > 0] for rows in runs]
    flat = [r for rows in rows for r in rows]
    if not flat:
        return None

    def money(row, name):
        return int(row["purchases"]) * float(row[name])

    def error(name):
        known = [r for r in flat if r.get(name)]
        return sum(abs(money(r, name) - money(r, "actual")) for r in known) / sum(money(r, "actual") for r in known) if known else None
    held = [[r["inside"] == "yes" for r in rows if r["inside"]] for rows in rows]
    shares = [statistics.mean(h) for h in held if h]
    ranges = sum(len(h) for h in held)
    interval = None
    if len(shares) > 1:
        half = T975[min(9, len(shares) - 1)] * statistics.stdev(shares) / math.sqrt(len(shares))
        middle = statistics.mean(shares)
        interval = max(0, middle - half), min(1, middle + half)
    actual = sum(money(r, "actual") for r in flat)
    return dict(
        forecasts=len(flat), purchases=statistics.median(int(r["purchases"]) for r in flat),
        median=statistics.median(abs(float(r["error_share"])) for r in flat if r["error_share"]),
        bias=sum(money(r, "predicted") - money(r, "actual") for r in flat) / actual,
        mape=error("predicted"), fit=error("predicted_fit"),
        without=error("predicted_without_trials"), km=error("baseline_km"), ratio=error("baseline_ratio"),
        ranges=ranges, held=sum(sum(h) for h in held) / ranges if ranges else None, interval=interval)


def percent(x, sign=False):
    return "–" if x is None else ("%+.1f%%" if sign else "%.1f%%") % (100 * x)


def line(name, what, n):
    held = "–" if n["held"] is None else percent(n["held"]) + (
        "" if n["interval"] is None else " (%.0f to %.0f)" % (100 * n["interval"][0], 100 * n["interval"][1]))
    return "| %s | %s | %d | %d | %s | %s | %s | %s | %s | %s | %s | %d | %s |" % (
        name, what, n["forecasts"], n["purchases"], percent(n["median"]), percent(n["bias"], True), percent(n["mape"]),
        percent(n["fit"]), percent(n["without"]), percent(n["km"]), percent(n["ratio"]), n["ranges"], held)


if __name__ == "__main__":
    p = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    p.add_argument("--program", required=True)
    p.add_argument("--persons", type=int, default=40_000)
    p.add_argument("--seeds", type=int, default=4)
    a = p.parse_args()
    telco = os.path.join(os.environ.get("TOLLGATE_SHARED", "../shared"), "data/public/events/telco.jsonl.zst")
    print("| shape | money | forecasts | purchases | median error | bias | off by | without auto-renew | "
          "without trials | last payments | cohort before | ranges | held |", flush=True)
    print("|---|---|---|---|---|---|---|---|---|---|---|---|---|", flush=True)
    with tempfile.TemporaryDirectory() as work:
        jobs = [(app, lambda seed, to, app=app: simulated(a, app, seed, to)) for app in dict(SHAPES)]
        if os.path.exists(telco):
            jobs += [("telco " + c, lambda seed, to, c=c: telephone(telco, c, seed, to)) for c in CONTRACTS]
        else:
            print("(telco is left out: %s is not there)" % telco)
        for name, make in jobs:
            runs = []
            for seed in range(1, a.seeds + 1):
                folder = os.path.join(work, "events")
                make(seed, folder)
                runs.append(tested(a, folder))
            for plan in [plan for app, plan in SHAPES if app == name] or ["monthly"]:
                own = [[r for r in rows if r["plan"] == plan] for rows in runs]
                for of, days in [("new", "365")] + [("active", d) for d in ("30", "90", "180", "365")]:
                    n = numbers(own, of, days)
                    if n is not None:
                        what = "12 months from day 30" if of == "new" else "next %s days" % days
                        print(line("%s, %s" % (name, plan) if name in dict(SHAPES) else name, what, n), flush=True)
