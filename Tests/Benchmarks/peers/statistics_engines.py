"""Answers comparisons of two arms by gbstats and tea-tasting, in a warm interpreter.

    python statistics_engines.py comparisons.json

Prints {"versions": …, "answers": {contestant: {method: {"seconds": …, "rows": [[estimate, low, high, p], …]}}}}.
"""

import json
import sys
import time
from importlib import metadata
from pathlib import Path

import tea_tasting
from gbstats.frequentist.tests import FrequentistConfig, TwoSidedTTest
from gbstats.models.statistics import ProportionStatistic, SampleMeanStatistic
from tea_tasting.aggr import Aggregates


def gbstats_means(kind):
    config = FrequentistConfig(difference_type=kind)

    def one(row):
        control, treatment = (
            SampleMeanStatistic(n=arm["n"], sum=arm["sum"], sum_squares=arm["sum_squares"])
            for arm in (row["control"], row["treatment"]))
        return gbstats_result(control, treatment, config)
    return one


def gbstats_proportions(row):
    control, treatment = (ProportionStatistic(n=arm["n"], sum=arm["x"]) for arm in (row["control"], row["treatment"]))
    return gbstats_result(control, treatment, FrequentistConfig(difference_type="absolute"))


def gbstats_result(control, treatment, config):
    result = TwoSidedTTest(control, treatment, config).compute_result()
    return [result.expected, *result.ci, result.p_value]


def tea_tasting_means(row):
    control, treatment = (
        Aggregates(count_=arm["n"], mean_={"x": arm["mean"]}, var_={"x": arm["sd"] ** 2})
        for arm in (row["control"], row["treatment"]))
    result = tea_tasting.Mean("x").analyze_aggregates(control, treatment)
    return [result.effect_size, result.effect_size_ci_lower, result.effect_size_ci_upper, result.pvalue]


METHODS = {
    "gbstats": {"difference of means": gbstats_means("absolute"), "lift by the delta method": gbstats_means("relative"),
                "difference of proportions, Wald": gbstats_proportions},
    "tea-tasting": {"difference of means": tea_tasting_means},
}


def answer(method, rows):
    method(rows[0])  # What is imported and cached on first use is not timed.
    started = time.perf_counter()
    found = [method(row) for row in rows]
    return {"seconds": time.perf_counter() - started, "rows": [[float(value) for value in row] for row in found]}


def main():
    comparisons = json.loads(Path(sys.argv[1]).read_text())
    print(json.dumps({
        "versions": {name: metadata.version(name) for name in METHODS},
        "answers": {name: {method: answer(run, comparisons) for method, run in methods.items()}
                    for name, methods in METHODS.items()}}))


if __name__ == "__main__":
    main()
