"""Ordinary bugs of clients, each at two sizes: time and memory have to grow as the lines do."""

import json
import shutil
import sys

from harness.goal import Goal
from harness.process import run
from harness.summary import table

TITLE = "Bugs of clients"
START = 1_767_225_600_000
DAY = 86_400_000


def line(kind, number, user, **more):
    event = {"event_id": f"e{number}", "event": kind, "ts": START + number * 1000 % (90 * DAY), "app": "a", "user_id": user}
    return json.dumps(event | more)


def paid(number, subscription, **more):
    return line("conversion" if number == 0 else "renewal", number, "u", subscription_id=subscription,
                product_id="p", plan="monthly", price=1, currency="USD", **more)


def bought(number, user):
    return line("conversion", number, user, product_id=f"p{number}", plan="monthly", price=1, currency="USD")


BUGS = {
    "one event id for all lines": (4_000, 40_000, lambda n: line(
        "paywall_impression", n, f"u{n}", entry_point="w").replace(f'"e{n}"', '"undefined"')),
    "users joined into one": (12_500, 125_000, lambda n: line("identify", n, f"u{n}", previous_user_id="hub")),
    "users joined in a chain": (12_500, 125_000, lambda n: line("identify", n, f"u{n}", previous_user_id=f"u{n + 1}")),
    "subscriptions of one user": (100_000, 1_000_000, lambda n: line(
        "conversion", n, "u", subscription_id=f"s{n}", product_id="p", plan="monthly", price=1, currency="USD")),
    "products of one user": (100_000, 1_000_000, lambda n: bought(n, "u")),
    "products, each of another user": (100_000, 1_000_000, lambda n: bought(n, f"u{n}")),
    "payments of one subscription": (100_000, 1_000_000, lambda n: paid(n, "s")),
    "trials of one user": (100_000, 1_000_000, lambda n: line(
        "trial_start" if n % 2 == 0 else "cancellation", n, "u", subscription_id=f"s{n // 2}", product_id="p",
        plan="monthly", trial_days=7)),
    "experiments of one user": (100_000, 1_000_000, lambda n: line(
        "exposure", n, "u", experiment=f"x{n}", variant="b")),
    "experiments and payments of one user": (100_000, 1_000_000, lambda n: line(
        "exposure", n, "u", experiment=f"x{n}", variant="b") if n % 2 else paid(n, "s")),
    "apps": (20_000, 200_000, lambda n: line("activity", n, "u").replace('"a"', f'"a{n}"')),
    "variants of one experiment": (100_000, 1_000_000, lambda n: line(
        "exposure", n, f"u{n}", experiment="x", variant=f"v{n}")),
}


def measure(setting):
    return [measure_one(setting, bug, size, make) for bug, (small, large, make) in BUGS.items() for size in (small, large)]


def measure_one(setting, bug, size, make):
    """The lines into an empty store, then one more of them."""
    print(f"  {bug}, {size:,} lines", file=sys.stderr, flush=True)
    folder = setting.work / "bugs"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for name, numbers in (("all", range(size)), ("one", range(size, size + 1))):
        with open(folder / f"{name}.jsonl", "w") as file:
            file.writelines(make(number) + "\n" for number in numbers)
    figures = {"bug": bug, "lines": size}
    for name in ("all", "one"):
        done = run(setting.tollgate("ingest", folder / "store.db", "--quiet", folder / f"{name}.jsonl"), setting.limit)
        figures[name] = {"seconds": None if done.timed_out else done.cpu_seconds, "peak_mb": done.peak_mb}
        if done.timed_out:
            break
    shutil.rmtree(folder)
    return figures


def markdown(parts):
    def cells(run):
        return [f"{run['seconds']:.2f}" if run and run["seconds"] is not None else "–",
                f"{run['peak_mb']:.0f}" if run else "–"]
    rows = [[figures["bug"], f"{figures['lines']:,}"] + cells(figures.get("all")) + cells(figures.get("one"))
            for figures in parts]
    return table(["bug", "lines", "processor seconds", "peak MB", "one line more, processor seconds", "peak MB"], rows)


def goals(parts):
    largest = {figures["bug"]: figures for figures in parts}
    return [Goal(f"{figures['lines']:,} lines: {bug}", "≤ 10 s, ≤ 300 MB",
                 "not within the limit" if seconds is None else f"{seconds:.1f} s, {peak:.0f} MB",
                 seconds is not None and seconds <= 10 and peak <= 300)
            for bug, figures in largest.items()
            for seconds, peak in [(figures["all"]["seconds"], figures["all"]["peak_mb"])]]
