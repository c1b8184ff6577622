#!/usr/bin/env python3
"""Random event files that exercise every rule of definitions 1-6 densely.

    python3 generate.py --seed N --persons M --out DIR [--messy]

Few ids, products, variants, entry points and prices; times cluster so that edges of windows and deadlines are hit to the ms.
"""
import argparse
import calendar
import csv
import gzip
import io
import json
import os
import random
import subprocess
from datetime import datetime, timedelta, timezone

import generate_behaviour
import generate_saves

DAY = 86_400_000
HOUR = 3_600_000
EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
PLAN_MONTHS = {"monthly": 1, "two_month": 2, "quarterly": 3, "semiannual": 6, "yearly": 12}
AWKWARD = ["a,b", 'say "hi"', "line\nbreak", "é", "é", "日本語", "(none)", " lead", "=1+1", "(unattributed)"]


def ms(y, m, d, h=0, mi=0):
    return int((datetime(y, m, d, h, mi, tzinfo=timezone.utc) - EPOCH).total_seconds()) * 1000


def iso(t, digits=3, offset=0):
    """RFC 3339 of epoch milliseconds at an offset in minutes."""
    moment = EPOCH + timedelta(milliseconds=t + offset * 60_000)
    text = moment.strftime("%Y-%m-%dT%H:%M:%S")
    if digits:
        text += "." + ("%03d000000" % (t % 1000))[:digits]
    if offset == 0:
        return text + "Z"
    return text + "%s%02d:%02d" % ("+" if offset > 0 else "-", abs(offset) // 60, abs(offset) % 60)


def plan_end(t, plan):
    if plan == "weekly":
        return t + 7 * DAY
    if plan == "lifetime":
        return t + 9999 * DAY
    date = EPOCH + timedelta(milliseconds=t)
    index = date.year * 12 + date.month - 1 + PLAN_MONTHS[plan]
    y, m = divmod(index, 12)
    day = min(date.day, calendar.monthrange(y, m + 1)[1])
    return ms(y, m + 1, day) + t % DAY


class Config:
    def __init__(self, rng):
        r = rng
        self.apps = r.sample(["steps", "techniq", "coach", "Ünapp"], r.choice([1, 1, 2, 3]))
        self.variants = r.choice([["a"], ["a", "b"], ["a", "b", None], ["a", "b", "c", None], ["b", None, None]])
        self.experiments = r.choice([[None], [None, "x1"], ["x1", "x2", None]])
        self.paywalls = r.choice([[None], ["p1", None], ["p1", "p2", None]])
        self.entry_points = r.choice([["settings_card"], ["settings_card", "widgets"], ["settings_card", "widgets", "route_map"]])
        if r.random() < 0.15:
            self.entry_points = self.entry_points + [r.choice(AWKWARD)]
        self.currencies = r.choice([["USD"], ["USD"], ["USD", "EUR"], ["usd", "EUR", "KWD", "JPY"]])
        self.tiers = r.choice([[None], [None, "family"], [None, "individual", "family"]])
        self.plans = r.choice([["monthly", "yearly"], ["monthly"] * 4 + ["yearly"] * 3 + ["weekly", "lifetime"],
                               ["monthly", "yearly", "weekly", "lifetime", "two_month", "quarterly", "semiannual"]])
        self.p_price_shown = r.choice([0, 0.1, 0.5, 0.9])
        self.p_no_id = r.choice([0, 0.15, 0.4, 0.8])
        self.p_no_product = r.choice([0.1, 0.4, 0.8])
        self.p_own_context = r.choice([0, 0.2, 0.5])
        self.p_received = r.choice([0, 0.5, 1])
        self.p_flag = r.choice([0, 0.02, 0.06])
        self.p_noise = r.choice([0, 0.5, 2])
        self.p_identify = r.choice([0, 0.1, 0.4])
        self.p_expires = r.choice([0, 0.3, 0.8])
        self.p_offer = r.choice([0, 0.1, 0.3])
        self.p_grant = r.choice([0, 0.1, 0.3])
        self.p_app_trial = r.choice([0, 0.2, 0.6])
        self.calm = r.random() < 0.4              # mostly plausible lives
        self.shared_products = r.random() < 0.3
        self.base = r.choice([ms(2024, 1, 29), ms(2024, 12, 30), ms(2025, 10, 24)])
        self.spread = r.choice([3, 40, 200, 500])
        self.hours = r.choice([[0], [0, 10], [0, 10, 22, 23.5]])
        self.trial_days = r.choice([[7], [3, 7], [3, 7, 14, 30]])
        self.priced_by_variant = False
        self.future = r.random() < 0.45
        self.crowded = r.random() < 0.35          # stories of one person overlap
        self.p_story_trial = r.choice([0.45, 0.45, 0.8, 0.15])
        dense = r.random()
        if dense < 0.15:                          # many purchases of few kinds: 5.2
            self.apps, self.plans, self.p_price_shown, self.p_story_trial = self.apps[:1], ["monthly", "yearly"], 0, 0.1
            self.variants, self.currencies, self.tiers, self.p_own_context, self.p_offer = r.choice([["a", "b"], ["a", "b", "c"]]), ["USD"], [None], r.choice([0.5, 0.9]), 0.1
            if r.random() < 0.5:
                self.plans = ["monthly", "yearly", "weekly", "lifetime"]
            self.spread = min(self.spread, 40)
            self.priced_by_variant = True
        elif dense < 0.3:                         # many trials, few of them long: 3.3
            self.apps, self.trial_days, self.p_story_trial = self.apps[:1], [7] * 30 + [3, 30, 60], 0.9


class Generator:
    def __init__(self, seed, persons):
        self.rng = random.Random(seed)
        self.cfg = Config(self.rng)
        self.persons = persons
        self.events = []
        self.number = 0

    # helpers ----------------------------------------------------------------------------------------------------
    def pick(self, *values):
        return self.rng.choice(values)

    def chance(self, p):
        return self.rng.random() < p

    def edge(self):
        return self.pick(0, 0, 0, 1, -1)

    def add(self, person, kind, ts, **fields):
        """One event with the dimensions of its person; absent fields are left out."""
        cfg = self.cfg
        self.number += 1
        ev = {"event_id": "%s-%d" % (self.pick("e", "E", "f", "é"), self.number), "event": kind, "ts": int(ts),
              "app": person["app"], "user_id": self.pick(*person["users"])}
        if self.chance(0.03):
            ev["event_id"] = 10_000_000 + self.number
        for name in ("country", "platform", "store", "app_version"):
            value = person[name] if not self.chance(0.1) else self.pick(None, "x1")
            if name == "country" and value == "x1":
                value = "fr"
            if value is not None:
                ev[name] = value
        if person["properties"] is not None and self.chance(0.7):
            ev["properties"] = dict(person["properties"])
        if person["campaign"] is not None and self.chance(0.7):
            ev["campaign"] = person["campaign"]
        if self.chance(cfg.p_received):
            ev["received_at"] = int(ts) + self.pick(0, 1, 500, HOUR, DAY, -DAY, -DAY - 1, 3 * DAY)
        if self.chance(cfg.p_flag):
            ev["environment"] = self.pick("sandbox", "sandbox", "production")
        if self.chance(cfg.p_flag):
            ev["ownership"] = self.pick("family_shared", "family_shared", "purchased")
        ev.update({k: v for k, v in fields.items() if v is not None})
        self.events.append(ev)
        return ev

    def context(self, always=False):
        """Own context fields for a trial, purchase or impression; sometimes partial."""
        cfg = self.cfg
        if always or self.chance(cfg.p_own_context):
            c = {"entry_point": self.pick(*cfg.entry_points), "variant": self.pick(*cfg.variants),
                 "experiment": self.pick(*cfg.experiments), "paywall": self.pick(*cfg.paywalls),
                 "offering": self.pick(None, "default", "sale")}
            if not always:
                for name in list(c):
                    if self.chance(0.4):
                        c[name] = None
            return c
        return {"offering": "own"} if self.chance(0.1) else {}

    def price(self, plan):
        return self.pick(*{"monthly": ["6.99", "6.99", "3.99", 2.5], "yearly": ["24.99", "24.99", "59.99", 20],
                           "weekly": ["1.99", 0.99], "lifetime": ["99.00", 149], "two_month": ["9.99"],
                           "quarterly": ["14.99", "0.0000015"], "semiannual": ["19.99"]}[plan])

    def money(self, plan, person):
        """Price and currency of a payment."""
        if self.chance(0.03):
            return {"price": self.pick(0, "0.00"), "currency": self.pick(None, "USD")}
        price = self.price(plan)
        money = {"price": price, "currency": person["currency"] if not self.chance(0.05) else self.pick(*self.cfg.currencies)}
        if self.chance(0.15):
            money["price_usd"] = "%.6f" % (float(price) * self.pick(0.9, 1.05, 1.1, 1.25))
        return money

    def product(self, person, plan):
        if self.cfg.shared_products and self.chance(0.3):
            return "any"
        return plan + "." + ("f" if person["tier"] == "family" else "i")

    def ids(self, sub, product, no_id=None, no_product=None):
        """The id and the product of an event, each sometimes missing, seldom wrong."""
        cfg = self.cfg
        out = {}
        if not self.chance(cfg.p_no_id if no_id is None else no_id):
            out["subscription_id"] = sub
        if not self.chance(cfg.p_no_product if no_product is None else no_product):
            out["product_id"] = product
        return out

    # stories ----------------------------------------------------------------------------------------------------
    def life(self, index):
        cfg = self.cfg
        app = self.pick(*cfg.apps)
        name = "u%d" % index if not self.chance(0.02) else "ü%d" % index
        users = [name]
        if self.chance(cfg.p_identify):
            users = [name, name + "x"] if self.chance(0.8) else [name, name + "x", name + "y"]
        person = {"app": app, "users": users, "currency": self.pick(*cfg.currencies), "tier": self.pick(*cfg.tiers),
                  "country": self.pick(None, "us", "DE"), "platform": self.pick("ios", "ios", "android", None),
                  "store": self.pick("app_store", "stripe", None), "app_version": self.pick("1.0", "1.1", None),
                  "properties": self.pick(None, None, {"case": "a"}, {"case": "b", "n": 3}, {"case": True, "list": [1]}, {"case": ""},
                                          {"it's": "so", "a\"b c": "é"}, {"it's": "SO", "case": "(none)"}),
                  "campaign": self.pick(None, None, "spring", "fall"),
                  "subs": ["S%d" % index, "T%d" % index] + (["SHARED"] if self.chance(0.03) else [])}
        start = cfg.base + self.rng.randint(0, cfg.spread) * DAY + int(self.pick(*cfg.hours) * HOUR) + self.edge()
        if len(users) > 1:
            for other in users[1:]:
                self.add(dict(person, users=[name]), "identify", start + self.pick(0, DAY, 40 * DAY, 400 * DAY, -DAY),
                         previous_user_id=other)
        if self.chance(cfg.p_identify * 0.3):
            self.add(person, "identify", start + self.pick(0, DAY, 100 * DAY), previous_user_id="device%d" % self.rng.randint(1, max(2, self.persons // 4)))
        t = start
        self.impressions(person, t)
        for _ in range(self.pick(0, 1, 1, 1, 2, 3) if not cfg.crowded else self.pick(1, 2, 3, 4)):
            if cfg.crowded and self.chance(0.25):
                self.tangle(person, t)
            if cfg.crowded and self.chance(0.7):
                t = start + self.pick(0, HOUR, DAY, 2 * DAY, 7 * DAY)
            story = self.rng.random()
            if story < cfg.p_story_trial:
                t = self.trial(person, t + self.pick(0, 0, HOUR, 3 * DAY, 7 * DAY - 1, 7 * DAY, 7 * DAY + 1))
            elif story < max(0.85, cfg.p_story_trial + 0.02):
                t = self.subscription(person, t + self.pick(0, 0, HOUR, 3 * DAY, 7 * DAY - 1, 7 * DAY, 7 * DAY + 1), None)
            elif story < max(0.85, cfg.p_story_trial + 0.02) + cfg.p_grant / 2:
                t = self.grant(person, t + self.pick(0, DAY))
            else:
                self.impressions(person, t)
            t += self.pick(0, 0, DAY, 10 * DAY, 40 * DAY)
        mine = [ev for ev in self.events if ev["app"] == app and ev["user_id"] in users]
        for _ in range(int(cfg.p_noise * self.rng.random() * 4)):
            self.noise(person, mine, start)

    def impressions(self, person, t):
        cfg = self.cfg
        for _ in range(self.pick(0, 1, 1, 2, 3, 4)):
            at = t + self.pick(-7 * DAY - 1, -7 * DAY, -7 * DAY + 1, -3 * DAY, -DAY, -1, 0, 0, 0, 1, HOUR, 2 * DAY, 6 * DAY,
                               7 * DAY - 1, 7 * DAY, 7 * DAY + 1, 30 * DAY)
            fields = self.context(always=True)
            if self.chance(cfg.p_price_shown):
                pair = self.pick(("6.99", "24.99"), ("6.99", "59.99"), (3.99, "24.99"), ("2.50", "27.00"), (10, "118.92"), (1, 15), (0, 0), (0, "5"))
                fields.update(price_monthly=pair[0], price_yearly=pair[1], currency=person["currency"], tier=person["tier"])
                if self.chance(0.1):
                    del fields[self.pick("price_monthly", "price_yearly")]
                if pair == (0, 0) and self.chance(0.5):
                    fields["currency"] = None
            kind = "paywall_impression"
            if self.chance(0.08):
                kind = self.pick("paywall_dismissal", "purchase_started", "gate_hit")
            self.add(person, kind, at, **fields)
        if self.chance(0.05):
            self.add(person, "exposure", t + self.edge(), experiment="x1", variant=self.pick("a", "b"))

    def trial(self, person, t):
        """A trial and what may happen in and after it; returns the time it ended."""
        cfg = self.cfg
        app_kind = self.chance(cfg.p_app_trial)
        plan = self.pick(*[p for p in cfg.plans if p != "lifetime"])
        sub, product = self.pick(*person["subs"]), self.product(person, plan)
        days = self.pick(*cfg.trial_days)
        end = t + days * DAY
        fields = {}
        if self.chance(0.7):
            fields["trial_days"] = days
        if not fields or self.chance(0.3):
            end = t + days * DAY + self.pick(0, 0, 1, -1, HOUR)
            fields["trial_ends_at"] = end
        if app_kind:
            fields["trial_kind"] = "app"
            if self.chance(0.4):
                fields["plan"] = plan
            fields.update(self.ids(sub, product, 0.9, 0.8))
        else:
            fields["plan"] = plan
            fields["trial_kind"] = self.pick(None, None, "introductory")
            fields.update(self.ids(sub, product))
        self.add(person, "trial_start", t, tier=person["tier"], **fields, **self.context())
        deadline = end + 3 * DAY
        if self.chance(0.25):                                     # repeats
            at = self.pick(t, t + 1, t + DAY, end - 1, end, deadline - 1, deadline, deadline + 1)
            again = self.ids(sub if self.chance(0.8) else self.pick(*person["subs"]), product)
            more = self.pick({"trial_days": days}, {"trial_ends_at": end + self.pick(-1, 0, 1, 3 * DAY)}, {"trial_days": 3, "trial_ends_at": end + 2 * DAY})
            if more.get("trial_ends_at", at + 1) <= at:
                more = {"trial_days": days}
            self.add(person, "trial_start", at, plan=plan, trial_kind=self.pick(fields.get("trial_kind"), fields.get("trial_kind"), "app"),
                     **again, **more, **self.context())
            end = max(end, more.get("trial_ends_at", 0))
            deadline = end + 3 * DAY
        for _ in range(self.pick(0, 0, 0, 1, 1, 2, 3)):           # auto-renew off and on
            at = self.pick(t - 1, t, t + 1, t + DAY, t + 2 * DAY, end - 1, end, end + 1, end - DAY)
            self.add(person, self.pick("cancellation", "cancellation", "reactivation"), at,
                     reason=self.pick(None, None, "price_increase", "other") if self.chance(0.5) else None,
                     **(self.ids(sub, product) if not self.chance(0.3) else {}))
        if self.chance(0.25):                                     # 1.7
            at = self.pick(t, t + 1, end - 1, end, end + DAY, deadline - 1, deadline)
            until = self.pick(deadline, deadline + 1, deadline - 1, end + 16 * DAY, deadline + 3 * DAY)
            self.add(person, "billing_issue", at, grace_ends_at=until if self.chance(0.8) else None, **self.ids(sub, product))
            if self.chance(0.5):
                self.add(person, "billing_issue", self.pick(until - 1, until, until - DAY, at), grace_ends_at=until + 5 * DAY, **self.ids(sub, product))
            if self.chance(0.7):
                deadline = max(deadline, until)
        if self.chance(0.7):
            at = self.pick(end, end, end, end - 1, end + 1, end + HOUR, t, t + 1, t + DAY, deadline - 1, deadline, deadline + 1, end + 3 * DAY)
            if self.chance(0.1):                                  # converts without the trial's ids
                sub = self.pick(*person["subs"])
            return self.subscription(person, max(at, t - DAY), (sub, plan, product))
        return self.pick(end, deadline)

    def tangle(self, person, t):
        """Overlapping trials, conversions and churn events with any mixture of ids and products: 2.2, 2.3, 2.4, 1.7, 2.6."""
        products = [self.product(person, "monthly"), "other"]

        def some_ids(no_id=0.35, no_product=0.35):
            return self.ids(self.pick(*person["subs"]), self.pick(*products), no_id, no_product)

        marks = [t]
        for _ in range(self.pick(2, 3, 4, 5)):
            at = self.pick(*marks) + self.pick(0, 1, DAY, 2 * DAY, 5 * DAY)
            days = self.pick(*self.cfg.trial_days)
            fields = {"trial_days": days}
            if self.chance(0.5):
                fields = {"trial_ends_at": at + self.pick(3, 7, 9, 12) * DAY}
            marks += [at, at + days * DAY, at + (days + 3) * DAY]
            self.add(person, "trial_start", at, plan="monthly", trial_kind=self.pick(None, None, "app"), tier=person["tier"],
                     **fields, **some_ids(), **self.context())
        for _ in range(self.pick(1, 2, 3, 5)):
            kind = self.pick("cancellation", "cancellation", "reactivation", "billing_issue", "refund", "expiration")
            at = self.pick(*marks) + self.pick(0, 0, 1, -1, DAY)
            self.add(person, kind, at, grace_ends_at=at + self.pick(3, 5, 10) * DAY if kind == "billing_issue" else None, **some_ids(0.5, 0.5))
        for _ in range(self.pick(0, 1, 2, 3)):
            at = self.pick(*marks) + self.pick(0, 0, 1, -1, DAY)
            self.add(person, "conversion", at, plan="monthly", tier=person["tier"],
                     **dict(some_ids(), product_id=self.pick(*products)), **self.money("monthly", person), **self.context())

    def grant(self, person, t):
        """A free first period with an offer, perhaps paid later (1.5)."""
        plan = self.pick(*[p for p in self.cfg.plans if p != "lifetime"])
        sub, product = self.pick(*person["subs"]), self.product(person, plan)
        self.add(person, "conversion", t, plan=plan, price=self.pick(0, "0"), currency=self.pick(None, person["currency"]),
                 offer_type=self.pick("promotional", "introductory", "offer_code", "win_back"), tier=person["tier"],
                 product_id=product, **self.ids(sub, product, None, 1), **self.context())
        if self.chance(0.4):
            self.add(person, self.pick("cancellation", "refund", "billing_issue", "expiration"), t + self.pick(0, DAY), **self.ids(sub, product))
        if self.chance(0.7):
            return self.subscription(person, t + self.pick(0, 1, 7 * DAY, 30 * DAY), (sub, plan, product), first="renewal")
        return t + DAY

    def subscription(self, person, t, given, first=None):
        """A chain of payments with everything that may happen to it; returns the time of its last event."""
        cfg = self.cfg
        if given is None:
            plan = self.pick(*cfg.plans)
            sub, product = self.pick(*person["subs"]), self.product(person, plan)
        else:
            sub, plan, product = given
        if first is None:
            first = "conversion" if not self.chance(0.05) else self.pick("renewal", "plan_change")
        count = self.pick(1, 1, 2, 3, 4, 6, 13, 14) if cfg.calm or self.chance(0.5) else self.pick(1, 2, 3)
        if plan in ("yearly", "semiannual", "lifetime"):
            count = self.pick(1, 1, 1, 2)
        p_event = 0.12 if cfg.calm else 0.35
        loses_id = self.chance(cfg.p_no_id)
        start, last_price = t, None
        cover = t
        for n in range(count):
            kind = first if n == 0 else "renewal"
            money = self.money(plan, person)
            if n > 0 and last_price is not None and self.chance(0.6):
                money = last_price
            last_price = money
            natural = plan_end(t, plan)
            expires = None
            if self.chance(cfg.p_expires):
                expires = natural + self.pick(0, 0, 0, 1, -1, HOUR, -2 * DAY)
                if plan == "lifetime":
                    expires = t + self.pick(DAY, 30 * DAY)
                if expires <= t:
                    expires = None
            cover = max(t, expires or natural) if plan != "lifetime" else natural
            own = self.context() if n == 0 or self.chance(0.1) else {}
            if cfg.priced_by_variant and own.get("variant") and plan in ("monthly", "yearly"):
                money = dict(money, price={"monthly": {"a": "6.99", "b": "3.99", "c": 2.5}, "yearly": {"a": "24.99", "b": "59.99", "c": 20}}[plan][own["variant"]])
                last_price = money
            fields = dict(money)
            if self.chance(cfg.p_offer):
                fields["offer_type"] = self.pick("introductory", "promotional", "offer_code", "win_back")
                fields["offer_code"] = self.pick(None, None, "SPRING", "FRIENDS")
            if kind == "plan_change":
                fields["previous_product_id"] = "old"
            transaction = "%s-%d" % (sub, n) if self.chance(0.5) else None
            if transaction and self.chance(0.2 if cfg.crowded else 0.04):
                transaction = "%s-0" % sub
            self.add(person, kind, t, plan=plan, product_id=product, tier=person["tier"], expires_at=expires,
                     transaction_id=transaction, **({} if loses_id and self.chance(0.8) else {"subscription_id": sub}),
                     **fields, **own)
            end = min(cover, t + 9998 * DAY)
            life = (end if plan != "lifetime" else t + 60 * DAY)
            # what happens in this period
            for _ in range(3):
                if not self.chance(p_event):
                    continue
                what = self.pick("cancellation", "cancellation", "reactivation", "cancellation")
                at = self.pick(t, t + 1, t + DAY, t + 5 * DAY, life - 1, life, life + 1, start + 35 * DAY - 1, start + 35 * DAY, start + 95 * DAY - 1,
                               life - DAY, t - 1)
                self.add(person, what, at, reason=self.pick(None, None, "voluntary", "billing", "price_increase", "product_unavailable", "other")
                         if what == "cancellation" else None, **(self.ids(sub, product) if not self.chance(0.2) else {}))
            if self.chance(p_event):
                self.refund(person, t, life, start, sub, product, money, n)
            grace_end = life + 3 * DAY
            if self.chance(p_event) and plan != "lifetime":
                at = self.pick(t, t + DAY, life - 1, life, life + DAY, grace_end - 1, grace_end)
                until = self.pick(None, grace_end - 1, grace_end, grace_end + 1, grace_end + 13 * DAY, at + DAY)
                self.add(person, "billing_issue", at, grace_ends_at=until, **self.ids(sub, product))
                if until:
                    grace_end = max(grace_end, until)
                    if self.chance(0.2):
                        self.add(person, "billing_issue", self.pick(until - 1, until), grace_ends_at=until + 4 * DAY, **self.ids(sub, product))
            if self.chance(p_event) and plan != "lifetime":
                at = self.pick(life, life, life - 1, life + 1, t, t + 1, t + 3 * DAY, grace_end, life + 60 * DAY - 1, life + 60 * DAY, life + 30 * DAY)
                self.add(person, "expiration", at, reason=self.pick(None, None, "voluntary", "billing", "price_increase", "product_unavailable", "other"),
                         **(self.ids(sub, product) if not self.chance(0.2) else {}))
                if self.chance(0.3):
                    self.add(person, "refund", at + self.pick(0, 1, HOUR, DAY - 1, DAY, DAY + 1), **self.ids(sub, product))
                if self.chance(0.3):
                    t = at if self.chance(0.5) else t
                    life = max(t, at)
                    grace_end = life + 3 * DAY
            # the next payment
            if plan == "lifetime" and not self.chance(0.3):
                break
            choice = self.rng.random()
            before = t
            if choice < (0.8 if cfg.calm else 0.6):
                t = life + self.pick(0, 0, 0, 0, 0, 1, -1, HOUR, -DAY)
            elif choice < 0.85:
                t = grace_end + self.pick(-1, 0, 1)
            elif choice < 0.93:
                t = life + self.pick(4 * DAY, 20 * DAY, 61 * DAY)       # a resubscription
                if self.chance(0.5):
                    first_again = "conversion"
                    self.add(person, first_again, t, plan=plan, product_id=product, tier=person["tier"], **self.money(plan, person),
                             **({} if self.chance(cfg.p_no_id) else {"subscription_id": sub}), **self.context())
                    t = plan_end(t, plan) + self.edge()
            else:
                new_plan = self.pick(*cfg.plans)
                new_product = self.product(person, new_plan)
                t = self.pick(t, t + 1, t + 5 * DAY, life - 1, life, life + DAY)
                self.add(person, "plan_change", t, plan=new_plan, product_id=new_product, previous_product_id=product, tier=person["tier"],
                         **({} if self.chance(cfg.p_no_id) else {"subscription_id": sub}),
                         **(self.money(new_plan, person) if self.chance(0.7) else {}), **self.context())
                plan, product = new_plan, new_product
                if self.chance(0.7) and new_plan != "lifetime":
                    t = plan_end(t, new_plan) + self.edge()
                last_price = None
            t = max(t, before)
            if t > ms(2027, 6, 1):
                break
        return t

    def refund(self, person, t, life, start, sub, product, money, n):
        at = self.pick(t, t + 1, t + DAY, t + 5 * DAY, life - 1, life, life + 1, start + 30 * DAY - 1, start + 30 * DAY, start + 30 * DAY + 1, life + 5 * DAY)
        fields = {}
        shape = self.rng.random()
        if shape < 0.4:
            pass                                                 # all of it
        elif shape < 0.55:
            fields = {"price": money["price"], "currency": money.get("currency") or "USD"}
        elif shape < 0.8:
            fields = {"price": self.pick("1.00", "3.00", "3.99", "2.99", 0), "currency": money.get("currency") or "USD"}
        else:
            fields = {"price": money["price"], "currency": self.pick("EUR", "GBP")}
        if self.chance(0.4):
            fields["transaction_id"] = self.pick("%s-%d" % (sub, n), "%s-0" % sub, "%s-%d" % (sub, max(0, n - 1)), "nowhere",
                                                 "%s-0" % person["subs"][0], "%s-0" % person["subs"][1])
        fields["reason"] = self.pick(None, "changed my mind")
        ids = self.ids(sub, product)
        if self.chance(0.1):
            ids["subscription_id"] = self.pick(*person["subs"])
        self.add(person, "refund", at, **fields, **ids)
        if shape >= 0.55 and self.chance(0.6):
            more = dict(fields, price=self.pick("3.99", "3.00", "21.99", "5.99", money["price"]), currency=money.get("currency") or "USD")
            self.add(person, "refund", at + self.pick(0, 1, DAY, 5 * DAY), **more, **ids)

    def noise(self, person, mine, start):
        """Any kind at a time that means something to this person."""
        base = self.pick(*mine)["ts"] if mine else start
        at = base + self.pick(0, 0, 1, -1, 3 * DAY, 7 * DAY, 7 * DAY - 1, -7 * DAY, 30 * DAY)
        kind = self.pick("cancellation", "reactivation", "billing_issue", "expiration", "refund", "activity", "restore", "trial_nudge",
                         "offer_redemption", "paywall_impression", "conversion", "renewal", "plan_change", "trial_start")
        plan = self.pick(*self.cfg.plans)
        sub, product = self.pick(*person["subs"]), self.product(person, plan)
        fields = self.ids(sub, product, 0.5, 0.5)
        if kind in ("conversion", "renewal"):
            fields.update(plan=plan, product_id=product, tier=person["tier"], **self.money(plan, person), **self.context())
        elif kind == "plan_change":
            fields.update(plan=plan, product_id=product)
        elif kind == "trial_start":
            fields.update(plan="monthly", trial_days=self.pick(*self.cfg.trial_days), trial_kind=self.pick(None, "app"), **self.context())
        elif kind == "paywall_impression":
            fields = self.context(always=True)
        elif kind == "offer_redemption":
            fields["offer_code"] = "CODE"
        elif kind == "billing_issue":
            fields["grace_ends_at"] = at + self.pick(DAY, 5 * DAY, 16 * DAY)
        self.add(person, kind, at, **fields)

    def balanced(self):
        """5.2: purchases of two or three variants with nearly the same numbers, each with prices of its own."""
        number = 0
        for variant, monthly, yearly in (("b", "3.99", "59.99"), ("a", "6.99", "24.99"), ("c", "2.50", "20")):
            if variant == "c" and self.chance(0.5):
                continue
            counts = [("monthly", monthly, self.pick(4, 5, 5, 6, 6)), ("yearly", yearly, self.pick(5, 5, 6, 6)), ("weekly", "0.99", self.pick(0, 0, 1, 3))]
            for plan, price, count in counts:
                last = None
                for _ in range(count):
                    number += 1
                    person = {"app": self.cfg.apps[0], "users": ["bal%d" % number], "country": None, "platform": None, "store": None,
                              "app_version": None, "properties": None, "campaign": None}
                    ts = self.cfg.base + self.rng.randint(0, 3) * DAY
                    if last is not None and self.chance(0.15):     # two subscriptions of one person that begin at once
                        person["users"], ts = last
                    last = (person["users"], ts)
                    self.add(person, "conversion", ts, plan=plan, price=price, currency="USD",
                             product_id=plan, subscription_id="bal%d" % number, entry_point="balanced", variant=variant)

    def make(self):
        for i in range(self.persons):
            self.life(i)
        if self.cfg.priced_by_variant and self.chance(0.6):
            self.balanced()
        if self.cfg.future:
            newest = max((ev["ts"] for ev in self.events), default=self.cfg.base)
            for app in self.cfg.apps if self.chance(0.5) else []:        # 1.1: family_shared events still set T, sandbox ones do not
                person = {"app": app, "users": ["u0"], "country": None, "platform": None, "store": None, "app_version": None,
                          "properties": None, "campaign": None}
                for mark in ({"ownership": "family_shared"}, {"environment": "sandbox"}):
                    ts = newest + self.pick(HOUR, DAY, 5 * DAY)
                    self.add(person, "activity", ts, **mark)["received_at"] = ts
            for i in range(self.pick(1, 2, 4, 6)):
                person = {"app": self.pick(*self.cfg.apps), "users": ["u%d" % self.rng.randrange(max(1, self.persons))], "country": None,
                          "platform": None, "store": None, "app_version": None, "properties": None, "campaign": None}
                ts = newest + self.pick(0, DAY, 2 * DAY, 300 * DAY) + self.edge()
                ev = self.add(person, self.pick("activity", "paywall_impression"), ts, entry_point=self.cfg.entry_points[0])
                received = self.pick(None, ts - DAY, ts - DAY, ts - DAY - 1, ts - 2 * DAY)
                ev.pop("received_at", None)
                if self.chance(0.5):
                    ev["ownership"] = "family_shared"
                if self.chance(0.2):
                    ev["environment"] = "sandbox"
                if received is not None:
                    ev["received_at"] = received
        top = ms(2099, 12, 1)
        for ev in self.events:
            ev["ts"] = min(max(ev["ts"], ms(2008, 1, 1)), top)
            for name in ("trial_ends_at", "expires_at"):
                if name in ev and ev[name] <= ev["ts"]:
                    ev[name] = ev["ts"] + 1
        self.rng.shuffle(self.events)
        return self.events


# writing ----------------------------------------------------------------------------------------------------------

TIMES = ("ts", "received_at", "expires_at", "trial_ends_at", "grace_ends_at")


def spelled(ev, rng):
    """The event with its instants spelled in one of the allowed ways."""
    out = dict(ev)
    for name in TIMES:
        if name in out:
            t = out[name]
            way = rng.random()
            if way < 0.5:
                out[name] = t
            elif way < 0.8:
                out[name] = iso(t, 0 if t % 1000 == 0 and rng.random() < 0.5 else rng.choice([3, 6, 9]))
            else:
                out[name] = iso(t, 3, rng.choice([60, -300, 330, -210, 765]))
    return out


def ndjson(events, rng):
    return "".join(json.dumps(spelled(ev, rng), ensure_ascii=rng.random() < 0.5) + rng.choice(["\n", "\n", "\r\n"]) for ev in events).encode("utf-8")


def csv_bytes(events, rng):
    events = [spelled(ev, rng) for ev in events]
    names = sorted({k for ev in events for k in ev})
    rng.shuffle(names)
    out = io.StringIO()
    writer = csv.writer(out, delimiter=rng.choice(",;\t"), lineterminator=rng.choice(["\n", "\r\n"]))
    writer.writerow(names)
    for ev in events:
        writer.writerow([json.dumps(ev[n]) if n == "properties" and n in ev else ev.get(n, "") for n in names])
    return out.getvalue().encode("utf-8")


def bad_lines(app, rng):
    """Lines with one fault each."""
    def line(**fields):
        base = {"event_id": "bad%d" % rng.randrange(10 ** 9), "event": "activity", "ts": 1772409600000, "app": app, "user_id": "u0"}
        base.update(fields)
        return json.dumps({k: v for k, v in base.items() if v != "DROP"}).encode()
    conv = {"event": "conversion", "product_id": "p", "plan": "monthly"}
    choices = [b"no json", b"[1]", b'"x"', b'{"event_id":"x"', line(event_id="DROP"), line(user_id=None), line(app=""), line(event="DROP"),
               line(ts="DROP"), line(event="seen"), line(event="paywall_impression"), line(event="gate_hit"),
               line(event="exposure", variant="a"), line(event="exposure", experiment="a"), line(event="trial_start", plan="monthly"),
               line(event="trial_start", trial_days=7), line(**conv), line(event="conversion", plan="monthly", price=1, currency="USD"),
               line(event="conversion", product_id="p", price=1, currency="USD"), line(event="identify"), line(event="offer_redemption"),
               line(**conv, price=1), line(**conv, price=-1, currency="USD"), line(**conv, price="1,5", currency="USD"),
               line(**conv, price=10 ** 12, currency="USD"), line(event="conversion", product_id="p", plan="daily", price=0),
               line(**conv, price=1, currency="USD", expires_at=1772409600000), line(event="trial_start", plan="monthly", trial_days=0),
               line(event="trial_start", plan="monthly", trial_days=367), line(event="trial_start", plan="monthly", trial_days=1.5),
               line(event="trial_start", plan="monthly", trial_ends_at=1772409600000), line(ts="2026-02-30T00:00:00Z"),
               line(ts="2026-03-02T00:00:00"), line(ts="2016-12-31T23:59:60Z"), line(ts=1199145599999), line(ts="2100-01-01T00:00:00Z"),
               line(ts="2026-03-02T00:00:00.1234567890Z"), line(ts=1.5), line(platform=1), line(country="USA"), line(currency="US"),
               line(environment="test"), line(user_id=1.5), line(user_id=True), line(app=1), line(properties=[1]), line(properties="x"),
               line(event_id="x" * 201), line(store="é" * 101), line(event="cancellation", reason="because"), line(event="gate_hit", entry_point="x", limit="1"),
               line(event="gate_hit", entry_point="x", used=True), line(tier="team"), line(ownership="mine"), line(offer_type="gift"),
               line(variant="a\0b"), line()[:-1] + b',"user_id":"u0"}', line().replace(b"activity", b"acti\xffvity"),
               line(note="n" * ((1 << 20) + 5)), line(received_at="yesterday"), line(grace_ends_at=True)]
    return rng.choice(choices)


def write(events, out, rng, messy):
    os.makedirs(out, exist_ok=True)
    for root, dirs, names in os.walk(out):
        for name in names:
            os.unlink(os.path.join(root, name))
    if not messy:
        parts = rng.choice([1, 1, 3, 6])
        for i in range(parts):
            with open(os.path.join(out, "events-%d.jsonl" % i), "wb") as f:
                f.write(ndjson(events[i::parts], rng))
        return
    events = list(events)
    extra = []
    for ev in events:
        if rng.random() < 0.06:                                 # the same event again, perhaps with another received_at
            copy = dict(ev)
            if rng.random() < 0.7:
                copy["received_at"] = ev["ts"] + rng.choice([0, 1, DAY, -DAY, -2 * DAY, 5 * DAY])
            elif "received_at" in copy and rng.random() < 0.5:
                del copy["received_at"]
            if rng.random() < 0.5:                              # a default spelled out is the same content as none
                defaults = {"environment": "production", "tier": "individual", "ownership": "purchased"}
                defaults.update({"trial_start": {"trial_kind": "introductory"},
                                 "cancellation": {"reason": "voluntary"}}.get(ev["event"], {}))
                for name, value in defaults.items():
                    copy.setdefault(name, value)
            extra.append(copy)
            if rng.random() < 0.2:
                extra.append(dict(copy))
        if rng.random() < 0.04:                                 # other content under the same id
            other = dict(ev)
            other["user_id"] = rng.choice(["u0", "u1", "zz"])
            if str(other["user_id"]) == str(ev["user_id"]):
                other["user_id"] = "zz"
            if rng.random() < 0.7:
                other["received_at"] = ev.get("received_at", ev["ts"]) + rng.choice([0, 1, -1, DAY])
            extra.append(other)
            if rng.random() < 0.2:
                extra.append(dict(other, user_id="third"))
    events += extra
    rng.shuffle(events)
    app = events[0]["app"] if events else "steps"
    files = rng.choice([3, 5, 8])
    for i in range(files):
        part = events[i::files]
        kind = rng.random()
        if kind < 0.25 and part:
            data = csv_bytes(part, rng)
            name = "events-%d.csv" % i
        else:
            lines = ndjson(part, rng).split(b"\n")
            for _ in range(rng.choice([0, 0, 2, 5])):
                lines.insert(rng.randrange(len(lines)), bad_lines(app, rng))
            if rng.random() < 0.3:
                lines.insert(rng.randrange(len(lines)), b"")
            data = b"\n".join(lines)
            if rng.random() < 0.3:
                data = data.rstrip(b"\r\n")
            name = "events-%d.jsonl" % i
        if rng.random() < 0.15:
            data = b"\xef\xbb\xbf" + data
        packing = rng.random()
        cut = data.find(b"\n", len(data) // 2) + 1
        if packing < 0.3:
            data = gzip.compress(data[:cut], mtime=0) + (gzip.compress(data[cut:], mtime=0))
        elif packing < 0.6:
            data = zstd(data[:cut]) + zstd(data[cut:])
        sub = os.path.join(out, rng.choice(["", "sub", "sub/deep", "z"]))
        os.makedirs(sub, exist_ok=True)
        with open(os.path.join(sub, name + rng.choice(["", ".gz", ".zst"])), "wb") as f:
            f.write(data)
        if rng.random() < 0.1:
            with open(os.path.join(sub, "again-%d" % i), "wb") as f:      # the same stored bytes
                f.write(data)
    hidden = os.path.join(out, ".hidden")
    with open(hidden, "wb") as f:
        f.write(b"not read\n")
    if rng.random() < 0.3:                                      # a truncated file: no line of it is taken
        body = ndjson([dict(ev, event_id="lost%d" % i) for i, ev in enumerate(events[:40])], rng) or b"x" * 500
        packed = zstd(body) if rng.random() < 0.5 else gzip.compress(body, mtime=0)
        with open(os.path.join(out, "truncated"), "wb") as f:
            f.write(packed[:len(packed) * 2 // 3])


def zstd(data):
    return subprocess.run(["zstd", "-qc"], input=data, stdout=subprocess.PIPE, check=True).stdout


def add_shares(events, rng):
    """Tax and commission of some payments; a stream of its own leaves everything else as it is."""
    chance = rng.choice([0, 0.5, 1])
    for ev in events:
        if ev["event"] in ("conversion", "renewal", "plan_change"):
            for name, values in (("tax_percentage", [0, 0.19, 0.077, 0.2]), ("commission_percentage", [0.15, 0.3, 0.1525])):
                if rng.random() < chance * 0.7:
                    ev[name] = rng.choice(values)


def forget_places(events, rng):
    """Payments whose place in their subscription the source does not tell (2.12); a stream of its own, too."""
    share = rng.choice([0, 0, 0.3, 0.9])
    firsts = {}
    for ev in events:
        if (ev["event"] in ("conversion", "renewal", "plan_change") and float(ev.get("price") or 0) > 0
                and ev.get("environment") != "sandbox" and ev.get("ownership") != "family_shared"):
            firsts[ev["app"]] = min(ev["ts"], firsts.get(ev["app"], ev["ts"]))
    for ev in events:
        if ev["event"] in ("conversion", "renewal") and rng.random() < share:
            ev["event"] = "payment"
            if rng.random() < 0.3:
                ev["subscription_started_at"] = ev["ts"] + rng.choice([-DAY, -DAY, 1 - DAY, 0, DAY, -30 * DAY])
            elif rng.random() < 0.3 and ev["app"] in firsts and ev["plan"] != "lifetime":
                # At the end of the full period of the app's first payment, and just behind it.
                ev["ts"] = plan_end(firsts[ev["app"]], ev["plan"]) + 3 * DAY + rng.choice([0, 0, 1])
                ev.pop("expires_at", None)


def generate(seed, persons, out, messy, has_places=False, comes_back=False):
    """Writes events; with `has_places` each payment says its place in its subscription, with `comes_back` some persons cancel and return."""
    g = Generator(seed, persons)
    events = g.make()
    if comes_back:
        generate_saves.add(events, random.Random(seed * 86_028_121 + 13))
    add_shares(events, random.Random(seed * 104_729 + 3))
    if not has_places:
        forget_places(events, random.Random(seed * 32_452_843 + 11))
    generate_behaviour.add(events, random.Random(seed * 15_485_863 + 7))
    write(events, out, random.Random(seed * 7919 + 1), messy)
    return events


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--seed", type=int, required=True)
    p.add_argument("--persons", type=int, default=40)
    p.add_argument("--out", required=True)
    p.add_argument("--messy", action="store_true")
    a = p.parse_args()
    events = generate(a.seed, a.persons, a.out, a.messy)
    print(len(events), "events")


if __name__ == "__main__":
    main()
