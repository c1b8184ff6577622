"""Reports: whole processes of tollgate beside the same question as a query of a peer whose store is open and warm."""

import sys

from harness import stores
from harness.agreement import check
from harness.goal import Goal
from harness.process import run
from harness.setting import Question
from harness.summary import median, percentile, spread, table
from harness.worker import Worker

TITLE = "Reports"
MIDDLE, LAST_DAY = "2026-03-02", "2026-04-30"  # Of the plain generator's 120 days.
BUDGET = 60  # Seconds for the runs of one question, and as many for its peers.
KINDS = ("standard", "other", "fold")
REPORTS = ("funnel", "trials", "savings", "cancellations")


def standard(report):
    return Question(report, ("variant", "entry_point", "plan") if report == "cancellations" else
                    ("variant", "entry_point"))


def questions():
    """(kind of row, question), in the order of the table."""
    plain = [standard(report) for report in REPORTS]
    found = [("standard", one) for one in plain]
    for one in plain:
        found += [("other", Question(one.report, ("country",))),
                  ("other", Question(one.report, one.by, where=("platform", "ios")))]
    # The channel is a property of impressions, so a dimension of the funnel.
    found.append(("other", Question("funnel", ("property:channel",))))
    for one in plain:
        found += [("fold", Question(one.report, one.by, as_of=MIDDLE)),
                  ("fold", Question(one.report, one.by, grace=16))]
    return found + [("fold", Question("funnel", as_of=LAST_DAY))]


def measure(setting):
    return [measure_one(setting, size) for size in setting.sizes if size != "56M" or setting.large_duckdb]


def measure_one(setting, size):
    data = setting.dataset("plain", size)
    ours = stores.loaded(setting, "tollgate", "plain", size)
    theirs = [setting.peer(f"{name}_query.py", stores.loaded(setting, name, "plain", size))
              for name in ("duckdb", "clickhouse")]
    rows = []
    with Worker(theirs[0]) as duckdb, Worker(theirs[1]) as clickhouse:
        for kind, question in questions():
            if kind not in setting.questions:
                continue
            peers = {"DuckDB": duckdb} | ({"ClickHouse": clickhouse} if question == standard("funnel") else {})
            print(f"  {data.name}: {question.name}", file=sys.stderr, flush=True)
            rows.append({"kind": kind, "question": question.name, "report": question.report,
                         "events": duckdb.count(question.as_of)} | measure_question(setting, ours, question, peers))
    return {"data": data.describe(), "name": data.name, "events": data.events, "rows": rows}


def measure_question(setting, store, question, peers):
    """Seconds of tollgate's runs and of each peer's, taken in turn after the numbers were found to be the same."""
    command = setting.tollgate(question.report, store, "--format", "csv", *question.options)
    first = run(command)
    answers = {name: peer.ask(question) for name, peer in peers.items()}
    agreed = {name: check(question, first.output, answer, name) for name, answer in answers.items()}
    # So many that a question takes about two minutes at most: 20 runs of what is fast, two of what is slow.
    runs = max(2, min(setting.runs, int(BUDGET / first.seconds)))
    rounds = max(2, min(setting.pairs, int(BUDGET / sum(max(answer["seconds"]) for answer in answers.values()))))
    seconds, peak, theirs = [first.seconds], first.peak_mb, {name: [] for name in peers}
    for round_ in range(rounds):
        while len(seconds) < runs * (round_ + 1) / rounds:
            done = run(command)
            seconds.append(done.seconds)
            peak = max(peak, done.peak_mb)
        for name, peer in peers.items():
            theirs[name] += peer.ask(question)["seconds"]
    return {"seconds": seconds, "peak_mb": peak, "peers": theirs, "cells_agreed": agreed}


def milliseconds(values):
    return [value * 1000 for value in values]


def markdown(parts):
    return "\n\n".join(markdown_one(figures) for figures in parts)


def markdown_one(figures):
    rows = []
    for row in figures["rows"]:
        own = median(row["seconds"])
        peers = row["peers"]
        cells = [f"`{row['question']}`", str(len(row["seconds"])), f"{own * 1000:.0f}",
                 f"{percentile(row['seconds'], 0.95) * 1000:.0f}", f"{row['peak_mb']:.0f}",
                 f"{row['events'] / own / 1e6:.1f}" if row["kind"] == "fold" else "–"]
        for name in ("DuckDB", "ClickHouse"):
            cells.append(spread(milliseconds(peers[name]), 0) if name in peers else "–")
        cells += [f"{median(peers['DuckDB']) / own:.1f}", f"{row['cells_agreed']['DuckDB']:,}"]
        rows.append(cells)
    return f"### {figures['data']}\n\n" + table(
        ["report", "runs", "ms, median", "ms, p95", "peak MB", "M events/s", "DuckDB's query alone, ms",
         "ClickHouse's, ms", "DuckDB ÷ tollgate", "cells equal"], rows)


def goals(parts):
    """A line a kind of question: the standard reports one by one, of the others the worst."""
    found = []
    for figures in parts:
        at, by_kind = figures["name"], {}
        for row in figures["rows"]:
            own = median(row["seconds"])
            by_kind.setdefault(row["kind"], []).append(
                (row["question"], own * 1000, median(row["peers"]["DuckDB"]) / own, row["events"] / own / 1e6))
        standards, others, folds = (by_kind.get(kind, []) for kind in KINDS)
        if standards:
            found.append(Goal(f"each report, {at}", "≤ 60 ms",
                              ", ".join(f"{name} {ms:.0f} ms" for name, ms, *_ in standards),
                              all(ms <= 60 for _, ms, *_ in standards)))
            found.append(Goal(f"each report against DuckDB's query alone, {at}", "≥ 20×",
                              ", ".join(f"{name} {times:.1f}×" for name, _, times, _ in standards),
                              all(times >= 20 for _, _, times, _ in standards)))
        if others:
            name, _, times, _ = min(others, key=lambda one: one[2])
            reached = sum(times >= 1 for _, _, times, _ in others)
            found.append(Goal(f"other dimensions, --where, property against DuckDB's query, {at}", "≥ 1×",
                              f"{reached} of {len(others)}; least {times:.2f}× (`{name}`)", reached == len(others)))
        if folds:
            name, *_, rate = min(folds, key=lambda one: one[3])
            reached = sum(rate >= 2 for *_, rate in folds)
            found.append(Goal(f"past as-of, other grace, {at}", "≥ 2 M events/s",
                              f"{reached} of {len(folds)}; least {rate:.2f} (`{name}`)", reached == len(folds)))
    return found
