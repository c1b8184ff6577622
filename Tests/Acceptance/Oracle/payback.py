#!/usr/bin/env python3
"""Payback of advertising spend against a slow computation from the same random events.

    python3 payback.py --program PROGRAM [--seeds 1-8]

Users' amounts are multiples of a cent and all in US dollars, so that sums are exact. The interval of the day of break-even is a
bootstrap: the program's ends must lie between the 1 % and 4 % (96 % and 99 %) quantiles of one with other random numbers.
`payback_predict.py` has the days that `--predict` adds, on users of its own.
"""

import argparse
import csv
import datetime
import io
import json
import math
import random
import subprocess
import sys
import tempfile
from fractions import Fraction
from pathlib import Path

import payback_predict

DAY = 86_400
START = datetime.datetime(2026, 1, 1, tzinfo=datetime.timezone.utc)
AGES = (7, 30, 90)
CAMPAIGNS = ("a", "b", None)


def instant(seconds):
    return (START + datetime.timedelta(seconds=seconds)).strftime("%Y-%m-%dT%H:%M:%SZ")


def day(number):
    return (START + datetime.timedelta(days=number)).strftime("%Y-%m-%d")


def made(seed):
    """Returns events, spend rows (day, campaign, cents) and users (first second, campaign, [(second, cents)])."""
    numbers = random.Random(seed)
    events, users = [], []

    def add(user, kind, second, **more):
        events.append({"event_id": f"e{len(events)}", "event": kind, "ts": instant(second), "app": "steps", "user_id": user, **more})

    for index in range(numbers.randint(30, 120)):
        user, campaign = f"u{index}", numbers.choice(CAMPAIGNS)
        first = numbers.randrange(60 * DAY)
        properties = {"properties": {"campaign": campaign}} if campaign else {}
        # The campaign may be on a later event than the first.
        late = campaign and numbers.random() < 0.3
        add(user, "activity", first, **({} if late else properties))
        if late:
            add(user, "activity", first + numbers.randrange(1, DAY), **properties)
        flows = []
        if numbers.random() < 0.5:
            second = first + numbers.randrange(20 * DAY)
            for payment in range(numbers.randint(1, 3)):
                cents = numbers.choice((499, 999, 1999))
                terms = {"product_id": "m", "plan": "monthly", "currency": "USD"}
                add(user, "renewal" if payment else "conversion", second, price=f"{cents / 100:.2f}", **terms)
                flows.append((second, cents))
                if payment == 0 and numbers.random() < 0.2:
                    part = numbers.randrange(1, cents)
                    add(user, "refund", second + 3 * DAY, price=f"{part / 100:.2f}", currency="USD")
                    flows.append((second + 3 * DAY, -part))
                second += 30 * DAY
        users.append((first, campaign or "(organic)", flows))
    spend = [
        (number, campaign, numbers.randrange(0, 1500))
        for number in range(-3, 62) for campaign in ("a", "b", "nobody") if numbers.random() < 0.7
    ]
    return events, spend, users


def wilson(successes, trials):
    z = 1.959963984540054
    centre = successes + z * z / 2
    root = z * math.sqrt(successes * (trials - successes) / trials + z * z / 4)
    return (centre - root) / (trials + z * z), (centre + root) / (trials + z * z)


def break_even(users, spend, end):
    days = max((end - first) // DAY for first, _, _ in users)
    for age in range(1, days + 1):
        followed = [user for user in users if user[0] + age * DAY <= end]
        brought = sum(cents for first, _, flows in followed for second, cents in flows if second < first + age * DAY and second < end)
        if followed and Fraction(brought, len(followed)) * len(users) >= spend:
            return age
    return None


def expected(users, spend, end):
    """Returns the values of one row by column."""
    total = sum(cents for _, _, cents in spend)
    row = {"spend": total / 100 if total else None, "persons": len(users)}
    known = [(first, [flow for flow in flows if flow[0] < end]) for first, _, flows in users]
    row["payers"] = sum(any(cents > 0 for _, cents in flows) for _, flows in known)
    row["cost_per_person"] = total / 100 / len(users) if users and total else None

    def mature(number, age):
        return (number + 1 + age) * DAY <= end // DAY * DAY

    old = [(first, flows) for first, flows in known if mature(first // DAY, 30)]
    cost = sum(cents for number, _, cents in spend if mature(number, 30)) / 100
    payers = sum(any(cents > 0 and second < first + 30 * DAY for second, cents in flows) for first, flows in old)
    row["cac"] = cost / payers if payers and cost else None
    if old and cost:
        low, high = wilson(payers, len(old))
        row["cac_low"], row["cac_high"] = cost / (high * len(old)), cost / (low * len(old)) if payers else None
    for age in AGES:
        cost = sum(cents for number, _, cents in spend if mature(number, age))
        brought = sum(
            cents for first, flows in known if mature(first // DAY, age) for second, cents in flows if second < first + age * DAY)
        row[f"roas_{age}"] = brought / cost if cost else None
    row["regained"] = sum(cents for _, flows in known for _, cents in flows) / total if total else None
    row["break_even_day"] = break_even(users, total, end) if users and total else None
    row["status"] = (
        "no_spend" if not total else "no_users" if not users else "reached" if row["break_even_day"] else "not_yet")
    return row


def compare_predicted(program, seed):
    """Returns how many values of `--predict` were compared, how many are wrong, and how often each status came."""
    users, spend = payback_predict.lives(seed)
    with tempfile.TemporaryDirectory() as folder:
        lines = [json.dumps(event) + "\n" for event in payback_predict.events(users)]
        (Path(folder) / "events.jsonl").write_text("".join(lines))
        (Path(folder) / "ads.csv").write_text(
            "Day,Campaign,Cost (USD)\n" + "".join(f"{day(n)},{c},{cents / 100:.2f}\n" for n, c, cents in spend))

        def run(*words):
            done = subprocess.run([program, *words], cwd=folder, capture_output=True, text=True)
            if done.returncode:
                sys.exit(f"seed {seed}: {' '.join(words)}: status {done.returncode}: {done.stderr}")
            return done.stdout

        run("ingest", "events.jsonl")
        run("spend", "import", "ads.csv")
        compared, wrong, statuses = 0, 0, {}
        for by in ("none", "campaign"):
            words = ("payback", "--by", by, "--as-of", instant(payback_predict.END), "--format", "csv")
            text, plain = run(*words, "--predict"), run(*words)
            if not all(a.startswith(b + ",") for a, b in zip(text.splitlines(), plain.splitlines(), strict=True)):
                sys.exit(f"seed {seed}: --predict changes other columns")
            for row in csv.DictReader(io.StringIO(text)):
                key = row.get("campaign", "")
                own = [user for user in users if by == "none" or user.campaign == key]
                cents = sum(item[2] for item in spend if by == "none" or item[1] == key)
                statuses[row["predicted_status"]] = statuses.get(row["predicted_status"], 0) + 1
                if not own or not cents:
                    expected = "no_users" if cents else "no_spend"
                    number, faults = 1, [] if row["predicted_status"] == expected else [f"status, expected {expected}"]
                else:
                    number, faults = payback_predict.wrong(row, own, users, cents, seed, seed <= 3)
                compared, wrong = compared + number, wrong + len(faults)
                for fault in faults:
                    print(f"seed {seed}: {by} {key}: {fault}")
    return compared, wrong, statuses


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", required=True)
    parser.add_argument("--seeds", default="1-8")
    given = parser.parse_args()
    program = str(Path(given.program).resolve())
    first, _, last = given.seeds.partition("-")
    compared, wrong = 0, 0
    predicted, statuses = 0, {}
    for seed in range(int(first), int(last or first) + 1):
        events, spend, users = made(seed)
        end = 100 * DAY
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "events.jsonl").write_text("".join(json.dumps(event) + "\n" for event in events))
            (Path(folder) / "ads.csv").write_text(
                "Day,Campaign,Cost (USD)\n" + "".join(f"{day(n)},{c},{cents / 100:.2f}\n" for n, c, cents in spend))

            def run(*words):
                done = subprocess.run([program, *words], cwd=folder, capture_output=True, text=True)
                if done.returncode:
                    sys.exit(f"seed {seed}: {' '.join(words)}: status {done.returncode}: {done.stderr}")
                return done.stdout

            run("ingest", "events.jsonl")
            run("spend", "import", "ads.csv")
            for by in ("none", "campaign"):
                text = run("payback", "--by", by, "--at", ",".join(map(str, AGES)), "--as-of", instant(end), "--format", "csv")
                rows = {row.get("campaign", ""): row for row in csv.DictReader(io.StringIO(text))}
                keys = {""} if by == "none" else {user[1] for user in users} | {row[1] for row in spend}
                if set(rows) != keys:
                    sys.exit(f"seed {seed}: rows are {sorted(rows)}, but must be {sorted(keys)}")
                for key, row in rows.items():
                    own = [user for user in users if by == "none" or user[1] == key]
                    costs = [item for item in spend if by == "none" or item[1] == key]
                    for column, value in expected(own, costs, end).items():
                        compared += 1
                        shown = row[column]
                        isMoney = column in ("spend", "cost_per_person") or column.startswith("cac")
                        if isinstance(value, str) or value is None or shown == "":
                            same = shown == (value or "") if not isinstance(value, (int, float)) else False
                        else:
                            same = abs(float(shown) - value) <= (0.005001 if isMoney else 0.0000006)
                        if not same:
                            wrong += 1
                            print(f"seed {seed}: {by} {key} {column}: {shown!r}, expected {value!r}")
                    total = sum(cents for _, _, cents in costs)
                    if own and total and seed <= 3:
                        numbers = random.Random(seed)
                        days = sorted(
                            break_even(numbers.choices(own, k=len(own)), total, end) or math.inf for _ in range(400))
                        for column, low, high in (("low", 0.01, 0.04), ("high", 0.96, 0.99)):
                            shown = row[f"break_even_day_{column}"]
                            value = float(shown) if shown else math.inf
                            compared += 1
                            if not days[int(400 * low)] <= value <= days[int(400 * high)]:
                                wrong += 1
                                print(f"seed {seed}: {by} {key} break_even_day_{column}: {value}")
        number, faults, found = compare_predicted(program, seed)
        predicted, wrong = predicted + number, wrong + faults
        for status, count in found.items():
            statuses[status] = statuses.get(status, 0) + count
    rows = ", ".join(f"{count} {status}" for status, count in sorted(statuses.items()))
    print(f"payback: {compared} values compared, and {predicted} of --predict ({rows}), {wrong} wrong")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
