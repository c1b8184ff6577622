"""Writes plain event files, independent of `tollgate sample`: four families by day, zstd, about 318 bytes a line.

    python3 generate_events.py --users 1000000 --days 120 --out DIR

About 5.6 events a user: impressions over the days after the first, a trial for one in three, a conversion for half of
those, renewals, cancellations and expirations. Deterministic: the same arguments give the same bytes.
"""

import argparse
import os
import random
import subprocess
from datetime import datetime, timedelta, timezone

DAY = 86_400_000
START = int(datetime(2026, 1, 1, tzinfo=timezone.utc).timestamp() * 1000)
ENTRIES = ["settings_card", "view_plans", "route_map", "widgets", "watch_app", "workout_analytics", "app_lock",
           "daily_limit"]
APPS = ["steps", "techniq", "praxisen", "coach"]
COUNTRIES = ["US", "DE", "GB", "FR", "ES", "BR", "JP", "IN"]
VERSIONS = ["4.1.0", "4.2.0", "4.2.1", "4.3.0"]


class Day:
    """One compressed file of a family and a day."""

    def __init__(self, path):
        self.process = subprocess.Popen(["zstd", "-q", "-3", "-f", "-o", path], stdin=subprocess.PIPE)

    def write(self, lines):
        self.process.stdin.write("".join(line for _, line in sorted(lines)).encode())

    def close(self):
        self.process.stdin.close()
        assert self.process.wait() == 0


def stamp(milliseconds):
    moment = datetime(1970, 1, 1, tzinfo=timezone.utc) + timedelta(milliseconds=milliseconds)
    return moment.strftime("%Y-%m-%dT%H:%M:%S.") + f"{milliseconds % 1000:03d}Z"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--users", type=int, default=1_000_000)
    parser.add_argument("--days", type=int, default=120)
    parser.add_argument("--out", required=True)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    os.makedirs(arguments.out, exist_ok=True)
    rng = random.Random(arguments.seed)
    pending = [{} for _ in range(arguments.days)]
    end = START + arguments.days * DAY
    total = 0

    def emit(family, ts, user, body):
        nonlocal total
        if ts >= end:
            return
        app, country, version = user[1], user[2], user[3]
        event_id = f"{rng.getrandbits(128):032x}"
        event_id = f"{event_id[:8]}-{event_id[8:12]}-{event_id[12:16]}-{event_id[16:20]}-{event_id[20:]}"
        line = (f'{{"event_id":"{event_id}","ts":"{stamp(ts)}","received_at":"{stamp(ts + rng.randrange(200, 90_000))}",'
                f'"app":"{app}","user_id":"{user[0]}","platform":"ios","store":"app_store","country":"{country}",'
                f'"app_version":"{version}",{body}}}\n')
        pending[(ts - START) // DAY].setdefault(family, []).append((ts, line))
        total += 1

    per_day = arguments.users / arguments.days
    next_user = 0
    for day in range(arguments.days):
        while next_user < per_day * (day + 1) and next_user < arguments.users:
            next_user += 1
            app = APPS[next_user % 4]
            user = (f"u{rng.getrandbits(48):012x}", app, rng.choice(COUNTRIES), rng.choice(VERSIONS))
            variant = "a" if rng.random() < 0.5 else "b"
            ts = START + day * DAY + rng.randrange(DAY)
            entry = rng.choice(ENTRIES)
            shown = (f'"event":"paywall_impression","entry_point":"%s","experiment":"{app}_test","variant":"{variant}",'
                     f'"paywall":"main_{variant}","offering":"default","price_monthly":6.99,"price_yearly":39.99,'
                     f'"currency":"USD"')
            emit("paywall-impressions", ts, user, shown % entry)
            last = ts
            for _ in range(min(9, int(rng.expovariate(1 / 3.0)))):
                last += int(rng.expovariate(1 / (4 * DAY)))
                entry = rng.choice(ENTRIES)
                emit("paywall-impressions", last, user, shown % entry)
            if rng.random() >= 0.34:
                continue
            start = last + rng.randrange(5_000, 600_000)
            subscription = 2_000_000_000_000 + next_user
            product = f'"product_id":"{app}.monthly","plan":"monthly","subscription_id":"{subscription}"'
            emit("trial-starts", start, user, f'"event":"trial_start","trial_days":7,"trial_kind":"introductory",{product}')
            if rng.random() < 0.5:
                emit("churn", start + rng.randrange(7 * DAY), user,
                     f'"event":"cancellation","reason":"voluntary",{product}')
                emit("churn", start + 7 * DAY, user, f'"event":"expiration","reason":"voluntary",{product}')
                continue
            paid = start + 7 * DAY
            kind = "conversion"
            while paid < end:
                emit("conversions", paid, user,
                     f'"event":"{kind}",{product},"price":6.99,"currency":"USD","transaction_id":"{rng.getrandbits(50)}",'
                     f'"expires_at":"{stamp(paid + 30 * DAY)}"')
                kind = "renewal"
                if rng.random() < 0.2:
                    emit("churn", paid + rng.randrange(30 * DAY), user,
                         f'"event":"cancellation","reason":"voluntary",{product}')
                    emit("churn", paid + 30 * DAY, user, f'"event":"expiration","reason":"voluntary",{product}')
                    break
                paid += 30 * DAY
        # Whoever comes later has no event on this day any more.
        date = (datetime(2026, 1, 1) + timedelta(days=day)).strftime("%Y-%m-%d")
        for family, lines in pending[day].items():
            file = Day(os.path.join(arguments.out, f"{family}-{date}.jsonl.zst"))
            file.write(lines)
            file.close()
        pending[day] = {}
    print(f"{total} events of {next_user} users in {arguments.days} days")


if __name__ == "__main__":
    main()
