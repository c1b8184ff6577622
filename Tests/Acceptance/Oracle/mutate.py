#!/usr/bin/env python3
"""How well the generated events tell readings apart: each mutation of oracle.py must be noticed by some seed.

    python3 mutate.py [--seeds A-B] [--runs N] [NUMBER...]
Prints for each mutation the share of (seed, run) pairs that notice it. The exit status is 1 when none does, or when oracle.py no longer
has the text.
"""
import argparse
import importlib
import os
import random
import shutil
import sys
import tempfile
import types
from fractions import Fraction
import compare
import exchange
import generate
import oracle

M = [
 ("1.1 skew own", 'limit = ev.get("received_at", newest_received)', 'limit = None'),
 ("1.1 skew edge", 'ev["ts"] > limit + DAY', 'ev["ts"] >= limit + DAY'),
 ("1.1 family sets T", 'if not production(ev):\n            continue', 'if left_out(ev):\n            continue'),
 ("1.2 kind order", 'return (ev["ts"], KIND_ORDER[ev["event"]], ev["event_id"].encode("utf-8"))', 'return (ev["ts"], ev["event_id"].encode("utf-8"))'),
 ("1.2 id order", 'return (ev["ts"], KIND_ORDER[ev["event"]], ev["event_id"].encode("utf-8"))', 'return (ev["ts"], KIND_ORDER[ev["event"]])'),
 ("1.5 family", ' or ev.get("ownership") == "family_shared"', ''),
 ("1.5 grants off", 'return ev["event"] == "conversion" and ev["price"] == 0 and "offer_type" in ev', 'return False'),
 ("1.5 renewal as conversion off", 'self.renewals_as_conversions.add(ev["event_id"])', 'pass'),
 ("1.5 before", 'and before(grant, ev)', 'and grant["ts"] < ev["ts"]'),
 ("1.7 trial off", 'trial.grace_ends.append(ev["grace_ends_at"])', 'pass'),
 ("1.7 trial any kind", '(trial.kind == "introductory" and self.churn_event_of_trial(ev, trial)\n                            and ', '((self.churn_event_of_trial(ev, trial) if trial.kind == "introductory" else before(trial.ev, ev))\n                            and '),
 ("1.7 trial window", 'and ev["ts"] < trial.deadline and ev["grace', 'and ev["ts"] <= trial.deadline and ev["grace'),
 ("1.7 trial not chained", 'and ev["ts"] < trial.deadline and', 'and ev["ts"] < trial.end + self.G and'),
 ("1.7 spell off", 'end = ev["grace_ends_at"]\n        return end', 'pass\n        return end'),
 ("1.7 spell edge", 'and ev["ts"] < end and ev["grace_ends_at"] > end', 'and ev["ts"] <= end and ev["grace_ends_at"] > end'),
 ("2.2 ends_at first", 'end = ev["trial_ends_at"] if "trial_ends_at" in ev else ev["ts"] + ev["trial_days"] * DAY', 'end = ev["ts"] + ev["trial_days"] * DAY if "trial_days" in ev else ev["trial_ends_at"]'),
 ("2.2 oldest repeated", 'for trial in reversed(self.trials):  ', 'for trial in self.trials:  '),
 ("2.2 moves end", 'trial.end = ev["trial_ends_at"]', 'pass'),
 ("2.2 repeat edge", 'return self.start <= ts < self.deadline', 'return self.start <= ts <= self.deadline'),
 ("2.2 kind", 'lambda: kind == trial.kind', 'lambda: True'),
 ("2.2 days move end", 'if "trial_ends_at" in ev and ev["trial_ends_at"] > trial.end:\n                    trial.end = ev["trial_ends_at"]', 'if end > trial.end:\n                    trial.end = end'),
 ("2.3 one pass", 'for test in (equal("subscription_id"), equal("product_id"), lambda ev, trial: True):', 'for test in (lambda ev, trial: True,):'),
 ("2.3 no product pass", 'equal("product_id"), lambda ev', 'lambda ev'),
 ("2.3 oldest", 'trial = left[-1] ', 'trial = left[0] '),
 ("2.4 end edge", 'trial.start <= ev["ts"] < trial.end', 'trial.start <= ev["ts"] <= trial.end'),
 ("2.4 before conversion", 'and (trial.conversion is None or before(ev, trial.conversion))', ''),
 ("2.4 newest any kind", 'earlier = [t for t in self.trials if t.kind == "introductory" and before(t.ev, ev)]', 'earlier = [t for t in self.trials if before(t.ev, ev)]'),
 ("2.4 newest known at T", 'if t.kind == "introductory" and before(t.ev, ev)]', 'if t.kind == "introductory"]'),
 ("2.6 ids from payments only", 'if "subscription_id" in ev and "product_id" in ev:\n                self', 'if "subscription_id" in ev and "product_id" in ev and ev["event"] in ("conversion", "renewal", "payment", "plan_change"):\n                self'),
 ("2.6 only sub", 'if len(ids) == 1:', 'if False:'),
 ("2.6 paid last", 'owner = sub_of_payment[earlier[-1].ev["event_id"]] if earlier else None', 'owner = None'),
 ("2.6 plan_change", 'if ev["event"] in ("payment", "plan_change"):', 'if ev["event"] == "payment":'),
 ("2.12 payments at 0", 'if ev["event"] in ("payment", "plan_change"):', 'if ev["event"] == "payment":\n        return True\n    if ev["event"] == "plan_change":'),
 ("2.12 earlier payment", 'if any(is_paid(other) for other in own):', 'if False:'),
 ("2.12 trial", ' or any(other["event"] == "trial_start" for other in own)', ''),
 ("2.12 lifetime", 'ev["plan"] == "lifetime" or any', 'any'),
 ("2.12 start", 'ev["subscription_started_at"] > ev["ts"] - DAY', 'ev["subscription_started_at"] >= ev["ts"] - DAY'),
 ("2.12 full period", 'return ev["ts"] > period_end({', 'return ev["ts"] >= period_end({'),
 ("2.12 full period off", 'if self.first_payment is None:', 'if True:'),
 ("2.6 lifetime expires", 'if ev["plan"] == "lifetime":\n        return INF\n    if "expires_at" in ev:\n        return ev["expires_at"]', 'if "expires_at" in ev:\n        return ev["expires_at"]\n    if ev["plan"] == "lifetime":\n        return INF'),
 ("2.7 other product", 'end = min(end, other[0])', 'pass'),
 ("2.7 refund", 'end = min(end, given_back)', 'pass'),
 ("2.7 given back before it was made", 'None if p.full_refund is None else max(p.ts, p.full_refund)', 'p.full_refund'),
 ("2.7 named", 'named_before[-1] if named_before', 'named_before[0] if named_before'),
 ("2.7 named at all", 'if named:', 'if False:'),
 ("2.7 named later", 'named = [p for p in payments if ', 'named = [p for p in earlier if '),
 ("2.7 named within sub", 'named = [p for p in payments if ', 'named = [p for p in payments if owner and p in owner.payments and '),
 ("2.7 currency", 'ev["price"] > 0 and ev.get("currency") != payment.ev.get("currency")', 'False'),
 ("2.7 add up", 'payment.refunded = getattr(payment, "refunded", 0) + ev["price"]', 'payment.refunded = ev["price"]'),
 ("2.7 expiration edge", 'for ev in expirations if ev["ts"] > p.ts]', 'for ev in expirations if ev["ts"] >= p.ts]'),
 ("2.7 expiration", 'end = min(end, ended[0])', 'pass'),
 ("2.8 spell edge", 'if p.ts <= self.grace_end(s, spell.payments):', 'if p.ts < self.grace_end(s, spell.payments):'),
 ("2.8 churn edge", 'spell.churned = spell.grace_end <= self.T', 'spell.churned = spell.grace_end < self.T'),
 ("2.8 churn ignoring 1.7", 'spell.churned = spell.grace_end <= self.T', 'spell.churned = spell.end + self.G <= self.T'),
 ("2.8 last cover instead of max", 'spell.end = cover_so_far(spell.payments)', 'spell.end = spell.payments[-1].cover_end'),
 ("2.8 given back at once", 'for p in payments if p.cover_end > p.ts] or', 'for p in payments] or'),
 ("2.8 refund after expiration", 'E <= last.full_refund < E + DAY', 'False'),
 ("2.8 refund after expiration edge", 'E <= last.full_refund < E + DAY', 'E <= last.full_refund <= E + DAY'),
 ("2.8 expiration at natural end", 'p.cut_by_expiration = bool(ended) and ended[0] == end and end < p.plan_end', 'p.cut_by_expiration = bool(ended) and ended[0] == end'),
 ("2.8 refund at natural end", 'p.cut_by_refund = given_back == end and end < p.plan_end', 'p.cut_by_refund = given_back == end'),
 ("2.8 switch before E", 'and before(last.ev, ev) and ev["ts"] < E:', 'and before(last.ev, ev) and ev["ts"] <= E:'),
 ("2.8 switch since", 'and before(last.ev, ev) and ev["ts"] < E:', 'and ev["ts"] < E:'),
 ("2.8 billing", 'return "billing"', 'pass'),
 ("2.8 billing edge", 'before(last.ev, ev) and ev["ts"] < spell.grace_end:', 'before(last.ev, ev) and ev["ts"] <= spell.grace_end:'),
 ("2.8 60 d", 'ev["ts"] < E + 60 * DAY', 'ev["ts"] <= E + 60 * DAY'),
 ("2.8 not after next", 'ev["ts"] <= spell.next_payment.ts', 'ev["ts"] < spell.next_payment.ts'),
 ("2.8 states one", 'ev["event"] == "expiration" and "reason" in ev and', 'ev["event"] == "expiration" and'),
 ("2.9 first spell", 'return self.number == 1 and self', 'return self'),
 ("2.10 window low", 'if ev["ts"] - 7 * DAY < i["ts"] <= ev["ts"]]', 'if ev["ts"] - 7 * DAY <= i["ts"] <= ev["ts"]]'),
 ("2.10 window high", 'if ev["ts"] - 7 * DAY < i["ts"] <= ev["ts"]]', 'if ev["ts"] - 7 * DAY < i["ts"] < ev["ts"]]'),
 ("2.10 together", 'if "experiment" not in ev and "variant" not in ev:        # together\n                    experiment, variant = fill[0], fill[1]', 'experiment = ev.get("experiment", fill[0]); variant = ev.get("variant", fill[1])'),
 ("2.10 fill by mode", 'fill = own_context(same[-1])', 'fill = own_context(same[0] if mode == "first" else same[-1])'),
 ("2.10 no fill", 'if same:  ', 'if False:  '),
 ("2.10 intro trial's", 'if trial is not None and trial.kind == "introductory":\n            return', 'if False:\n            return'),
 ("2.10 app trial's", 'if trial is not None and trial.kind == "introductory":\n            return', 'if trial is not None:\n            return'),
 ("3.2 window", 'start <= ts < start + 7 * DAY', 'start <= ts <= start + 7 * DAY'),
 ("3.2 opened before", 'or trial.kind == "app" or trial.start < start)', 'or trial.kind == "app")'),
 ("3.2 app", 'or trial.kind == "app" or trial', 'or trial'),
 ("3.3 edge", 'if not start + H <= T:', 'if not start + H < T:'),
 ("3.3 99", '99 * len(lengths)', '95 * len(lengths)'),
 ("3.4 later", 's.start >= start and', ''),
 ("3.1 view where", 'and passes(entry, context, opts, only=CONTEXT)', ''),
 ("4.6 F 0/1", 'n = Fraction(matured) if F in (0, 1)', 'n = Fraction(len(trials)) if F in (0, 1)'),
 ("5.1 ties", 'return max(tally, key=lambda value: tally[value]) if tally else None', 'return max(tally, key=lambda value: (tally[value][0], value)) if tally else None'),
 ("5.2 variant ties", '(-len(by_variant[v]), v.encode("utf-8"))', '(-len(by_variant[v]), [-c for c in v.encode("utf-8")])'),
 ("5.2 five", '< 5 for plan', '< 4 for plan'),
 ("5.2 all variants", "there = by_variant[min(", "there = [s for s, _ in purchases] if 1 else by_variant[min("),
 ("5.2 most of all plans", 'else ev["plan"] in ("monthly", "yearly"))', 'else True)'),
 ("5.2 offer_type", 'and "offer_type" not in ev\n', '\n'),
 ("5.5 above 0", ' and s.payments[0].price > 0)', ')'),
 ("5.6 stopped", 'and s.churned)\n            if went_on', ')\n            if went_on'),
 ("5.6 twelve", 'for n in range(2, 13):', 'for n in range(2, 14):'),
 ("6.2 window", 'if spell.start <= ev["ts"] < end]', 'if spell.start <= ev["ts"] <= end]'),
 ("6.2 payments", 'sorted(switches(spell) + [p.ev for p in spell.payments], key=order_key)', 'sorted(switches(spell) + [spell.payments[0].ev], key=order_key)'),
 ("6.2 spell's", 'and (spell.next_payment is None or before(ev, spell.next_payment.ev))]', ']'),
 ("6.2 at risk", 'if s.start + a * DAY <= T]', 'if s.start + a * DAY < T]'),
 ("6.2 followed", 's.start + a * DAY + opts.grace <= T', 's.start + a * DAY + opts.grace < T'),
 ("6.2 ended", 's.churned and s.end < s.start + a * DAY', 's.churned and s.end <= s.start + a * DAY'),
 ("6.3 30 d", 's.payments[0].full_refund < s.start + 30 * DAY', 's.payments[0].full_refund <= s.start + 30 * DAY'),
 ("6.3 at risk", 'if s.start + 30 * DAY <= T]', 'if s.start + 30 * DAY < T]'),
 ("6.5 before E", 'ev["event"] == "cancellation" and ev["ts"] < s.end', 'ev["event"] == "cancellation"'),
 ("6.5 half", 'if S <= Fraction(1, 2):', 'if S < Fraction(1, 2):'),
 ("1.8 half even", 'units = round(Fraction(micro) * 10 ** places / 1_000_000)', 'units = math.floor(Fraction(micro) * 10 ** places / 1_000_000 + Fraction(1, 2))'),
 ("cli KWD", '"KWD": 3', '"KWD": 2'),
]


# What imports the oracle, and has to import a mutation in its place.
USERS = ["exchange", "recurring", "behaviour", "lifetime", "paths", "recovery", "saves", "vendors"]


def variant(source):
    """A module of this text in place of oracle.py, with all reports."""
    names = ["oracle"] + USERS
    saved = {name: sys.modules.pop(name) for name in names}
    try:
        module = sys.modules["oracle"] = types.ModuleType("oracle")
        exec(compile(source, "variant", "exec"), module.__dict__)
        users = [importlib.import_module(name) for name in USERS]
        for user in users:
            module.REPORTS.update(getattr(user, "REPORTS", {}))
        # Fits do not depend on the oracle and take long.
        sys.modules["lifetime"]._known = saved["lifetime"]._known
        return module
    finally:
        for name in names:
            sys.modules[name] = saved[name]


def answer(module, store, report, argv):
    """What a variant says, be it an error."""
    store.cache = {}
    try:
        return module.run(store, report, argv)
    except Exception as error:
        return repr(error)


def noticed_by(module, jobs):
    """The seeds of those jobs that it does another way."""
    return [seed for seed, store, report, argv, want in jobs if answer(module, store, report, argv) != want]


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--seeds", default="1-30")
    p.add_argument("--runs", type=int, default=10)
    p.add_argument("numbers", nargs="*", type=int)
    a = p.parse_args()
    low, _, high = a.seeds.partition("-")
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "oracle.py"), encoding="utf-8") as file:
        source = file.read()
    work = tempfile.mkdtemp()
    jobs = []
    for seed in range(int(low), int(high or low) + 1):
        rng = random.Random(seed * 1_000_003 + 17)
        persons = rng.choice([3, 12, 40, 40, 90, 160])
        generate.generate(seed, persons, os.path.join(work, "x"), False, comes_back=True)
        store = oracle.load([os.path.join(work, "x")])
        store.rates = {key: Fraction(text) for key, text in exchange.random_rates(seed, store.events).items()}
        for _ in range(a.runs):
            report = rng.choice(compare.REPORTS)
            argv = compare.options(rng, store, report)
            if argv is not None:
                jobs.append((seed, store, report, argv, answer(oracle, store, report, argv)))
    shutil.rmtree(work)
    if not jobs or noticed_by(variant(source), jobs):
        sys.exit("the oracle differs from itself without a mutation")
    wrong = 0
    for i, (name, old, new) in enumerate(M):
        if a.numbers and i not in a.numbers:
            continue
        if source.count(old) < 1:
            print(i, name, "NOT APPLICABLE")
            wrong += 1
            continue
        seen = noticed_by(variant(source.replace(old, new)), jobs)
        print("%3d %-36s %s runs %d of %d, seeds %d" % (i, name, "" if seen else "UNNOTICED", len(seen), len(jobs), len(set(seen))), flush=True)
        wrong += not seen
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
