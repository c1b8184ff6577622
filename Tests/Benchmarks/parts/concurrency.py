"""Many readers at once, and readers while another process writes into the same store."""

import subprocess
import time
from concurrent.futures import ThreadPoolExecutor

from harness import stores
from harness.goal import Goal
from harness.process import run
from harness.summary import median, percentile, table
from parts.reports import REPORTS, standard

TITLE = "Readers and a writer"
READERS = 10


def measure(setting):
    """On the largest store of at most 5.6 M events; reports in turn, ten times each of what is timed."""
    size = [one for one in setting.sizes if one != "56M"][-1]
    store = stores.loaded(setting, "tollgate", "plain", size)
    arriving = setting.dataset("sample", size).days
    questions = [standard(REPORTS[index % len(REPORTS)]) for index in range(READERS)]
    alone, outputs = [], {}
    for question in questions:
        done = run(command(setting, store, question))
        alone.append(done.seconds)
        outputs[question.report] = done.output
    started = time.monotonic()
    with ThreadPoolExecutor(READERS) as pool:
        together = list(pool.map(lambda question: run(command(setting, store, question)), questions))
    elapsed = time.monotonic() - started
    wrong = sum(done.output != outputs[question.report] for done, question in zip(together, questions))
    copy = setting.work / "stores" / "written"
    other = setting.work / "stores" / "elsewhere"
    stores.copied(store, copy)
    same = beside(setting, copy, copy, arriving)
    stores.copied(store, other)
    stores.copied(store, copy)
    elsewhere = beside(setting, other, copy, arriving)
    stores.remove(copy)
    stores.remove(other)
    return {"name": f"plain-{size}", "alone": alone, "together": [done.seconds for done in together],
            "together_elapsed": elapsed, "wrong": wrong, "while_written": same, "written_elsewhere": elsewhere}


def command(setting, store, question):
    return setting.tollgate(question.report, store, "--format", "csv", *question.options)


def beside(setting, written, read, arriving):
    """Reports of `read`, one after the other, for as long as an ingest into `written` goes on.

    A report that fails raises. `changed` counts those whose bytes are not the ones of before: a commit that was seen.
    """
    questions = [standard(report) for report in REPORTS]
    before = {question.report: run(command(setting, read, question)).output for question in questions}
    writer = subprocess.Popen([str(part) for part in setting.tollgate("ingest", written, "--quiet", arriving)])
    started = time.monotonic()
    seconds, changed = [], 0
    try:
        while writer.poll() is None:
            question = questions[len(seconds) % len(questions)]
            done = run(command(setting, read, question))
            seconds.append(done.seconds)
            changed += done.output != before[question.report]
    finally:
        status = writer.wait()
    if status != 0:
        raise SystemExit(f"the ingest beside the reports ended with {status}")
    return {"reports": len(seconds), "seconds": seconds, "ingest_seconds": time.monotonic() - started,
            "changed": changed}


def row(label, seconds, note):
    return [label, str(len(seconds))] + [
        f"{value * 1000:.0f}" for value in (median(seconds), percentile(seconds, 0.95), max(seconds))] + [note]


def markdown(figures):
    same, elsewhere = figures["while_written"], figures["written_elsewhere"]
    return f"### {figures['name']}, the four reports in turn\n\n" + table(
        ["readers", "reports", "ms, median", "ms, p95", "ms, longest", ""],
        [row("one after the other", figures["alone"], f"{sum(figures['alone']):.2f} s together"),
         row("ten at once", figures["together"],
             f"{figures['together_elapsed']:.2f} s together; {figures['wrong']} with other bytes"),
         row("one, while another store is written", elsewhere["seconds"], f"ingest {elsewhere['ingest_seconds']:.1f} s"),
         row("one, while this store is written", same["seconds"],
             f"ingest {same['ingest_seconds']:.1f} s; none failed; {same['changed']} saw a commit")])


def goals(figures):
    slower = figures["together_elapsed"] / sum(figures["alone"])
    waiting = median(figures["while_written"]["seconds"]) / median(figures["written_elsewhere"]["seconds"])
    return [Goal(f"ten reports at once, {figures['name']}", "≤ the ten in turn, same bytes", f"{slower:.2f}×",
                 slower <= 1.1 and figures["wrong"] == 0),
            Goal(f"a report during an ingest, {figures['name']}", "no error, never blocked (≤ 1.5× that beside another "
                 "store's ingest)", f"{waiting:.2f}×", waiting <= 1.5)]
