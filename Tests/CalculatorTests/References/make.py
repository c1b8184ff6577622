#!/usr/bin/env python3
"""Reference cases for `calc` from mpmath, SciPy and statsmodels: writes cases.jsonl, the same bytes each time.

    pip install mpmath scipy statsmodels
    python3 make.py > cases.jsonl

Each line is {id, method, source, input, expected, tolerance}; methods and fields are those of `tollgate calc`. Nothing here is
derived from the program: score tests find the restricted maximum of the likelihood by root finding, tails are integrated
with 30 digits.
"""
import json
import math
import random

import mpmath as mp
import numpy as np
import scipy.stats as st
from scipy import optimize
from statsmodels.duration.survfunc import SurvfuncRight, survdiff
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.power import TTestIndPower
from statsmodels.stats.proportion import confint_proportions_2indep, proportion_confint

mp.mp.dps = 30
rng = random.Random(20_260_301)
counts = {}
MPMATH, SCIPY, STATSMODELS = "mpmath", "SciPy", "statsmodels"


def case(method, source, input, expected, rel=1e-9, abs_=1e-12):
    expected = {k: number(v) for k, v in expected.items()}
    counts[method] = counts.get(method, 0) + 1
    if any(v != v for v in expected.values()):
        return  # the program asked has no answer, as statsmodels to a few powers near 1
    print(json.dumps({"id": "%s-%03d" % (method, counts[method]), "method": method, "source": source, "input": input, "expected": expected,
                      "tolerance": {"rel": rel, "abs": abs_}}, sort_keys=True))


def number(value):
    if isinstance(value, (list, tuple, np.ndarray)):
        return [number(v) for v in value]
    if isinstance(value, (mp.mpf, np.floating)):
        value = float(value)
    if isinstance(value, np.integer):
        value = int(value)
    if isinstance(value, float) and math.isinf(value):
        return "inf" if value > 0 else "-inf"
    return value


def z_of(conf):
    return mp.sqrt(2) * mp.erfinv(mp.mpf(conf))


def proportion(most=2_000):
    n = rng.choice([1, 5, 17, 60, 300, most])
    return rng.randint(0, n), n


def pair(most=400):
    n1, n2 = rng.randint(5, most), rng.randint(5, most)
    return rng.randint(0, n1), n1, rng.randint(0, n2), n2


def one_proportion():
    for _ in range(40):
        x, n = proportion()
        conf = rng.choice([0.9, 0.95, 0.99])
        low, high = proportion_confint(x, n, alpha=1 - conf, method="wilson")
        case("wilson", STATSMODELS, {"x": x, "n": n, "conf": conf},
             {"lower": 0.0 if x == 0 else low, "upper": 1.0 if x == n else high}, abs_=1e-13)
        half = (1 - conf) / 2
        low = 0.0 if x == 0 else st.beta.ppf(half, x, n - x + 1)
        high = 1.0 if x == n else st.beta.isf(half, x + 1, n - x)
        case("clopper_pearson", SCIPY, {"x": x, "n": n, "conf": conf}, {"lower": low, "upper": high}, abs_=1e-13)
        low = 0.0 if x == 0 else st.beta.ppf(half, x + 0.5, n - x + 0.5)
        high = 1.0 if x == n else st.beta.isf(half, x + 0.5, n - x + 0.5)
        case("jeffreys_bcd", SCIPY, {"x": x, "n": n, "conf": conf}, {"lower": low, "upper": high}, abs_=1e-13)


def restricted(x1, n1, x2, n2, delta):
    """p2 of the greatest likelihood with p1 − p2 = delta: the root of the score."""
    low, high = max(0.0, -delta), min(1.0, 1 - delta)

    def score(p):
        total = (x1 / (p + delta) if x1 else 0) + (x2 / p if x2 else 0)
        return total - ((n1 - x1) / (1 - p - delta) if x1 < n1 else 0) - ((n2 - x2) / (1 - p) if x2 < n2 else 0)

    a, b = low + (high - low) * 1e-13, high - (high - low) * 1e-13
    if score(a) <= 0:
        return low
    if score(b) >= 0:
        return high
    return optimize.brentq(score, a, b, xtol=1e-17, rtol=1e-15, maxiter=300)


def score_z(x1, n1, x2, n2, delta, corrected=True):
    p2 = restricted(x1, n1, x2, n2, delta)
    p1 = p2 + delta
    variance = p1 * (1 - p1) / n1 + p2 * (1 - p2) / n2
    if corrected:
        variance *= (n1 + n2) / (n1 + n2 - 1)
    return (x1 / n1 - x2 / n2 - delta) / math.sqrt(variance)


def differences():
    for _ in range(40):
        x1, n1, x2, n2 = pair()
        input = {"x1": x1, "n1": n1, "x2": x2, "n2": n2}
        low, high = confint_proportions_2indep(x1, n1, x2, n2, method="newcomb", compare="diff")
        case("newcombe_hybrid_score", STATSMODELS, input | {"conf": 0.95}, {"lower": low, "upper": high}, 1e-8, 1e-12)
        low, high = confint_proportions_2indep(x1, n1, x2, n2, method="agresti-caffo", compare="diff")
        case("agresti_caffo_unclipped", STATSMODELS, input | {"conf": 0.95}, {"lower": low, "upper": high}, 1e-8, 1e-12)
    for _ in range(40):
        x1, n1, x2, n2 = pair(120)
        delta = rng.choice([0.0, 0.05, -0.1, 0.3])
        z = score_z(x1, n1, x2, n2, delta) if 0 < x1 + x2 < n1 + n2 else None
        if z is None:
            continue
        case("miettinen_nurminen_test", SCIPY, {"x1": x1, "n1": n1, "x2": x2, "n2": n2, "delta0": delta},
             {"z": z, "p_greater": st.norm.sf(z), "p_two_sided": 2 * st.norm.sf(abs(z))}, 1e-8, 1e-10)
    for method, corrected in (("miettinen_nurminen", True), ("mee", False)):
        for _ in range(14):
            x1, n1, x2, n2 = pair(60)
            estimate = x1 / n1 - x2 / n2
            if abs(estimate) > 0.95:
                continue
            z = st.norm.ppf(0.975)

            def bound(sign):
                inside, outside = estimate, sign * (1 - 1e-12)
                for _ in range(60):
                    middle = (inside + outside) / 2
                    if abs(score_z(x1, n1, x2, n2, middle, corrected)) <= z:
                        inside = middle
                    else:
                        outside = middle
                return inside

            case(method, SCIPY, {"x1": x1, "n1": n1, "x2": x2, "n2": n2, "conf": 0.95},
                 {"lower": bound(-1), "upper": bound(1)}, 1e-8, 1e-10)


def two_proportion_tests():
    for _ in range(40):
        x1, n1, x2, n2 = pair(90)
        input = {"x1": x1, "n1": n1, "x2": x2, "n2": n2}
        table = [[x1, n1 - x1], [x2, n2 - x2]]
        case("fisher_exact", SCIPY, input,
             {"p_two_sided": st.fisher_exact(table).pvalue,
              "p_greater": st.fisher_exact(table, alternative="greater").pvalue,
              "p_less": st.fisher_exact(table, alternative="less").pvalue}, 1e-9, 1e-14)
        if not 0 < x1 + x2 < n1 + n2:
            continue
        pooled = mp.mpf(x1 + x2) / (n1 + n2)
        z = (mp.mpf(x1) / n1 - mp.mpf(x2) / n2) / mp.sqrt(pooled * (1 - pooled) * (mp.mpf(1) / n1 + mp.mpf(1) / n2))
        case("z_pooled", MPMATH, input, {"z": z, "p_two_sided": 2 * mp.ncdf(-abs(z))}, abs_=1e-13)
        chi = z * z * (n1 + n2 - 1) / (n1 + n2)
        case("n_minus_1_chi_square", MPMATH, input, {"chi2": chi, "p": mp.erfc(mp.sqrt(chi / 2))}, abs_=1e-13)


def lifts():
    for _ in range(40):
        m1, m0 = round(rng.uniform(0.1, 9), 3), round(rng.uniform(0.1, 9), 3)
        s1, s0 = round(rng.uniform(0.01, 1.5), 3), round(rng.uniform(0.01, 1.5), 3)
        c = rng.choice([1.6448536269514722, 1.9599639845400543, 2.5758293035489004])
        input = {"mean_t": m1, "se_t": s1, "mean_c": m0, "se_c": s0, "critical_value": c}
        a, b, d = mp.mpf(m0) ** 2 - (mp.mpf(c) * s0) ** 2, mp.mpf(m1) * m0, mp.mpf(m1) ** 2 - (mp.mpf(c) * s1) ** 2
        if a > 0:
            root = mp.sqrt(b * b - a * d)
            case("fieller_ratio", MPMATH, input, {"kind": "bounded", "ratio_lower": (b - root) / a, "ratio_upper": (b + root) / a})
        ratio = mp.mpf(m1) / m0
        spread = mp.mpf(c) * mp.sqrt((mp.mpf(s1) / m1) ** 2 + (mp.mpf(s0) / m0) ** 2)
        case("log_delta_lift", MPMATH, input,
             {"lift": ratio - 1, "lower": ratio * mp.exp(-spread) - 1, "upper": ratio * mp.exp(spread) - 1}, abs_=1e-11)
        se = mp.sqrt((mp.mpf(s1) / m0) ** 2 + (mp.mpf(m1) * s0 / mp.mpf(m0) ** 2) ** 2)
        case("delta_method_lift", MPMATH, input,
             {"lift": ratio - 1, "se": se, "lower": ratio - 1 - c * se, "upper": ratio - 1 + c * se}, abs_=1e-12)
    for _ in range(30):
        n1, n2 = rng.randint(9, 900), rng.randint(9, 900)
        x1, x2 = rng.randint(1, n1 - 1), rng.randint(1, n2 - 1)
        ratio = mp.mpf(x1) / n1 / (mp.mpf(x2) / n2)
        spread = z_of(0.95) * mp.sqrt(mp.mpf(1) / x1 - mp.mpf(1) / n1 + mp.mpf(1) / x2 - mp.mpf(1) / n2)
        case("katz_log_ratio", MPMATH, {"x1": x1, "n1": n1, "x2": x2, "n2": n2, "conf": 0.95},
             {"ratio_lower": ratio * mp.exp(-spread), "ratio_upper": ratio * mp.exp(spread)}, 1e-8)


def means():
    for _ in range(45):
        m1, m0 = round(rng.uniform(-5, 20), 3), round(rng.uniform(-5, 20), 3)
        s1, s0 = round(rng.uniform(0.2, 9), 3), round(rng.uniform(0.2, 9), 3)
        n1, n0 = rng.randint(2, 500), rng.randint(2, 500)
        test = st.ttest_ind_from_stats(m1, s1, n1, m0, s0, n0, equal_var=False)
        v1, v0 = s1 * s1 / n1, s0 * s0 / n0
        df = (v1 + v0) ** 2 / (v1 * v1 / (n1 - 1) + v0 * v0 / (n0 - 1))
        half = st.t.ppf(0.975, df) * math.sqrt(v1 + v0)
        case("welch_from_summary", SCIPY,
             {"mean_t": m1, "sd_t": s1, "n_t": n1, "mean_c": m0, "sd_c": s0, "n_c": n0, "conf": 0.95},
             {"diff": m1 - m0, "t": test.statistic, "df": df, "p_two_sided": test.pvalue, "lower": m1 - m0 - half,
              "upper": m1 - m0 + half}, 1e-8, 1e-11)
    for _ in range(30):
        data = [round(rng.lognormvariate(1, 1), 3) for _ in range(rng.randint(3, 40))]
        p = rng.choice([0.05, 0.25, 0.5, 0.9, 0.99])
        case("quantile", "NumPy", {"data": data, "p": p},
             {"type7_linear": np.quantile(data, p), "type1_inverted_cdf": np.quantile(data, p, method="inverted_cdf")},
             1e-11, 1e-13)
        if len(data) > 3:
            case("moments_skewness", SCIPY, {"data": data},
                 {"mean": np.mean(data), "sd": np.std(data, ddof=1), "skewness_g1": st.skew(data)}, 1e-9, 1e-11)


def decisions():
    for _ in range(30):
        x, n = proportion()
        a, b = rng.choice([0.5, 1, 3]), rng.choice([0.5, 1, 9])
        beta = st.beta(a + x, b + n - x)
        case("posterior_summary", SCIPY, {"x": x, "n": n, "prior_a": a, "prior_b": b, "conf": 0.95},
             {"mean": beta.mean(), "sd": beta.std(), "q025": beta.ppf(0.025), "median": beta.median(), "q975": beta.ppf(0.975)},
             1e-8, 1e-13)
        mean, sd = round(rng.uniform(-4, 4), 3), round(rng.uniform(0.2, 3), 3)
        r = mp.mpf(mean) / sd
        treatment = sd * (mp.npdf(r) - r * mp.ncdf(-r))
        case("normal_posterior_decision", MPMATH, {"mean": mean, "sd": sd},
             {"chance_to_win": mp.ncdf(r), "expected_loss_choose_treatment": treatment,
              "expected_loss_choose_control": sd * (mp.npdf(r) + r * mp.ncdf(r))}, 1e-8, 1e-300)
    for _ in range(25):
        na, nb = rng.randint(2, 60), rng.randint(2, 60)
        xa, xb = rng.randint(0, na), rng.randint(0, nb)

        def beats(x1, n1, x2, n2):
            """P(second > first), uniform priors: Cook's sum over integers, exact."""
            a1, b1, a2, b2 = x1 + 1, n1 - x1 + 1, x2 + 1, n2 - x2 + 1
            return mp.fsum(mp.beta(a1 + i, b1 + b2) / ((b2 + i) * mp.beta(1 + i, b2) * mp.beta(a1, b1)) for i in range(a2))

        p = beats(xa, na, xb, nb)
        case("two_arm", MPMATH, {"x_a": xa, "n_a": na, "x_b": xb, "n_b": nb, "prior_a": 1, "prior_b": 1},
             {"p_b_beats_a": p, "p_a_beats_b": 1 - p}, 1e-7, 1e-12)


def sequences():
    def rho2(n_star, alpha):
        return (-2 * mp.log(alpha) + mp.log(1 - 2 * mp.log(alpha))) / n_star

    for _ in range(30):
        n, n_star, alpha = rng.randint(2, 90_000), rng.choice([500, 5_000, 40_000]), rng.choice([0.01, 0.05, 0.1])
        k = n * rho2(n_star, mp.mpf(alpha))
        critical = mp.sqrt((1 + 1 / k) * mp.log((k + 1) / mp.mpf(alpha) ** 2))
        case("boundary_in_standard_errors", MPMATH, {"n": n, "n_star": n_star, "alpha": alpha}, {"critical_value": critical}, 1e-10)
        d, v, tau = round(rng.uniform(-0.1, 0.1), 4), rng.choice([1e-4, 4e-4, 1e-3]), rng.choice([1e-4, 1e-3])
        log_lambda = mp.log(mp.mpf(v) / (mp.mpf(v) + tau)) / 2 + mp.mpf(tau) * mp.mpf(d) ** 2 / (2 * mp.mpf(v) * (mp.mpf(v) + tau))
        case("msprt_normal", MPMATH, {"difference": d, "variance_of_difference": v, "tau": tau, "alpha": 0.05},
             {"log_lambda": log_lambda, "p_always_valid": min(mp.mpf(1), mp.exp(-log_lambda))}, 1e-9, 1e-12)
    for _ in range(20):
        x, n = proportion(900)
        a, b, alpha = rng.choice([0.5, 1, 5]), rng.choice([0.5, 1, 20]), 0.05

        def log_excess(p):
            p = mp.mpf(p)
            return (mp.log(mp.beta(a + x, b + n - x)) - mp.log(mp.beta(a, b)) + mp.log(alpha)
                    - (x * mp.log(p) if x else 0) - ((n - x) * mp.log(1 - p) if n > x else 0))

        def bound(outside, inside):
            if log_excess(outside) <= 0:
                return mp.mpf(round(outside))
            for _ in range(100):
                middle = (outside + inside) / 2
                if log_excess(middle) > 0:
                    outside = middle
                else:
                    inside = middle
            return inside

        tiny = mp.mpf(10) ** -25
        centre = min(max(mp.mpf(x) / n, tiny * 10), 1 - tiny * 10)
        case("beta_mixture_cs_one_sample", MPMATH, {"x": x, "n": n, "mix_a": a, "mix_b": b, "alpha": alpha},
             {"lower": bound(tiny, centre), "upper": bound(1 - tiny, centre)}, 1e-8, 1e-12)


def sample_ratios():
    for _ in range(40):
        k = rng.choice([2, 3, 4])
        weights = [rng.choice([1, 1, 2, 5]) for _ in range(k)]
        observed = [rng.randint(40, 9_000) for _ in range(k)]
        expected = [sum(observed) * w / sum(weights) for w in weights]
        test = st.chisquare(observed, expected)
        case("chi_square_gof", SCIPY, {"observed": observed, "weights": weights},
             {"chi2": test.statistic, "p": test.pvalue, "df": k - 1}, 1e-8, 1e-300)
        small = [rng.randint(0, 30), rng.randint(0, 30)]
        if sum(small):
            share = rng.choice([[1, 1], [1, 3], [2, 1]])
            case("exact_binomial", SCIPY, {"observed": small, "weights": share},
                 {"p": st.binomtest(small[0], sum(small), share[0] / sum(share)).pvalue}, 1e-8, 1e-14)
    for _ in range(30):
        weights = rng.choice([[0.5, 0.5], [0.2, 0.8], [0.25, 0.25, 0.5]])
        looks = [[rng.randint(0, 60) for _ in weights] for _ in range(rng.randint(1, 6))]
        kappa = rng.choice([2, 100, 500, 10_000])
        totals, path, best, ps = [0] * len(weights), [], mp.mpf(1), []
        for look in looks:
            totals = [a + b for a, b in zip(totals, look)]
            n = sum(totals)
            log_bf = mp.loggamma(kappa) - mp.loggamma(kappa + n) + mp.fsum(
                mp.loggamma(kappa * mp.mpf(w) + t) - mp.loggamma(kappa * mp.mpf(w)) - t * mp.log(mp.mpf(w))
                for w, t in zip(weights, totals))
            path.append(log_bf)
            best = min(best, mp.exp(-log_bf))
            ps.append(best)
        case("sequential_multinomial", MPMATH, {"looks": looks, "weights": weights, "concentration": kappa},
             {"log_bayes_factor": path, "p_always_valid": ps}, 1e-7, 1e-10)


def multiplicity():
    for _ in range(40):
        p = [round(rng.random() ** 3, 5) for _ in range(rng.randint(1, 12))]
        expected = {name: multipletests(p, method=method)[1] for name, method in (
            ("holm", "holm"), ("hochberg", "simes-hochberg"), ("bh", "fdr_bh"), ("by", "fdr_by"), ("bonferroni", "bonferroni"))}
        case("adjusted_p", STATSMODELS, {"p": p, "alpha": 0.05}, expected, 1e-10, 1e-15)


def special():
    for _ in range(30):
        a, b, x = rng.choice([0.5, 2, 30, 120]), rng.choice([0.5, 3, 80, 250]), round(rng.random(), 4)
        lower = mp.betainc(a, b, 0, x, regularized=True)
        upper = mp.betainc(b, a, 0, 1 - mp.mpf(x), regularized=True)  # the tail itself, not 1 − the rest
        case("beta_cdf_sf", MPMATH, {"a": a, "b": b, "x": x}, {"cdf": lower, "sf": upper}, 1e-8, 1e-290)
        p = rng.choice([1e-6, 0.025, 0.3, 0.9, 0.999])
        case("beta_quantile", SCIPY, {"a": a, "b": b, "p": p}, {"x": st.beta.ppf(p, a, b)}, 1e-8, 1e-14)
        x = rng.choice([1e-6, 0.3, 1.5, 7.25, 123.5, 1e5])
        case("lgamma_digamma", MPMATH, {"x": x}, {"lgamma": mp.loggamma(x), "digamma": mp.digamma(x)}, 1e-10, 1e-12)
        chi, df = round(rng.uniform(0, 90), 3), rng.randint(1, 12)
        case("chi_square_sf", MPMATH, {"x": chi, "df": df},
             {"sf": mp.gammainc(mp.mpf(df) / 2, mp.mpf(chi) / 2, mp.inf, regularized=True)}, 1e-9, 1e-290)
        t, df = round(rng.uniform(-9, 9), 3), rng.choice([1, 3, 12.5, 400])
        tail = mp.betainc(mp.mpf(df) / 2, mp.mpf(1) / 2, 0, df / (df + mp.mpf(t) ** 2), regularized=True)
        case("student_t_sf", MPMATH, {"t": t, "df": df}, {"two_sided_p": tail, "sf": tail / 2 if t > 0 else 1 - tail / 2}, 1e-9, 1e-290)
        p = rng.choice([0.6, 0.9, 0.975, 0.9995])
        case("student_t_quantile", SCIPY, {"p": p, "df": df}, {"t": st.t.ppf(p, df)}, 1e-9, 1e-12)
        x = round(rng.uniform(-12, 12), 3)
        case("normal_cdf_sf", MPMATH, {"x": x}, {"cdf": mp.ncdf(x), "sf": mp.ncdf(-x), "log_cdf": mp.log1p(-mp.ncdf(-x)) if x > 0 else mp.log(mp.ncdf(x))}, 1e-10, 1e-290)
        p = rng.choice([1e-12, 1e-4, 0.2, 0.7, 0.9999])
        case("normal_quantile", MPMATH, {"p": p}, {"z": mp.sqrt(2) * mp.erfinv(2 * mp.mpf(p) - 1)}, 1e-10, 1e-12)
        n = rng.choice([10, 400, 30_000])
        k, p = rng.randint(0, n), rng.choice([0.01, 0.3, 0.5, 0.97])
        log_pmf = mp.log(mp.binomial(n, k)) + k * mp.log(mp.mpf(p)) + (n - k) * mp.log(1 - mp.mpf(p))
        case("binomial_pmf_cdf", MPMATH, {"k": k, "n": n, "p": p}, {"log_pmf": log_pmf}, 1e-8, 1e-12)


def power():
    tests = TTestIndPower()
    for _ in range(30):
        p0, p1 = round(rng.uniform(0.02, 0.6), 3), round(rng.uniform(0.02, 0.6), 3)
        n0, n1 = rng.randint(20, 9_000), rng.randint(20, 9_000)
        z, d = z_of(0.95), abs(mp.mpf(p1) - mp.mpf(p0))
        unpooled = mp.sqrt(mp.mpf(p1) * (1 - mp.mpf(p1)) / n1 + mp.mpf(p0) * (1 - mp.mpf(p0)) / n0)
        case("power_two_proportions", MPMATH,
             {"p_control": p0, "p_treatment": p1, "n_control": n0, "n_treatment": n1, "alpha": 0.05},
             {"power_unpooled": mp.ncdf(d / unpooled - z) + mp.ncdf(-d / unpooled - z)}, 1e-9, 1e-12)
        effect, n, ratio = round(rng.uniform(0.05, 1), 2), rng.randint(3, 400), rng.choice([1, 2])
        case("power_t_test", STATSMODELS, {"effect_size_d": effect, "n_control": n, "ratio": ratio, "alpha": 0.05},
             {"power": tests.power(effect, n, 0.05, ratio=ratio, alternative="two-sided")}, 1e-6, 1e-8)


def survival():
    for _ in range(25):
        size = rng.randint(8, 40)
        time = [rng.choice([7, 14, 21, 28]) if rng.random() < 0.6 else rng.randint(1, 40) for _ in range(size)]
        status = [1 if rng.random() < 0.65 else 0 for _ in range(size)]
        group = [1 + place % 2 for place in range(size)]
        if sum(status) < 3:
            continue
        curve = SurvfuncRight(time, status)
        events = sorted({t for t, s in zip(time, status) if s})
        tau = rng.choice([10, 20, 30])
        steps = [0] + [t for t in events if t <= tau] + [tau]
        levels = [1.0] + [float(curve.surv_prob[list(curve.surv_times).index(t)]) for t in events if t <= tau]
        rmst = sum(level * (b - a) for level, a, b in zip(levels, steps, steps[1:]))
        if tau <= max(time):
            case("restricted_mean", STATSMODELS, {"time": time, "status": status, "tau": tau}, {"rmst": rmst}, 1e-9, 1e-10)
        if len(set(g for g, s in zip(group, status) if s)) == 2:
            chi, p = survdiff(time, status, group)
            case("logrank", STATSMODELS, {"time": time, "status": status, "group": group}, {"chi2": chi, "p": p, "df": 1}, 1e-8, 1e-11)


for part in (one_proportion, differences, two_proportion_tests, lifts, means, decisions, sequences, sample_ratios,
             multiplicity, special, power, survival):
    part()
