"""The 90% ranges of `ltv --backtest` and of `ltv` by analysis 14.5 from the forecasts and the money that the program prints.

No event is late and no user joined, so that the money known at an origin is the money known today. Amounts are printed in cents,
so ranges agree within 0.03 or 1/50.
"""
import csv
import datetime
import io
import json
import math
import os
import random
import shutil
import subprocess

import seeds

ALPHA = 0.1
EPOCH = datetime.date(1970, 1, 1)


class Series:
    """The forecasts of a row for one horizon."""

    def __init__(self):
        self.points, self.scores, self.alpha = [], [], ALPHA

    def settle(self, day):
        """Takes in the outcomes known by a day, in order."""
        for point in self.points:
            if not point["settled"] and point["known"] <= day:
                point["settled"] = True
                p, a = point["predicted"], point["actual"]
                if p is None:
                    continue
                self.scores.append(abs(math.log(a / p)) if p > 0 and a > 0 else math.inf)
                if point["range"]:
                    missed = not point["range"][0] <= a <= point["range"][1]
                    self.alpha = min(0.3, max(0.02, self.alpha + 0.02 * (ALPHA - missed)))

    def width(self, scores):
        """The ⌈(k + 1)(1 − α)⌉-th smallest of k scores; None with fewer than ⌈1 ÷ α⌉ − 1."""
        if len(scores) < math.ceil(1 / self.alpha - 1e-9) - 1:
            return None
        rank = math.ceil((len(scores) + 1) * (1 - self.alpha) - 1e-9)
        return sorted(scores)[rank - 1] if 1 <= rank <= len(scores) else None

    def range(self, predicted, pool):
        """(low, high) or None, the number of scores, and the method."""
        width, method, scores = self.width(self.scores), "own", len(self.scores)
        if width is None:
            width, method, scores = self.width(pool), "pooled", len(pool)
        if width is None:
            return None, scores, ""
        if math.isinf(width) or predicted <= 0:
            return None, scores, method
        return (predicted * math.exp(-width), predicted * math.exp(width)), scores, method


def number(text):
    return float(text) if text else None


def day(text):
    return (datetime.date.fromisoformat(text) - EPOCH).days


def close(have, want):
    return have is not None and abs(have - want) <= max(0.03, abs(want) / 50)


def pools(table, by, grace):
    """(app, of, horizon) -> key of the row -> its series, without points yet, and all points by their day."""
    found, by_day = {}, {}
    for line in table:
        if line["origin"] == "all" or line["age_days"] not in ("", "all"):
            continue
        pool = found.setdefault((line["app"], line["of"], line["horizon_days"]), {})
        series = pool.setdefault(tuple(line[name] for name in by + ["currency"]), Series())
        reach = int(line["horizon_days"]) if line["of"] == "active" else 336
        at = day(line["origin"])
        by_day.setdefault(at, []).append((pool, series, dict(
            line=line, predicted=number(line["predicted"]), actual=number(line["actual"]), known=at + reach + grace,
            settled=False, range=None)))
    return found, by_day


def settled(pool, at):
    """The scores of a pool, after taking in what is known by a day."""
    for series in pool.values():
        series.settle(at)
    return [score for series in pool.values() for score in series.scores]


def difference(table, by, grace, end, newest):
    """Walks through the origins, and compares each range; then those of `ltv`."""
    found, by_day = pools(table, by, grace)
    wrong, compared = [], 0
    for at in sorted(by_day):
        known = {id(pool): settled(pool, at) for pool, _, _ in by_day[at]}
        for pool, series, point in by_day[at]:
            series.points.append(point)
            if point["predicted"] is None or at > end:
                continue
            point["range"], scores, method = series.range(point["predicted"], known[id(pool)])
            line = point["line"]
            have = (number(line["predicted_low"]), number(line["predicted_high"]))
            same = have == (None, None) if point["range"] is None else all(map(close, have, point["range"]))
            compared += point["range"] is not None
            if not same or int(line["scores"]) != scores or line["method"] != method:
                wrong.append("  %s: %s %s %s instead of %s %s %s" % (
                    line, have, line["scores"], line["method"], point["range"], scores, method))
    of_ltv = 0
    for line in newest:
        pool = found.get((line["app"], "new", "365"), {})
        series = pool.get(tuple(line[name] for name in by + ["currency"]))
        predicted = number(line["predicted_ltv_12m"])
        want = None
        if series and predicted is not None:
            want = series.range(predicted, settled(pool, end))[0]
        have = (number(line["tested_ltv_12m_low"]), number(line["tested_ltv_12m_high"]))
        of_ltv += want is not None
        if have != (None, None) if want is None else not all(map(close, have, want)):
            wrong.append("  ltv %s: %s instead of %s" % (line, have, want))
    return "\n".join(wrong[:3]), compared, of_ltv


def compare_seed(tally, a, seed):
    rng = random.Random(seed)
    data = os.path.join(a.work, "seed-%d" % seed)
    shutil.rmtree(data, ignore_errors=True)
    events, db = os.path.join(data, "events.ndjson"), os.path.join(data, "store.db")
    subprocess.run([a.program, "sample", "--seed", str(seed), "--persons", str(a.persons), "--days",
                    str(rng.choice([900, 1100])), "--app", "steps", "--compression", "none", "--output", os.path.join(data, "sample")], check=True, capture_output=True)
    last = 0
    with open(events, "w", encoding="utf-8") as out:
        for folder, _, names in os.walk(os.path.join(data, "sample")):
            for name in names:
                for text in open(os.path.join(folder, name), encoding="utf-8"):
                    event = json.loads(text)
                    event.pop("received_at", None)
                    if event["event"] != "identify":
                        out.write(json.dumps(event) + "\n")
    subprocess.run([a.program, "ingest", "--quiet", "--store", db, events], check=True)
    for by in [["plan"], [], ["country"]]:
        grace = rng.choice([0, 3, 16])
        argv = ["--store", db, "--format", "csv", "--currency", "native", "--by", ",".join(by) or "none", "--grace", str(grace)]
        tables = []
        for more in (["--backtest", "--every", "month"], []):
            done = subprocess.run([a.program, "ltv"] + argv + more, capture_output=True, text=True, check=True)
            tables.append(list(csv.DictReader(io.StringIO(done.stdout))))
        end = max((day(line["origin"]) for line in tables[0] if line["origin"] != "all"), default=0)
        problem, compared, of_ltv = difference(tables[0], by, grace, end, tables[1])
        a.compared, a.of_ltv = getattr(a, "compared", 0) + compared, getattr(a, "of_ltv", 0) + of_ltv
        tally.check(seed, ["ltv"] + argv, problem)
    if not a.compared or not a.of_ltv:
        tally.check(seed, [], "  no range was compared")
    print("seed %d: %d ranges and %d of ltv so far" % (seed, a.compared, a.of_ltv), flush=True)
    shutil.rmtree(data, ignore_errors=True)


if __name__ == "__main__":
    seeds.compare(seeds.parser(persons=6000), compare_seed)
