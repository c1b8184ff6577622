"""The program under test: its stores, its pages, its server."""

import csv
import io
import json
import re
import subprocess
from datetime import datetime, timedelta

# Names that begin, end or leave an element, an attribute, a style or a reference, that a spreadsheet would run, that
# move the cursor or turn the direction of what follows.
HOSTILE = [
    "<script>window.hacked=1</script>", "</td></table><script>window.hacked=1</script>",
    "\"><img src=x onerror=window.hacked=1>", "' onmouseover='window.hacked=1", "--><svg onload=window.hacked=1>",
    "</style><script>window.hacked=1</script>", "</title><script>window.hacked=1</script>", "&lt;b&gt;",
    "javascript:window.hacked=1", "=HYPERLINK(\"http://evil.example\";\"x\")", "+1+1", "-2+3", "@SUM(1+1)",
    "=cmd|' /C calc'!A0", "\u202egnp.exe", "\u2067rtl\u2069", "\u05d0\u05d1\u05d2 abc", "\u001b]0;title\u0007",
    "two\r\nlines", "tab\tbed", "\u2028line", "\ufeffmark", "{{constructor}}", "${7*7}", "<!--", "a,b;\"c\"", "#x?y=z&w=%3C",
    "<\u0338script>", "../../etc/passwd", "e\u0301 and \u00e9",
]


class Program:
    def __init__(self, path, folder):
        self.path, self.folder = path, folder

    def run(self, *arguments):
        done = subprocess.run([self.path, *map(str, arguments)], capture_output=True, text=True)
        if done.returncode not in (0, 3):
            raise SystemExit(f"tollgate {' '.join(map(str, arguments))}: {done.stderr}")
        return done.stdout

    def store(self, name, *files):
        path = self.folder / f"{name}.db"
        self.run("ingest", "--quiet", "--store", path, *files)
        return path

    def page(self, store):
        """The report page; its address."""
        folder = self.folder / f"{store.stem}-page"
        self.run("report", "--quiet", "--store", store, "--output", folder)
        return folder / "index.html"

    def rows(self, store, *arguments):
        return list(csv.DictReader(io.StringIO(self.run(*arguments, "--store", store, "--format", "csv"))))


class Server:
    def __init__(self, program, store):
        self.process = subprocess.Popen([program.path, "serve", "--store", store, "--listen", "127.0.0.1:0"],
                                        stderr=subprocess.PIPE, text=True)
        line = self.process.stderr.readline()
        found = re.search(r"http://\S+?:\d+", line)
        if not found:
            raise SystemExit(f"the server does not listen: {line}{self.process.stderr.read()}")
        self.address = found[0]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        if self.process.wait(timeout=60) != 0:
            raise SystemExit("the server did not end well")


def person(number, day, app, context, own, buys=True):
    """The events of somebody who sees a paywall, starts a trial, pays, is refunded, and cancels."""
    user, subscription = f"u{number}", f"s{number}{own}"[:190]
    common = {"app": app, "user_id": user, "platform": own, "store": own, "country": "US", "app_version": own}
    product = {"product_id": own, "plan": "monthly", "subscription_id": subscription, "tier": "individual"}
    def event(kind, offset, **more):
        ts = day + timedelta(days=offset, seconds=number)
        return {"event_id": f"{kind}-{number}-{offset}", "event": kind, "ts": ts.isoformat() + "Z", **common, **more}
    events = [event("exposure", 0, experiment=context["experiment"], variant=context["variant"]),
              event("paywall_impression", 0.01, **context, offering=own, price_monthly=9.99, price_yearly=49.99,
                    currency="USD", properties={own: own, "source": own}),
              event("gate_hit", 0.02, entry_point=context["entry_point"], limit_name=own, limit=3, used=3)]
    if buys:
        end = day + timedelta(days=7.03, seconds=number)
        events += [event("trial_start", 0.03, trial_days=7, **product, **context),
                   event("conversion", 7.03, price=9.99, currency="USD", transaction_id=f"t{number}", **product,
                         expires_at=(end + timedelta(days=30)).isoformat() + "Z"),
                   event("cancellation", 12, reason="voluntary", **product),
                   event("refund", 20, transaction_id=f"t{number}", reason=own, **product)]
    return events


def write(path, events):
    path.write_text("".join(json.dumps(event, ensure_ascii=False) + "\n" for event in events))
    return path


def hostile_events(path):
    """Each hostile name in every dimension that events can fill, one app and experiment of its own, with two variants."""
    events, number, day = [], 0, datetime(2026, 1, 5)
    for name in HOSTILE:
        for variant in ["control", name]:
            for copy in range(4):
                number += 1
                context = {"experiment": name, "variant": variant, "paywall": name, "entry_point": name}
                events += person(number, day + timedelta(days=copy * 8), name, context, name, buys=copy % 2 == 0)
        events.append({"event_id": f"late{number}", "event": "activity", "ts": "2026-03-20T00:00:00Z", "app": name,
                       "user_id": "somebody"})
    write(path, events)
    with path.open("a") as file:
        for name in HOSTILE:
            file.write(json.dumps({"event_id": name, "event": name, "app": name, "user_id": name}, ensure_ascii=False))
            file.write("\n")
    return path


def long_names(path):
    """An app, an experiment and variants whose names are as long as names can be."""
    events, day = [], datetime(2026, 1, 5)
    names = ["L" + "o" * 188 + "ng", " ".join(["word"] * 38)]
    for number in range(160):
        variant = ["control", *names][number % 3]
        context = {"experiment": names[0], "variant": variant, "paywall": names[0], "entry_point": names[number % 2]}
        events += person(number, day + timedelta(days=number % 40), names[number % 2], context, names[0], number % 2 == 0)
    return write(path, events)


def thousand_cells(path):
    """A thousand variants of one app, all of one experiment."""
    events = []
    for number in range(1_000):
        context = {"experiment": "wide", "variant": f"variant-{number:04d}", "paywall": "p", "entry_point": "settings"}
        events += person(number, datetime(2026, 1, 5), "wide", context, "ios", buys=number % 2 == 0)
        events += person(number + 5_000, datetime(2026, 1, 12), "wide", context, "ios", buys=number % 3 == 0)
    return write(path, events)
