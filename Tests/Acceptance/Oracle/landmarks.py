#!/usr/bin/env python3
"""Coverage of the difference of `nudges` (definitions 4.7) by the oracle's own implementation, on simulated trials.

    python3 landmarks.py [--runs 1000] [--trials 300] [--first-seed 1] [--program PATH]

With a program, each world is written as events once, and the program's report is compared with the oracle's, byte for byte: generated
events (compare.py) seldom have the trials that a difference takes.
Each world is simulated many times; printed are how often the 95 % interval covers the true difference where the report prints one, the
mean estimate, and what a comparison of trials with and without a reminder would have said. The exit status is 1 when a coverage of a world without
an effect lies outside 95 % by more than 3 standard errors and 1 percentage point, which small groups cost.
"""
import argparse
import json
import math
import os
import random
import subprocess
import sys
import tempfile

import behaviour
import oracle

oracle.REPORTS.update(behaviour.REPORTS)
DAY = behaviour.DAY
END = 7 * DAY


def trial(number, paid_at, reminded_at, switched_off_at=None):
    own = sorted(ts for ts in reminded_at if ts < END and (paid_at is None or ts <= paid_at)
                 and (switched_off_at is None or ts <= switched_off_at))
    switches = [] if switched_off_at is None else [dict(event="cancellation", ts=switched_off_at)]
    return dict(person=number, kind=("introductory", 7), start=0, end=END, until=math.inf if paid_at is None else paid_at,
                paid=paid_at is not None, own=own, switches=switches)


def at_random(rng, share, low=0, high=END):
    return int(rng.uniform(low, high)) if rng.random() < share else None


def any_age(rng, number):
    """Reminders at any age, payments at any age, neither of which knows of the other."""
    reminded = at_random(rng, 0.5)
    return trial(number, at_random(rng, 0.4), [] if reminded is None else [reminded])


def one_age(rng, number):
    """A reminder to half of those open two days before the end, to the millisecond; many pay before."""
    return trial(number, at_random(rng, 0.6), [5 * DAY] if rng.random() < 0.5 else [])


def daily(rng, number):
    """Those open are reminded each day with a chance of a fifth, so that some have several reminders."""
    return trial(number, at_random(rng, 0.4), [day * DAY + int(rng.uniform(0, DAY)) for day in range(1, 7) if rng.random() < 0.2])


def cancelled(rng, number):
    """A third turn auto-renew off, never pay, and are not reminded from then on."""
    off = at_random(rng, 0.33)
    reminded = at_random(rng, 0.5)
    return trial(number, None if off is not None else at_random(rng, 0.5), [] if reminded is None else [reminded], off)


def works(rng, number):
    """As one_age, but the reminder makes 15 of 100 pay who would not have."""
    paid, reminded = at_random(rng, 0.6), rng.random() < 0.5
    if paid is None and reminded and rng.random() < 0.15:
        paid = int(rng.uniform(5 * DAY, END))
    return trial(number, paid, [5 * DAY] if reminded else [])


# Of `works`: 40 of 100 never pay by themselves, of those open at 5 d they are 0.4 ÷ (0.4 + 0.6 · 2/7).
WORLDS = [(any_age, 0.0), (one_age, 0.0), (daily, 0.0), (cancelled, 0.0), (works, 0.15 * 0.4 / (0.4 + 0.6 * 2 / 7))]


def events_of(trials, rng):
    """A file's lines; every tenth user has two trials."""
    base = 1_767_225_600_000
    lines = [dict(event="activity", ts=base + 200 * DAY, user_id="z")]
    for t in trials:
        start, user = base + rng.randrange(40 * DAY), "u%d" % t["person"]
        if t["person"] % 10 == 9:
            start, user = start + 60 * DAY, "u%d" % (t["person"] - 1)
        lines.append(dict(event="trial_start", ts=start, user_id=user, trial_days=7, plan="monthly", product_id="m"))
        lines += [dict(event="trial_nudge", ts=start + ts, user_id=user) for ts in t["own"]]
        lines += [dict(event=ev["event"], ts=start + ev["ts"], user_id=user, product_id="m") for ev in t["switches"]]
        if t["paid"]:
            lines.append(dict(event="conversion", ts=start + t["until"], user_id=user, product_id="m", plan="monthly", price="5",
                              currency="EUR"))
    return [json.dumps(dict(line, event_id="e%d" % number, app="steps")) + "\n" for number, line in enumerate(lines)]


def differs(program, world, trials, seed):
    """Whether the program's report on a store of these trials is not the oracle's."""
    with tempfile.TemporaryDirectory(prefix="tollgate-landmarks-") as folder:
        path, db = os.path.join(folder, "events.jsonl"), os.path.join(folder, "store.db")
        with open(path, "w") as file:
            file.writelines(events_of(trials, random.Random(seed)))
        subprocess.run([program, "ingest", "--store", db, path], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        have = subprocess.run([program, "nudges", "--store", db, "--format", "csv"], check=True, stdout=subprocess.PIPE).stdout.decode()
        want = oracle.run(oracle.load([path]), "nudges", [])
        if have != want:
            print("DIFFERENT %s seed %d\n  oracle\n%s  program\n%s" % (world, seed, want, have))
        return have != want


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--runs", type=int, default=1000)
    p.add_argument("--trials", type=int, default=300)
    p.add_argument("--first-seed", type=int, default=1)
    p.add_argument("--program")
    a = p.parse_args()
    failed = False
    for world, truth in WORLDS:
        if a.program:
            rng = random.Random("%s events %d" % (world.__name__, a.first_seed))
            failed |= differs(a.program, world.__name__, [world(rng, number) for number in range(3 * a.trials)], a.first_seed)
        covered, estimates, naive = 0, [], []
        for seed in range(a.first_seed, a.first_seed + a.runs):
            rng = random.Random("%s %d" % (world.__name__, seed))
            trials = [world(rng, number) for number in range(a.trials)]
            *_, estimate, low, high, reason = behaviour.comparison(trials, lambda t, ts: True)
            if reason:
                continue
            covered += float(low) <= truth <= float(high)
            estimates.append(float(estimate))
            groups = [[t["paid"] for t in trials if bool(t["own"]) == is_with] for is_with in (True, False)]
            naive.append(sum(groups[0]) / len(groups[0]) - sum(groups[1]) / len(groups[1]))
        if not estimates:
            print("%-10s no difference is printed" % world.__name__)
            continue
        share = covered / len(estimates)
        bad = truth == 0 and abs(share - 0.95) > 3 * math.sqrt(0.95 * 0.05 / len(estimates)) + 0.01
        failed |= bad
        print("%-10s true %+.4f  mean estimate %+.4f  coverage %.1f %% of %d printed  with less without a reminder %+.3f%s" % (
            world.__name__, truth, sum(estimates) / len(estimates), 100 * share, len(estimates), sum(naive) / len(naive),
            "  FAILED" if bad else ""), flush=True)
    sys.exit(failed)


if __name__ == "__main__":
    main()
