"""The 90% ranges of `ltv --backtest` and of `ltv` by analysis 14.5 from the forecasts and the money that the program prints.

No event is late and no user joined, so that the money known at an origin is the money known today. Amounts are printed in cents:
each stands for all amounts within half a cent, and a range must be possible for some of them.
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


HALF = 0.005000001


def scores(predicted, actual):
    """The least and the greatest |log(actual / predicted)| of amounts that are printed like these."""
    if predicted > HALF and actual > HALF:
        low, high = math.log((actual - HALF) / (predicted + HALF)), math.log((actual + HALF) / (predicted - HALF))
        return max(0, low, -high), max(abs(low), abs(high))
    small, large = sorted((predicted, actual))
    if small <= -HALF:
        return math.inf, math.inf
    return max(0, math.log((large - HALF) / HALF)) if large > HALF else 0, math.inf


class Series:
    """The forecasts of a row for one horizon."""

    def __init__(self):
        # More than one level where an outcome is as near to an end of its range as cents can tell.
        self.points, self.scores, self.alphas = [], [], {ALPHA}

    def settle(self, day):
        """Takes in the outcomes known by a day, in order."""
        for point in self.points:
            if not point["settled"] and point["known"] <= day:
                point["settled"] = True
                if point["predicted"] is None:
                    continue
                self.scores.append(scores(point["predicted"], point["actual"]))
                misses = {missed for ends in point["ranges"] for missed in ends.missed(point["actual"])}
                self.alphas = {
                    alpha if missed is None else min(0.3, max(0.02, round(alpha + 0.02 * (ALPHA - missed), 12)))
                    for alpha in self.alphas for missed in misses or [None]}

    def width(self, scores, alpha):
        """The least and the greatest ⌈(k + 1)(1 − α)⌉-th smallest of k scores; None with fewer than ⌈1 ÷ α⌉ − 1."""
        if len(scores) < math.ceil(1 / alpha - 1e-9) - 1:
            return None
        rank = math.ceil((len(scores) + 1) * (1 - alpha) - 1e-9)
        return tuple(sorted(ends)[rank - 1] for ends in zip(*scores)) if 1 <= rank <= len(scores) else None

    def ranges(self, predicted, pool):
        """A range for each possible level."""
        return [self.range(predicted, pool, alpha) for alpha in sorted(self.alphas)]

    def range(self, predicted, pool, alpha):
        width, method, scores = self.width(self.scores, alpha), "own", len(self.scores)
        if width is None:
            width, method, scores = self.width(pool, alpha), "pooled", len(pool)
        return Range(predicted, width, scores, method if width else "")


class Range:
    """A range whose ends are known to within what cents can tell."""

    def __init__(self, predicted, width, scores, method):
        self.scores, self.method, self.mayBeNone = scores, method, True
        self.low = self.high = None
        if width is not None and not math.isinf(width[0]) and predicted > -HALF:
            self.mayBeNone = math.isinf(width[1]) or predicted < HALF
            below, above = max(0, predicted - HALF), predicted + HALF
            self.low = (below * math.exp(-width[1]), above * math.exp(-width[0]))
            self.high = (below * math.exp(width[0]), above * math.exp(min(width[1], 700)))

    def missed(self, actual):
        """Whether an outcome may be in the range (0), may be out of it (1), and may have none (None)."""
        if self.low is None:
            return {None}
        isIn = self.low[0] <= actual + HALF and actual - HALF <= self.high[1]
        isOut = actual - HALF < self.low[1] or self.high[0] < actual + HALF
        return {missed for missed, may in ((0, isIn), (1, isOut), (None, self.mayBeNone)) if may}

    def prints(self, low, high):
        if low is None or high is None:
            return self.mayBeNone and low is None and high is None
        return self.low is not None and all(
            ends[0] - HALF <= end <= ends[1] + HALF for end, ends in ((low, self.low), (high, self.high)))

    def __str__(self):
        return "%s to %s %s %s" % (self.low, self.high, self.scores, self.method)


def number(text):
    return float(text) if text else None


def day(text):
    return (datetime.date.fromisoformat(text) - EPOCH).days


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
            settled=False, ranges=[])))
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
            point["ranges"] = series.ranges(point["predicted"], known[id(pool)])
            line = point["line"]
            have = (number(line["predicted_low"]), number(line["predicted_high"]))
            compared += have[0] is not None
            if not any(
                    r.prints(*have) and int(line["scores"]) == r.scores and line["method"] == r.method for r in point["ranges"]):
                wrong.append("  %s: %s %s %s instead of %s" % (
                    line, have, line["scores"], line["method"], " or ".join(str(r) for r in point["ranges"])))
    of_ltv = 0
    for line in newest:
        pool = found.get((line["app"], "new", "365"), {})
        series = pool.get(tuple(line[name] for name in by + ["currency"]))
        predicted = number(line["predicted_ltv_12m"])
        want = series.ranges(predicted, settled(pool, end)) if series and predicted is not None else []
        have = (number(line["tested_ltv_12m_low"]), number(line["tested_ltv_12m_high"]))
        of_ltv += have[0] is not None
        if have != (None, None) if not want else not any(r.prints(*have) for r in want):
            wrong.append("  ltv %s: %s instead of %s" % (line, have, " or ".join(str(r) for r in want)))
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
    if not a.compared:
        tally.check(seed, [], "  no range was compared")
    print("seed %d: %d ranges and %d of ltv so far" % (seed, a.compared, a.of_ltv), flush=True)
    shutil.rmtree(data, ignore_errors=True)


if __name__ == "__main__":
    seeds.compare(seeds.parser(persons=6000), compare_seed)
