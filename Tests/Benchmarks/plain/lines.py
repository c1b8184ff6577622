"""Events as lines, held back until their day is written: one compressed file a family and a day."""

import os
import subprocess
from datetime import datetime, timedelta, timezone

DAY = 86_400_000
SECONDS = [f"{second // 3600:02d}:{second // 60 % 60:02d}:{second % 60:02d}" for second in range(86_400)]
THOUSANDTHS = [f".{value:03d}Z" for value in range(1000)]


class Lines:
    """`start` is epoch milliseconds of the first day; events from `start + days` on are dropped."""

    def __init__(self, rng, start, days):
        self.bits = rng.getrandbits
        self.random = rng.random
        self.start = start
        self.end = start + days * DAY
        self.pending = [{} for _ in range(days)]
        self.total = 0
        first = datetime.fromtimestamp(start / 1000, timezone.utc)
        # A year and more past the end, for `expires_at` and late arrivals.
        self.dates = [(first + timedelta(days=day)).strftime("%Y-%m-%dT") for day in range(days + 400)]

    def stamp(self, milliseconds):
        """RFC 3339 in UTC with three decimals."""
        day, rest = divmod(milliseconds - self.start, DAY)
        second, thousandth = divmod(rest, 1000)
        return self.dates[day] + SECONDS[second] + THOUSANDTHS[thousandth]

    def emit(self, family, ts, fixed, body):
        """One event at `ts`; `fixed` and `body` are JSON fields that follow and precede the others."""
        if ts >= self.end:
            return
        key = f"{self.bits(128):032x}"
        received = ts + 200 + int(self.random() * 90_000)
        line = (f'{{"event_id":"{key[:8]}-{key[8:12]}-{key[12:16]}-{key[16:20]}-{key[20:]}",{body},'
                f'"ts":"{self.stamp(ts)}","received_at":"{self.stamp(received)}",{fixed}}}\n')
        self.pending[(ts - self.start) // DAY].setdefault(family, []).append((ts, line))
        self.total += 1

    def write_day(self, day, folder):
        """Writes the files of one day, each in order of time, and lets go of its lines."""
        os.makedirs(folder, exist_ok=True)
        for family, lines in self.pending[day].items():
            path = os.path.join(folder, f"{family}-{self.dates[day][:10]}.jsonl.zst")
            lines.sort()
            text = "".join(line for _, line in lines)
            subprocess.run(["zstd", "-q", "-3", "-f", "-o", path], input=text.encode(), check=True)
        self.pending[day] = {}
