"""Random questions for `reconcile --vendor`: any vendor and a metric that it has, at instants at which some number of it changes."""
from datetime import date as Date, timedelta

import exchange
import generate
import oracle
import vendors

DAY = oracle.DAY
ZONES = ["America/Los_Angeles", "America/New_York", "Asia/Kolkata", "Pacific/Auckland", "Europe/Berlin", "Pacific/Kiritimati",
         "America/Sao_Paulo", "Africa/Casablanca", "UTC"]
FAR = 4_102_444_800_000


def day_of(ts):
    return generate.iso(min(max(ts, 0), FAR))[:10]


def critical(rng, metric, persons, days):
    """Instants at which the metric changes."""
    trials = [t for p in persons for t in p.trials]
    spells = [s for p in persons for s in p.spells]
    if metric in ("trial_conversion", "active_trials", "new_trials"):
        found = [x for t in trials for x in (t.start, t.start + 7 * DAY, t.end, t.deadline, t.deadline)]
    elif metric in ("realized_ltv", "conversion_to_paying", "initial_conversion"):
        found = [p.events[0]["ts"] + days * DAY for p in persons] + [back[0] for s in spells for p in s.payments for back in p.refunds]
    else:
        found = [x for s in spells for x in [s.end, s.grace_end] + [p.cover_end for p in s.payments]]
    return [x for x in found if x < FAR]


def money_of(store, argv):
    """The currencies that the program can be asked for: dollars where no rate is missing, its own where there is but one."""
    opts = oracle.Options(oracle.parser().parse_args(["reconcile", "--events", "-", "--currency", "USD"] + argv))
    _, persons = oracle.people(store, opts.apps[0], opts)
    converter = exchange.Converter(store, opts)
    found = set()
    for person in persons:
        for payment in [p for spell in person.spells for p in spell.payments]:
            for micro, currency in [(payment.price, payment.ev.get("currency"))] + [(back, c) for _, back, c in payment.refunds]:
                found.add(currency or oracle.NONE)
                converter.convert(micro, currency or oracle.NONE, payment)
    return ([] if converter.missing else ["USD", "USD"]) + (["native"] if len(found) == 1 and oracle.NONE not in found else [])


def options(rng, store):
    """A question, or None where the store has no number to ask for."""
    # What differs in more switches is asked for more often.
    vendor, metric = rng.choice([(vendor, metric) for vendor in sorted(vendors.PRESETS) for metric, preset in
                                 sorted(vendors.PRESETS[vendor].items()) for _ in preset])
    app = rng.choice(sorted(store.by_app))
    events = store.by_app[app]
    if not any(oracle.production(ev) and not oracle.left_out(ev) for ev in events) or oracle.default_as_of(events) is None:
        return None
    argv = ["--vendor", vendor, "--metric", metric, "--app", app]
    if rng.random() < 0.5:
        argv += ["--timezone", rng.choice(ZONES)]
    if rng.random() < 0.25:
        argv += ["--grace", rng.choice(["0", "1", "2", "5", "16", "0.25"])]
    days = 30
    if metric in ("realized_ltv", "conversion_to_paying", "initial_conversion") and rng.random() < 0.7:
        days = rng.choice([1, 3, 7, 7, 14, 30, 90])
        argv += ["--days", str(days)]
    if (vendor, metric) != ("mixpanel", "new_trials"):                    # A51
        argv += filtered(rng, metric, events)
    plain = oracle.Options(oracle.parser().parse_args(["reconcile", "--events", "-", "--as-of", str(FAR)] + argv))
    persons = oracle.people(store, app, plain)[1]
    times = [ev["ts"] for ev in events]
    instants = critical(rng, metric, persons, days) or times
    T = oracle.default_as_of(events)
    if rng.random() < 0.7:
        base = rng.choice(instants) if rng.random() < 0.7 else max(times) + rng.choice([1, 10, 40, 100, 400]) * DAY
        T = max(base, min(times) + 1) + rng.choice([0, 0, 1, -1])
        argv += ["--as-of", generate.iso(T)]
    by = rng.choice(["none", "none", "none", "month", "month", "day"])
    argv += ["--by", by]
    argv += bounds(rng, metric, by, instants, times, T)
    if metric in vendors.OF_MONEY:
        choices = money_of(store, [x for x in argv])
        if not choices:
            return None
        argv += ["--currency", rng.choice(choices)]
        if metric != "mrr" and rng.random() < 0.5:
            argv += ["--mode", rng.choice(["gross", "net", "proceeds", "proceeds"])]
    if by == "none" and rng.random() < 0.3:
        argv += given(rng, store, argv)
    return argv


def filtered(rng, metric, events):
    """--where: of users who need not have paid, nothing that only payments have."""
    if rng.random() < 0.6:
        return []
    names = ["country", "platform", "store", "variant", "entry_point"]
    names += [] if metric in ("conversion_to_paying", "initial_conversion") else ["plan", "product"]
    argv = []
    for name in rng.sample(names, rng.choice([1, 1, 2])):
        values = {ev.get("product_id" if name == "product" else name) for ev in events} - {None, ""}
        values = sorted(v for v in values if "," not in v) + ["(none)"]
        argv += ["--where", name + "=" + ",".join(rng.sample(values, min(len(values), rng.choice([1, 2, 3]))))]
    return argv


def bounds(rng, metric, by, instants, times, T):
    """--from and --to: always both for rows by day, --from always for churn; --from is a day before T in every zone (A42)."""
    near = rng.choice(instants if rng.random() < 0.6 else times)
    first = min(day_of(near - rng.choice([0, 0, 1, 10, 30, 40, 100]) * DAY), day_of(T - rng.choice([2, 2, 3, 20]) * DAY))
    length = rng.choice([1, 2, 7, 20]) if by == "day" else rng.choice([1, 7, 28, 31, 60, 200, 400])
    end = (Date.fromisoformat(first) + timedelta(days=length)).isoformat()
    if rng.random() < 0.4 and by == "none" and day_of(near) > first:
        end = day_of(near)
    has_from = by == "day" or metric == "churn_rate" or rng.random() < 0.7
    has_to = by == "day" or rng.random() < 0.7
    return (["--from", first] if has_from else []) + (["--to", end] if has_to else [])


def given(rng, store, argv):
    """--vendor-value: the preset's own number, rounded, or another; none where its printed and its exact number could differ in being
    within half a unit."""
    rows = vendors.report(store, oracle.Options(oracle.parser().parse_args(["reconcile", "--events", "-"] + argv)))
    preset = next(row[-2] for row in reversed(rows) if "vendor" in row)
    if preset == "":
        return []
    metric = argv[argv.index("--metric") + 1]
    scale = 100 if metric in vendors.SHARES else 1
    digits = rng.choice([0, 1, 2]) if metric in vendors.SHARES + vendors.OF_MONEY else 0
    text = "%.*f" % (digits, max(0, float(preset) * scale + rng.choice([0, 0, 0.05, 3.7])))
    if metric in vendors.OF_MONEY and abs(abs(float(text) - float(preset)) - 0.5 / 10 ** digits) < 0.011:
        return []
    return ["--vendor-value", text + ("%" if metric in vendors.SHARES and rng.random() < 0.5 else "")]
