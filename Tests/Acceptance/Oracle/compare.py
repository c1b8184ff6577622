#!/usr/bin/env python3
"""Compares the program with the oracle on generated events: the summary of the ingest, and reports byte for byte.

    python3 compare.py --program PATH --seeds A-B [--persons M] [--runs 25] [--messy never|always|mixed] [--keep] [--all]

Every third seed is messy (--messy mixed): CSV beside NDJSON, compression, repeated and conflicting events, faulty lines.
Every second one is ingested a file at a time, in any order.
Prints, for each difference, the seed, the command line, and the first differing line with both versions; files of a
seed with a difference are kept. The last line is "N passed, M failed"; the exit status is 1 when anything failed.
"""
import json
import os
import random
import shutil
import subprocess
from fractions import Fraction

import behaviour
import cohorts
import exchange
import generate
import generate_vendors
import lifetime
import oracle
import paths as steps_of_paths
import recovery
import recurring
import saves
import seeds
import vendors

DAY = 86_400_000
oracle.REPORTS.update(recurring.REPORTS)
oracle.REPORTS.update(behaviour.REPORTS)
oracle.REPORTS.update(lifetime.REPORTS)
oracle.REPORTS.update(steps_of_paths.REPORTS)
oracle.REPORTS.update(recovery.REPORTS)
oracle.REPORTS.update(saves.REPORTS)
oracle.REPORTS.update(vendors.REPORTS)
MONEY = ["revenue", "revenue", "mrr", "mrr", "subscriptions", "subscriptions", "retention", "retention", "refunds", "ltv", "ltv",
         "recovery", "recovery", "saves", "saves", "winback", "winback"]
REPORTS = ["funnel", "funnel", "paths", "paths", "trials", "savings", "savings", "cancellations", "cancellations"] + MONEY + [
    "cadence", "gates", "nudges", "activity", "reconcile", "reconcile"]
ZONES = ["America/New_York", "Asia/Kolkata", "Pacific/Auckland", "Europe/Berlin", "America/St_Johns", "Pacific/Kiritimati",
         "America/Sao_Paulo", "Australia/Lord_Howe", "Asia/Almaty", "Africa/Casablanca", "America/Santiago", "UTC"]


def options(rng, store, report):
    """A random combination of report options; None where the store has nothing to ask this report for."""
    if report == "reconcile":
        return generate_vendors.options(rng, store)
    events = store.events
    argv = []
    states = report in ("mrr", "subscriptions")
    times = [ev["ts"] for ev in events]
    newest = max(times)
    dims = list(oracle.ALL_DIMS) + ["property:case", "property:n", "property:campaign", "property:list", "property:it's", "property:a\"b c"]
    if rng.random() < 0.75:
        pick = rng.random()
        if pick < 0.12 or (report == "savings" and pick < 0.45):
            by = rng.choice(["none", "none", "entry_point", "paywall", "country"]) if report == "savings" else "none"
        elif pick < 0.4:
            by = rng.choice(["entry_point", "variant", "paywall", "experiment", "variant,entry_point,plan", "plan", "trial_kind,plan", "month", "week",
                             "product", "offering", "product,offer_type", "offer_code,variant"])
        else:
            by = ",".join(rng.sample(dims, rng.choice([1, 1, 2, 2, 3, 9])))
        if report in MONEY and rng.random() < 0.4:
            by = rng.choice(["month", "week", "day", "month,variant", "plan,month", "week,entry_point,country"])
        if report == "activity":
            names = [name for name in by.split(",") if name not in oracle.TERMS + ["none"]]
            if not any(name in recurring.PERIODS for name in names):
                names.insert(rng.randrange(len(names) + 1), rng.choice(["day", "week", "week", "month"]))
            by = ",".join(names)
        if report in ("revenue", "refunds", "recovery") and rng.random() < 0.3:
            by = "stage" if by == "none" else by + ",stage"
        if report == "mrr" and rng.random() < 0.2:
            by = "renewing" if by == "none" else by + ",renewing"
        if states or report == "activity":          # rows are of one period
            by = one_period(by)
        argv += ["--by", by]
    if rng.random() < 0.3:
        argv += ["--timezone", rng.choice(ZONES)]
    if report not in ("cadence", "gates", "activity") and rng.random() < 0.4:
        argv += ["--attribution", rng.choice(["first", "first", "all", "all", "last"])]
    if report in ("cadence", "gates") and rng.random() < 0.4:
        argv += ["--horizon", rng.choice(["0", "1", "7", "10", "17", "30", "7.5"])]
    if report in ("revenue", "mrr") and rng.random() < 0.35:
        argv += ["--currency", rng.choice(["USD", "USD", "usd", "EUR", "KWD"])]
    if report == "funnel":
        if rng.random() < 0.5:
            argv += ["--unit", rng.choice(["view", "view", "view", "user"])]
        if rng.random() < 0.4:
            argv += ["--horizon", rng.choice(["0", "1", "7", "10", "17", "30", "7.5"])]
    if report == "paths":
        path = rng.choice(["checkout", "checkout"] + sorted(steps_of_paths.PLANS))
        argv += ["--path", path, "--unit", rng.choice(["view", "user"])]
        if path == "checkout" and rng.random() < 0.2:
            argv += ["--horizon", rng.choice(["0", "7", "17"])]
        if rng.random() < 0.3:
            steps = ["sheet", "started", "paid"] if path == "checkout" else [s["name"] for s in steps_of_paths.PLANS[path]["steps"]]
            argv += ["--to-step", rng.choice(steps)]
    if report == "retention":
        by_period = rng.random() < 0.5
        argv += ["--by-period"] if by_period else []
        if rng.random() < 0.5:
            argv += ["--at", rng.choice(["2,3,4", "2,5,9,30"] if by_period else ["1,7,30", "3,28,31,90,365,400"])]
    if report == "saves" and rng.random() < 0.5:
        screens = sorted({ev["entry_point"] for ev in events if ev["event"] == "paywall_impression" and "," not in ev["entry_point"]})
        if screens:
            argv += ["--cancel-screens", ",".join(rng.sample(screens, min(len(screens), rng.choice([1, 1, 2]))))]
    if report == "recovery" and rng.random() < 0.4:
        argv += ["--grace-whatif", rng.choice(["0", "1", "7", "16", "30.5"])]
    if report == "refunds" and rng.random() < 0.5:
        argv += ["--date", "refund"]
    if report in ("revenue", "ltv") and rng.random() < 0.6:
        argv += ["--mode", rng.choice(["gross", "net", "proceeds", "proceeds"])]
        if rng.random() < 0.6:
            argv += ["--store-fee", rng.choice(["0.15", "0.3", "0.0725", "0", "1"])]
    if states and rng.random() < 0.5:
        argv += ["--movement"]
    if rng.random() < 0.25:
        argv += ["--grace", rng.choice(["0", "1", "2", "5", "16", "0.25"])]
    if rng.random() < 0.75:
        span = rng.random()
        if span < 0.6:
            base = critical(rng, store, report, argv)
        elif span < 0.7:
            base = rng.choice(times) + rng.choice([0, 0, 3, 7, 10, 13, 17, 30, 33, 35, 38, 95, 98, 370, 373]) * DAY
        elif span < 0.95:
            base = newest + rng.choice([1, 10, 40, 100, 400, 800]) * DAY
        else:
            base = rng.choice(times) + rng.randint(0, 60 * DAY)
        argv += ["--as-of", generate.iso(base + rng.choice([0, 0, 0, 1, -1])) if states or rng.random() < 0.97 else "9999-12-31T00:00:00Z"]
    if rng.random() < 0.2:
        argv += ["--from", generate.iso(rng.choice(times))[:10]]
    if rng.random() < 0.2:
        to = generate.iso(rng.choice(times) + DAY)[:10]
        # --to not after --from is refused.
        if "--from" not in argv or argv[argv.index("--from") + 1] < to:
            argv += ["--to", to]
    if rng.random() < 0.3:
        for _ in range(rng.choice([1, 1, 2])):
            text = where(rng, events)
            # A dimension is named in one --where.
            if any(words.split("=")[0] == text.split("=")[0] for words in argv):
                continue
            by = argv[argv.index("--by") + 1] if "--by" in argv else ""
            if report == "activity" and text.split("=")[0] in oracle.TERMS:
                continue
            if not ((states or report == "activity") and text.startswith("month=") and "month" not in by.split(",")):
                argv += ["--where", text]
    dice = random.Random(" ".join([report] + argv))
    if dice.random() < 0.15:
        for name in dice.sample(sorted(cohorts.PLANS), dice.choice([1, 1, 2])):
            argv += ["--where", "cohort:" + dice.choice(["", "", "!"]) + name]
    apps = sorted({ev["app"] for ev in events})
    if len(apps) > 1 and rng.random() < 0.2:
        for app in rng.sample(apps, rng.choice([1, 1, 2])):
            argv += ["--app", app]
    return argv


def one_period(by):
    """A --by list with the first of its periods alone."""
    names = by.split(",")
    periods = [name for name in names if name in recurring.PERIODS]
    return ",".join([name for name in names if name not in periods[1:]])


def critical(rng, store, report, argv):
    """An instant at which some number of the report changes: a deadline, the end of a grace, an age or a horizon."""
    T = 4_102_444_800_000
    app = rng.choice(sorted(store.by_app))
    opts = oracle.Options(oracle.parser().parse_args([report, "--events", "-", "--as-of", str(T)] + argv))
    people = oracle.people(store, app, opts)[1]
    trials = [t for p in people for t in p.trials]
    spells = [s for p in people for s in p.spells if s.grace_end < T]
    what = rng.random()
    instants = []
    if report in ("funnel", "paths") and what < 0.7:
        H = oracle.horizon(people, opts)
        instants = [i["ts"] + H for p in people for i in p.impressions]
    elif report in saves.REPORTS and what < 0.7:
        instants = saves.instants(report, people, T, rng)
    elif report == "trials" or (what < 0.3 and report == "cancellations"):
        instants = [x for t in trials for x in (t.deadline, t.deadline, t.end, t.start)]
    elif what < 0.6:
        instants = [s.grace_end for s in spells]
    elif what < 0.65:
        instants = [s.end for s in spells]
    else:
        age = rng.choice([30, 35, 95, 370])
        instants = [s.start + age * DAY + rng.choice([0, 0, opts.grace]) for s in spells]
    return rng.choice(instants) if instants else max(ev["ts"] for ev in store.events) + 1


def where(rng, events):
    name = rng.choice(["variant", "variant", "entry_point", "entry_point", "plan", "tier", "country", "platform", "experiment", "paywall", "trial_kind",
                       "property:case", "month", "store", "product", "offering", "offer_type"])
    values = set()
    for ev in events:
        if name.startswith("property:"):
            value = ev.get("properties", {}).get(name[9:])
        elif name == "month":
            value = generate.iso(ev["ts"])[:7]
        else:
            value = ev.get("product_id" if name == "product" else name)
        if value and "," not in value:
            values.add(value)
    values |= {"(none)"}
    if name in oracle.CONTEXT:
        values |= {"(unattributed)"}
    if name == "tier":
        values |= {"individual"}
    values = sorted(values)
    return name + "=" + ",".join(rng.sample(values, min(len(values), rng.choice([1, 1, 2, 3]))))


def run(program, argv):
    """The status, the output and the last of the messages."""
    r = subprocess.run([program] + argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    return r.returncode, r.stdout.decode("utf-8", "replace"), r.stderr.decode("utf-8", "replace")[-500:]


def first_difference(want, have):
    a, b = want.split("\n"), have.split("\n")
    header = a[0].split(",") if a else []
    for i in range(max(len(a), len(b))):
        x = a[i] if i < len(a) else "<no line>"
        y = b[i] if i < len(b) else "<no line>"
        if x != y:
            text = "  line %d\n    oracle  %s\n    program %s" % (i + 1, x, y)
            cx, cy = x.split(","), y.split(",")
            if len(cx) == len(cy) == len(header):
                text += "\n    columns " + "; ".join("%s: oracle %r program %r" % (h, p, q) for h, p, q in zip(header, cx, cy) if p != q)
            return text
    return "  no difference"


def counted_reasons(counts):
    """Quarantine by reason, conflicts aside: they have a key of their own."""
    return {k: v for k, v in counts.items() if "conflict" not in k}


def ingest_difference(summary, text):
    """The keys in which the program's summary differs; empty when it is the oracle's."""
    try:
        have = json.loads(text)
    except ValueError:
        return "  ingest printed no JSON object: %r" % text[:300]
    out = []
    for key, want in summary.items():
        if key == "quarantined":
            a, b = counted_reasons(want), counted_reasons(have.get(key) or {})
            out += ["  quarantined %s: oracle %d program %d" % (reason, a.get(reason, 0), b.get(reason, 0))
                    for reason in sorted(set(a) | set(b)) if a.get(reason, 0) != b.get(reason, 0)]
        elif have.get(key) != want:
            out.append("  %s: oracle %r program %r" % (key, want, have.get(key)))
    return "\n".join(out)


def compare_ingest(tally, program, seed, paths, db, store):
    argv = ["ingest", "--store", db, "--format", "json"] + paths
    code, out, err = run(program, argv)
    wanted = 3 if store.files_failed else 0
    difference = ingest_difference(store.summary(), out)
    if code != wanted:
        difference = "  exit status %d instead of %d: %s" % (code, wanted, err)
    tally.check(seed, [program] + argv, difference)


def compare_ingest_in_steps(tally, program, seed, paths, db, store, rng):
    """A file at a time in any order: the facts are kept up, and the summaries add up to that of one ingest."""
    files = oracle.list_files(paths)
    rng.shuffle(files)
    total = {"quarantined": {}}
    for path in files:
        argv = ["ingest", "--store", db, "--format", "json", "--commit-every", rng.choice(["1", "100", "8000000"]), path]
        code, out, err = run(program, argv)
        if code not in (0, 3):
            tally.check(seed, [program] + argv, "  exit status %d: %s" % (code, err))
            return
        for key, value in json.loads(out).items():
            if isinstance(value, int):
                total[key] = total.get(key, 0) + value
        for reason, count in json.loads(out)["quarantined"].items():
            total["quarantined"][reason] = total["quarantined"].get(reason, 0) + count
    argv = ["ingest", "--store", db, "(in steps)"] + files
    tally.check(seed, [program] + argv, ingest_difference(store.summary(), json.dumps(total)))


def answer(store, report, argv):
    """Without --currency: in US dollars where nothing is missing, else each amount in its own currency."""
    if report not in ("revenue", "mrr") or "--currency" in argv:
        return oracle.run(store, report, argv)
    try:
        return oracle.run(store, report, argv + ["--currency", "USD"])
    except exchange.Missing:
        # A snapshot of mrr needs fewer rates than its movements, which is what the oracle asks for.
        return oracle.run(store, report, argv + ["--currency", "native"]) if report == "revenue" else None


def for_program(argv, folder):
    """The oracle's `--path NAME` as the program takes it; the paths of `PLANS` are in a file of the folder."""
    if "--path" not in argv:
        return argv
    at = argv.index("--path")
    return argv[:at] + [argv[at + 1], "--paths", os.path.join(folder, "paths.yaml")] + argv[at + 2:]


def compare_report(tally, program, seed, db, store, report, argv):
    if report in ("ltv", "refunds", "recovery", "winback", "value"):
        argv = argv + ["--currency", "native"]
    try:
        want = answer(store, report, argv)
    except exchange.Missing as missing:
        want = missing
    full = [report, "--store", db, "--format", "csv"] + for_program(argv, os.path.dirname(db))
    code, have, err = run(program, full)
    difference = ""
    if isinstance(want, exchange.Missing):
        # A snapshot of mrr needs fewer rates than its movements, which is what the oracle asks for.
        if code != 2 and not (report == "mrr" and code == 0):
            difference = "  exit status %d in spite of missing rates %s" % (code, want)
    elif code != 0:
        difference = "  exit status %d: %s" % (code, err)
    elif report == "reconcile":
        difference = vendors.difference(want, have)
    elif want is not None and have != want and not (report == "ltv" and not lifetime.differs(want, have)):
        difference = first_difference(want, have)
    tally.check(seed, [program] + full, difference)


def compare_refusals(tally, program, seed, db):
    """What is no question has no answer: an app that the store does not have, and a --to that is not after --from."""
    for argv in (["--app", "no such app"], ["--from", "2026-03-02", "--to", "2026-03-02"]):
        full = ["trials", "--store", db, "--format", "csv"] + argv
        code, out, _ = run(program, full)
        tally.check(seed, [program] + full, "" if code == 2 and not out else "  exit status %d instead of 2" % code)


def compare_seed(tally, a, seed):
    rng = random.Random(seed * 1_000_003 + 17)
    persons = a.persons or rng.choice([3, 12, 40, 40, 90, 160])
    messy = a.messy == "always" or (a.messy == "mixed" and seed % 3 == 0)
    data = os.path.join(a.work, "seed-%d" % seed)
    shutil.rmtree(data, ignore_errors=True)
    generate.generate(seed, persons, os.path.join(data, "events"), messy, comes_back=True)
    store = oracle.load([os.path.join(data, "events")])
    db = os.path.join(data, "store.db")
    before = tally.failed
    paths = [os.path.join(data, "events")]
    if seed % 2 == 0:
        compare_ingest_in_steps(tally, a.program, seed, paths, db, store, rng)
    else:
        compare_ingest(tally, a.program, seed, paths, db, store)
    steps_of_paths.write(os.path.join(data, "paths.yaml"))
    cohorts.write(os.path.join(data, "cohorts.yaml"))
    rates = exchange.random_rates(seed, store.events)
    exchange.write(rates, os.path.join(data, "rates.csv"), seed)
    store.rates = {key: Fraction(text) for key, text in rates.items()}
    argv = ["rates", "import", "--store", db, os.path.join(data, "rates.csv")]
    code, _, err = run(a.program, argv)
    tally.check(seed, [a.program] + argv, "" if code == 0 else "  exit status %d: %s" % (code, err))
    for _ in range(a.runs if store.events else 0):
        report = rng.choice(a.reports)
        argv = options(rng, store, report)
        if argv is not None:
            compare_report(tally, a.program, seed, db, store, report, argv)
        if tally.failed >= before + 3 and not a.all:
            break
    compare_refusals(tally, a.program, seed, db)
    failed = tally.failed - before
    print("seed %d: %d events, %d persons%s: %s" % (
        seed, len(store.events), persons, " messy" if messy else "", "%d differences" % failed if failed else "equal"), flush=True)
    if not a.keep and not failed:
        shutil.rmtree(data, ignore_errors=True)


def main():
    p = seeds.parser("3 to 160", runs=25)
    p.add_argument("--reports", type=lambda text: text.split(","), default=REPORTS, help="default: all")
    p.add_argument("--messy", choices=["never", "always", "mixed"], default="mixed")
    p.add_argument("--keep", action="store_true", help="keep the files of all seeds")
    p.add_argument("--all", action="store_true", help="do not stop a seed at its third difference")
    seeds.compare(p, compare_seed)


if __name__ == "__main__":
    main()
