#!/usr/bin/env python3
"""Decisions D1 to D8 from counts and users, apart from the program, and the program's `calc` and readouts against it.

    python3 decisions.py --program PATH --seeds A-B [--runs 60]

Each run is one request of one method of `calc` with random input, edges among it; texts and whole numbers have to be the same, other
numbers within 1e-9 (relative, or absolute below 1e-3). Each seed also draws an experiment whose primary is revenue, usage or an own
count, user by user, and compares segments, trends and bounds of its readout, which has six decimals. The last line is "N passed,
M failed"; the exit status is 1 when anything failed.

Written from the text, with other arithmetic than the program's: Fieller's ends by bisection of |m1 - r m0| = c sqrt(v1 + r² v0), sizes by
the step from one whole number to the next, the chi-square quantile by its series, chances to be best as sums over whole counts
(Miller 2015) instead of quadrature. Readings, where the text leaves one open:

- R1 `variance` of an arm with `mean` is that from person to person (D3.2's v). Payers that are not given are not asked for.
- R2 `persons_needed` with several treatments is that of the treatment with the least planned share; without shares all are equal.
- R3 `persons_needed_equivalence` takes D3.2's v1 at m0(1 + m) as it stands, control's times (1 + m)², and as m what D2.5 calls the same.
- R4 `days_more` is of every `undecided` with a target; `horizon_days` is 14 where it is not given.
- R5 `undecided` names the open treatment (neither worse nor the same) with the largest gain.
- R6 D7's and D2.4's α: intervals, money's too, at α/(k−1); p by Holm over the treatments that have one.
- R7 `cohort_trend`: the variance of a week is p(1−p)(1/n1 + 1/n0) at that week's pooled p; a week in which nothing varies is left out.
- R8 `spread_high` is τ itself, a log lift; 0 where Q(0) is below the 5 % quantile.
- R9 A week's variance of means is that of all its values, with n, times 1/n1 + 1/n0: of zeros and ones R7's.
- R10 D8.6: weeks 2 and 4 since the exposure of `retained`, 1 and 4 of revenue, the first and the last whole one of an own
  window; users with both; 50 in an arm, 5 with something. Slope: a week. Holm over the trends that there are.
"""
import csv
import io
import json
import math
import os
import random
import shutil
import subprocess
from statistics import NormalDist

import seeds

NORMAL = NormalDist()


def critical(n, level, alpha, n_star):
    """D2.1, D2.4."""
    rho2 = (-2 * math.log(alpha) + math.log(1 - 2 * math.log(alpha))) / n_star
    return math.sqrt((1 + 1 / (n * rho2)) * math.log((n * rho2 + 1) / level**2))


def p_now(estimate, se, n, alpha, n_star):
    """Methods 2.7."""
    rho2 = (-2 * math.log(alpha) + math.log(1 - 2 * math.log(alpha))) / n_star
    s2 = n * (estimate / se) ** 2
    log_e = rho2 * s2 / (2 * (n * rho2 + 1)) - 0.5 * math.log(n * rho2 + 1)
    return 1.0 if log_e <= 0 else math.exp(-log_e)


def root(inside, outside, holds):
    """Where `holds`, true at `inside` and false at `outside`, turns."""
    for _ in range(2000):
        middle = (inside + outside) / 2
        if middle in (inside, outside):
            break
        if holds(middle):
            inside = middle
        else:
            outside = middle
    return inside


def lift_interval(m1, v1, m0, v0, c):
    """D2.2, from its definition."""
    if m0 <= c * math.sqrt(v0):
        return None, None

    def holds(r):
        return abs(m1 - r * m0) <= c * math.sqrt(v1 + r * r * v0)
    at = m1 / m0
    far = 1.0
    while holds(at - far) or holds(at + far):
        far *= 2
    return root(at, at - far, holds) - 1, root(at, at + far, holds) - 1


def holm(ps):
    """Methods 2.9."""
    order = sorted((p, i) for i, p in enumerate(ps) if p is not None)
    out, most = [None] * len(ps), 0.0
    for rank, (p, i) in enumerate(order):
        most = max(most, min(1.0, p * (len(order) - rank)))
        out[i] = most
    return out


def size(m0, m, w0, w1, level, alpha, n_star, variance, power, inflated):
    """D3.2, D3.3."""
    if m0 <= 0 or (variance is None and m0 * (1 + m) >= 1) or variance == 0:
        return None
    v0, v1 = (variance, variance) if variance is not None else (m0 * (1 - m0), m0 * (1 + m) * (1 - m0 * (1 + m)))
    if inflated:
        v0 *= (1 + m) ** 2
    unit = v1 / w1 + v0 / w0
    z = NORMAL.inv_cdf(power)

    def bound(n):
        return unit * ((critical(n * (w0 + w1), level, alpha, n_star) + z) / (m * m0)) ** 2
    # n with n = bound(n), by going on from it; then the whole numbers around it.
    n = max(2.0, bound(1000.0))
    for _ in range(200):
        n = max(0.01, bound(n))
    n = max(1, math.floor(n) - 3)
    while n > 1 and n >= bound(n):
        n = max(1, n // 2)
    while n < bound(n):
        n += 1
        if n > 2**53:
            return None
    return n


def decide(q):
    alpha, n_star, minimum = q.get("alpha", 0.05), q.get("n_star", 5000), q.get("minimum_lift", 0.1)
    margin = q.get("margin_lift", minimum)
    control, treatments = q["control"], q["treatments"]
    arms = [control] + treatments
    k = len(treatments)
    level = alpha / k if k else alpha
    sign = -1 if q.get("direction") == "down" else 1

    def mean(a):
        if a["n"] == 0:
            return None
        return a["x"] / a["n"] if "x" in a else a["mean"]

    def variance(a):
        return mean(a) * (a["n"] - a["x"]) / a["n"] if "x" in a and a["n"] else a.get("variance", 0.0)

    def ready(a):
        if "x" in a:
            return a["n"] >= 50 and a["x"] >= 10 and a["n"] - a["x"] >= 10
        return a["n"] >= 50 and a.get("payers", 10) >= 10

    rows, ps = [], []
    for t in treatments:
        m1, m0 = mean(t), mean(control)
        row = {"variant": t["name"], "difference": None if m1 is None or m0 is None else m1 - m0, "difference_low": None,
               "difference_high": None, "lift_low": None, "lift_high": None, "p": None}
        rows.append(row)
        ps.append(None)
        if not (ready(t) and ready(control)) or variance(t) + variance(control) == 0:
            continue
        v1, v0, n = variance(t) / t["n"], variance(control) / control["n"], t["n"] + control["n"]
        c, se = critical(n, level, alpha, n_star), math.sqrt(v1 + v0)
        row["difference_low"], row["difference_high"] = m1 - m0 - c * se, m1 - m0 + c * se
        row["lift_low"], row["lift_high"] = lift_interval(m1, v1, m0, v0, c)
        ps[-1] = p_now(m1 - m0, se, n, alpha, n_star)
    for row, p in zip(rows, holm(ps)):
        row["p"] = p

    def gain(row):
        return -math.inf if row["difference"] is None else sign * row["difference"]

    def better(row):
        return row["p"] is not None and row["p"] < alpha and gain(row) > 0

    def worse(row):
        return row["p"] is not None and row["p"] < alpha and gain(row) < 0

    def same(row):
        return row["lift_low"] is not None and -margin < row["lift_low"] and row["lift_high"] < margin

    def money(row):
        d = q.get("money", {}).get(row["variant"])
        if d is None or d["se"] == 0:
            return "not estimable"
        if d["difference"] + critical(d["n"], level, alpha, n_star) * d["se"] < 0:
            return "worse"
        return "against" if d["difference"] < 0 else "for"

    ordered = sorted(rows, key=lambda row: -gain(row))
    best = [row for row in ordered if better(row)]
    shippable = [row for row in best if money(row) in ("for", "not estimable")]
    rest = [row for row in ordered if not worse(row) and not same(row)]
    if q.get("sample_ratio") in (True, "failed") or \
            (isinstance(q.get("sample_ratio"), float) and q["sample_ratio"] < 0.001):
        answer = ("none", None, "sample_ratio")
    elif not k:
        answer = ("none", None, "nothing_to_compare")
    elif shippable:
        answer = ("ship", shippable[0]["variant"], "primary")
    elif best and money(best[0]) == "worse":
        answer = ("do_not_ship", best[0]["variant"], "watched:revenue")
    elif best:
        answer = ("undecided", best[0]["variant"], "watched_open:revenue")
    elif all(worse(row) for row in rows):
        answer = ("do_not_ship", ordered[0]["variant"], "primary")
    elif not rest:
        answer = ("no_difference", ordered[0]["variant"], "primary")
    else:
        answer = ("undecided", rest[0]["variant"], "too_few" if rest[0]["difference_low"] is None else "primary")

    # D3.2, D3.3.
    needed = equivalence = None
    if k and control["n"]:
        total = sum(a.get("share", 1) for a in arms)
        w0, w1 = control.get("share", 1) / total, min(t.get("share", 1) for t in treatments) / total
        v = None if "x" in control else max(variance(a) for a in arms)
        needed = size(mean(control), minimum, w0, w1, level, alpha, n_star, v, 0.8, False)
        equivalence = size(mean(control), margin, w0, w1, level, alpha, n_star, v, 0.9, True)
    out = {"decision": answer[0], "variant": answer[1], "reason": answer[2], "persons_needed": needed,
           "persons_needed_equivalence": equivalence, "arms": rows}
    # D3.5, D3.6.
    n, a_day = sum(a["n"] for a in arms), q.get("persons_a_day")
    h, patience = q.get("horizon_days", 14), q.get("patience_days", 56)
    target = needed if needed is not None and n < needed else equivalence if equivalence is not None and n < equivalence else None
    days = math.ceil((target - n) / a_day) + h if target is not None and a_day else None
    if answer[0] == "undecided" and days is not None:
        out["days_more"] = days
    given_up = "keep_control" if answer[2].startswith("watched_open") else "stop"
    nothing_yet = control["x"] == 0 if "x" in control else control.get("payers", control["mean"]) == 0
    if answer[0] in ("do_not_ship", "no_difference"):
        out["next"] = "keep_control"
    elif answer[0] == "none":
        out["next"] = "fix"
    elif answer[0] == "undecided" and a_day is not None:
        if q.get("ended"):
            soon = target is not None and a_day and target / a_day + h <= patience
            out["next"] = "restart" if soon and given_up == "stop" else given_up
        else:
            out["next"] = "wait" if nothing_yet or (days is not None and days <= patience) else given_up
    return out


def trial_conditional(q):
    """D5.3 to D5.5."""
    rates, spreads = [], []
    for arm in (q["control"], q["treatment"]):
        n, d, m = arm["n"], arm["trials"], arm["cancelled"]
        r = m / d if d else None
        rates.append(r)
        people = [(1, 1)] * m + [(0, 1)] * (d - m) + [(0, 0)] * (n - d)
        spreads.append(sum((a - r * b) ** 2 for a, b in people) / ((n - 1) * n * (d / n) ** 2) if d and n > 1 else None)
    r0, r1 = rates
    c, t = q["control"], q["treatment"]
    out = {"rate_control": r0, "rate_treatment": r1, "difference": None, "se": None, "per_exposed_difference": None,
           "composition_low": None, "composition_high": None}
    if c["n"] and t["n"]:
        out["per_exposed_difference"] = t["cancelled"] / t["n"] - c["cancelled"] / c["n"]
    if r0 is None or r1 is None:
        return out
    out["difference"] = r1 - r0
    if None not in spreads:
        out["se"] = math.sqrt(sum(spreads))
    # The kept starters' cancellations if all who were added cancelled, and if none did.
    if t["trials"] / t["n"] >= c["trials"] / c["n"]:
        g = (c["trials"] / c["n"]) / (t["trials"] / t["n"])
        low, high = max(0, r1 - (1 - g)) / g, min(g, r1) / g
        out["composition_low"], out["composition_high"] = low - r0, high - r0
    else:
        g = (t["trials"] / t["n"]) / (c["trials"] / c["n"])
        low, high = max(0, r0 - (1 - g)) / g, min(g, r0) / g
        out["composition_low"], out["composition_high"] = r1 - high, r1 - low
    return out


def annual_impact(q):
    """D6.7, D3.4."""
    days = q["persons_by_day"][-28:]
    if len(days) >= 14:
        days = days[-(len(days) // 7 * 7):]
    out = {"value": None, "low": None, "high": None, "persons_a_day": sum(days) / len(days) if days else None}
    if len(days) < 14:
        return out
    squares = 0
    for weekday in range(7):
        same = days[weekday::7]
        squares += sum((x - sum(same) / len(same)) ** 2 for x in same)
    v, s2 = sum(days) / len(days), squares / (7 * (len(days) // 7 - 1)) / len(days)
    d, se, c = q["difference"], q["se"], q["critical"]
    half = 365 * math.sqrt((v * c * se) ** 2 + d * d * c * c * s2)
    out.update(value=365 * d * v, low=365 * d * v - half, high=365 * d * v + half)
    return out


def chi_square_below(x, df):
    """P(X <= x), the series of the lower incomplete gamma function."""
    a, y = df / 2, x / 2
    if y == 0:
        return 0.0
    term = total = 1 / a
    n = a
    while term > 1e-18 * total:
        n += 1
        term *= y / n
        total += term
    return total * math.exp(a * math.log(y) - y - math.lgamma(a)) if y < 500 else 1.0


def interaction(q):
    """D8.2, D8.3."""
    ys, vs = [], []
    for s in q["segments"]:
        ys.append(math.log((s["x1"] + 0.5) * (s["n0"] + 0.5) / ((s["n1"] + 0.5) * (s["x0"] + 0.5))))
        vs.append(1 / (s["x1"] + 0.5) - 1 / (s["n1"] + 0.5) + 1 / (s["x0"] + 0.5) - 1 / (s["n0"] + 0.5))

    def spread(t2):
        w = [1 / (v + t2) for v in vs]
        mean = sum(a * b for a, b in zip(w, ys)) / sum(w)
        return sum(a * (b - mean) ** 2 for a, b in zip(w, ys)), mean
    cochran, overall = spread(0)
    df = len(ys) - 1
    quantile = root(0.0, 10.0 * df + 10, lambda x: chi_square_below(x, df) <= 0.05)
    high = 0.0 if cochran <= quantile else root(0.0, 1e4, lambda t: spread(t * t)[0] >= quantile)
    return {"q": cochran, "df": df, "p": 1 - chi_square_below(cochran, df), "overall_log_lift": overall, "spread_high": high}


def cohort_trend(q):
    """D8.5."""
    points = []
    for place, s in enumerate(q["weeks"]):
        p = (s["x0"] + s["x1"]) / (s["n0"] + s["n1"])
        v = p * (1 - p) * (1 / s["n0"] + 1 / s["n1"])
        if v > 0:
            points.append((s.get("week", place), s["x1"] / s["n1"] - s["x0"] / s["n0"], 1 / v))
    if len(points) < 3:
        return {"slope": None, "se": None, "p": None}
    # The normal equations of a weighted line.
    w, wt, wd = sum(p[2] for p in points), sum(p[2] * p[0] for p in points), sum(p[2] * p[1] for p in points)
    wtt, wtd = sum(p[2] * p[0] ** 2 for p in points), sum(p[2] * p[0] * p[1] for p in points)
    spread = wtt - wt * wt / w
    b = (wtd - wt * wd / w) / spread
    return {"slope": b, "se": 1 / math.sqrt(spread), "p": math.erfc(abs(b) * math.sqrt(spread / 2))}


def log_beta(a, b):
    return math.lgamma(a) + math.lgamma(b) - math.lgamma(a + b)


def chance_best(q):
    """Chances to be best from flat priors (Methods 2.4): of two arms and of three, by Miller's sums."""
    arms = [(1 + a["x"], 1 + a["n"] - a["x"]) for a in q["arms"]]

    def beats(one, other):
        (a1, b1), (a0, b0) = one, other
        return math.fsum(math.exp(log_beta(a0 + i, b1 + b0) - math.log(b1 + i) - log_beta(1 + i, b1) - log_beta(a0, b0))
                         for i in range(a1))

    def loses_to_both(it, one, other):
        (a, b), (a1, b1), (a2, b2) = it, one, other
        return math.fsum(
            math.exp(log_beta(a + i + j, b + b1 + b2) - math.log(b1 + i) - log_beta(1 + i, b1) - math.log(b2 + j)
                     - log_beta(1 + j, b2) - log_beta(a, b))
            for i in range(a1) for j in range(a2))
    if len(arms) == 2:
        p = beats(arms[0], arms[1])
        return {"chance_best": [p, 1 - p]}
    out = []
    for i, it in enumerate(arms):
        one, other = [arm for j, arm in enumerate(arms) if j != i]
        out.append(1 - beats(one, it) - beats(other, it) + loses_to_both(it, one, other))
    return {"chance_best": out}


METHODS = {"experiment_decision": decide, "trial_conditional": trial_conditional, "annual_impact": annual_impact,
           "interaction": interaction, "cohort_trend": cohort_trend, "chance_best": chance_best}


def share_arm(rng, rate, n):
    return {"n": n, "x": min(n, max(0, round(rng.gauss(n * rate, math.sqrt(n * rate * (1 - rate) + 1e-9)))))}


def draw_decision(rng):
    k = rng.choice([0] + [1] * 12 + [2] * 5 + [3, 4])
    n = rng.choice([0, 5, 49, 50, 120, 700, 3000, 9000, 40000, 200000])
    rate = rng.choice([0.0, 0.004, 0.03, 0.1, 0.3, 0.6, 0.93, 0.999])
    effect = rng.choice([0, 0, 0.03, 0.1, 0.5, -0.2, 1.5])
    means = rng.random() < 0.25

    def arm(effect):
        size = max(0, round(n * rng.choice([1, 1, 1.01, 0.97, 2])))
        if not means:
            return share_arm(rng, min(1, max(0, rate * (1 + effect))), size)
        mean = rng.choice([0.0, 0.4, 3.0, 12.0]) * (1 + effect) * rng.uniform(0.9, 1.1)
        arm = {"n": size, "mean": mean, "variance": rng.choice([0.0, 1.0, 4.0, 90.0])}
        if rng.random() < 0.8:
            arm["payers"] = rng.randint(0, min(size, rng.choice([9, 12, 1000])))
        return arm
    q = {"control": arm(0), "treatments": [dict(arm(rng.choice([effect, 0])), name="bcdef"[i]) for i in range(k)]}
    if rng.random() < 0.2:
        for a in [q["control"]] + q["treatments"]:
            a["share"] = rng.choice([0.25, 0.5, 0.1])

    def maybe(name, chance, values):
        if rng.random() < chance:
            q[name] = rng.choice(values)
    maybe("alpha", 0.3, [0.05, 0.01, 0.2])
    maybe("n_star", 0.3, [5000, 700, 24000, 100000])
    maybe("minimum_lift", 0.4, [0.02, 0.05, 0.1, 0.3, 2.0])
    maybe("margin_lift", 0.2, [0.03, 0.1, 0.5])
    maybe("direction", 0.2, ["up", "down"])
    maybe("sample_ratio", 0.1, [True, False, "failed", "ok", 0.0005, 0.3])
    maybe("persons_a_day", 0.7, [0, 54, 300, 12.5, 9000, 1000000])
    maybe("horizon_days", 0.3, [0, 7, 14, 30])
    maybe("patience_days", 0.3, [14, 56, 200])
    maybe("ended", 0.3, [True, False])
    if rng.random() < 0.4 and k:
        q["money"] = {t["name"]: {"difference": rng.uniform(-1, 1), "se": rng.choice([0, 0.05, 0.2, 0.5]), "n": rng.choice([400, 6000])}
                      for t in q["treatments"] if rng.random() < 0.8}
    return q


def draw(rng, method):
    if method == "experiment_decision":
        return draw_decision(rng)
    if method == "annual_impact":
        rate = rng.choice([2, 50, 3000])
        return {"difference": rng.uniform(-1, 1), "se": rng.choice([0, 0.1, 0.3]), "critical": rng.choice([1.96, 3.04]),
                "persons_by_day": [rng.randint(0, 2 * rate) for _ in range(rng.choice([0, 3, 13, 14, 20, 21, 28, 33, 90]))]}
    if method == "trial_conditional":
        q = {}
        for name in ("control", "treatment"):
            n = rng.choice([1, 2, 40, 500, 3000])
            trials = rng.choice([0, n, rng.randint(0, n), rng.randint(0, n)])
            q[name] = {"n": n, "trials": trials, "cancelled": rng.choice([0, trials, rng.randint(0, trials), rng.randint(0, trials)])}
        return q
    if method == "chance_best":
        return {"arms": [share_arm(rng, rng.choice([0.05, 0.1, 0.12, 0.5]), rng.choice([0, 1, 30, 300])) for _ in range(rng.choice([2, 3]))]}
    cells = []
    for place in range(rng.choice([3, 4, 6, 12]) if method == "cohort_trend" else rng.choice([2, 3, 4, 8, 30])):
        rate = rng.choice([0.05, 0.1, 0.3])
        control, treatment = share_arm(rng, rate, rng.choice([1, 40, 400, 3000])), share_arm(rng, rate, rng.choice([40, 400, 3000]))
        cells.append({"n0": control["n"], "x0": control["x"], "n1": treatment["n"], "x1": treatment["x"]})
        if method == "cohort_trend" and len(cells) > 1 and rng.random() < 0.1:
            cells[-1]["week"] = place + 20
    return {"weeks" if method == "cohort_trend" else "segments": cells}


def differences(expected, found, place=""):
    if isinstance(expected, dict):
        if not isinstance(found, dict):
            return ["%s is %r" % (place, found)]
        # A reason for what is null is the program's own.
        extra = [name for name in found if name not in expected and name != "reason"]
        return ["%s.%s is not expected" % (place, name) for name in extra] + \
            [d for name in expected for d in differences(expected[name], found.get(name), place + "." + name)]
    if isinstance(expected, list):
        if not isinstance(found, list) or len(found) != len(expected):
            return ["%s is %r" % (place, found)]
        return [d for i, (a, b) in enumerate(zip(expected, found)) for d in differences(a, b, "%s[%d]" % (place, i))]
    if isinstance(expected, float) and isinstance(found, (int, float)):
        return [] if abs(expected - found) <= 1e-9 * max(1e-3, abs(expected)) else ["%s is %r, expected %r" % (place, found, expected)]
    return [] if expected == found else ["%s is %r, expected %r" % (place, found, expected)]


# Users ------------------------------------------------------------------------------------------------------------------

DAY = 86_400_000
START = 1_767_571_200_000  # Monday, 2026-01-05


class User:
    def __init__(self, rng, arm, gain, n):
        self.arm, self.name = arm, "%s-%d" % (arm, n)
        self.ts = START + rng.randrange(rng.choice([30, 45]) * DAY)
        self.platform, self.country = rng.choice(["ios", "android"]), rng.choice(["US", "US", "DE", "FR"])
        lift = 1 + gain * (1.5 if self.platform == "ios" else 0.5)
        self.usage = [d * DAY + rng.randrange(DAY) for d in range(40) if rng.random() < 0.06 * lift * (1 - 0.01 * d)]
        self.payments = []
        if rng.random() < 0.25 * lift:
            # A weekly plan, paid by most of its buyers again.
            at = rng.randrange(3 * DAY)
            while at < 40 * DAY and (not self.payments or rng.random() < 0.8):
                self.payments.append((at, rng.choice([2.99, 4.99, 9.99])))
                at += 7 * DAY

    def events(self):
        common = {"app": "app", "user_id": self.name, "platform": self.platform, "country": self.country}
        yield dict(common, event="exposure", ts=self.ts, experiment="ex", variant=self.arm)
        for at in self.usage:
            yield dict(common, event="activity", ts=self.ts + at)
        for number, (at, price) in enumerate(self.payments):
            yield dict(common, event="renewal" if number else "conversion", ts=self.ts + at, plan="weekly", product_id="w",
                       price="%.2f" % price, currency="USD")

    def value(self, metric, low, high):
        """The outcome within so many days of the exposure."""
        if metric == "revenue":
            return sum(price for at, price in self.payments if low * DAY <= at < high * DAY)
        count = sum(1 for at in self.usage if low * DAY <= at < high * DAY)
        return count if metric == "own" else min(1, count)


def mean_of(xs):
    return math.fsum(xs) / len(xs)


def spread_of(xs, less=1):
    m = mean_of(xs)
    return math.fsum((x - m) ** 2 for x in xs) / (len(xs) - less)


def student_tails(t, df):
    """Two-sided, by Simpson's rule on the density."""
    t, steps = min(abs(t), 60.0), 20_000
    constant = math.exp(math.lgamma((df + 1) / 2) - math.lgamma(df / 2)) / math.sqrt(df * math.pi)

    def density(x):
        return constant * math.exp(-(df + 1) / 2 * math.log1p(x * x / df))
    h = t / steps
    inside = math.fsum((4 if i % 2 else 2) * density(i * h) for i in range(1, steps)) + density(0) + density(t)
    return max(0.0, 1 - 2 * inside * h / 3)


def log_lift(metric, treatment, control):
    """D8.2: of shares with a half added, of means by the delta method."""
    if metric == "retained":
        (x1, n1), (x0, n0) = (sum(treatment), len(treatment)), (sum(control), len(control))
        return (math.log((x1 + 0.5) * (n0 + 0.5) / ((n1 + 0.5) * (x0 + 0.5))),
                1 / (x1 + 0.5) - 1 / (n1 + 0.5) + 1 / (x0 + 0.5) - 1 / (n0 + 0.5))
    m1, m0 = mean_of(treatment), mean_of(control)
    return math.log(m1 / m0), spread_of(treatment) / len(treatment) / m1**2 + spread_of(control) / len(control) / m0**2


def segments_of(metric, users, level):
    """D8.1, D8.2: (values by level and arm, Q, p)."""
    found = {}
    for value, arm, outcome in users:
        found.setdefault(level(value), {"control": [], "b": []})[arm].append(outcome)
    small = [k for k, arms in found.items() if any(len(x) < 50 or sum(1 for y in x if y) < 5 for x in arms.values())]
    other = {"control": [], "b": []}
    for k in small:
        for arm, xs in found.pop(k).items():
            other[arm] += xs
    if all(other.values()) and any(any(x) for x in other.values()):
        found["other"] = other
    if len(found) < 2:
        return None
    lifts = [log_lift(metric, arms["b"], arms["control"]) for arms in found.values()]
    total = sum(1 / v for _, v in lifts)
    centre = sum(y / v for y, v in lifts) / total
    q = sum((y - centre) ** 2 / v for y, v in lifts)
    return found, 1 - chi_square_below(q, len(lifts) - 1)


def trimmed(xs, k):
    """The mean of the first k values, the last of them in part."""
    whole = int(k)
    return (math.fsum(xs[:whole]) + (k - whole) * (xs[whole] if whole < len(xs) else 0)) / k


def readout_of(metric, everyone, T):
    """Rows of a readout by (section, measure, slice)."""
    window = {"revenue": (0, 30), "retained": (7, 14), "own": (0, 28)}[metric]
    users = [u for u in everyone if u.ts + window[1] * DAY <= T]
    outcomes = [(u, u.arm, u.value(metric, *window)) for u in users]
    rows, ps = {}, {}
    monday = {u: (u.ts // DAY + 3) // 7 * 7 - 3 for u in users}
    for name, level in (("platform", lambda u: u.platform), ("country", lambda u: u.country), ("week", monday.get)):
        found = segments_of(metric, outcomes, level)
        if found is None:
            continue
        ps[name] = found[1]
        for value, arms in found[0].items():
            if name == "week" and value != "other":
                continue
            rows["segments", "difference", "%s=%s" % (name, value)] = mean_of(arms["b"]) - mean_of(arms["control"])
    for name, p in zip(ps, holm(list(ps.values()))):
        rows["segments", "interaction_p", name] = p
    # D8.5.
    first, last = min(u.ts for u in everyone) // DAY, max(u.ts for u in everyone) // DAY
    weeks = []
    for start in sorted(set(monday.values())):
        if start < first or start + 6 > last or (start + 7) * DAY + window[1] * DAY > T:
            continue
        arms = [[x for u, arm, x in outcomes if arm == name and monday[u] == start] for name in ("control", "b")]
        v = spread_of(arms[0] + arms[1], 0) * (1 / len(arms[0]) + 1 / len(arms[1])) if all(arms) else 0
        if v > 0:
            weeks.append((start / 7, mean_of(arms[1]) - mean_of(arms[0]), 1 / v))
    trends = {}
    if len(weeks) >= 3:
        w = sum(x[2] for x in weeks)
        t = sum(x[2] * x[0] for x in weeks) / w
        s = sum(x[2] * (x[0] - t) ** 2 for x in weeks)
        slope = sum(x[2] * (x[0] - t) * x[1] for x in weeks) / s
        trends[""] = slope, math.erfc(abs(slope) * math.sqrt(s / 2))
    # D8.6.
    early, late = {"revenue": (0, 21), "retained": (7, 21), "own": (0, 21)}[metric]
    until = max(window[1], 28)
    pairs = {arm: [(u.value(metric, early, early + 7), u.value(metric, late, late + 7)) for u in everyone
                   if u.arm == arm and u.ts + until * DAY <= T] for arm in ("control", "b")}
    if all(len(x) >= 50 and sum(1 for a, b in x if a or b) >= 5 for x in pairs.values()):
        c0, c1 = ([b - a for a, b in pairs[arm]] for arm in ("control", "b"))
        v1, v0 = spread_of(c1) / len(c1), spread_of(c0) / len(c0)
        d = mean_of(c1) - mean_of(c0)
        df = (v1 + v0) ** 2 / (v1**2 / (len(c1) - 1) + v0**2 / (len(c0) - 1))
        trends["since_exposure"] = d / ((late - early) / 7), student_tails(d / math.sqrt(v1 + v0), df)
    for (slice, (slope, _)), p in zip(trends.items(), holm([p for _, p in trends.values()])):
        rows["trend", "slope", slice] = slope
        rows["trend", "p", slice] = p
    # D5.6: the payers who would pay either way, by trimming.
    paid = {arm: [sum(p for at, p in u.payments if at < 30 * DAY) for u in everyone
                  if u.arm == arm and u.ts + 30 * DAY <= T] for arm in ("control", "b")}
    payers = {arm: sorted(x for x in xs if x) for arm, xs in paid.items()}
    share = {arm: len(payers[arm]) / len(paid[arm]) for arm in paid}
    more, sign = ("b", 1) if share["b"] >= share["control"] else ("control", -1)
    less = "control" if more == "b" else "b"
    k = share[less] / share[more] * len(payers[more])
    ends = [sign * (trimmed(xs, k) - mean_of(payers[less])) for xs in (payers[more], payers[more][::-1])]
    rows["metrics", "composition", ""] = min(ends), max(ends)
    return rows


def compare_readout(tally, a, seed):
    rng = random.Random("users %d" % seed)
    metric, n = rng.choice(["revenue", "retained", "own"]), rng.choice([250, 600])
    gain = rng.choice([0, 0.4])
    everyone = [User(rng, arm, gain if arm == "b" else 0, i) for arm in ("control", "b") for i in range(n)]
    T = max(u.ts for u in everyone) + rng.choice([20, 31, 45]) * DAY
    folder = os.path.join(a.work, "users-%d" % seed)
    os.makedirs(folder)
    events = [e for u in everyone for e in u.events() if e["ts"] < T] + [
        {"event": "activity", "app": "app", "user_id": "last", "ts": T - 1}]
    with open(os.path.join(folder, "events.jsonl"), "w") as f:
        f.writelines(json.dumps(dict(e, event_id=str(i))) + "\n" for i, e in enumerate(events))
    with open(os.path.join(folder, "plan.yaml"), "w") as f:
        f.write("primary: %s\nmetrics: [{name: own, kind: mean, event: activity, window: 28}]\n" % metric)
    store = os.path.join(folder, "store")
    subprocess.run([a.program, "ingest", "--store", store, os.path.join(folder, "events.jsonl")], check=True, capture_output=True)
    argv = ["experiment", "ex", "--store", store, "--config", os.path.join(folder, "plan.yaml"), "--format", "csv"]
    text = subprocess.run([a.program] + argv, check=True, capture_output=True, text=True).stdout
    told = {}
    for row in csv.DictReader(io.StringIO(text)):
        told[row["section"], row["measure"], row["slice"]] = row
        if row["measure"] == "composition" and row["metric"] == "revenue_per_payer":
            told["metrics", "composition", ""] = row
    found = []
    for key, expected in readout_of(metric, everyone, T).items():
        row = told.get(key)
        values = [row[x] for x in (("low", "high") if isinstance(expected, tuple) else ("value",))] if row else []
        expected = expected if isinstance(expected, tuple) else (expected,)
        if len(values) != len(expected) or any(x == "" or abs(float(x) - y) > 2e-6 * max(1, abs(y)) for x, y in zip(values, expected)):
            found.append("%s %s is %r, expected %r" % (metric, key, values, expected))
    trends = {k for k in told if k[0] == "trend" and k[1] == "p"} - set(readout_of(metric, everyone, T))
    tally.check(seed, argv, "\n".join(found + ["%s is not expected" % (k,) for k in trends]))
    if not found:
        shutil.rmtree(folder)


def compare_seed(tally, a, seed):
    compare_readout(tally, a, seed)
    rng = random.Random(seed)
    requests = []
    for run in range(a.runs):
        method = rng.choice(list(METHODS) + ["experiment_decision"] * 6)
        requests.append({"id": run, "method": method, "input": draw(rng, method)})
    lines = "".join(json.dumps(r) + "\n" for r in requests)
    done = subprocess.run([a.program, "calc"], input=lines, capture_output=True, text=True, check=True)
    for request, line in zip(requests, done.stdout.splitlines(), strict=True):
        answer = json.loads(line)
        expected = METHODS[request["method"]](request["input"])
        found = differences(expected, answer.get("result"), request["method"])
        tally.check(seed, ["calc", json.dumps(request)], "\n".join(found[:5]) + (str(answer.get("error", "")) if found else ""))


if __name__ == "__main__":
    parser = seeds.parser(runs=60, of="requests")
    seeds.compare(parser, compare_seed)
