"""Writes plain event files, independent of `tollgate sample`: four families by day, zstd, about 410 bytes a line.

    python3 generate_events.py --events 5600000 --days 120 --night 1 --out DIR

The first days go to DIR/days, the `--night` days after them to DIR/night. Deterministic: the same arguments give the
same bytes. It keeps to a part of the rules, so that peers can answer the reports exactly with plain SQL: one id and one
subscription a person, every event of a subscription names it, production events only, no app trials, no plan changes,
no offers, no duplicates, and no two events of one person's subscription at one instant.
"""

import argparse
import os
import random

from plain.lines import Lines
from plain.person import DAY, START, Person

EVENTS_A_PERSON = 5.7  # Over 120 days, measured.


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--events", type=int, default=5_600_000, help="met within about 5 %% over 120 days")
    parser.add_argument("--days", type=int, default=120)
    parser.add_argument("--night", type=int, default=1, help="further days, in a folder of their own")
    parser.add_argument("--out", required=True)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    rng = random.Random(arguments.seed)
    persons_a_day = arguments.events / EVENTS_A_PERSON / arguments.days
    days = arguments.days + arguments.night
    lines = Lines(rng, START, days)
    person = 0
    for day in range(days):
        folder = os.path.join(arguments.out, "days" if day < arguments.days else "night")
        while person < persons_a_day * (day + 1):
            person += 1
            Person(rng, person, START + day * DAY, lines).live()
        # Whoever comes later has no event on this day any more.
        lines.write_day(day, folder)
    print(f"{lines.total} events of {person} persons in {days} days")


if __name__ == "__main__":
    main()
